//! What is true of every database, whatever was done to it and however often, and whoever was
//! killed in the middle: nothing is there twice, nothing by halves, and every schedule is the one
//! that its log means.

use super::{acquaintance, closings};
use chrono::NaiveDate;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Debug;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::preferences::{self, model::PREFERENCES};
use traverse::revisions::model::{Cause, ReviewRow, RevisionRow, State};
use traverse::revisions::{Learner, derive_again};
use traverse::schema::{
    reviews, revisions, schedule_entries, scheduler_settings, solves, submissions, users,
    xp_entries,
};
use traverse::solves::model::SolveRow;
use traverse::submissions::model::{Effects, SubmissionRow, Verdict};
use traverse::xp::model::Reason;

/// What was looked at, and what was found wrong.
#[derive(Debug, Default)]
pub struct Findings {
    pub users: usize,
    pub submissions: usize,
    pub solves: usize,
    pub revisions: usize,
    pub reviews: usize,
    pub wrong: Vec<String>,
}

/// A row of `xp_entries`.
type Entry = (i64, Reason, i64, i32, Option<i64>, NaiveDate);

struct Rows {
    solves: Vec<SolveRow>,
    revisions: Vec<RevisionRow>,
    reviews: Vec<ReviewRow>,
    submissions: Vec<SubmissionRow>,
    xp: Vec<Entry>,
}

/// Fails, with all that is wrong, unless everything holds.
#[track_caller]
pub fn assert_hold(db: &mut Db) -> Findings {
    let findings = look(db);
    assert!(findings.wrong.is_empty(), "{}", findings.wrong.join("\n"));
    findings
}

/// Looks at everything.
pub fn look(db: &mut Db) -> Findings {
    let rows = Rows::load(db);
    let learners = learners(db);
    let mut findings = Findings {
        users: learners.len(),
        submissions: rows.submissions.len(),
        solves: rows.solves.len(),
        revisions: rows.revisions.len(),
        reviews: rows.reviews.len(),
        wrong: Vec::new(),
    };
    let mut wrong = |what: String| findings.wrong.push(what);
    whole_submissions(&rows, &mut wrong);
    numbers(&rows, &mut wrong);
    ties(&rows, &mut wrong);
    experience(&rows, &mut wrong);
    closings::look(db, &mut wrong);
    acquaintance::look(db, &mut wrong);
    references(db, &mut wrong);
    order_of_logs(db, &rows, &mut wrong);
    schedules(db, &rows, &learners, &mut wrong);
    findings
}

impl Rows {
    fn load(db: &mut Db) -> Self {
        Self {
            solves: solves::table.order(solves::id).load(db).unwrap(),
            revisions: revisions::table
                .order((revisions::solve_id, revisions::kind, revisions::revision_number))
                .load(db)
                .unwrap(),
            reviews: reviews::table.order(reviews::id).load(db).unwrap(),
            submissions: submissions::table.order(submissions::id).load(db).unwrap(),
            xp: xp_entries::table
                .select((
                    xp_entries::user_id,
                    xp_entries::reason,
                    xp_entries::subject_id,
                    xp_entries::amount,
                    xp_entries::solve_id,
                    xp_entries::local_day,
                ))
                .load(db)
                .unwrap(),
        }
    }
}

/// Everybody, as their schedules know them.
pub fn learners(db: &mut Db) -> HashMap<i64, Learner> {
    let rows: Vec<(i64, preferences::model::PreferenceRow, String)> = users::table
        .inner_join(
            scheduler_settings::table.on(users::settings_id.eq(scheduler_settings::id.nullable())),
        )
        .select((users::id, PREFERENCES, scheduler_settings::content))
        .load(db)
        .unwrap();
    rows.into_iter()
        .map(|(id, row, settings)| (id, preferences::read(row, &settings).unwrap().learner(id)))
        .collect()
}

/// A submission is there with all that it caused, or not at all.
fn whole_submissions(rows: &Rows, wrong: &mut impl FnMut(String)) {
    let solves: HashMap<i64, &SolveRow> = rows.solves.iter().map(|row| (row.id, row)).collect();
    let reviews: HashSet<i64> = rows.reviews.iter().filter_map(|row| row.submission_id).collect();
    let mut firsts: HashMap<i64, Vec<i64>> = HashMap::new();
    for row in &rows.submissions {
        let id = row.id;
        let effects = row.effects().unwrap();
        if row.deleted_at.is_some() {
            if let Some(named) = row.key_of {
                let owner =
                    rows.submissions.iter().find(|row| row.id == named && row.key_of.is_none());
                if owner.is_none_or(|owner| owner.user_id != row.user_id) {
                    wrong(format!("the key {id} names no submission of its user"));
                }
            }
            if row.verdict.is_some() || row.problem_id.is_some() || row.effects.is_some() {
                wrong(format!("submission {id} is deleted and still says something"));
            }
            continue;
        }
        // Of some that were imported nobody knows when.
        let has_time =
            row.happened_at.is_some() || row.time_precision.as_deref() == Some("unknown");
        if row.verdict.is_none() || row.problem_id.is_none() || !has_time {
            wrong(format!("submission {id} is half there: {row:?}"));
        }
        if row.verdict != Some(Verdict::Accepted) {
            if row.solve_id.is_some() || effects != Effects::default() {
                wrong(format!("submission {id} is not accepted and caused something"));
            }
            continue;
        }
        let Some(solve_id) = row.solve_id else {
            // The foreign key takes the solve out of the row when the solve is deleted.
            if !was_deleted(rows, row, &effects) {
                wrong(format!("submission {id} is accepted and has no solve"));
            }
            continue;
        };
        match solves.get(&solve_id) {
            Some(solve)
                if solve.user_id == row.user_id && Some(solve.problem_id) == row.problem_id => {}
            other => wrong(format!("submission {id} is of the wrong solve {other:?}")),
        }
        if effects.first_solve {
            firsts.entry(solve_id).or_default().push(id);
        }
        if !effects.revisions_completed.is_empty()
            && !effects.became_first
            && !reviews.contains(&id)
        {
            wrong(format!("submission {id} completed something, and no review came with it"));
        }
    }
    for (solve, ids) in firsts {
        if ids.len() > 1 {
            wrong(format!("solve {solve} was solved first by submissions {ids:?}"));
        }
    }
}

/// Whether the solve of an accepted submission is gone for a reason: it is not the one that there is,
/// and the ledger says that the problem's first one was deleted.
fn was_deleted(rows: &Rows, row: &SubmissionRow, effects: &Effects) -> bool {
    let is_there = |solve_id: i64| rows.solves.iter().any(|solve| solve.id == solve_id);
    let mut named = effects.revisions_completed.iter().chain(&effects.next_revisions);
    if named.any(|revision| is_there(revision.solve_id)) {
        return false;
    }
    let mut firsts = rows.xp.iter().filter(|(user_id, reason, subject, ..)| {
        (*user_id, *reason, Some(*subject)) == (row.user_id, Reason::FirstSolve, row.problem_id)
    });
    firsts.any(|(.., solve_id, _)| {
        let is_of_it = |(user_id, reason, subject, ..): &Entry| {
            (*user_id, *reason, Some(*subject)) == (row.user_id, Reason::SolveDeleted, *solve_id)
        };
        solve_id.is_some_and(|solve_id| !is_there(solve_id)) && rows.xp.iter().any(is_of_it)
    })
}

/// The revisions of each schedule, in the order of their numbers.
fn by_schedule(rows: &Rows) -> BTreeMap<(i64, &'static str), Vec<&RevisionRow>> {
    let mut schedules: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in &rows.revisions {
        schedules.entry((row.solve_id, row.kind.as_str())).or_default().push(row);
    }
    schedules
}

/// Numbers grow without gaps, and a schedule ends with the one revision that is to come.
fn numbers(rows: &Rows, wrong: &mut impl FnMut(String)) {
    let schedules = by_schedule(rows);
    for solve in &rows.solves {
        if !schedules.keys().any(|(solve_id, _)| *solve_id == solve.id) {
            wrong(format!("solve {} has no schedule", solve.id));
        }
    }
    let suspended: HashMap<i64, bool> =
        rows.solves.iter().map(|solve| (solve.id, solve.suspended)).collect();
    for (schedule, revisions) in schedules {
        let numbers: Vec<i32> = revisions.iter().map(|row| row.revision_number).collect();
        let expected: Vec<i32> = (1..).take(numbers.len()).collect();
        if numbers != expected {
            wrong(format!("schedule {schedule:?} has the numbers {numbers:?}"));
        }
        let live: Vec<State> =
            revisions.iter().map(|row| row.state).filter(|state| state.is_live()).collect();
        let to_come = if suspended.get(&schedule.0) == Some(&true) {
            State::Suspended
        } else {
            State::Pending
        };
        let closed = |state: &State| matches!(state, State::Completed | State::Skipped);
        match live.split_last() {
            Some((last, before)) if *last == to_come && before.iter().all(closed) => {}
            _ => wrong(format!("schedule {schedule:?} should end with {to_come:?}: {live:?}")),
        }
        for row in revisions {
            if row.due_on < row.scheduled_on || row.interval_days < 1 {
                wrong(format!("revision {} is due before it is scheduled", row.id));
            }
        }
    }
}

/// Each completed revision has its review and the other way round.
fn ties(rows: &Rows, wrong: &mut impl FnMut(String)) {
    let revisions: HashMap<i64, &RevisionRow> =
        rows.revisions.iter().map(|row| (row.id, row)).collect();
    let mut completed: HashMap<i64, usize> = HashMap::new();
    let mut days = HashSet::new();
    for review in rows.reviews.iter().filter(|review| review.moves_schedule) {
        let id = review.id;
        let revision = review.revision_id.and_then(|id| revisions.get(&id));
        if review.undone_at.is_some() {
            if revision.is_some_and(|revision| revision.state.is_live()) {
                wrong(format!("review {id} is undone and its revision is not"));
            }
            continue;
        }
        if !days.insert((review.solve_id, review.kind, review.local_day)) {
            wrong(format!("review {id} is the second of its day"));
        }
        match revision {
            Some(revision)
                if revision.state == State::Completed
                    && revision.solve_id == review.solve_id
                    && revision.kind == review.kind
                    && revision.rating == Some(review.rating)
                    && revision.completed_on == Some(review.local_day) =>
            {
                *completed.entry(revision.id).or_default() += 1;
            }
            other => wrong(format!("review {review:?} does not go with revision {other:?}")),
        }
    }
    for row in rows.revisions.iter().filter(|row| row.state == State::Completed) {
        if completed.get(&row.id) != Some(&1) {
            wrong(format!(
                "revision {} is completed by {:?} reviews",
                row.id,
                completed.get(&row.id)
            ));
        }
    }
    for submission_id in rows.reviews.iter().filter_map(|review| review.submission_id) {
        let submission = rows.submissions.iter().find(|row| row.id == submission_id);
        if submission
            .is_none_or(|row| row.deleted_at.is_none() && row.verdict != Some(Verdict::Accepted))
        {
            wrong(format!("a review came with submission {submission_id}, which is not accepted"));
        }
    }
}

/// XP of a solve is that of its first time and of the reviews that count; of a deleted one nothing.
fn experience(rows: &Rows, wrong: &mut impl FnMut(String)) {
    let mut sums: HashMap<i64, i32> = HashMap::new();
    for (_, reason, _, amount, solve_id, _) in &rows.xp {
        match solve_id {
            Some(solve_id) => *sums.entry(*solve_id).or_default() += amount,
            None if *reason == Reason::RingClosed => {}
            None => wrong("XP without a solve".to_owned()),
        }
    }
    for solve in &rows.solves {
        let first: Vec<_> = rows
            .xp
            .iter()
            .filter(|(user, reason, subject, ..)| {
                (*user, *reason, *subject) == (solve.user_id, Reason::FirstSolve, solve.problem_id)
            })
            .collect();
        if first.len() != 1 {
            wrong(format!("solve {} has {} entries for its first time", solve.id, first.len()));
        }
        let of_first: i32 = first
            .iter()
            .filter(|(.., solve_id, _)| *solve_id == Some(solve.id))
            .map(|(_, _, _, amount, ..)| amount)
            .sum();
        let counting = rows
            .reviews
            .iter()
            .filter(|review| {
                // Imported reviews bring nothing.
                review.solve_id == solve.id && review.counts() && review.cause != Cause::Imported
            })
            .count();
        let expected = of_first + traverse::xp::REVIEW * i32::try_from(counting).unwrap();
        let sum = sums.remove(&solve.id).unwrap_or(0);
        if sum != expected {
            wrong(format!("solve {} has {sum} XP instead of {expected}", solve.id));
        }
    }
    for (solve, sum) in sums {
        if sum != 0 {
            wrong(format!("solve {solve} is gone, and {sum} XP of it are left"));
        }
    }
}

/// Nothing refers to what is not there. PostgreSQL sees to it; SQLite only where it is told to.
fn references(db: &mut Db, wrong: &mut impl FnMut(String)) {
    // No foreign key says these: see the migration.
    for (table, owner) in [
        ("users", "id"),
        ("solves", "user_id"),
        ("revisions", "user_id"),
        ("reviews", "user_id"),
        ("schedule_entries", "user_id"),
    ] {
        let count = diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!(
            "(select count(*) from {table} t where settings_id is not null and not exists \
              (select 1 from scheduler_settings s where s.id = t.settings_id \
                  and s.user_id = t.{owner}))"
        ));
        let strange: i64 = diesel::select(count).get_result(db).unwrap();
        if strange != 0 {
            wrong(format!("{strange} of {table} have settings that are not their user's"));
        }
    }
    if let Db::Sqlite(conn) = db {
        let broken: i64 = diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>(
            "(select count(*) from pragma_foreign_key_check)",
        ))
        .get_result(conn)
        .unwrap();
        if broken != 0 {
            wrong(format!("{broken} foreign keys are broken"));
        }
    }
}

/// Everything in the log of a solve has a place of its own: reviews, and what else was done.
fn order_of_logs(db: &mut Db, rows: &Rows, wrong: &mut impl FnMut(String)) {
    let entries: Vec<(i64, i64)> = schedule_entries::table
        .select((schedule_entries::solve_id, schedule_entries::seq))
        .load(db)
        .unwrap();
    let reviews = rows.reviews.iter().map(|review| (review.solve_id, review.seq));
    let mut taken = HashSet::new();
    for place in entries.into_iter().chain(reviews) {
        if !taken.insert(place) {
            wrong(format!("solve {} has its place {} of the log twice", place.0, place.1));
        }
    }
}

/// Deriving every schedule again changes nothing.
fn schedules(
    db: &mut Db,
    before: &Rows,
    learners: &HashMap<i64, Learner>,
    wrong: &mut impl FnMut(String),
) {
    let marks = |rows: &[SolveRow]| -> Vec<_> {
        rows.iter().map(|row| (row.id, row.lapses, row.leech, row.suspended)).collect()
    };
    db.batch_execute("begin").unwrap();
    for solve in &before.solves {
        derive_again(db, &learners[&solve.user_id], solve.id, later()).unwrap();
    }
    let after = Rows::load(db);
    db.batch_execute("rollback").unwrap();
    differences(&before.revisions, &after.revisions, wrong);
    differences(&before.reviews, &after.reviews, wrong);
    differences(&marks(&before.solves), &marks(&after.solves), wrong);
}

fn differences<T: PartialEq + Debug>(stored: &[T], derived: &[T], wrong: &mut impl FnMut(String)) {
    if stored.len() != derived.len() {
        wrong(format!("{} rows are stored, {} derived", stored.len(), derived.len()));
    }
    for (stored, derived) in stored.iter().zip(derived) {
        if stored != derived {
            wrong(format!("stored and derived differ:\n  {stored:?}\n  {derived:?}"));
        }
    }
}

/// An instant that no other row has.
fn later() -> At {
    At::from("2100-01-01T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap())
}
