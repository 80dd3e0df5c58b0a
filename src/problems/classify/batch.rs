//! The job that gives many problems their topics: those that a batch of an import makes together, so
//! that a file of a million rows makes some thousands of jobs, and not a million.
//!
//! What is known without asking is set in one transaction. Where an endpoint may know better, and only
//! there, a problem gets a job of its own in that transaction.

use super::{ClassifyProblem, Subject, is_to_be_asked, offline};
use crate::app::App;
use crate::db::Db;
use crate::db::tx::Work;
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{self, Failed, Job};
use crate::problems::model::ProblemRow;
use crate::problems::topic::Topic;
use crate::problems::{guards, store};
use apalis_core::task::data::Data;
use serde::{Deserialize, Serialize};

/// Problems of one job: a transaction of some ten milliseconds.
pub const TOGETHER: usize = 200;

/// Finds out what problems are about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassifyProblems {
    /// Which ones; not none.
    pub problem_ids: Vec<i64>,
}

impl Job for ClassifyProblems {
    const KIND: &'static str = "classify-problems";
    /// A problem is made once, and so is a job that begins with it.
    const MODE: Mode = Mode::Coalesce;
    const PRIORITY: i32 = ClassifyProblem::PRIORITY;
    const MAX_ATTEMPTS: i32 = ClassifyProblem::MAX_ATTEMPTS;

    fn id(&self) -> String {
        format!("{}-{}", Self::KIND, self.problem_ids.first().copied().unwrap_or(0))
    }
}

/// Runs it.
///
/// # Errors
/// When the database fails.
pub async fn classify_problems(
    job: ClassifyProblems,
    app: Data<App>,
    lease: Lease,
) -> Result<(), Failed> {
    let problems: Work<Vec<ProblemRow>> =
        app.pool.read(move |db| Ok(store::by_ids(db, job.problem_ids.clone())?)).await;
    let mut problems = problems?;
    problems.retain(|row| row.topic.is_none() && row.alias_of.is_none());
    // In the order in which everybody locks them.
    problems.sort_by_cached_key(ProblemRow::identity);
    let has_endpoint = app.classifier.is_some();
    let mut known: Vec<(i64, Topic)> = Vec::new();
    let mut to_ask: Vec<ClassifyProblem> = Vec::new();
    for problem in &problems {
        let answer = offline(&Subject::from(problem));
        if has_endpoint && is_to_be_asked(problem, answer) {
            to_ask.push(ClassifyProblem { problem_id: problem.id });
        } else if let Some((topic, _)) = answer {
            known.push((problem.id, topic));
        }
    }
    let clock = app.clock.clone();
    let work = move |db: &mut Db| {
        let now = clock.now();
        for (id, topic) in &known {
            guards::set_topic_once(db, *id, topic.as_str(), now)?;
        }
        jobs::enqueue_all(db, &to_ask)?;
        Ok(())
    };
    lease.finish(&app.pool, work).await
}
