//! Times at which no connection can be opened. The pool tries again and again; the log has a line
//! when it begins, one a minute while it lasts, and one when it has ended.

use super::Unopened;
use diesel::r2d2::HandleError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two lines.
const BETWEEN: Duration = Duration::from_mins(1);

/// What is known of the outage that lasts, if one does; shared by all who see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Outage(Arc<Mutex<Option<Course>>>);

#[derive(Debug)]
struct Course {
    began: Instant,
    said: Instant,
    attempts: u64,
}

/// What the log is to say of a failed attempt.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Begins,
    Lasts { seconds: u64, attempts: u64 },
    Nothing,
}

impl Outage {
    /// Notes a failed attempt.
    fn fails(&self, now: Instant) -> Line {
        let mut course = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(course) = course.as_mut() else {
            *course = Some(Course { began: now, said: now, attempts: 1 });
            return Line::Begins;
        };
        course.attempts += 1;
        if now.duration_since(course.said) < BETWEEN {
            return Line::Nothing;
        }
        course.said = now;
        let seconds = now.duration_since(course.began).as_secs();
        Line::Lasts { seconds, attempts: course.attempts }
    }

    /// Notes that a connection was opened.
    pub(super) fn ends(&self) {
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Course { began, attempts, .. }) = ended {
            let seconds = began.elapsed().as_secs();
            tracing::info!(seconds, attempts, "the database can be reached again");
        }
    }
}

impl HandleError<Unopened> for Outage {
    fn handle_error(&self, error: Unopened) {
        match self.fails(Instant::now()) {
            Line::Begins => tracing::error!(%error, "the database cannot be reached"),
            Line::Lasts { seconds, attempts } => {
                tracing::error!(%error, seconds, attempts, "the database still cannot be reached");
            }
            Line::Nothing => {}
        }
    }
}
