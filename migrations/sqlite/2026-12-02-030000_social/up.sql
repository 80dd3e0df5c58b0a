-- People: who are friends, who asked to be, who blocks whom, and groups.

-- Two people, the lower number first. Whoever changes anything between them begins with an update of
-- this row, so that a block and an acceptance at once cannot both win.
create table friend_pairs (
    id              integer primary key autoincrement,
    user1_id        integer not null references users (id) on delete cascade,
    user2_id        integer not null references users (id) on delete cascade,
    friends_since   text,
    -- The local day of who made them friends: no day before it counts for their streak.
    first_day       text,
    -- As the rows of `blocks`, here so that one row decides.
    blocked_by1     integer not null default 0,
    blocked_by2     integer not null default 0,
    -- Consecutive days of `friend_streak_days`, the last of them.
    streak_days     integer not null default 0,
    streak_last_day text,
    created_at      text not null,
    updated_at      text not null,
    constraint friend_pairs_order check (user1_id < user2_id),
    constraint friend_pairs_blocked check (friends_since is null or not (blocked_by1 or blocked_by2)),
    constraint friend_pairs_since check ((friends_since is null) = (first_day is null)),
    constraint friend_pairs_streak check ((streak_days > 0) = (streak_last_day is not null))
) strict;
create unique index friend_pairs_user1_id_user2_id on friend_pairs (user1_id, user2_id);
create index friend_pairs_user2_id on friend_pairs (user2_id);
-- The friends of somebody.
create index friend_pairs_friends1 on friend_pairs (user1_id, id) where friends_since is not null;
create index friend_pairs_friends2 on friend_pairs (user2_id, id) where friends_since is not null;

create table friend_requests (
    id           integer primary key autoincrement,
    requester_id integer not null references users (id) on delete cascade,
    addressee_id integer not null references users (id) on delete cascade,
    status       text not null default 'pending',
    -- The addressee blocks the requester, and never sees it; the requester sees no difference.
    hidden       integer not null,
    created_at   text not null,
    closed_at    text,
    constraint friend_requests_apart check (requester_id <> addressee_id),
    constraint friend_requests_status check (status in ('pending', 'accepted', 'declined', 'cancelled')),
    constraint friend_requests_closed check ((status = 'pending') = (closed_at is null))
) strict;
create unique index friend_requests_requester_id_addressee_id
    on friend_requests (requester_id, addressee_id) where status = 'pending';
create index friend_requests_requester_id_id on friend_requests (requester_id, id);
create index friend_requests_addressee_id_id on friend_requests (addressee_id, id);

create table blocks (
    id         integer primary key autoincrement,
    blocker_id integer not null references users (id) on delete cascade,
    blocked_id integer not null references users (id) on delete cascade,
    -- Whether the blocker knew who that is; else the list of blocks would tell everybody's handle.
    acquainted integer not null,
    created_at text not null,
    constraint blocks_apart check (blocker_id <> blocked_id)
) strict;
create unique index blocks_blocker_id_blocked_id on blocks (blocker_id, blocked_id);
create index blocks_blocker_id_id on blocks (blocker_id, id);
create index blocks_blocked_id on blocks (blocked_id);

-- The local dates that both closed, while they were friends.
create table friend_streak_days (
    id       integer primary key autoincrement,
    user1_id integer not null references users (id) on delete cascade,
    user2_id integer not null references users (id) on delete cascade,
    day      text not null,
    constraint friend_streak_days_order check (user1_id < user2_id)
) strict;
create unique index friend_streak_days_user1_id_user2_id_day
    on friend_streak_days (user1_id, user2_id, day);
create index friend_streak_days_user2_id on friend_streak_days (user2_id);

create table groups (
    id              integer primary key autoincrement,
    -- Its owner.
    user_id         integer not null references users (id) on delete cascade,
    name            text not null,
    idempotency_key text,
    fingerprint     text,
    created_at      text not null,
    updated_at      text not null,
    -- Its row stays, so that its key makes no other group.
    ended_at        text
) strict;
create unique index groups_user_id_idempotency_key on groups (user_id, idempotency_key)
    where idempotency_key is not null;
create index groups_user_id on groups (user_id, id);

create table group_members (
    id         integer primary key autoincrement,
    group_id   integer not null references groups (id) on delete cascade,
    user_id    integer not null references users (id) on delete cascade,
    role       text not null,
    created_at text not null,
    constraint group_members_role check (role in ('owner', 'coach', 'viewer'))
) strict;
create unique index group_members_group_id_user_id on group_members (group_id, user_id);
create index group_members_user_id_group_id on group_members (user_id, group_id);

-- The XP of a week.
create index xp_entries_user_id_local_day on xp_entries (user_id, local_day);
