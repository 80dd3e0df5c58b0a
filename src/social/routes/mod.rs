//! HTTP for people.

pub mod blocks;
pub mod friends;
pub mod groups;
pub mod requests;

use super::is_of_an_absence;
use super::model::Person;
use crate::app::App;
use crate::auth::caller::Identity;
use crate::db::Db;
use crate::db::tx::Work;
use crate::http::error::ApiError;

/// What others see of whoever is calling.
fn person(caller: &Identity) -> Person {
    Person {
        id: caller.user.id,
        handle: caller.user.handle.clone(),
        display_name: caller.user.display_name.clone(),
    }
}

/// Runs `work` in one write transaction, and once more where an account that it needs was deleted
/// meanwhile: then it finds nobody.
async fn write<T, Reason>(
    app: &App,
    work: impl FnMut(&mut Db) -> Work<T, Reason> + Clone + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    Reason: Into<ApiError> + Send + 'static,
{
    match app.pool.write(work.clone()).await {
        Err(stopped) if is_of_an_absence(&stopped) => {}
        done => return done.map_err(ApiError::from),
    }
    app.pool.write(work).await.map_err(|stopped| {
        if is_of_an_absence(&stopped) { ApiError::not_found() } else { stopped.into() }
    })
}
