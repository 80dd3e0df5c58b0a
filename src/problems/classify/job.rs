//! The job that gives a problem its topic.

use super::endpoint::NoAnswer;
use super::{Ground, Subject, is_to_be_asked, offline};
use crate::app::App;
use crate::db::Db;
use crate::db::tx::Work;
use crate::jobs::backoff::backoff;
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{Failed, Job};
use crate::problems::topic::Topic;
use crate::problems::{guards, store};
use apalis_core::task::data::Data;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Finds out what a problem is about.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ClassifyProblem {
    /// Which one.
    pub problem_id: i64,
}

impl Job for ClassifyProblem {
    const KIND: &'static str = "classify-problem";
    /// A problem that gets its title later is looked at once more.
    const MODE: Mode = Mode::Coalesce;
    /// Nobody waits for it.
    const PRIORITY: i32 = -8;
    const MAX_ATTEMPTS: i32 = 5;
    /// Longer than an endpoint may take.
    const TIMEOUT: Duration = Duration::from_mins(1);

    fn id(&self) -> String {
        format!("{}-{}", Self::KIND, self.problem_id)
    }
}

/// Runs it.
///
/// # Errors
/// When the database fails; when an endpoint fails or asks to wait, but for the last attempt, which
/// takes what is known without it.
pub async fn classify_problem(
    job: ClassifyProblem,
    app: Data<App>,
    lease: Lease,
) -> Result<(), Failed> {
    let id = job.problem_id;
    let problem: Work<_> = app.pool.read(move |db| Ok(store::by_id(db, id)?)).await;
    let Some(problem) = problem?.filter(|row| row.topic.is_none() && row.alias_of.is_none()) else {
        return Ok(());
    };
    let subject = Subject::from(&problem);
    let mut answer = offline(&subject);
    if let Some(endpoint) = &app.classifier
        && is_to_be_asked(&problem, answer)
    {
        match endpoint.ask(&subject).await {
            Ok(topic) => answer = topic.map(|topic| (topic, Ground::Words)).or(answer),
            Err(NoAnswer::Useless(why)) => {
                tracing::warn!(why, problem = id, "the classifier's endpoint is of no use");
            }
            Err(NoAnswer::Later { why, .. }) if lease.is_last_attempt() => {
                tracing::warn!(why, problem = id, "the classifier's endpoint does not answer");
            }
            Err(NoAnswer::Rests(_)) if lease.is_last_attempt() => {
                tracing::warn!(problem = id, "the classifier's endpoint does not answer");
            }
            Err(NoAnswer::Rests(wait)) => {
                // An attempt is worth as much time as one that did ask.
                let as_asked = Duration::from_secs_f64(backoff(lease.attempt(), 0.0, 0.0));
                let why = "the classifier's endpoint is left alone for a while".to_owned();
                return Err(Failed::Later { wait: wait.max(as_asked), why });
            }
            Err(NoAnswer::Later { wait: Some(wait), why }) => {
                return Err(Failed::Later { wait, why });
            }
            Err(NoAnswer::Later { wait: None, why }) => return Err(Failed::Because(why)),
        }
    }
    let Some((topic, _)) = answer else {
        return Ok(());
    };
    set(&app, &lease, id, topic).await
}

/// Gives the problem its topic, unless it has one, together with the end of the job.
async fn set(app: &App, lease: &Lease, id: i64, topic: Topic) -> Result<(), Failed> {
    let clock = app.clock.clone();
    let work = move |db: &mut Db| {
        Ok(guards::set_topic_once(db, id, topic.as_str(), clock.now()).map(drop)?)
    };
    lease.finish(&app.pool, work).await
}
