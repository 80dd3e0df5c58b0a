//! The races of submissions. One race class is one [`Guard`] or one conditional update, one
//! function, and one test of the same name in `tests/it/races/`.

use super::model::{Advance, NOTHING, NewKey, NewSubmission, SubmissionRow, Verdict};
use crate::db::either::BATCH;
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::submissions;
use diesel::prelude::*;

/// A key of a user names one submission for ever.
pub const SUBMISSION_KEY: Guard = Guard {
    name: "submissions_user_id_idempotency_key",
    table: "submissions",
    columns: &["user_id", "idempotency_key"],
    target: "(user_id, idempotency_key) where idempotency_key is not null",
    predicate: Some(("idempotency_key is not null", "(idempotency_key IS NOT NULL)")),
};

/// A judge's number names one submission of a user.
pub const JUDGE_NUMBER: Guard = Guard {
    name: "submissions_user_id_judge_external_id",
    table: "submissions",
    columns: &["user_id", "judge", "external_id"],
    target: "(user_id, judge, external_id) where external_id is not null",
    predicate: Some(("external_id is not null", "(external_id IS NOT NULL)")),
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[SUBMISSION_KEY, JUDGE_NUMBER];

/// Records a submission. Of simultaneous calls with one key, or with one judge's number, one wins,
/// and the others get `None`.
pub fn record_submission(
    db: &mut Db,
    submission: &NewSubmission<'_>,
) -> QueryResult<Option<SubmissionRow>> {
    diesel::insert_into(submissions::table)
        .values(submission)
        .on_conflict_do_nothing()
        .returning(submissions::all_columns)
        .get_result_on(db)
        .optional()
}

/// Gives a submission a further key, unless that key names one already. Of simultaneous callers with
/// one key one wins, whatever they want it to name.
pub fn remember_key(db: &mut Db, key: &NewKey<'_>) -> QueryResult<bool> {
    let remembered: Option<i64> = diesel::insert_into(submissions::table)
        .values(key)
        .on_conflict(SUBMISSION_KEY.target())
        .do_nothing()
        .returning(submissions::id)
        .get_result_on(db)
        .optional()?;
    Ok(remembered.is_some())
}

/// Deletes a submission: leaves of it only what recognises it. One caller does, the others find
/// nothing to delete.
pub fn bury_once(db: &mut Db, user_id: i64, id: i64, now: At) -> QueryResult<bool> {
    diesel::update(
        submissions::table
            .find(id)
            .filter(submissions::user_id.eq(user_id))
            .filter(submissions::deleted_at.is_null()),
    )
    .set((NOTHING, submissions::deleted_at.eq(now), submissions::updated_at.eq(now)))
    .execute(db)
    .map(|buried| buried == 1)
}

/// What an imported submission is triaged with.
const DISMISSED: &str = r#"{"dismiss":true}"#;

/// Like [`record_submission`], for many that an import brings: how many won.
pub fn record_submissions(
    db: &mut Db,
    rows: Vec<NewSubmission<'_>>,
    now: At,
) -> QueryResult<usize> {
    let mut won = 0;
    let mut rows = rows.into_iter();
    loop {
        let part: Vec<_> = rows
            .by_ref()
            .take(BATCH)
            .map(|row| (row, (submissions::triaged_at.eq(now), submissions::triage.eq(DISMISSED))))
            .collect();
        if part.is_empty() {
            return Ok(won);
        }
        won += diesel::insert_into(submissions::table)
            .values(part)
            .on_conflict_do_nothing()
            .execute_batch_on(db)?;
    }
}

/// Gives a pending submission its verdict, if it is triaged as it was `seen`: what triage says of it
/// counts. One caller gets the row, the others `None`.
pub fn advance_verdict(
    db: &mut Db,
    id: i64,
    seen: Option<At>,
    advance: &Advance<'_>,
) -> QueryResult<Option<SubmissionRow>> {
    let pending = submissions::table.find(id).filter(submissions::verdict.eq(Verdict::Pending));
    let advanced = match seen {
        Some(at) => diesel::update(pending.filter(submissions::triaged_at.eq(at)))
            .set(advance)
            .returning(submissions::all_columns)
            .get_result(db),
        None => diesel::update(pending.filter(submissions::triaged_at.is_null()))
            .set(advance)
            .returning(submissions::all_columns)
            .get_result(db),
    };
    advanced.optional()
}

/// Triages a submission. One caller gets the row, the others `None`.
pub fn triage_once(
    db: &mut Db,
    user_id: i64,
    id: i64,
    triage: &str,
    now: At,
) -> QueryResult<Option<SubmissionRow>> {
    diesel::update(
        submissions::table
            .find(id)
            .filter(submissions::user_id.eq(user_id))
            .filter(submissions::deleted_at.is_null())
            .filter(submissions::triaged_at.is_null()),
    )
    .set((
        submissions::triaged_at.eq(now),
        submissions::triage.eq(triage),
        submissions::updated_at.eq(now),
    ))
    .returning(submissions::all_columns)
    .get_result(db)
    .optional()
}
