-- What an admin tells everybody, or who was active lately, and how far the walk over the users is.
create table broadcasts (
    id              integer primary key autoincrement,
    -- The admin.
    user_id         integer not null references users (id) on delete cascade,
    title           text not null,
    body            text not null,
    -- Of an audience that was active in the last days: in how many, and since when.
    active_days     integer,
    active_since    text,
    -- The upper bound of the walk, and where it is.
    last_user_id    integer not null,
    cursor_user_id  integer not null default 0,
    told            integer not null default 0,
    idempotency_key text,
    fingerprint     text,
    created_at      text not null,
    updated_at      text not null,
    finished_at     text,
    constraint broadcasts_audience check ((active_days is null) = (active_since is null)),
    constraint broadcasts_cursor check (cursor_user_id between 0 and last_user_id)
) strict;
create unique index broadcasts_user_id_idempotency_key on broadcasts (user_id, idempotency_key)
    where idempotency_key is not null;
create index broadcasts_user_id on broadcasts (user_id);
