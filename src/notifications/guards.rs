//! The races of notifications. One race class is one [`Guard`] or one conditional update, one
//! function, and one test of the same name in `tests/it/races/`. The database's clock decides what
//! is due.

use super::Recipients;
use super::model::{
    Channel, Claimed, Held, Kind, NewNotification, NewSubscription, Outcome, PushSubscription,
    State,
};
use crate::db::clock::{after, now};
use crate::db::instant::{At, Instant};
use crate::db::list::{List, Numbers};
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{channels, instance, notifications, push_subscriptions, users};
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Double, Integer, Nullable, Text};
use diesel::upsert::excluded;
use std::time::Duration;

/// A user is told of a cause once.
pub const TOLD: Guard = Guard {
    name: "notifications_user_id_dedup_key",
    table: "notifications",
    columns: &["user_id", "dedup_key"],
    target: "(user_id, dedup_key)",
    predicate: None,
};

/// A notification has one delivery for a channel.
pub const DELIVERY: Guard = Guard {
    name: "deliveries_notification_id_channel",
    table: "deliveries",
    columns: &["notification_id", "channel"],
    target: "(notification_id, channel)",
    predicate: None,
};

/// A user has one choice for a channel.
pub const CHOICE: Guard = Guard {
    name: "channels_user_id_channel",
    table: "channels",
    columns: &["user_id", "channel"],
    target: "(user_id, channel)",
    predicate: None,
};

/// A device is one user's.
pub const DEVICE: Guard = Guard {
    name: "push_subscriptions_endpoint",
    table: "push_subscriptions",
    columns: &["endpoint"],
    target: "(endpoint)",
    predicate: None,
};

/// A device has a delivery once.
pub const RECEIPT: Guard = Guard {
    name: "push_receipts_delivery_id_push_subscription_id",
    table: "push_receipts",
    columns: &["delivery_id", "push_subscription_id"],
    target: "(delivery_id, push_subscription_id)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[TOLD, DELIVERY, CHOICE, DEVICE, RECEIPT];

/// The number of a row that a statement changed.
#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// Writes a notification for each of its recipients who was not told: the numbers of those that were
/// written, in one statement.
pub fn notify_once(
    db: &mut Db,
    to: &Recipients<'_>,
    new: &NewNotification<'_>,
) -> QueryResult<Vec<i64>> {
    let whom = match (to, &*db) {
        (Recipients::Users(_), Db::Postgres(_)) => "id = any($7)",
        (Recipients::Users(_), Db::Sqlite(_)) => "id in (select value from json_each($7))",
        (Recipients::Between { .. }, _) => "id > $7 and id <= $8",
    };
    // In one order, so that two of these wait for each other and not in a circle.
    let statement = sql_query(format!(
        "insert into notifications (user_id, kind, dedup_key, title, body, link, created_at) \
         select id, $1, $2, $3, $4, $5, $6 from users where {whom} order by id \
         on conflict {} do nothing returning id",
        TOLD.target_text()
    ))
    .bind::<Text, _>(new.kind)
    .bind::<Text, _>(new.dedup_key)
    .bind::<Text, _>(new.title)
    .bind::<Text, _>(new.body)
    .bind::<Nullable<Text>, _>(new.link)
    .bind::<Instant, _>(new.created_at);
    let rows: Vec<Id> = match to {
        Recipients::Users(ids) => statement.bind::<Numbers, _>(List(ids)).load_on(db)?,
        Recipients::Between { after, until } => {
            statement.bind::<BigInt, _>(*after).bind::<BigInt, _>(*until).load_on(db)?
        }
    };
    Ok(rows.into_iter().map(|row| row.id).collect())
}

#[derive(QueryableByName)]
struct Waiting {
    #[diesel(sql_type = Text)]
    channel: Channel,
}

/// Writes the deliveries of notifications, one for each channel that carries the notification to its
/// user and has none for it yet, in one statement; the channels of those that were written. In the
/// list it has arrived with that.
pub fn deliver_once(db: &mut Db, notifications: &[i64]) -> QueryResult<Vec<Channel>> {
    let of_these = match db {
        Db::Postgres(_) => "= any($1)",
        Db::Sqlite(_) => "in (select value from json_each($1))",
    };
    let statement = sql_query(format!(
        "insert into deliveries (notification_id, channel, state, due_at, finished_at) \
         select told.id, way.channel, \
                case way.channel when 'in_app' then 'sent' else 'pending' end, {now}, \
                case way.channel when 'in_app' then {now} end \
         from notifications as told \
         cross join (select 'in_app' as channel union all select 'push' union all select 'email') \
             as way \
         left join channels as chosen \
             on chosen.user_id = told.user_id and chosen.channel = way.channel \
         where told.id {of_these} and coalesce(chosen.enabled, way.channel <> 'email') \
           and (chosen.muted is null or chosen.muted not like '% ' || told.kind || ' %') \
           and (way.channel <> 'push' or exists ( \
               select 1 from push_subscriptions as device where device.user_id = told.user_id)) \
         on conflict {target} do nothing returning channel",
        now = now(db),
        target = DELIVERY.target_text(),
    ));
    let rows: Vec<Waiting> = statement.bind::<Numbers, _>(List(notifications)).load_on(db)?;
    Ok(rows.into_iter().map(|row| row.channel).collect())
}

/// Marks a notification of a user as read. The first reading counts: of several calls one gets
/// `true`.
pub fn read_once(db: &mut Db, user_id: i64, id: i64, now: At) -> QueryResult<bool> {
    let unread = notifications::table
        .find(id)
        .filter(notifications::user_id.eq(user_id))
        .filter(notifications::read_at.is_null());
    let read = diesel::update(unread).set(notifications::read_at.eq(now)).execute(db)?;
    Ok(read == 1)
}

/// Keeps what a user chose for a channel; the last choice counts, whole.
pub fn keep_channel(
    db: &mut Db,
    user_id: i64,
    channel: Channel,
    enabled: bool,
    muted: &str,
    now: At,
) -> QueryResult<()> {
    diesel::insert_into(channels::table)
        .values((
            channels::user_id.eq(user_id),
            channels::channel.eq(channel),
            channels::enabled.eq(enabled),
            channels::muted.eq(muted),
            channels::updated_at.eq(now),
        ))
        .on_conflict(CHOICE.target())
        .do_update()
        .set((
            channels::enabled.eq(excluded(channels::enabled)),
            channels::muted.eq(excluded(channels::muted)),
            channels::updated_at.eq(excluded(channels::updated_at)),
        ))
        .returning(channels::id)
        .get_result_on::<i64>(db)
        .map(drop)
}

/// Takes a kind away from what a channel carries that a user has chosen something for: whatever else
/// is chosen at the same time is not lost. `false`: nothing is chosen, or it is taken away already.
pub fn mute_kind(
    db: &mut Db,
    user_id: i64,
    channel: Channel,
    kind: Kind,
    now: At,
) -> QueryResult<bool> {
    let muted = diesel::update(
        channels::table
            .filter(channels::user_id.eq(user_id))
            .filter(channels::channel.eq(channel))
            .filter(channels::muted.not_like(format!("% {} %", kind.as_str()))),
    )
    .set((
        channels::muted.eq(channels::muted.concat(format!("{} ", kind.as_str()))),
        channels::updated_at.eq(now),
    ))
    .execute(db)?;
    Ok(muted == 1)
}

/// Lets one caller at a time change which devices a user has, until its transaction ends. `false`:
/// the account is gone.
pub fn hold_devices(db: &mut Db, user_id: i64) -> QueryResult<bool> {
    // A write that changes nothing takes the lock on both databases.
    let held = diesel::update(users::table.find(user_id))
        .set(users::handle.eq(users::handle))
        .execute(db)?;
    Ok(held == 1)
}

/// Registers a device: it is the user's who does so last, with the keys that it has now. Where that
/// user had it before, it keeps the time of its first registration.
pub fn register_subscription(
    db: &mut Db,
    new: &NewSubscription<'_>,
) -> QueryResult<PushSubscription> {
    diesel::insert_into(push_subscriptions::table)
        .values((
            push_subscriptions::user_id.eq(new.user_id),
            push_subscriptions::endpoint.eq(new.endpoint),
            push_subscriptions::p256dh.eq(new.p256dh),
            push_subscriptions::auth.eq(new.auth),
            push_subscriptions::created_at.eq(new.now),
            push_subscriptions::updated_at.eq(new.now),
        ))
        .on_conflict(DEVICE.target())
        .do_update()
        .set((
            push_subscriptions::user_id.eq(excluded(push_subscriptions::user_id)),
            push_subscriptions::p256dh.eq(excluded(push_subscriptions::p256dh)),
            push_subscriptions::auth.eq(excluded(push_subscriptions::auth)),
            push_subscriptions::created_at.eq(case_when(
                push_subscriptions::user_id.eq(excluded(push_subscriptions::user_id)),
                push_subscriptions::created_at,
            )
            .otherwise(excluded(push_subscriptions::created_at))),
            push_subscriptions::updated_at.eq(excluded(push_subscriptions::updated_at)),
        ))
        .returning((
            push_subscriptions::id,
            push_subscriptions::endpoint,
            push_subscriptions::created_at,
            push_subscriptions::updated_at,
        ))
        .get_result_on(db)
}

/// Takes away a device that its push service does not know any more, unless its browser has
/// registered it again since it was seen.
pub fn drop_subscription(db: &mut Db, id: i64, seen: At) -> QueryResult<bool> {
    let dropped = diesel::delete(
        push_subscriptions::table.find(id).filter(push_subscriptions::updated_at.eq(seen)),
    )
    .execute(db)?;
    Ok(dropped == 1)
}

/// Takes up to `limit` deliveries of a channel that are due, or whose lease has run out, each with a
/// lease of its own. No two callers get one.
///
/// `claim` must be new: the tokens begin with it.
pub fn claim_deliveries(
    db: &mut Db,
    channel: Channel,
    claim: &str,
    lease: Duration,
    limit: i64,
) -> QueryResult<Vec<Claimed>> {
    let lock = match db {
        Db::Postgres(_) => "for update skip locked",
        Db::Sqlite(_) => "",
    };
    let statement = format!(
        "with next as materialized ( \
             select id as next_id from deliveries \
             where channel = $1 and finished_at is null and due_at <= {now} \
             order by due_at limit $2 {lock}) \
         update deliveries set state = 'sending', attempts = attempts + 1, \
             lease_token = $3 || '-' || id, due_at = {until} \
         from next where id = next_id \
         returning id, notification_id, attempts, lease_token",
        now = now(db),
        until = after(db, "$4"),
    );
    sql_query(statement)
        .bind::<Text, _>(channel)
        .bind::<BigInt, _>(limit)
        .bind::<Text, _>(claim)
        .bind::<Double, _>(lease.as_secs_f64())
        .load_on(db)
}

/// Writes down how an attempt ended. `false`: the lease is another's by now, and nothing changes.
pub fn settle_delivery(db: &mut Db, held: &Held, outcome: &Outcome) -> QueryResult<bool> {
    let (state, uncounted, wait, error) = match outcome {
        Outcome::Sent => (State::Sent, 0, None, None),
        Outcome::Skipped(why) => (State::Skipped, 0, None, Some(*why)),
        Outcome::Deferred(seconds) => (State::Pending, 1, Some(*seconds), None),
        Outcome::Failed { error, wait: None } => (State::Dead, 0, None, Some(error.as_str())),
        Outcome::Failed { error, wait } => (State::Pending, 0, *wait, Some(error.as_str())),
    };
    let statement = format!(
        "update deliveries set state = $1, attempts = attempts - $2, \
             due_at = case when $3 is null then due_at else {due} end, \
             finished_at = case when $3 is null then {now} end, \
             lease_token = null, last_error = $4 \
         where id = $5 and lease_token = $6 returning id",
        due = after(db, "$3"),
        now = now(db),
    );
    let rows = sql_query(statement)
        .bind::<Text, _>(state)
        .bind::<Integer, _>(uncounted)
        .bind::<Nullable<Double>, _>(wait)
        .bind::<Nullable<Text>, _>(error)
        .bind::<BigInt, _>(held.id)
        .bind::<Text, _>(&held.token)
        .load_on::<Id>(db)?;
    Ok(!rows.is_empty())
}

/// Records that a device has a delivery. Of several calls one gets `true`; nobody does where either
/// is gone.
pub fn record_receipt(
    db: &mut Db,
    delivery_id: i64,
    push_subscription_id: i64,
    sent_at: At,
) -> QueryResult<bool> {
    let rows = sql_query(format!(
        "insert into push_receipts (delivery_id, push_subscription_id, sent_at) \
         select deliveries.id, push_subscriptions.id, $1 from deliveries, push_subscriptions \
         where deliveries.id = $2 and push_subscriptions.id = $3 \
         on conflict {} do nothing returning id",
        RECEIPT.target_text()
    ))
    .bind::<Instant, _>(sent_at)
    .bind::<BigInt, _>(delivery_id)
    .bind::<BigInt, _>(push_subscription_id)
    .load_on::<Id>(db)?;
    Ok(!rows.is_empty())
}

/// Stores the key by which push services know the instance, unless it has one. The caller reads it
/// back.
pub fn keep_vapid_key(db: &mut Db, key: &str) -> QueryResult<bool> {
    let kept = diesel::update(instance::table.filter(instance::vapid_key.is_null()))
        .set(instance::vapid_key.eq(key))
        .execute(db)?;
    Ok(kept == 1)
}
