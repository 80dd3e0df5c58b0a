//! The cookie of a web app. It holds the same secret that a bearer token is; no script can read
//! it, and no other site's page can make a browser send it.

use super::SESSION;
use crate::config::Config;
use actix_web::cookie::{Cookie, SameSite, time};

/// Its name.
pub const NAME: &str = "traverse_session";

/// The cookie of a session.
#[must_use]
pub fn of(token: String, config: &Config) -> Cookie<'static> {
    Cookie::build(NAME, token)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(config.is_https())
        .max_age(time::Duration::seconds(SESSION.num_seconds()))
        .finish()
}

/// The cookie that takes the one of a session away.
#[must_use]
pub fn gone(config: &Config) -> Cookie<'static> {
    let mut gone = of(String::new(), config);
    gone.make_removal();
    gone
}
