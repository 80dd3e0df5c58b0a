//! Every route of the API, in one list.

use crate::{auth, calendar, preferences};
use actix_web::web;
use utoipa_actix_web::service_config::ServiceConfig;

/// The routes below `/api/v1`.
pub fn api(config: &mut ServiceConfig) {
    config
        .service(auth::routes::accounts::register)
        .service(auth::routes::accounts::login)
        .service(auth::routes::accounts::logout)
        .service(auth::routes::accounts::change_password)
        .service(auth::routes::accounts::delete_me)
        .service(preferences::routes::get_me)
        .service(preferences::routes::patch_me)
        .service(auth::routes::tokens::list)
        .service(auth::routes::tokens::create)
        .service(auth::routes::tokens::revoke)
        .service(calendar::routes::subscription::show)
        .service(calendar::routes::subscription::rotate)
        .service(calendar::routes::subscription::revoke);
}

/// The routes outside of it.
pub fn outside(config: &mut ServiceConfig) {
    use calendar::routes::document;
    config
        .service(document::get_feed)
        .service(document::head_feed)
        .map(|config| config.service(web::resource(document::PATH).to(document::other_methods)));
}
