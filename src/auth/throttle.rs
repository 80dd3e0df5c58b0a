//! Logins slow down and never lock anybody out.
//!
//! Each attempt is counted in the database before the password is looked at, so that attempts at
//! once, and on several processes, are counted too. Attempts on one account from one address wait
//! in line, each longer than the one before, and are refused when the line is long. Whoever owns
//! the account and comes from elsewhere waits at most [`CALM`]: an attacker cannot keep them out.

use crate::db::Db;
use crate::db::either::OnEither;
use crate::db::instant::At;
use crate::schema::login_throttles;
use chrono::TimeDelta;
use diesel::prelude::*;
use std::net::IpAddr;
use std::time::Duration;

use super::secret;

/// Attempts that cost nothing.
const FREE: i32 = 5;

/// Attempts on many accounts from one address that cost nothing: people share addresses.
const FREE_OF_ADDRESS: i32 = 50;

/// The longest that an attempt is kept waiting before it is looked at.
const PATIENCE: TimeDelta = TimeDelta::seconds(5);

/// The longest wait for an account under attack from elsewhere.
const CALM: TimeDelta = TimeDelta::seconds(2);

/// The longest step between two attempts in line.
const STEP: TimeDelta = TimeDelta::seconds(30);

/// Failures are forgotten after this long without one.
const FORGOTTEN: TimeDelta = TimeDelta::minutes(15);

/// Registrations a minute from one address.
const REGISTRATIONS: i32 = 120;

/// What an attempt has to do first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Wait this long, then go on.
    Wait(Duration),
    /// Come back after so many seconds.
    Refuse(u64),
}

/// Counts an attempt to log in as `email` from `address`, and says how long it waits.
///
/// # Errors
/// When the database fails.
pub fn attempt(db: &mut Db, email: &str, address: IpAddr, now: At) -> QueryResult<Pace> {
    forget_old(db, now)?;
    let pair = queue(db, &pair(email, address), FREE, now)?;
    let from_address = queue(db, &subject("address", &address.to_string()), FREE_OF_ADDRESS, now)?;
    let account = queue(db, &account(email), FREE * 4, now)?.min(CALM);
    let line = pair.max(from_address);
    if line > PATIENCE {
        return Ok(Pace::Refuse(u64::try_from(line.num_seconds()).unwrap_or(1).max(1)));
    }
    Ok(Pace::Wait(line.max(account).to_std().unwrap_or_default()))
}

/// Forgets the failures of an account, and of this address with it, after the right password.
///
/// # Errors
/// When the database fails.
pub fn succeeded(db: &mut Db, email: &str, address: IpAddr) -> QueryResult<()> {
    let subjects = [pair(email, address), account(email)];
    diesel::delete(login_throttles::table.filter(login_throttles::subject.eq_any(subjects)))
        .execute(db)?;
    Ok(())
}

/// Counts a registration from `address`; there are at least 60 a minute.
///
/// # Errors
/// When the database fails.
pub fn registration(db: &mut Db, address: IpAddr, now: At) -> QueryResult<Pace> {
    let minute = now.timestamp() / 60;
    let subject = subject("register", &format!("{address} {minute}"));
    let (count, _) = count(db, &subject, now)?;
    Ok(if count > REGISTRATIONS { Pace::Refuse(60) } else { Pace::Wait(Duration::ZERO) })
}

/// Takes a place in line and returns the wait for it.
fn queue(db: &mut Db, subject: &str, free: i32, now: At) -> QueryResult<TimeDelta> {
    // The update locks the row, so that simultaneous attempts take places one after the other.
    let (failures, free_at) = count(db, subject, now)?;
    if failures <= free {
        return Ok(TimeDelta::zero());
    }
    let doublings = u32::try_from(failures - free - 1).unwrap_or(0).min(10);
    let step = TimeDelta::milliseconds(250 * 2_i64.pow(doublings)).min(STEP);
    let turn = (*free_at).max(*now) + step;
    if turn - *now <= PATIENCE {
        diesel::update(login_throttles::table.find(subject))
            .set(login_throttles::free_at.eq(At::from(turn)))
            .execute(db)?;
    }
    Ok(turn - *now)
}

fn count(db: &mut Db, subject: &str, now: At) -> QueryResult<(i32, At)> {
    diesel::insert_into(login_throttles::table)
        .values((
            login_throttles::subject.eq(subject),
            login_throttles::failures.eq(0),
            login_throttles::free_at.eq(now),
            login_throttles::updated_at.eq(now),
        ))
        .on_conflict(login_throttles::subject)
        .do_nothing()
        .execute_on(db)?;
    diesel::update(login_throttles::table.find(subject))
        .set((
            login_throttles::failures.eq(login_throttles::failures + 1),
            login_throttles::updated_at.eq(now),
        ))
        .returning((login_throttles::failures, login_throttles::free_at))
        .get_result(db)
}

fn forget_old(db: &mut Db, now: At) -> QueryResult<usize> {
    let old = At::from(*now - FORGOTTEN);
    diesel::delete(login_throttles::table.filter(login_throttles::updated_at.lt(old))).execute(db)
}

fn pair(email: &str, address: IpAddr) -> String {
    subject("pair", &format!("{address} {email}"))
}

fn account(email: &str) -> String {
    subject("account", email)
}

/// Hashed, since a mistyped address is nobody's business, and may be of any length.
fn subject(kind: &str, text: &str) -> String {
    secret::hash(&format!("{kind} {text}"))
}
