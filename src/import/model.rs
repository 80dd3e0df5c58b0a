//! Rows and what the API shows of them.

use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::schema::{import_rows, imports};
use chrono::TimeDelta;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::ToSchema;

/// How far an import is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ImportStatus)]
#[diesel(sql_type = Text)]
pub enum Status {
    /// It waits for a worker.
    Queued,
    /// It is going on.
    Running,
    /// All rows are done.
    Completed,
    /// It broke off; what it had done stays. The same file again does the rest.
    Failed,
}

stored_as_text! {
    Status, "status of an import":
    Queued => "queued",
    Running => "running",
    Completed => "completed",
    Failed => "failed",
}

/// What became of a row.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = RowVerdict)]
#[diesel(sql_type = Text)]
pub enum Verdict {
    /// It made the first solve of its problem.
    Imported,
    /// Its problem was solved before this import, or its submission was here.
    SkippedExisting,
    /// Another row of the file made the first solve of its problem.
    DuplicatesInBatch,
    /// It is no accepted solve.
    Ignored,
    /// It can be read in two ways; nothing was made of it.
    Ambiguous,
    /// It cannot be read.
    Rejected,
}

impl Verdict {
    /// Whether the report lists the row.
    #[must_use]
    pub const fn is_error(self) -> bool {
        matches!(self, Self::Ambiguous | Self::Rejected)
    }
}

stored_as_text! {
    Verdict, "verdict of a row":
    Imported => "imported",
    SkippedExisting => "skipped_existing",
    DuplicatesInBatch => "duplicates_in_batch",
    Ignored => "ignored",
    Ambiguous => "ambiguous",
    Rejected => "rejected",
}

/// How many rows were done, and what became of them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema, Queryable, Insertable,
)]
#[diesel(table_name = imports)]
pub struct Tally {
    /// Rows that were done: the sum of the others.
    pub received: i64,
    /// Rows that made the first solve of their problem.
    pub imported: i64,
    /// Rows whose problem was solved before this import, or whose submission was here. A submission
    /// with a number that is new is kept all the same; an earlier solve becomes the first one.
    pub skipped_existing: i64,
    /// Further rows of problems whose first solve another row of the file made. A submission with a
    /// number of its own is kept all the same.
    pub duplicates_in_batch: i64,
    /// Rows that are no accepted solves.
    pub ignored: i64,
    /// Rows that can be read in two ways.
    pub ambiguous: i64,
    /// Rows that cannot be read.
    pub rejected: i64,
}

impl Tally {
    /// Counts a row.
    pub fn count(&mut self, verdict: Verdict) {
        self.received += 1;
        *match verdict {
            Verdict::Imported => &mut self.imported,
            Verdict::SkippedExisting => &mut self.skipped_existing,
            Verdict::DuplicatesInBatch => &mut self.duplicates_in_batch,
            Verdict::Ignored => &mut self.ignored,
            Verdict::Ambiguous => &mut self.ambiguous,
            Verdict::Rejected => &mut self.rejected,
        } += 1;
    }

    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.received += other.received;
        self.imported += other.imported;
        self.skipped_existing += other.skipped_existing;
        self.duplicates_in_batch += other.duplicates_in_batch;
        self.ignored += other.ignored;
        self.ambiguous += other.ambiguous;
        self.rejected += other.rejected;
    }
}

/// A row of `imports`.
#[derive(Clone, Debug, Queryable)]
pub struct ImportRow {
    /// Its number.
    pub id: i64,
    /// What the request that made it said.
    pub fingerprint: Option<String>,
    /// How far it is.
    pub status: Status,
    /// What the file was taken for.
    pub format: String,
    /// How it was understood.
    pub detected: Option<String>,
    /// The zone that was assumed.
    pub zone_assumed: Option<String>,
    /// What else there is to know of the file, as a JSON array.
    pub remarks: String,
    /// How many rows the file has.
    pub total: i64,
    /// What became of those that were done.
    pub tally: Tally,
    /// Which run it is, from 1: whoever takes it over begins another.
    pub attempt: i64,
    /// When it began.
    pub created_at: At,
    /// When the run last said that it goes on.
    pub touched_at: At,
    /// When it ended.
    pub finished_at: Option<At>,
    /// Its file, while it waits or runs in the background.
    pub file_id: Option<i64>,
    /// Why it failed.
    pub failure: Option<String>,
}

/// The columns of a [`Tally`].
type TallyColumns = (
    imports::received,
    imports::imported,
    imports::skipped_existing,
    imports::duplicates_in_batch,
    imports::ignored,
    imports::ambiguous,
    imports::rejected,
);

/// The columns of [`ImportRow`].
pub type ImportColumns = (
    imports::id,
    imports::fingerprint,
    imports::status,
    imports::format,
    imports::detected,
    imports::zone_assumed,
    imports::remarks,
    imports::total,
    TallyColumns,
    imports::attempt,
    imports::created_at,
    imports::touched_at,
    imports::finished_at,
    imports::file_id,
    imports::failure,
);

/// The columns of [`ImportRow`].
pub const IMPORT: ImportColumns = (
    imports::id,
    imports::fingerprint,
    imports::status,
    imports::format,
    imports::detected,
    imports::zone_assumed,
    imports::remarks,
    imports::total,
    (
        imports::received,
        imports::imported,
        imports::skipped_existing,
        imports::duplicates_in_batch,
        imports::ignored,
        imports::ambiguous,
        imports::rejected,
    ),
    imports::attempt,
    imports::created_at,
    imports::touched_at,
    imports::finished_at,
    imports::file_id,
    imports::failure,
);

/// An import to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = imports, treat_none_as_default_value = false)]
pub struct NewImport {
    /// Whose it is.
    pub user_id: i64,
    /// The key of the request.
    pub idempotency_key: Option<String>,
    /// What the request said.
    pub fingerprint: Option<String>,
    /// How far it is.
    pub status: Status,
    /// As all below, see [`ImportRow`].
    pub format: String,
    /// How the file was understood.
    pub detected: Option<String>,
    /// The zone that was assumed.
    pub zone_assumed: Option<String>,
    /// What else there is to know, as a JSON array.
    pub remarks: String,
    /// How many rows the file has.
    pub total: i64,
    /// What became of them: nothing yet.
    #[diesel(embed)]
    pub tally: Tally,
    /// 1.
    pub attempt: i64,
    /// Now.
    pub created_at: At,
    /// Now.
    pub touched_at: At,
    /// Its file, where it is to run in the background.
    pub file_id: Option<i64>,
}

/// A row of `import_rows`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Queryable, ToSchema)]
#[schema(as = ImportedRow)]
pub struct RowReport {
    /// Its number in the file, from 1; a header does not count.
    #[schema(minimum = 1)]
    pub row: i64,
    /// The line on which it begins, where rows are lines.
    #[schema(required = true)]
    pub line: Option<i64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why.
    #[schema(required = true)]
    pub reason: Option<String>,
    /// What it changed of what was there before, or of what another row had made.
    #[schema(required = true)]
    pub note: Option<String>,
    /// The problem, where it is known.
    #[schema(required = true)]
    pub problem_id: Option<i64>,
}

/// A row of `import_rows`, to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = import_rows, treat_none_as_default_value = false)]
pub struct NewRow<'a> {
    /// Of which import.
    pub import_id: i64,
    /// As all below, see [`RowReport`].
    pub row_number: i64,
    /// The line on which it begins.
    pub line: Option<i64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<&'a str>,
    /// What it changed.
    pub note: Option<&'a str>,
    /// The problem.
    pub problem_id: Option<i64>,
}

/// An import.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Import {
    /// Its number; null for a dry run, of which nothing is kept.
    #[schema(required = true)]
    pub id: Option<i64>,
    /// How far it is.
    pub status: Status,
    /// Whether it only tells what would become of the file.
    pub dry_run: bool,
    /// What the file was taken for.
    #[schema(example = "codeforces")]
    pub format: String,
    /// How the file was understood, in words.
    #[schema(required = true)]
    pub detected: Option<String>,
    /// The zone of the times that have none of their own, where there are such.
    #[schema(required = true)]
    pub zone_assumed: Option<String>,
    /// What else there is to know of the file as a whole.
    pub remarks: Vec<String>,
    /// What became of the rows.
    #[serde(flatten)]
    #[schema(inline)]
    pub tally: Tally,
    /// How much of the file is done: 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub progress: f64,
    /// When it began.
    pub created_at: At,
    /// When it last went on. One that is running says so every few seconds, unless it waits for a
    /// worker to take it up again.
    pub touched_at: At,
    /// When it ended.
    #[schema(required = true)]
    pub finished_at: Option<At>,
    /// Why it failed; null where it did not.
    #[schema(required = true)]
    pub failure: Option<String>,
}

/// An import, and the first of its rows of which nothing could be made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ImportReport {
    /// The import.
    #[serde(flatten)]
    #[schema(inline)]
    pub import: Import,
    /// The first 100 rows that are ambiguous or were rejected.
    pub errors: Vec<RowReport>,
}

impl ImportRow {
    /// The import as it stands at `now`.
    #[must_use]
    pub fn shown(self, now: At) -> Import {
        let is_abandoned = self.is_abandoned(now);
        let failure = is_abandoned.then(|| ABANDONED.to_owned());
        Import {
            id: Some(self.id),
            status: if is_abandoned { Status::Failed } else { self.status },
            dry_run: false,
            format: self.format,
            detected: self.detected,
            zone_assumed: self.zone_assumed,
            remarks: serde_json::from_str(&self.remarks).unwrap_or_default(),
            progress: share(self.tally.received, self.total),
            tally: self.tally,
            created_at: self.created_at,
            touched_at: self.touched_at,
            finished_at: self.finished_at,
            failure: self.failure.or(failure),
        }
    }

    /// Whether its request was to run it, and its process has ended. One that runs in the background
    /// is never abandoned: the queue sees to it that it goes on.
    #[must_use]
    pub fn is_abandoned(&self, now: At) -> bool {
        let is_of_a_request = self.status == Status::Running && self.file_id.is_none();
        is_of_a_request && self.touched_at <= lapsed(now)
    }
}

/// What is said of an import whose process has ended.
const ABANDONED: &str = "the process that ran it has ended";

/// How long a run that does not say that it goes on is believed to. Whoever is wrong about it does
/// no harm: only one run at a time can do anything.
const LEASE: TimeDelta = TimeDelta::minutes(1);

/// How often a run says that it goes on.
pub const BEAT: Duration = Duration::from_secs(10);

/// A run that has said nothing since then has ended.
#[must_use]
pub fn lapsed(now: At) -> At {
    (*now - LEASE).into()
}

/// How much of `total` is `done`, in thousandths.
fn share(done: i64, total: i64) -> f64 {
    let thousandths = done.saturating_mul(1000) / total.max(1);
    f64::from(i32::try_from(thousandths).unwrap_or(1000).clamp(0, 1000)) / 1000.0
}
