//! Every route, in one list.

use super::{docs, health, metrics};
use crate::auth::caller::identify;
use crate::{
    auth, broadcasts, calendar, import, jobs, notifications, pauses, preferences, problems,
    revisions, rings, social, solves, stats, submissions, xp,
};
use actix_web::middleware::from_fn;
use utoipa_actix_web::scope::scope;
use utoipa_actix_web::service_config::ServiceConfig;

/// All routes.
pub fn routes(config: &mut ServiceConfig) {
    config
        .service(scope("/api/v1").wrap(from_fn(identify)).configure(api))
        .service(calendar::routes::document::get_feed)
        .service(health::healthz)
        .service(health::readyz)
        .service(metrics::metrics)
        .service(docs::document)
        .map(docs::swagger_ui);
}

/// The routes below `/api/v1`.
fn api(config: &mut ServiceConfig) {
    config
        .service(auth::routes::accounts::register)
        .service(auth::routes::sessions::login)
        .service(auth::routes::sessions::logout)
        .service(auth::routes::accounts::change_password)
        .service(auth::routes::accounts::delete_me)
        .service(preferences::routes::get_me)
        .service(preferences::routes::patch_me)
        .service(auth::routes::tokens::list)
        .service(auth::routes::tokens::create)
        .service(auth::routes::tokens::revoke)
        .service(problems::routes::create)
        .service(problems::routes::list)
        .service(problems::routes::resolve)
        .service(problems::routes::get)
        .service(problems::routes::set_topic)
        .service(submissions::routes::create)
        .service(submissions::routes::list)
        .service(submissions::routes::inbox)
        .service(submissions::routes::get)
        .service(submissions::routes::triage)
        .service(submissions::routes::delete)
        .service(solves::routes::list)
        .service(solves::routes::get)
        .service(solves::routes::change)
        .service(solves::routes::delete)
        .service(revisions::routes::solves::start_adaptive)
        .service(revisions::routes::solves::suspend)
        .service(revisions::routes::solves::resume)
        .service(revisions::routes::solves::reset)
        .service(revisions::routes::reschedule::plan_again)
        .service(revisions::routes::revisions::list)
        .service(revisions::routes::revisions::complete_one)
        .service(revisions::routes::revisions::undo)
        .service(revisions::routes::revisions::postpone)
        .service(revisions::routes::revisions::skip)
        .service(revisions::routes::revisions::correct)
        .service(revisions::routes::today::get)
        .service(rings::routes::list)
        .service(rings::routes::get)
        .service(rings::routes::streak)
        .service(rings::routes::freeze)
        .service(rings::routes::thaw)
        .service(pauses::routes::list)
        .service(pauses::routes::create)
        .service(pauses::routes::end)
        .service(stats::routes::get)
        .service(xp::routes::total)
        .service(xp::routes::entries)
        .service(calendar::routes::subscription::show)
        .service(calendar::routes::subscription::rotate)
        .service(calendar::routes::subscription::revoke)
        .service(import::routes::create)
        .service(import::routes::list)
        .service(import::routes::get)
        .service(import::routes::list_rows)
        .service(notifications::routes::list)
        .service(notifications::routes::read)
        .service(notifications::routes::deliveries)
        .service(notifications::routes::get_channel)
        .service(notifications::routes::put_channel)
        .service(notifications::routes::list_devices)
        .service(notifications::routes::push_key)
        .service(notifications::routes::register_device)
        .service(notifications::routes::remove_device)
        .service(jobs::routes::list)
        .service(jobs::routes::get)
        .service(jobs::routes::retry)
        .service(jobs::routes::cancel)
        .service(social::routes::requests::list)
        .service(social::routes::requests::create)
        .service(social::routes::requests::accept)
        .service(social::routes::requests::decline)
        .service(social::routes::requests::cancel)
        .service(social::routes::friends::list)
        .service(social::routes::friends::get)
        .service(social::routes::friends::delete)
        .service(social::routes::friends::streaks)
        .service(social::routes::blocks::list)
        .service(social::routes::blocks::put)
        .service(social::routes::blocks::delete)
        .service(social::routes::groups::list)
        .service(social::routes::groups::create)
        .service(social::routes::groups::put_member)
        .service(social::routes::groups::remove_member)
        .service(social::routes::groups::leaderboard)
        .service(broadcasts::routes::list)
        .service(broadcasts::routes::create)
        .service(broadcasts::routes::get);
}
