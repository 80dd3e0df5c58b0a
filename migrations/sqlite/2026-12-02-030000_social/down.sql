drop index xp_entries_user_id_local_day;
drop table group_members;
drop table groups;
drop table friend_streak_days;
drop table blocks;
drop table friend_requests;
drop table friend_pairs;
