//! The races of calendar feeds. One race class is one [`Guard`] or one conditional update, one
//! function, and one test of the same name in `tests/it/races/`.

use super::model::NewEdition;
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::calendar_feeds;
use diesel::prelude::*;

/// A user has one feed of their own.
pub const FEED_USER: Guard = Guard {
    name: "calendar_feeds_user_id",
    table: "calendar_feeds",
    columns: &["user_id"],
    target: "(user_id)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[FEED_USER];

/// Makes a user's feed, unless there is one: then `None`.
pub fn create_feed(db: &mut Db, user_id: i64, nonce: &str, now: At) -> QueryResult<Option<i64>> {
    diesel::insert_into(calendar_feeds::table)
        .values((
            calendar_feeds::user_id.eq(user_id),
            calendar_feeds::nonce.eq(nonce),
            calendar_feeds::created_at.eq(now),
        ))
        .on_conflict(FEED_USER.target())
        .do_nothing()
        .returning(calendar_feeds::id)
        .get_result_on(db)
        .optional()
}

/// Gives a feed a new address, if it is still at `generation`. Of simultaneous callers that have
/// seen the same generation one wins.
pub fn rotate_feed(db: &mut Db, id: i64, generation: i64, nonce: &str) -> QueryResult<bool> {
    let rotated = diesel::update(
        calendar_feeds::table.find(id).filter(calendar_feeds::generation.eq(generation)),
    )
    .set((
        calendar_feeds::nonce.eq(nonce),
        calendar_feeds::generation.eq(generation + 1),
        calendar_feeds::revoked_at.eq(None::<At>),
        calendar_feeds::last_fetched_at.eq(None::<At>),
    ))
    .execute(db)?;
    Ok(rotated == 1)
}

/// Takes the address of an account's feed away, until it is rotated. The first of several callers
/// does, and its time stays.
pub fn revoke_feed(db: &mut Db, user_id: i64, now: At) -> QueryResult<bool> {
    let revoked = diesel::update(
        calendar_feeds::table
            .filter(calendar_feeds::user_id.eq(user_id))
            .filter(calendar_feeds::revoked_at.is_null()),
    )
    .set(calendar_feeds::revoked_at.eq(now))
    .execute(db)?;
    Ok(revoked == 1)
}

/// Notes a fetch of a feed, if it is still at `generation`: one of an address that was replaced
/// meanwhile says nothing of the new one.
pub fn note_fetch(db: &mut Db, id: i64, generation: i64, now: At) -> QueryResult<bool> {
    let noted = diesel::update(
        calendar_feeds::table.find(id).filter(calendar_feeds::generation.eq(generation)),
    )
    .set(calendar_feeds::last_fetched_at.eq(now))
    .execute(db)?;
    Ok(noted == 1)
}

/// Keeps what is kept of a document, if the feed is still at `edition`. Of simultaneous callers
/// that have seen the same edition one wins, so that a slow one overwrites nothing newer.
pub fn publish_edition(
    db: &mut Db,
    id: i64,
    edition: i64,
    new: &NewEdition<'_>,
) -> QueryResult<bool> {
    let published =
        diesel::update(calendar_feeds::table.find(id).filter(calendar_feeds::edition.eq(edition)))
            .set((new, calendar_feeds::edition.eq(edition + 1)))
            .execute(db)?;
    Ok(published == 1)
}
