drop table paused_days;
drop table pauses;
drop table streak_freezes;
drop table ring_days;
