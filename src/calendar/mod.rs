//! Calendar feeds: the schedule of a user at a secret address that calendar programs poll.
//!
//! Always true here:
//! - An account has one feed from its registration on. Its address can be replaced and revoked
//!   without touching anybody else's; an address that was ever valid is remembered as such.
//! - A document is a function of what [`feed::basis`] names: while that stays as it is, so do the
//!   bytes, and a fetch that knows them costs no rendering.
//! - An `ETag` is the hash of the bytes sent with it. `Last-Modified` belongs to the feed: all
//!   processes give the same one for the same bytes, and it never goes back.

pub mod feed;
pub mod guards;
pub mod ics;
pub mod model;
pub mod routes;
pub mod store;
pub mod token;
pub mod validators;

use crate::db::instant::At;
use crate::db::tx::{self, Stopped, Work};
use crate::db::{Db, pool::PoolError};
use crate::preferences;
use crate::secret::{self, NoRandomness, Secrets};
use chrono::TimeDelta;
use diesel::QueryResult;
use feed::View;
use model::{FeedRow, NewEdition};
use sha2::{Digest, Sha256};
use validators::{Conditions, Validators};

/// A fetch is noted at most this often, so that polling rarely writes.
const NOTED_EVERY: TimeDelta = TimeDelta::minutes(5);

/// Gives an account its feed, unless it has one.
///
/// # Errors
/// When the system gives no randomness.
pub fn begin(db: &mut Db, user_id: i64, now: At) -> Work<(), NoRandomness> {
    let nonce = nonce()?;
    guards::create_feed(db, user_id, &nonce, now)?;
    Ok(())
}

/// The feed of an account.
///
/// # Errors
/// When the database fails.
pub fn of_user(db: &mut Db, user_id: i64) -> QueryResult<Option<FeedRow>> {
    store::of_user(db, user_id)
}

/// Gives a feed a new address in place of the one that it had when it was `seen`, also after it was
/// revoked. Who loses against another rotation gets the feed with the winner's address.
///
/// # Errors
/// When the system gives no randomness.
pub fn rotate(
    db: &mut Db,
    secrets: &Secrets,
    seen: &FeedRow,
) -> Work<Option<FeedRow>, NoRandomness> {
    let nonce = nonce()?;
    if guards::rotate_feed(db, seen.id, seen.generation, &nonce)? {
        let retired = token::of_feed(secrets, seen.id, &seen.nonce);
        store::retire(db, seen.id, &secret::hash(&retired))?;
    }
    Ok(store::of_user(db, seen.user_id)?)
}

/// Takes a feed's address away until the next rotation.
///
/// # Errors
/// When the database fails.
pub fn revoke(db: &mut Db, user_id: i64, now: At) -> QueryResult<()> {
    guards::revoke_feed(db, user_id, now)?;
    Ok(())
}

fn nonce() -> Work<String, NoRandomness> {
    secret::random().map(hex::encode).map_err(Stopped::Because)
}

/// Why an address gives no feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It never was the address of a feed.
    Unknown,
    /// It was, and is no longer.
    Retired,
}

/// What a client asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The number in the address.
    pub feed_id: i64,
    /// The secret in the address.
    pub token: String,
    /// What the client has already.
    pub conditions: Conditions,
}

/// What a fetch finds.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The feed as it was.
    pub feed: FeedRow,
    /// Its document.
    pub document: Document,
}

/// A feed's document, as a client needs it.
#[derive(Clone, Debug)]
pub enum Document {
    /// The client has it.
    Known(Validators),
    /// Rendered anew.
    Rendered(String, Edition),
}

/// What is to be kept of a document.
#[derive(Clone, Debug)]
pub struct Edition {
    /// What it was made from.
    pub basis: String,
    /// The hash of its bytes, without quotes.
    pub etag: String,
}

/// Fetches a feed. What the client has is recognised without rendering.
///
/// # Errors
/// [`Refused`], for an address that gives no feed.
pub fn fetch(db: &mut Db, secrets: &Secrets, request: &Request, now: At) -> Work<Fetched, Refused> {
    let Some((feed, preferences)) = store::with_preferences(db, request.feed_id)? else {
        return Err(Stopped::Because(Refused::Unknown));
    };
    admit(db, secrets, &feed, &request.token)?;
    let view = View::new(&preferences, now).map_err(|error| unreadable(&error))?;
    let user_id = feed.user_id;
    // What is stored under the present basis is what a rendering would give.
    if let (Some(basis), Some(known)) = (&feed.basis, feed.validators())
        && request.conditions.hold(&known)
        && *basis == feed::basis(&view, &store::state(db, user_id, view.today)?)
    {
        return Ok(Fetched { feed, document: Document::Known(known) });
    }
    let (state, rows) = tx::snapshot(db, |db| {
        let state = store::state(db, user_id, view.today)?;
        let is_paused = state.paused.first() == Some(&view.today);
        let rows = store::shown(db, user_id, &view, is_paused)?;
        Ok((state, rows))
    })?;
    let body = feed::render(&view, secrets, &rows).text;
    let etag = hex::encode(Sha256::digest(body.as_bytes()));
    let edition = Edition { basis: feed::basis(&view, &state), etag };
    Ok(Fetched { feed, document: Document::Rendered(body, edition) })
}

/// Lets a token in, or says why not.
fn admit(db: &mut Db, secrets: &Secrets, feed: &FeedRow, given: &str) -> Work<(), Refused> {
    if token::is_equal(&token::of_feed(secrets, feed.id, &feed.nonce), given) {
        return match feed.revoked_at {
            None => Ok(()),
            Some(_) => Err(Stopped::Because(Refused::Retired)),
        };
    }
    let retired = store::is_retired(db, feed.id, &secret::hash(given))?;
    Err(Stopped::Because(if retired { Refused::Retired } else { Refused::Unknown }))
}

/// Keeps what is to be kept of an edition of a feed that was `seen` before it was rendered, and
/// notes the fetch. `None` if the feed has got another document since: then fetch again.
///
/// # Errors
/// When the database fails.
pub fn publish(
    db: &mut Db,
    seen: &FeedRow,
    edition: &Edition,
    now: At,
) -> Work<Option<Validators>> {
    let modified_at = match seen.validators() {
        Some(known) if known.etag == edition.etag => known.modified_at,
        _ => validators::modified_at(seen.modified_at, now),
    };
    let new = NewEdition { basis: &edition.basis, etag: &edition.etag, modified_at };
    if guards::publish_edition(db, seen.id, seen.edition, &new)? {
        guards::note_fetch(db, seen.id, seen.generation, now)?;
        return Ok(Some(Validators { etag: edition.etag.clone(), modified_at }));
    }
    let current = store::of_user(db, seen.user_id)?.and_then(|feed| feed.validators());
    Ok(current.filter(|validators| validators.etag == edition.etag))
}

/// Whether a fetch now is to be noted.
#[must_use]
pub fn is_to_be_noted(feed: &FeedRow, now: At) -> bool {
    feed.last_fetched_at.is_none_or(|at| *now - *at >= NOTED_EVERY)
}

/// Notes a fetch of a feed that was `seen`.
///
/// # Errors
/// When the database fails.
pub fn note_fetch(db: &mut Db, seen: &FeedRow, now: At) -> QueryResult<()> {
    guards::note_fetch(db, seen.id, seen.generation, now)?;
    Ok(())
}

/// What the database holds is not what this program writes.
fn unreadable(error: &preferences::Unreadable) -> Stopped<Refused> {
    tracing::error!(%error, "the preferences behind a feed cannot be read");
    Stopped::Pool(PoolError::Cancelled)
}
