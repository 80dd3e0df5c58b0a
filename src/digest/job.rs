//! The job that looks at all digests whose turn has come. It may run again, and goes on where it was
//! interrupted: whoever was told is not among them any more.

use super::{look, store};
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{Failed, Job, enqueue};
use apalis_core::task::data::Data;
use diesel::QueryResult;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Users that are read at once.
const BATCH: i64 = 500;

/// Of whom looking failed, before the database is what is wrong.
const MOST_BROKEN: usize = 20;

/// After so long a run ends, and another goes on.
const RUN: Duration = Duration::from_mins(5);

/// Tells everybody whose hour has come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DailyDigest {}

impl Job for DailyDigest {
    const KIND: &'static str = "daily-digest";
    const MODE: Mode = Mode::Coalesce;

    fn id(&self) -> String {
        Self::KIND.to_owned()
    }
}

/// Runs it.
///
/// # Errors
/// When the database fails: who was told stays told, and the rest is for the next attempt.
pub async fn daily_digest(job: DailyDigest, app: Data<App>, lease: Lease) -> Result<(), Failed> {
    let began = Instant::now();
    // What is wrong with one user keeps nobody else waiting, and is for the next attempt.
    let mut broken = Vec::new();
    let mut failure = None;
    loop {
        let (now, without) = (app.clock.now(), broken.clone());
        let turns: Work<Vec<store::Turn>> =
            app.pool.read(move |db| Ok(store::turns(db, now, BATCH, &without)?)).await;
        let turns = turns?;
        if turns.is_empty() {
            return failure.map_or(Ok(()), Err);
        }
        for (user_id, seen) in turns {
            if lease.is_lost() {
                return Err(Failed::Stale);
            }
            let told: Work<bool> =
                app.pool.write(move |db| Ok(look(db, user_id, seen, now)?)).await;
            let Err(stopped) = told else { continue };
            tracing::warn!(?stopped, user_id, "a digest has to wait");
            broken.push(user_id);
            if broken.len() >= MOST_BROKEN {
                return Err(stopped.into());
            }
            failure = Some(stopped.into());
        }
        if began.elapsed() >= RUN {
            let again = move |db: &mut Db| {
                enqueue(db, &job)?;
                Ok(())
            };
            return lease.finish(&app.pool, again).await;
        }
    }
}

/// The job of a tick, where somebody's turn has come.
///
/// # Errors
/// When the database fails.
pub fn tick(db: &mut Db, now: At) -> QueryResult<bool> {
    Ok(!store::turns(db, now, 1, &[])?.is_empty() && enqueue(db, &DailyDigest {})?)
}
