-- What a user is told. A cause is told once: its key names it.
create table notifications (
    id         bigint generated always as identity primary key,
    user_id    bigint not null references users (id) on delete cascade,
    kind       text not null,
    dedup_key  text not null,
    title      text not null,
    body       text not null,
    -- A path within the web app.
    link       text,
    created_at timestamptz not null,
    read_at    timestamptz
);
create unique index notifications_user_id_dedup_key on notifications (user_id, dedup_key);
-- A user's notifications, newest first.
create index notifications_user_id_id on notifications (user_id, id);
