//! Attempts that have to wait.

use crate::auth::throttle::Pace;
use crate::http::error::ApiError;
use actix_web::http::StatusCode;

/// Waits as told, or refuses.
///
/// # Errors
/// 429 when the wait would be too long.
pub(super) async fn keep(pace: Pace) -> Result<(), ApiError> {
    match pace {
        Pace::Wait(wait) => {
            tokio::time::sleep(wait).await;
            Ok(())
        }
        Pace::Refuse(seconds) => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            let detail = format!("try again in {seconds} s");
            let error = ApiError::new(status, "too-many-attempts", "Too many attempts", detail);
            Err(ApiError { retry_after: Some(seconds), ..error })
        }
    }
}
