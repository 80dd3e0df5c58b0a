//! Which problem a row means, from all that it says of it.

use crate::problems::identity::{self, Identity, Platform};

use super::quote::quoted;
use super::rows::Outcome;

/// A problem, and the site that numbers its submissions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) identity: Identity,
    pub(super) judge: &'static str,
}

/// The problem; none where the row has neither a URL nor a slug. What a row says twice must agree.
pub(super) fn place(
    url: Option<&str>,
    platform: Option<Platform>,
    slug: Option<(Platform, &str)>,
) -> Result<Option<Place>, Outcome> {
    let by_slug = match slug {
        Some((platform, slug)) => Some(at(platform, slug)?),
        None => None,
    };
    let Some(url) = url else { return Ok(by_slug) };
    let located = identity::locate(url).map_err(|reason| Outcome::rejected(reason.to_string()))?;
    let found = located.identity;
    if let Some(platform) = platform.filter(|platform| *platform != found.platform) {
        return Err(Outcome::ambiguous(format!(
            "the URL is of {}, the platform says {platform}",
            found.platform
        )));
    }
    if let Some(other) = by_slug.filter(|other| other.identity != found) {
        return Err(Outcome::ambiguous(format!(
            "the URL names the problem {}, the slug {}",
            quoted(&found.slug),
            quoted(&other.identity.slug)
        )));
    }
    Ok(Some(Place { identity: found, judge: located.judge }))
}

/// The problem that a platform and its slug name.
pub(super) fn at(platform: Platform, slug: &str) -> Result<Place, Outcome> {
    let identity = identity::canonical(platform, slug)
        .map_err(|reason| Outcome::rejected(reason.to_string()))?;
    Ok(Place { identity, judge: identity::main_judge(platform) })
}
