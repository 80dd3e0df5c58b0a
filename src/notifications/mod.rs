//! Notifications: what a user is told, and its deliveries through the channels that the user wants.
//!
//! What is always true: a notification is written once, in the transaction of its cause, together
//! with a delivery for each channel that carries it. [`channels`] has a file for each channel,
//! [`drain`] sends what is due. `docs/notifications.md` says what is promised.

pub mod channels;
pub mod devices;
pub mod drain;
pub mod guards;
pub mod model;
pub mod quiet;
pub mod routes;
pub mod store;
pub mod tally;
pub mod unsubscribe;
pub mod unsubscribe_routes;
pub mod vapid;
pub mod web_push;

use crate::db::Db;
use crate::db::instant::At;
use diesel::QueryResult;
use model::{Channel, DeliveryRow, Kind, NewNotification, Notification, Receipt};

/// What is to be told, and to whom.
#[derive(Clone, Copy, Debug)]
pub struct Notice<'a> {
    /// Who is told.
    pub user_id: i64,
    /// What has happened.
    pub kind: Kind,
    /// What exactly: a day, a number. Of one user, kind and cause there is one notification.
    pub cause: &'a str,
    /// One line.
    pub title: &'a str,
    /// A sentence or two.
    pub body: &'a str,
    /// Where in the web app it leads, a path.
    pub link: Option<&'a str>,
}

/// Who is told, by [`notify_all`]. Whose account is gone is left out.
#[derive(Clone, Copy, Debug)]
pub enum Recipients<'a> {
    /// These users.
    Users(&'a [i64]),
    /// All users above one number, up to another.
    Between {
        /// The number before the first.
        after: i64,
        /// The last number.
        until: i64,
    },
}

/// What many users are told alike.
#[derive(Clone, Copy, Debug)]
pub struct Announcement<'a> {
    /// What has happened.
    pub kind: Kind,
    /// What exactly, as in [`Notice`].
    pub cause: &'a str,
    /// One line.
    pub title: &'a str,
    /// A sentence or two.
    pub body: &'a str,
    /// Where in the web app it leads, a path.
    pub link: Option<&'a str>,
}

/// Tells a user, once for each kind and cause. Returns whether this call wrote it.
///
/// # Errors
/// When the database fails.
pub fn notify(db: &mut Db, notice: &Notice<'_>, now: At) -> QueryResult<bool> {
    let &Notice { user_id, kind, cause, title, body, link } = notice;
    let announcement = Announcement { kind, cause, title, body, link };
    notify_all(db, &Recipients::Users(&[user_id]), &announcement, now).map(|told| told == 1)
}

/// Tells many users at once, each once for each kind and cause: one statement for the notifications
/// and one for their deliveries, however many users there are. Whoever was told is passed over.
/// Returns how many this call told.
///
/// A batch of some 1,000 is best: the transaction stays short, and on SQLite others get their turn.
///
/// # Errors
/// When the database fails.
pub fn notify_all(
    db: &mut Db,
    to: &Recipients<'_>,
    what: &Announcement<'_>,
    now: At,
) -> QueryResult<usize> {
    let told = guards::notify_once(
        db,
        to,
        &NewNotification {
            kind: what.kind,
            dedup_key: &format!("{}:{}", what.kind.as_str(), what.cause),
            title: what.title,
            body: what.body,
            link: what.link,
            created_at: now,
        },
    )?;
    if !told.is_empty() {
        let on_their_way = guards::deliver_once(db, &told)?;
        for channel in Channel::ALL {
            if on_their_way.contains(&channel) {
                channels::wake(db, channel)?;
            }
        }
    }
    Ok(told.len())
}

/// The list of a user, newest first, older than `before`; only what was not read, where `unread` says
/// so, or only what was.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    unread: Option<bool>,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<Notification>> {
    store::list(db, user_id, unread, before, limit)
}

/// Marks a notification as read, and shows it. The first reading counts. `None`: the user has no such
/// notification.
///
/// # Errors
/// When the database fails.
pub fn read(db: &mut Db, user_id: i64, id: i64, now: At) -> QueryResult<Option<Notification>> {
    guards::read_once(db, user_id, id, now)?;
    store::find(db, user_id, id)
}

/// The deliveries of a notification, and the devices that have had them. `None`: the user has no such
/// notification.
///
/// # Errors
/// When the database fails.
pub fn deliveries(
    db: &mut Db,
    user_id: i64,
    id: i64,
) -> QueryResult<Option<(Vec<DeliveryRow>, Vec<Receipt>)>> {
    if store::find(db, user_id, id)?.is_none() {
        return Ok(None);
    }
    Ok(Some((store::deliveries(db, id)?, store::receipts(db, id)?)))
}
