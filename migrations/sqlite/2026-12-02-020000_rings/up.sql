-- What a user did on a local day, and what they had set out to do when it began.
create table ring_days (
    id             integer primary key autoincrement,
    user_id        integer not null references users (id) on delete cascade,
    day            text not null,
    goal_solves    integer not null,
    goal_revisions integer not null,
    solves         integer not null,
    revisions      integer not null,
    closed_at      text,
    constraint ring_days_goals_something check
        (goal_solves >= 0 and goal_revisions >= 0 and goal_solves + goal_revisions >= 1),
    constraint ring_days_counters_positive check (solves >= 0 and revisions >= 0)
) strict;
create unique index ring_days_user_id_day on ring_days (user_id, day);
-- A streak is read from it alone.
create index ring_days_closed on ring_days (user_id, day) where closed_at is not null;

-- Days that count as kept. A calendar month has two, each with its slot.
create table streak_freezes (
    id         integer primary key autoincrement,
    user_id    integer not null references users (id) on delete cascade,
    day        text not null,
    -- The first of the day's month.
    month      text not null,
    slot       integer not null,
    created_at text not null,
    constraint streak_freezes_two_a_month check (slot in (1, 2)),
    constraint streak_freezes_month_of_day check (month = substr(day, 1, 8) || '01')
) strict;
create unique index streak_freezes_user_id_day on streak_freezes (user_id, day);
create unique index streak_freezes_user_id_month_slot on streak_freezes (user_id, month, slot);

-- A vacation. It is its days: see paused_days.
create table pauses (
    id         integer primary key autoincrement,
    user_id    integer not null references users (id) on delete cascade,
    from_day   text not null,
    until_day  text not null,
    created_at text not null,
    -- How often somebody has begun to spread what fell due in it, and since when all of it is.
    passes     integer not null default 0,
    spread_at  text,
    constraint pauses_some_day check (from_day <= until_day)
) strict;
create index pauses_user_id_id on pauses (user_id, id);
create index pauses_unspread on pauses (until_day, id) where spread_at is null;

create table paused_days (
    id       integer primary key autoincrement,
    user_id  integer not null references users (id) on delete cascade,
    day      text not null,
    pause_id integer not null references pauses (id) on delete cascade
) strict;
create unique index paused_days_user_id_day on paused_days (user_id, day);
create index paused_days_pause_id on paused_days (pause_id);
