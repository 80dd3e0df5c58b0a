//! Rows of notifications and of their deliveries, and what the API shows of them.

use super::quiet::Hours;
use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::schema::{deliveries, notifications, push_receipts, push_subscriptions};
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a user is told of.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    AsExpression,
    FromSqlRow,
)]
#[serde(rename_all = "kebab-case")]
#[schema(as = NotificationKind)]
#[diesel(sql_type = Text)]
pub enum Kind {
    /// The rings of a day closed; the cause is the day.
    RingsClosed,
    /// What is due today; the cause is the day.
    Digest,
    /// Somebody asks for friendship; the cause is the request.
    FriendRequest,
    /// Somebody accepted; the cause is the request.
    FriendAccepted,
    /// A friend and the user both closed a day; the cause is the friend and the day.
    FriendStreak,
    /// Of the instance's admin; the cause is the broadcast.
    Broadcast,
    /// An import that ran in the background has ended; the cause is the import.
    ImportFinished,
}

stored_as_text! {
    Kind, "kind of a notification":
    RingsClosed => "rings-closed",
    Digest => "digest",
    FriendRequest => "friend-request",
    FriendAccepted => "friend-accepted",
    FriendStreak => "friend-streak",
    Broadcast => "broadcast",
    ImportFinished => "import-finished",
}

/// A way on which users are told.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    AsExpression,
    FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum Channel {
    /// The list of notifications.
    InApp,
    /// Web Push, to the user's devices.
    Push,
    /// Mail.
    Email,
}

stored_as_text! {
    Channel, "channel":
    InApp => "in_app",
    Push => "push",
    Email => "email",
}

/// Where a delivery is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    AsExpression,
    FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = DeliveryState)]
#[diesel(sql_type = Text)]
pub enum State {
    /// It waits for its time, or for a worker.
    Pending,
    /// A worker has it.
    Sending,
    /// It has arrived, as far as the sender knows.
    Sent,
    /// It is not sent: there is nowhere to send it to, or the user has a day off.
    Skipped,
    /// It failed as often as it may.
    Dead,
}

stored_as_text! {
    State, "state of a delivery":
    Pending => "pending",
    Sending => "sending",
    Sent => "sent",
    Skipped => "skipped",
    Dead => "dead",
}

/// A notification to be written, for whoever is told.
#[derive(Clone, Copy, Debug)]
pub struct NewNotification<'a> {
    /// What of.
    pub kind: Kind,
    /// The kind and the cause.
    pub dedup_key: &'a str,
    /// One line.
    pub title: &'a str,
    /// A sentence or two.
    pub body: &'a str,
    /// Where it leads.
    pub link: Option<&'a str>,
    /// Now.
    pub created_at: At,
}

/// What a user is told.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, Queryable, Selectable)]
pub struct Notification {
    /// Its number.
    pub id: i64,
    /// What happened.
    pub kind: Kind,
    /// One line.
    pub title: String,
    /// A sentence or two.
    pub body: String,
    /// Where in the web app it leads, a path.
    #[schema(required = true)]
    pub link: Option<String>,
    /// When it happened.
    pub created_at: At,
    /// When the user read it first.
    #[schema(required = true)]
    pub read_at: Option<At>,
}

/// A notification on its way through one channel.
#[derive(Clone, Debug, PartialEq, Queryable, Selectable)]
#[diesel(table_name = deliveries)]
pub struct DeliveryRow {
    /// Its number.
    pub id: i64,
    /// Through which channel.
    pub channel: Channel,
    /// Where it is.
    pub state: State,
    /// Attempts so far.
    pub attempts: i32,
    /// When it is looked at next.
    pub due_at: At,
    /// Why the last attempt failed, or why there is none.
    pub last_error: Option<String>,
    /// When it ended.
    pub finished_at: Option<At>,
}

/// A device that has had a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema, Queryable, Selectable)]
#[diesel(table_name = push_receipts)]
#[schema(as = PushReceipt)]
pub struct Receipt {
    /// Of which delivery.
    #[serde(skip)]
    pub delivery_id: i64,
    /// The device.
    pub push_subscription_id: i64,
    /// When its push service took the message.
    pub sent_at: At,
}

/// What proves that a delivery is this worker's: no other claim has had this token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// The delivery.
    pub id: i64,
    /// The token of the claim.
    pub token: String,
}

/// A delivery that was claimed.
#[derive(Clone, Debug, PartialEq, QueryableByName)]
pub struct Claimed {
    /// The delivery.
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    /// What is delivered.
    #[diesel(sql_type = BigInt)]
    pub notification_id: i64,
    /// The number of this attempt, from 1.
    #[diesel(sql_type = Integer)]
    pub attempts: i32,
    /// What proves that it is this worker's.
    #[diesel(sql_type = Text)]
    pub lease_token: String,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It has arrived.
    Sent,
    /// There is nothing to be sent.
    Skipped(&'static str),
    /// Not now, and that is no failure: again after so many seconds.
    Deferred(f64),
    /// It did not arrive.
    Failed {
        /// Why.
        error: String,
        /// Seconds until the next attempt; `None`: there is none.
        wait: Option<f64>,
    },
}

/// What is sent to whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Parcel {
    /// What proves that the delivery is this worker's.
    pub held: Held,
    /// The number of this attempt, from 1.
    pub attempt: i32,
    /// Who is told.
    pub user_id: i64,
    /// What.
    pub notification: Notification,
    /// When that user wants nothing to be sent.
    pub hours: Option<Hours>,
}

/// A device as its browser registered it.
#[derive(Clone, Copy, Debug)]
pub struct NewSubscription<'a> {
    /// Whose it is now.
    pub user_id: i64,
    /// Where its messages are taken.
    pub endpoint: &'a str,
    /// Its public key, base64url.
    pub p256dh: &'a str,
    /// Its secret, base64url.
    pub auth: &'a str,
    /// Now.
    pub now: At,
}

/// A device that is sent to.
#[derive(Clone, Debug, PartialEq, Queryable, Selectable)]
#[diesel(table_name = push_subscriptions)]
pub struct Device {
    /// Its number.
    pub id: i64,
    /// Where its messages are taken.
    pub endpoint: String,
    /// Its public key, base64url.
    pub p256dh: String,
    /// Its secret, base64url.
    pub auth: String,
    /// When its browser last registered it.
    pub updated_at: At,
}

/// A device that takes messages.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, Queryable, Selectable)]
#[diesel(table_name = push_subscriptions)]
pub struct PushSubscription {
    /// Its number.
    pub id: i64,
    /// Where its messages are taken.
    #[schema(example = "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk")]
    pub endpoint: String,
    /// When the user registered it first.
    pub created_at: At,
    /// When its browser last registered it.
    pub updated_at: At,
}
