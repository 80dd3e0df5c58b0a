//! HTTP for revisions.

pub mod reschedule;
pub mod revisions;
pub mod solves;
pub mod today;

use super::Refusal;
use crate::http::error::ApiError;

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound => Self::not_found(),
            Refusal::State(state) => Self::conflict(
                "wrong-state",
                "The revision is not in a state for this",
                format!("it is {}", state.as_str()),
            )
            .with("state", state.as_str()),
            Refusal::AnotherRating(rating) => Self::conflict(
                "already-completed",
                "The revision was completed otherwise",
                format!("it was rated {}", rating.as_str()),
            )
            .with("rating", rating.as_str()),
            Refusal::AlreadyReviewedToday(day) => Self::conflict(
                "already-reviewed-today",
                "The problem was reviewed on this day",
                format!("a review has moved this schedule on {day}"),
            ),
            Refusal::Moved(due_on) => Self::conflict(
                "moved",
                "The revision is due on another day",
                format!("it is due on {due_on}"),
            )
            .with("due_on", due_on.to_string()),
            Refusal::NotTheLatest => Self::conflict(
                "not-the-latest",
                "Something has happened since",
                "only the latest review can be taken back",
            ),
            Refusal::ReviewFollowed => Self::conflict(
                "review-followed",
                "A review followed",
                "correct the rating of the review instead",
            ),
            Refusal::Invalid(pointer, detail) => Self::invalid_at(pointer, detail),
        }
    }
}
