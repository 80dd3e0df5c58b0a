-- Requests that wait for an answer, however many have ended: of somebody, and to somebody.
create index friend_requests_open_of on friend_requests (requester_id, id) where status = 'pending';
create index friend_requests_open_to on friend_requests (addressee_id, id) where status = 'pending';
