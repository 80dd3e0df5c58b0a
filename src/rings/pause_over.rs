//! When a pause is over: what fell due in it is spread, by whoever ends it at once, else by a job
//! that a schedule makes. Both may come again, and go on where they were interrupted.

use crate::app::App;
use crate::days::days_later;
use crate::db::instant::At;
use crate::db::pool::Pool;
use crate::db::tx::Work;
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{Failed, Job};
use crate::pauses::{self, Unspread};
use crate::preferences;
use crate::revisions::Learner;
use crate::revisions::after_pause::{self, beginning};
use apalis_core::task::data::Data;
use serde::{Deserialize, Serialize};

/// Pauses that are looked at together.
const BATCH: i64 = 100;

/// Spreads what fell due in pauses that are over.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SpreadPauses {}

impl Job for SpreadPauses {
    const KIND: &'static str = "spread-pauses";
    const MODE: Mode = Mode::Coalesce;

    fn id(&self) -> String {
        Self::KIND.to_owned()
    }
}

/// Runs it.
///
/// # Errors
/// When the database fails: what was spread stays so, and the rest is for the next attempt.
pub async fn spread_pauses(_: SpreadPauses, app: Data<App>, lease: Lease) -> Result<(), Failed> {
    let now = app.clock.now();
    // The zone that is farthest ahead has tomorrow by now; whose pause is not over is passed over.
    let before = days_later(now.date_naive(), 2);
    // All of them: those whose users are in another pause by now stay where they are.
    let mut place = beginning();
    loop {
        let over: Work<Vec<Unspread>> =
            app.pool.read(move |db| Ok(pauses::unspread(db, before, place, BATCH)?)).await;
        let over = over?;
        let Some((until_day, id, _)) = over.last() else { return Ok(()) };
        place = (*until_day, *id);
        for (_, pause_id, user_id) in over {
            let learner: Work<_> =
                app.pool.read(move |db| Ok(preferences::learner_of(db, user_id)?)).await;
            if lease.is_lost() {
                return Err(Failed::Stale);
            }
            if let Some(learner) = learner? {
                let spread: Work<()> = spread_all(&app.pool, &learner, pause_id, now).await;
                spread?;
            }
        }
    }
}

/// Spreads what fell due in a pause, if it is over.
///
/// # Errors
/// When the database fails: what was spread stays so.
pub async fn spread_all(pool: &Pool, learner: &Learner, pause_id: i64, now: At) -> Work<()> {
    let mut place = Some(beginning());
    while let Some(from) = place {
        let learner = learner.clone();
        let next: Work<_> =
            pool.write(move |db| Ok(after_pause::pass(db, &learner, pause_id, from, now)?)).await;
        place = next?;
    }
    Ok(())
}
