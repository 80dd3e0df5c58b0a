drop index friend_requests_open_to;
drop index friend_requests_open_of;
