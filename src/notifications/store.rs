//! The statements of notifications that settle no race.

use super::model::{
    Channel, Claimed, DeliveryRow, Device, Held, Notification, Parcel, PushSubscription, Receipt,
};
use super::quiet::Hours;
use crate::db::Db;
use crate::db::clock::now;
use crate::db::instant::Instant;
use crate::schema::{
    channels, deliveries, instance, notifications, push_receipts, push_subscriptions, users,
};
use diesel::dsl::{exists, not, sql};
use diesel::prelude::*;
use std::collections::HashMap;

/// The list of a user, newest first: what the list's channel carries.
pub fn list(
    db: &mut Db,
    user_id: i64,
    unread: Option<bool>,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<Notification>> {
    let is_listed = deliveries::table
        .filter(deliveries::notification_id.eq(notifications::id))
        .filter(deliveries::channel.eq(Channel::InApp));
    let mut query = notifications::table
        .filter(notifications::user_id.eq(user_id))
        .filter(exists(is_listed))
        .order(notifications::id.desc())
        .select(Notification::as_select())
        .into_boxed();
    match unread {
        Some(true) => query = query.filter(notifications::read_at.is_null()),
        Some(false) => query = query.filter(notifications::read_at.is_not_null()),
        None => {}
    }
    if let Some(before) = before {
        query = query.filter(notifications::id.lt(before));
    }
    query.limit(limit).load(db)
}

/// A notification of a user, whatever channels carry it.
pub fn find(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<Notification>> {
    notifications::table
        .find(id)
        .filter(notifications::user_id.eq(user_id))
        .select(Notification::as_select())
        .first(db)
        .optional()
}

/// The deliveries of a notification.
pub fn deliveries(db: &mut Db, notification_id: i64) -> QueryResult<Vec<DeliveryRow>> {
    deliveries::table
        .filter(deliveries::notification_id.eq(notification_id))
        .order(deliveries::id)
        .select(DeliveryRow::as_select())
        .load(db)
}

/// The devices that have had the deliveries of a notification.
pub fn receipts(db: &mut Db, notification_id: i64) -> QueryResult<Vec<Receipt>> {
    push_receipts::table
        .inner_join(deliveries::table)
        .filter(deliveries::notification_id.eq(notification_id))
        .order(push_receipts::id)
        .select(Receipt::as_select())
        .load(db)
}

/// What a user chose for a channel: whether it is on, and the kinds that it does not carry.
pub fn choice(db: &mut Db, user_id: i64, channel: Channel) -> QueryResult<Option<(bool, String)>> {
    channels::table
        .filter(channels::user_id.eq(user_id))
        .filter(channels::channel.eq(channel))
        .select((channels::enabled, channels::muted))
        .first(db)
        .optional()
}

/// Whether a delivery of a channel is due. It takes no lock.
pub fn is_due(db: &mut Db, channel: Channel) -> QueryResult<bool> {
    let present = sql::<Instant>(now(db));
    let due = deliveries::table
        .filter(deliveries::channel.eq(channel))
        .filter(deliveries::finished_at.is_null())
        .filter(deliveries::due_at.le(present));
    diesel::select(exists(due)).get_result(db)
}

/// What was claimed, with all that its sender must know, in the order of the claim. What is gone with
/// its user meanwhile is left out.
pub fn parcels(db: &mut Db, claimed: Vec<Claimed>) -> QueryResult<Vec<Parcel>> {
    type Stored = (Notification, i64, String, Option<String>, Option<String>);
    let ids: Vec<i64> = claimed.iter().map(|row| row.notification_id).collect();
    let rows: Vec<Stored> = notifications::table
        .inner_join(users::table)
        .filter(notifications::id.eq_any(ids))
        .select((
            Notification::as_select(),
            users::id,
            users::time_zone,
            users::quiet_from,
            users::quiet_until,
        ))
        .load(db)?;
    let mut stored: HashMap<i64, Stored> = rows.into_iter().map(|row| (row.0.id, row)).collect();
    let parcel = |row: Claimed| {
        let (notification, user_id, zone, from, until) = stored.remove(&row.notification_id)?;
        Some(Parcel {
            held: Held { id: row.id, token: row.lease_token },
            attempt: row.attempts,
            user_id,
            notification,
            hours: Hours::read(&zone, from.as_deref(), until.as_deref()),
        })
    };
    Ok(claimed.into_iter().filter_map(parcel).collect())
}

/// The devices of a user that have not had a delivery.
pub fn devices(db: &mut Db, user_id: i64, delivery_id: i64) -> QueryResult<Vec<Device>> {
    let has_it = push_receipts::table
        .filter(push_receipts::delivery_id.eq(delivery_id))
        .filter(push_receipts::push_subscription_id.eq(push_subscriptions::id));
    push_subscriptions::table
        .filter(push_subscriptions::user_id.eq(user_id))
        .filter(not(exists(has_it)))
        .order(push_subscriptions::id)
        .select(Device::as_select())
        .load(db)
}

/// Whether any device has had a delivery.
pub fn has_arrived(db: &mut Db, delivery_id: i64) -> QueryResult<bool> {
    let receipts = push_receipts::table.filter(push_receipts::delivery_id.eq(delivery_id));
    diesel::select(exists(receipts)).get_result(db)
}

/// The devices of a user, the newest first, older than `before`.
pub fn subscriptions(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<PushSubscription>> {
    push_subscriptions::table
        .filter(push_subscriptions::user_id.eq(user_id))
        .filter(push_subscriptions::id.lt(before.unwrap_or(i64::MAX)))
        .order(push_subscriptions::id.desc())
        .limit(limit)
        .select(PushSubscription::as_select())
        .load(db)
}

/// Takes away all devices of a user but so many that were registered last.
pub fn keep_newest(db: &mut Db, user_id: i64, kept: i64) -> QueryResult<usize> {
    let surplus: Vec<i64> = push_subscriptions::table
        .filter(push_subscriptions::user_id.eq(user_id))
        .order((push_subscriptions::updated_at.desc(), push_subscriptions::id.desc()))
        .offset(kept)
        .limit(i64::from(u16::MAX))
        .select(push_subscriptions::id)
        .load(db)?;
    diesel::delete(push_subscriptions::table.filter(push_subscriptions::id.eq_any(surplus)))
        .execute(db)
}

/// Takes away a device of a user.
pub fn remove(db: &mut Db, user_id: i64, id: i64) -> QueryResult<bool> {
    let removed = diesel::delete(
        push_subscriptions::table.find(id).filter(push_subscriptions::user_id.eq(user_id)),
    )
    .execute(db)?;
    Ok(removed == 1)
}

/// The address of a user.
pub fn address(db: &mut Db, user_id: i64) -> QueryResult<Option<String>> {
    users::table.find(user_id).select(users::email).first(db).optional()
}

/// The key by which push services know the instance, where it has one.
pub fn vapid_key(db: &mut Db) -> QueryResult<Option<String>> {
    let key: Option<Option<String>> =
        instance::table.select(instance::vapid_key).first(db).optional()?;
    Ok(key.flatten())
}
