//! HTTP for preferences.

use super::change::Patch;
use super::model::{DailyGoal, QuietHours, Scheduler};
use super::{Changed, Preferences};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::auth::model::User;
use crate::auth::user;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::json::Json;
use actix_web::{HttpResponse, get, patch, web};
use serde::Serialize;
use utoipa::ToSchema;

/// An account and what it prefers.
#[derive(Serialize, ToSchema)]
pub struct Me {
    #[serde(flatten)]
    user: User,
    /// An IANA name.
    time_zone: String,
    /// `HH:MM`, when a new day starts.
    day_starts_at: String,
    /// Which schedules a new solve gets.
    scheduler: Scheduler,
    /// Days between the reviews of a ladder.
    ladder_days: Vec<u32>,
    /// The probability of recall at which an adaptive review falls due.
    desired_retention: f64,
    /// No interval is longer, in days.
    maximum_interval: u32,
    /// Whether adaptive intervals are spread a little.
    fuzz: bool,
    /// Whether the least loaded day inside the fuzz window is taken.
    load_balance: bool,
    /// How much of the load each weekday takes, Monday first.
    weekday_weights: [f64; 7],
    /// What closes the ring of a day.
    daily_goal: DailyGoal,
    /// Revisions a day beyond which `today` flags.
    daily_cap: i32,
    /// The local hour of the digest.
    digest_hour: i32,
    /// When nothing is sent: what comes then is sent afterwards.
    #[schema(required = true)]
    quiet_hours: Option<QuietHours>,
    /// `HH:MM` of calendar events; null for all-day events.
    #[schema(required = true)]
    calendar_time: Option<String>,
}

impl Me {
    fn new(user: User, preferences: Preferences) -> Self {
        let rule = preferences.days.current();
        let settings = preferences.settings.settings().clone();
        Self {
            user,
            time_zone: rule.zone.name().to_owned(),
            day_starts_at: rule.day_starts_at.format("%H:%M").to_string(),
            scheduler: preferences.scheduler,
            ladder_days: settings.ladder_days,
            desired_retention: settings.desired_retention,
            maximum_interval: settings.maximum_interval,
            fuzz: settings.fuzz,
            load_balance: settings.load_balance,
            weekday_weights: settings.weekday_weights,
            daily_goal: preferences.daily_goal,
            daily_cap: preferences.daily_cap,
            digest_hour: preferences.digest_hour,
            quiet_hours: preferences.quiet_hours,
            calendar_time: preferences.calendar_time,
        }
    }
}

/// Who I am
#[utoipa::path(
    operation_id = "get_me",
    tag = "accounts",
    responses(
        (status = 200, description = "The account and what it prefers", body = Me),
    ),
)]
#[get("/me")]
pub async fn get_me(caller: Caller<Read>) -> HttpResponse {
    let identity = caller.into_identity();
    HttpResponse::Ok().json(Me::new(identity.user, identity.preferences))
}

/// Change preferences
///
/// What is absent stays. Days change at the start of the next one, schedules with the next review.
#[utoipa::path(
    operation_id = "patch_me",
    tag = "accounts",
    request_body = Patch,
    responses(
        (status = 200, description = "Changed", body = Me),
    ),
)]
#[patch("/me")]
pub async fn patch_me(
    caller: Caller<Write>,
    app: web::Data<App>,
    Json(patch): Json<Patch>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let changed: Work<_> = app
        .pool
        .write(move |db| {
            let changed = super::change(db, user_id, patch.clone(), now)?;
            Ok((changed, user(db, user_id)?))
        })
        .await;
    match changed? {
        (Changed::To(preferences), Some(user)) => {
            Ok(HttpResponse::Ok().json(Me::new(user, *preferences)))
        }
        (Changed::Refused(faults), _) => Err(ApiError::invalid(
            faults.into_iter().map(|fault| FieldError::new(fault.pointer, fault.detail)).collect(),
        )),
        (Changed::Gone, _) | (_, None) => Err(ApiError::not_found()),
    }
}
