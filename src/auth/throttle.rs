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
//!
//! Lines are locked in one order: pair, address, account. What was counted long ago counts for nothing,
//! and is cleared away by others.

use super::{guards, secret, store};
use crate::db::Db;
use crate::db::instant::At;
use chrono::TimeDelta;
use diesel::QueryResult;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// The longest that an attempt is kept waiting before it is looked at.
const PATIENCE: TimeDelta = TimeDelta::seconds(5);

/// The longest wait for an account under attack from elsewhere.
const CALM: TimeDelta = TimeDelta::seconds(2);

/// Failures are forgotten after this long without an attempt.
const FORGOTTEN: TimeDelta = TimeDelta::minutes(15);

/// Registrations a minute from one address.
const REGISTRATIONS: i32 = 120;

/// Questions for a new password in a quarter of an hour, from one address: many people may share it.
const RESETS_OF_ADDRESS: i32 = 30;

/// Letters with a link in a quarter of an hour, to one account.
const RESETS_OF_ACCOUNT: i32 = 3;

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
        let subject = subject("pair", &format!("{} {email}", network(address)));
        Self { subject, free: 10, longest: TimeDelta::seconds(30) }
    }

    /// One who tries a few passwords on each of many accounts. People share addresses, and behind
    /// a proxy that is not trusted all do, so it stays short.
    fn of_address(address: IpAddr) -> Self {
        let subject = subject("address", &network(address).to_string());
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
    // Last, since it holds rows of others.
    store::purge_counts(db, forgotten(now))?;
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
        let (failures, free_at) = guards::count_subject(db, &line.subject, 0, forgotten(now), now)?;
        Ok(Self { line, failures: failures + 1, turn: (*free_at).max(*now) })
    }

    fn take(&self, db: &mut Db, turn: chrono::DateTime<chrono::Utc>) -> QueryResult<usize> {
        let free_at = At::from(turn + self.line.step(self.failures));
        store::set_count(db, &self.line.subject, self.failures, free_at)
    }
}

/// Forgets the failures of an account, and gives the place in the line of its address back, after
/// the right password.
///
/// # Errors
/// When the database fails.
pub fn succeeded(db: &mut Db, email: &str, address: IpAddr) -> QueryResult<()> {
    // The lines in the order in which an attempt locks them.
    store::forget_count(db, &Line::of_pair(email, address).subject)?;
    guards::discount_subject(db, &Line::of_address(address).subject)?;
    store::forget_count(db, &Line::of_account(email).subject)?;
    Ok(())
}

/// Counts a registration from `address`, or of its network; more than [`REGISTRATIONS`] a minute are
/// refused.
///
/// # Errors
/// When the database fails.
pub fn registration(db: &mut Db, address: IpAddr, now: At) -> QueryResult<Pace> {
    let minute = now.timestamp() / 60;
    let subject = subject("register", &format!("{} {minute}", network(address)));
    let (count, _) = guards::count_subject(db, &subject, 1, forgotten(now), now)?;
    store::purge_counts(db, forgotten(now))?;
    Ok(if count > REGISTRATIONS { Pace::Refuse(60) } else { Pace::Wait(Duration::ZERO) })
}

/// How a question for a new password goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whether something is done about it.
    pub is_heard: bool,
    /// Whether the one who asks has to wait.
    pub pace: Pace,
}

/// Counts a question for a new password. An address of the network may ask [`RESETS_OF_ADDRESS`]
/// times in a quarter of an hour, and is refused then. One account hears [`RESETS_OF_ACCOUNT`] of them;
/// the others are answered alike and nothing is done, so that nobody's mailbox is filled, and whoever
/// owns it has links that are good.
///
/// # Errors
/// When the database fails.
pub fn reset(db: &mut Db, email: &str, address: IpAddr, now: At) -> QueryResult<Asked> {
    let quarter = now.timestamp() / FORGOTTEN.num_seconds();
    let of_address = subject("reset address", &format!("{} {quarter}", network(address)));
    let of_account = subject("reset account", &format!("{email} {quarter}"));
    let (from_address, _) = guards::count_subject(db, &of_address, 1, forgotten(now), now)?;
    if from_address > RESETS_OF_ADDRESS {
        let seconds = FORGOTTEN.num_seconds() - now.timestamp().rem_euclid(FORGOTTEN.num_seconds());
        let pace = Pace::Refuse(u64::try_from(seconds).unwrap_or(1).max(1));
        return Ok(Asked { is_heard: false, pace });
    }
    let (for_account, _) = guards::count_subject(db, &of_account, 1, forgotten(now), now)?;
    store::purge_counts(db, forgotten(now))?;
    let is_heard = for_account <= RESETS_OF_ACCOUNT;
    Ok(Asked { is_heard, pace: Pace::Wait(Duration::ZERO) })
}

/// When what is counted at `now` would be forgotten already.
fn forgotten(now: At) -> At {
    At::from(*now - FORGOTTEN)
}

/// Whom an address stands for: of IPv6 its network of 64 bits, since whoever has one address of it
/// has them all.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
        IpAddr::V4(address) => address.into(),
    }
}

/// Hashed, since a mistyped address is nobody's business, and may be of any length.
fn subject(kind: &str, text: &str) -> String {
    secret::hash(&format!("{kind} {text}"))
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn an_address_stands_for_its_network() {
        for (address, expected) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::", "2001:db8:1:2::"),
            ("2001:db8:1:3:3:4:5:6", "2001:db8:1:3::"),
            ("::1", "::"),
        ] {
            let found = network(address.parse().unwrap());
            assert_eq!(found.to_string(), expected, "{address}");
        }
    }
}
