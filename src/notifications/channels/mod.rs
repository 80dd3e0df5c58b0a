//! The channels: a file for each, with how it sends, and here what is asked of all of them.

pub mod email;
pub mod in_app;
pub mod push;

use super::guards;
use super::model::{Channel, Kind, Parcel};
use super::store;
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::jobs::enqueue;
use diesel::QueryResult;
use std::time::Duration;

/// What a user wants of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Whether it is on.
    pub enabled: bool,
    /// The kinds that it does not carry.
    pub muted: Vec<Kind>,
}

/// What an attempt of a channel did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// How it ended.
    pub end: End,
    /// The devices that have the message now.
    pub receipts: Vec<i64>,
    /// The devices that nobody knows any more, each with when its browser last registered it.
    pub gone: Vec<(i64, At)>,
}

/// How an attempt of a channel ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All has arrived.
    Arrived,
    /// There is nowhere to send it to, in the words of the API.
    Nowhere(&'static str),
    /// Whoever takes it will not, however often it is tried: why, in the words of the API.
    Refused(String),
    /// Something did not arrive.
    Failed {
        /// Why, in the words of the API.
        error: String,
        /// How long whoever takes messages wants to be left alone.
        retry_after: Option<Duration>,
    },
}

impl End {
    /// A failure that says nothing of the next attempt.
    pub(super) fn failed(error: impl Into<String>) -> Self {
        Self::Failed { error: error.into(), retry_after: None }
    }
}

impl From<End> for Sending {
    /// Of a channel without devices.
    fn from(end: End) -> Self {
        Self { end, receipts: Vec::new(), gone: Vec::new() }
    }
}

/// What a user wants of a channel: what they chose, else what everybody has: all kinds, and the
/// channel on, but for mail, which nobody gets who did not ask for it.
///
/// # Errors
/// When the database fails.
pub fn choice(db: &mut Db, user_id: i64, channel: Channel) -> QueryResult<Choice> {
    let stored = store::choice(db, user_id, channel)?;
    Ok(stored.map_or_else(
        || Choice { enabled: channel != Channel::Email, muted: Vec::new() },
        |(enabled, muted)| Choice {
            enabled,
            // A kind that this version does not know is none to be shown.
            muted: muted.split_whitespace().filter_map(|kind| kind.parse().ok()).collect(),
        },
    ))
}

/// Keeps what a user wants of a channel, for what they are told from now on.
///
/// # Errors
/// When the database fails.
pub fn choose(
    db: &mut Db,
    user_id: i64,
    channel: Channel,
    choice: &Choice,
    now: At,
) -> QueryResult<()> {
    let mut muted = " ".to_owned();
    for kind in &choice.muted {
        muted.push_str(kind.as_str());
        muted.push(' ');
    }
    guards::keep_channel(db, user_id, channel, choice.enabled, &muted, now)
}

/// Whether the instance can send through a channel.
#[must_use]
pub fn is_set_up(app: &App, channel: Channel) -> bool {
    match channel {
        Channel::InApp | Channel::Push => true,
        Channel::Email => app.mail.is_some(),
    }
}

/// Deliveries of a channel that are on their way at once: of mail fewer, since each has a connection of
/// its own to one server, and servers refuse whoever has many.
#[must_use]
pub(super) fn at_once(channel: Channel) -> usize {
    match channel {
        Channel::InApp | Channel::Push => 32,
        Channel::Email => 8,
    }
}

/// Wakes whoever sends through a channel, once the transaction has committed.
///
/// # Errors
/// When the database fails.
pub fn wake(db: &mut Db, channel: Channel) -> QueryResult<bool> {
    match channel {
        Channel::InApp => Ok(false),
        Channel::Push => enqueue(db, &push::Drain {}),
        Channel::Email => enqueue(db, &email::Drain {}),
    }
}

/// Sends through a channel.
pub(super) async fn send(app: &App, channel: Channel, parcel: &Parcel) -> Sending {
    match channel {
        Channel::InApp => in_app::send().into(),
        Channel::Push => push::send(app, parcel).await,
        Channel::Email => email::send(app, parcel).await,
    }
}
