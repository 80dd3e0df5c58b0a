-- What a user is told. A cause is told once: its key names it.
create table notifications (
    id         integer primary key autoincrement,
    user_id    integer not null references users (id) on delete cascade,
    kind       text not null,
    dedup_key  text not null,
    title      text not null,
    body       text not null,
    -- A path within the web app.
    link       text,
    created_at text not null,
    read_at    text
) strict;
create unique index notifications_user_id_dedup_key on notifications (user_id, dedup_key);
-- A user's notifications, newest first.
create index notifications_user_id_id on notifications (user_id, id);

-- What a user chose for a channel. Without a row, what everybody has holds.
create table channels (
    id         integer primary key autoincrement,
    user_id    integer not null references users (id) on delete cascade,
    channel    text not null,
    enabled    integer not null,
    -- The kinds that this channel does not carry, with a space before and behind each.
    muted      text not null,
    updated_at text not null,
    constraint channels_channel_known check (channel in ('in_app', 'push', 'email'))
) strict;
create unique index channels_user_id_channel on channels (user_id, channel);

-- A notification on its way through one channel.
create table deliveries (
    id              integer primary key autoincrement,
    notification_id integer not null references notifications (id) on delete cascade,
    channel         text not null,
    state           text not null,
    attempts        integer not null default 0,
    -- When it is looked at next: its next attempt, or the end of the lease of the one that runs.
    due_at          text not null,
    lease_token     text,
    last_error      text,
    finished_at     text,
    constraint deliveries_channel_known check (channel in ('in_app', 'push', 'email')),
    constraint deliveries_state_known check (state in ('pending', 'sending', 'sent', 'skipped', 'dead')),
    constraint deliveries_lease check ((state = 'sending') = (lease_token is not null)),
    constraint deliveries_finished check ((state in ('pending', 'sending')) = (finished_at is null))
) strict;
create unique index deliveries_notification_id_channel on deliveries (notification_id, channel);
-- What is to be sent next.
create index deliveries_due on deliveries (channel, due_at) where finished_at is null;

-- Where the browser of a device takes messages (RFC 8030), and its keys (RFC 8291).
create table push_subscriptions (
    id         integer primary key autoincrement,
    user_id    integer not null references users (id) on delete cascade,
    endpoint   text not null,
    p256dh     text not null,
    auth       text not null,
    created_at text not null,
    updated_at text not null
) strict;
create unique index push_subscriptions_endpoint on push_subscriptions (endpoint);
create index push_subscriptions_user_id on push_subscriptions (user_id, id);

-- The devices that have had a delivery, so that a later attempt passes them over.
create table push_receipts (
    id                   integer primary key autoincrement,
    delivery_id          integer not null references deliveries (id) on delete cascade,
    push_subscription_id integer not null references push_subscriptions (id) on delete cascade,
    sent_at              text not null
) strict;
create unique index push_receipts_delivery_id_push_subscription_id
    on push_receipts (delivery_id, push_subscription_id);
create index push_receipts_push_subscription_id on push_receipts (push_subscription_id);

-- The key that the instance shows itself to push services by (RFC 8292).
alter table instance add column vapid_key text;
