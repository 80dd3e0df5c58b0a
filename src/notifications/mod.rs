//! Notifications: what a user is told. One is written once, in the transaction of its cause.

pub mod guards;
pub mod model;

use crate::db::Db;
use crate::db::instant::At;
use diesel::QueryResult;
use model::{Kind, NewNotification};

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

/// Tells a user, once for each kind and cause. Returns whether this call wrote it.
///
/// # Errors
/// When the database fails.
pub fn notify(db: &mut Db, notice: &Notice<'_>, now: At) -> QueryResult<bool> {
    let written = guards::notify_once(
        db,
        &NewNotification {
            user_id: notice.user_id,
            kind: notice.kind,
            dedup_key: &format!("{}:{}", notice.kind.as_str(), notice.cause),
            title: notice.title,
            body: notice.body,
            link: notice.link,
            created_at: now,
        },
    )?;
    Ok(written.is_some())
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

/// Tells many users, each once for each kind and cause. Returns how many this call told.
///
/// # Errors
/// When the database fails.
pub fn notify_all(
    db: &mut Db,
    to: &Recipients<'_>,
    what: &Announcement<'_>,
    now: At,
) -> QueryResult<usize> {
    use crate::schema::users;
    use diesel::prelude::*;
    let ids: Vec<i64> = match to {
        Recipients::Users(ids) => ids.to_vec(),
        Recipients::Between { after, until } => users::table
            .filter(users::id.gt(after))
            .filter(users::id.le(until))
            .order(users::id)
            .select(users::id)
            .load(db)?,
    };
    let &Announcement { kind, cause, title, body, link } = what;
    let mut told = 0;
    for user_id in ids {
        told += usize::from(notify(db, &Notice { user_id, kind, cause, title, body, link }, now)?);
    }
    Ok(told)
}
