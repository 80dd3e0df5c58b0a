//! What a feed says: its events, from revisions and from what their owner prefers. Pure.
//!
//! Always true here: a document is a function of what [`basis`] writes down. Whoever adds something
//! to a document adds it there too, or makes sure that it never changes without the [`State`].

use super::ics::{Document, Event, Feed, Start};
use super::model::{Shown, State};
use super::token;
use crate::days;
use crate::db::instant::At;
use crate::preferences::{self, Unreadable, model::PreferenceRow};
use crate::problems::difficulty::Difficulty;
use crate::problems::identity::{self, Identity, Platform};
use crate::revisions::log::Kind;
use crate::secret::Secrets;
use chrono::{Days, NaiveDate, NaiveTime};
use chrono_tz::{IANA_TZDB_VERSION, Tz};
use std::fmt::Write as _;

/// What a client calls the calendar.
const NAME: &str = "Revisions";

/// Goes before the title of what is done.
const DONE: &str = "✓ ";

/// Changes with whatever this file or [`super::ics`] writes differently for the same rows.
const RENDERER: u32 = 1;

/// Completed revisions are shown for so many days.
const COMPLETED_DAYS: Days = Days::new(180);

/// No document has so many events: none of them has less than 240 octets.
pub const MOST_EVENTS: i64 = 4_200;

/// How a user wants to see their feed, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The user's local day.
    pub today: NaiveDate,
    /// The user's zone.
    pub zone: Tz,
    /// When events begin, by that zone's clock; without, they are of a whole day.
    pub time: Option<NaiveTime>,
    /// How often the user has moved all events at once.
    pub changes: i32,
    /// When they last did.
    pub changed_at: Option<At>,
}

impl View {
    /// The view of a user at an instant.
    ///
    /// # Errors
    /// [`Unreadable`], which means that somebody else wrote the row.
    pub fn new(preferences: &PreferenceRow, now: At) -> Result<Self, Unreadable> {
        let history = preferences::days(preferences)?;
        let time = preferences.calendar_time.as_deref().map(days::day_start).transpose()?;
        Ok(Self {
            today: history.local_day(*now),
            zone: history.current().zone,
            time,
            changes: preferences.calendar_changes,
            changed_at: preferences.calendar_changed_at,
        })
    }

    /// The first day whose completed revisions are shown.
    #[must_use]
    pub fn completed_since(&self) -> NaiveDate {
        self.today.checked_sub_days(COMPLETED_DAYS).unwrap_or(NaiveDate::MIN)
    }

    fn start(&self, day: NaiveDate) -> Start {
        match self.time {
            None => Start::Day(day),
            Some(time) => Start::Instant(days::instant_of(self.zone, day, time)),
        }
    }
}

/// Names the state that a document is made from. Two states of one name are one state.
///
/// Ids and sequences only grow, and each visible change of a revision raises its sequence. Let two
/// states have one tally. A revision that came between and is still there would have a higher id
/// than all before; so none came, and since the counts are equal none went. The sums are equal and
/// no sequence has fallen, so none has risen: nothing visible of a revision has changed. So the solves
/// are the same as well, and their problems; the changes of a problem only grow too.
///
/// On PostgreSQL two transactions may commit in another order than they took their ids. The one that
/// comes later has a lower id then, and where as many revisions went meanwhile, with the same
/// sequences, only the time of the last write can tell. A change that even that hides is seen with
/// the next one, or the next day.
///
/// A pause changes no revision and hides some, so that its days stand for themselves.
#[must_use]
pub fn basis(view: &View, state: &State) -> String {
    let tally = &state.revisions;
    let mut basis = format!(
        "{RENDERER} {} {IANA_TZDB_VERSION} {} {}",
        env!("CARGO_PKG_VERSION"),
        view.today,
        view.zone.name(),
    );
    let time = view.time.map_or_else(|| "-".to_owned(), |time| time.to_string());
    let updated_at = tally.updated_at.map_or(0, |at| at.timestamp_micros());
    // Writing to a string does not fail.
    let _ = write!(
        basis,
        " {time} {} {} {} {} {updated_at} {}",
        view.changes,
        tally.count,
        tally.highest.unwrap_or(0),
        tally.sequences.unwrap_or(0),
        state.problem_changes,
    );
    for (from, until) in runs(&state.paused) {
        let _ = write!(basis, " {from}/{until}");
    }
    basis
}

/// Days in order, as the first and the last of those that follow each other.
fn runs(days: &[NaiveDate]) -> Vec<(NaiveDate, NaiveDate)> {
    let mut runs: Vec<(NaiveDate, NaiveDate)> = Vec::new();
    for day in days {
        match runs.last_mut() {
            Some((_, last)) if last.succ_opt() == Some(*day) => *last = *day,
            _ => runs.push((*day, *day)),
        }
    }
    runs
}

/// The document of what a feed shows. In the order of their ids, so that the passing of days moves
/// nothing; what does not fit whole has the events nearest to today.
#[must_use]
pub fn render(view: &View, secrets: &Secrets, rows: &[Shown]) -> Document {
    let mut rows: Vec<&Shown> = rows.iter().collect();
    rows.sort_by_key(|row| row.id);
    let document = feed(view, secrets, &rows).document();
    if document.left_out == 0 {
        return document;
    }
    rows.sort_by_key(|row| {
        let distance = day(row).signed_duration_since(view.today).num_days();
        (distance.abs(), row.id)
    });
    feed(view, secrets, &rows).document()
}

fn feed(view: &View, secrets: &Secrets, rows: &[&Shown]) -> Feed {
    let events = rows.iter().map(|row| event(view, secrets, row)).collect();
    Feed { name: NAME.to_owned(), events }
}

/// The day of an event: when it was done, else when it is due.
fn day(row: &Shown) -> NaiveDate {
    row.completed_on.unwrap_or(row.due_on)
}

fn event(view: &View, secrets: &Secrets, row: &Shown) -> Event {
    let place = name(row.platform);
    let url = identity::address(&Identity { platform: row.platform, slug: row.slug.clone() });
    let title = row.own_title.as_ref().or(row.title.as_ref()).unwrap_or(&row.slug);
    let done = if row.completed_on.is_some() { DONE } else { "" };
    let difficulty = row.own_difficulty.or(row.difficulty);
    let labels = [row.topic.as_deref(), difficulty.map(Difficulty::as_str)];
    let labels: Vec<&str> = labels.into_iter().flatten().collect();
    Event {
        uid: token::of_event(secrets, row.solve_id, row.kind, row.revision_number),
        changed_at: view
            .changed_at
            .into_iter()
            .fold(row.updated_at.max(row.problem_updated_at), At::max)
            .into(),
        // None of the three ever falls, so that their sum grows with each change.
        sequence: i64::from(row.sequence)
            + i64::from(row.problem_changes)
            + i64::from(view.changes),
        start: view.start(day(row)),
        summary: format!("{done}{title} ({place})"),
        description: description(row, place, url.as_deref(), &labels),
        url,
        categories: std::iter::once(place).chain(labels).map(str::to_owned).collect(),
    }
}

/// Few words, since each counts two thousand times.
fn description(row: &Shown, place: &str, url: Option<&str>, labels: &[&str]) -> String {
    let kind = match row.kind {
        Kind::Adaptive => "Adaptive",
        Kind::Ladder => "Ladder",
    };
    let mut text = format!("{kind} revision {}", row.revision_number);
    // Writing to a string does not fail.
    let _ = match &row.rating {
        Some(rating) if row.completed_on.is_some() => write!(text, " done: {}", rating.as_str()),
        _ => planned(&mut text, row),
    };
    let _ = write!(text, "\n{place}");
    for label in labels {
        let _ = write!(text, " · {label}");
    }
    if let Some(url) = url {
        let _ = write!(text, "\n{url}");
    }
    text
}

fn planned(text: &mut String, row: &Shown) -> std::fmt::Result {
    let plural = if row.interval_days == 1 { "" } else { "s" };
    write!(text, " after {} day{plural}", row.interval_days)?;
    match (row.ladder_step, row.stability) {
        (Some(step), _) => write!(text, "\nStep {} of the ladder", step + 1),
        (None, Some(stability)) => write!(text, "\n90 % recall for {stability:.1} days"),
        (None, None) => Ok(()),
    }
}

/// The name of a platform as it writes it itself.
const fn name(platform: Platform) -> &'static str {
    match platform {
        Platform::Leetcode => "LeetCode",
        Platform::Codeforces => "Codeforces",
        Platform::Atcoder => "AtCoder",
        Platform::Hackerrank => "HackerRank",
        Platform::Geeksforgeeks => "GeeksforGeeks",
        Platform::Codechef => "CodeChef",
        Platform::Cses => "CSES",
        Platform::Spoj => "SPOJ",
        Platform::Kattis => "Kattis",
        Platform::Hackerearth => "HackerEarth",
        Platform::Luogu => "Luogu",
        Platform::Beecrowd => "beecrowd",
        Platform::Projecteuler => "Project Euler",
        Platform::Custom => "own problem",
    }
}
