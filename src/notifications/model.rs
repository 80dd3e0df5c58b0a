//! Rows of notifications.

use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::schema::notifications;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::Text;
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

/// A notification to be written.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = notifications, treat_none_as_default_value = false)]
pub struct NewNotification<'a> {
    /// Who is told.
    pub user_id: i64,
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
