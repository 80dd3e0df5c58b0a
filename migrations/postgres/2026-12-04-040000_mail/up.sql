-- Links by which somebody sets a new password; only their letters know them.
create table password_resets (
    id         bigint generated always as identity primary key,
    user_id    bigint not null references users (id) on delete cascade,
    token_hash text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create unique index password_resets_token_hash on password_resets (token_hash);
create index password_resets_user_id on password_resets (user_id, id);
create index password_resets_expires_at on password_resets (expires_at);

-- When the next digest of a user is looked at; null: at once, since nobody has said when yet, or the
-- user has changed their hour or their zone.
alter table users add column digest_due_at timestamptz;
create index users_digest_due_at on users (digest_due_at, id);
