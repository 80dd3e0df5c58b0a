//! Logins slow down and never lock anybody out.
//!
//! Each attempt takes a place in three lines, kept in the database, so that attempts at once and
//! on several processes are counted too: that of the account and the address together, that of the
//! address, and that of the account. A place is taken before the password is looked at, and given
//! back when it was right. The more failures, the further apart the places.
//!
//! Where the wait for a place is longer than [`PATIENCE`], the attempt is refused, counts for
//! nothing, and is told when to come back: then it is looked at. The line of an account refuses
//! nobody: whoever owns an account that others attack from elsewhere waits at most [`CALM`].

use super::secret;
use crate::db::Db;
use crate::db::either::OnEither;
use crate::db::instant::At;
use crate::schema::login_throttles;
use chrono::TimeDelta;
use diesel::prelude::*;
use std::net::IpAddr;
use std::time::Duration;

/// The longest that an attempt is kept waiting before it is looked at.
const PATIENCE: TimeDelta = TimeDelta::seconds(5);

/// The longest wait for an account under attack from elsewhere.
const CALM: TimeDelta = TimeDelta::seconds(2);

/// Failures are forgotten after this long without an attempt.
const FORGOTTEN: TimeDelta = TimeDelta::minutes(15);

/// Registrations a minute from one address.
const REGISTRATIONS: i32 = 120;

/// How a line slows down: each place after the free ones is twice as far from the one before it.
struct Line {
    subject: String,
    /// Failures that cost nothing.
    free: i32,
    /// The longest time between two places.
    longest: TimeDelta,
}

impl Line {
    /// One who guesses the password of one account.
    fn of_pair(email: &str, address: IpAddr) -> Self {
        let subject = subject("pair", &format!("{address} {email}"));
        Self { subject, free: 10, longest: TimeDelta::seconds(30) }
    }

    /// One who tries a few passwords on each of many accounts. People share addresses, and behind
    /// a proxy that is not trusted all do, so it stays short.
    fn of_address(address: IpAddr) -> Self {
        let subject = subject("address", &address.to_string());
        Self { subject, free: 50, longest: TimeDelta::seconds(2) }
    }

    /// Many who guess the password of one account.
    fn of_account(email: &str) -> Self {
        Self { subject: subject("account", email), free: 40, longest: CALM }
    }

    /// How far the next place is from the one of the `failures`th failure.
    fn step(&self, failures: i32) -> TimeDelta {
        match u32::try_from(failures - self.free) {
            Ok(beyond @ 1..) => {
                let doublings = (beyond - 1).min(10);
                TimeDelta::milliseconds(250 * 2_i64.pow(doublings)).min(self.longest)
            }
            _ => TimeDelta::zero(),
        }
    }
}

/// What an attempt has to do first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Wait this long, then go on.
    Wait(Duration),
    /// Come back after so many seconds.
    Refuse(u64),
}

/// Takes the places of an attempt to log in as `email` from `address`, and says how long it waits.
///
/// # Errors
/// When the database fails.
pub fn attempt(db: &mut Db, email: &str, address: IpAddr, now: At) -> QueryResult<Pace> {
    forget_old(db, now)?;
    let lines = [Line::of_pair(email, address), Line::of_address(address), Line::of_account(email)];
    let [pair, from_address, account] = &lines;
    let pair = Place::next(db, pair, now)?;
    let from_address = Place::next(db, from_address, now)?;
    let account = Place::next(db, account, now)?;

    let wait = pair.turn.max(from_address.turn) - *now;
    if wait > PATIENCE {
        let seconds = (wait.num_milliseconds() + 999) / 1000;
        return Ok(Pace::Refuse(u64::try_from(seconds).unwrap_or(1).max(1)));
    }
    for place in [&pair, &from_address] {
        place.take(db, place.turn)?;
    }
    // Nobody waits longer than that in this line, so it is no longer than that.
    let turn = account.turn.min(*now + CALM);
    account.take(db, turn)?;
    Ok(Pace::Wait(wait.max(turn - *now).to_std().unwrap_or_default()))
}

/// A place in a line that is not taken yet. The line stays locked until the transaction ends.
struct Place<'a> {
    line: &'a Line,
    failures: i32,
    turn: chrono::DateTime<chrono::Utc>,
}

impl<'a> Place<'a> {
    fn next(db: &mut Db, line: &'a Line, now: At) -> QueryResult<Self> {
        let (failures, free_at) = count(db, &line.subject, 0, now)?;
        Ok(Self { line, failures: failures + 1, turn: (*free_at).max(*now) })
    }

    fn take(&self, db: &mut Db, turn: chrono::DateTime<chrono::Utc>) -> QueryResult<usize> {
        diesel::update(login_throttles::table.find(&self.line.subject))
            .set((
                login_throttles::failures.eq(self.failures),
                login_throttles::free_at.eq(At::from(turn + self.line.step(self.failures))),
            ))
            .execute(db)
    }
}

/// Forgets the failures of an account, and gives the place in the line of its address back, after
/// the right password.
///
/// # Errors
/// When the database fails.
pub fn succeeded(db: &mut Db, email: &str, address: IpAddr) -> QueryResult<()> {
    // The lines in the order in which an attempt locks them.
    diesel::delete(login_throttles::table.find(Line::of_pair(email, address).subject))
        .execute(db)?;
    diesel::update(
        login_throttles::table
            .find(Line::of_address(address).subject)
            .filter(login_throttles::failures.gt(0)),
    )
    .set(login_throttles::failures.eq(login_throttles::failures - 1))
    .execute(db)?;
    diesel::delete(login_throttles::table.find(Line::of_account(email).subject)).execute(db)?;
    Ok(())
}

/// Counts a registration from `address`; there are at least 60 a minute.
///
/// # Errors
/// When the database fails.
pub fn registration(db: &mut Db, address: IpAddr, now: At) -> QueryResult<Pace> {
    forget_old(db, now)?;
    let minute = now.timestamp() / 60;
    let subject = subject("register", &format!("{address} {minute}"));
    let (count, _) = count(db, &subject, 1, now)?;
    Ok(if count > REGISTRATIONS { Pace::Refuse(60) } else { Pace::Wait(Duration::ZERO) })
}

/// Adds to what is counted of a subject, from zero. In one statement, since another process may
/// just be forgetting it.
fn count(db: &mut Db, subject: &str, more: i32, now: At) -> QueryResult<(i32, At)> {
    diesel::insert_into(login_throttles::table)
        .values((
            login_throttles::subject.eq(subject),
            login_throttles::failures.eq(more),
            login_throttles::free_at.eq(now),
            login_throttles::updated_at.eq(now),
        ))
        .on_conflict(login_throttles::subject)
        .do_update()
        .set((
            login_throttles::failures.eq(login_throttles::failures + more),
            login_throttles::updated_at.eq(now),
        ))
        .returning((login_throttles::failures, login_throttles::free_at))
        .get_result_on(db)
}

fn forget_old(db: &mut Db, now: At) -> QueryResult<usize> {
    let old = At::from(*now - FORGOTTEN);
    diesel::delete(login_throttles::table.filter(login_throttles::updated_at.lt(old))).execute(db)
}

/// Hashed, since a mistyped address is nobody's business, and may be of any length.
fn subject(kind: &str, text: &str) -> String {
    secret::hash(&format!("{kind} {text}"))
}
