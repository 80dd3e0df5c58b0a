//! What a problem is: its platform and its slug there, found from a URL or from what a client
//! wrote.
//!
//! Always true here:
//! - An [`Identity`] that [`locate`] or [`canonical`] returned is spelled in the one way its
//!   platform's problem is spelled: `canonical` of it is itself, and `locate` of its [`address`]
//!   is itself.
//! - Only the platform's own stable id counts. A title or a running number never merges two
//!   problems, nor splits one.
//! - Scheme, host case, `www.`, query, fragment and slashes at the end never matter.
//! - Whatever is no problem is refused with its reason; nothing is guessed.
//!
//! Each platform is one file below, all of the same shape: a `SITE` and its functions.

mod atcoder;
mod beecrowd;
mod codechef;
mod codeforces;
mod cses;
mod custom;
mod geeksforgeeks;
mod hackerearth;
mod hackerrank;
mod kattis;
mod leetcode;
mod luogu;
mod platform;
mod projecteuler;
mod refusal;
mod site;
mod spelling;
mod spoj;
mod web_page;

pub use platform::Platform;
pub use refusal::NotAProblem;

use serde::Serialize;
use site::Page;
use utoipa::ToSchema;
use web_page::WebPage;

/// Slugs have 1 to this many characters.
pub const LONGEST_SLUG: usize = 255;
/// URLs have at most this many characters, white space around them not counted.
pub const LONGEST_URL: usize = 2048;

/// Which problem it is. Two problems are the same exactly when both fields are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
pub struct Identity {
    /// Where the problem is from.
    pub platform: Platform,
    /// The platform's own stable id, in its canonical spelling: 1 to 255 characters, none of them
    /// a control character.
    #[schema(min_length = 1, max_length = 255)]
    pub slug: String,
}

/// A problem as a URL names it, and the site that the URL is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The problem.
    pub identity: Identity,
    /// The site that numbers the submissions: two judges may use the same number for different
    /// submissions (`leetcode.com`, `leetcode.cn`), the mirrors of one judge do not.
    pub judge: &'static str,
}

/// The problem that a page shows.
///
/// # Errors
/// [`NotAProblem`] says why the URL names none.
pub fn locate(url: &str) -> Result<Located, NotAProblem> {
    let page = WebPage::parse(url)?;
    let found = Platform::ALL
        .into_iter()
        .find_map(|platform| Some((platform, (platform.site().judge)(page.host())?)));
    let Some((platform, judge)) = found else {
        return Err(NotAProblem::UnknownSite { host: page.host().to_owned() });
    };
    let path: Vec<&str> = page.path().iter().map(String::as_str).collect();
    match (platform.site().page)(page.host(), &path) {
        Page::Problem(slug) => Ok(Located { identity: spelled(platform, &slug)?, judge }),
        Page::Submission => Err(NotAProblem::NamesASubmission { platform }),
        Page::Other => Err(NotAProblem::NotAProblemPage {
            platform,
            example: (platform.site().address)(platform.site().example).unwrap_or_default(),
        }),
    }
}

/// The problem that a platform and a slug name, the slug in any spelling that the platform itself
/// understands (`4a`, `Two-Sum`). White space around the slug is ignored.
///
/// # Errors
/// [`NotAProblem::TooLong`], or [`NotAProblem::Slug`] where the platform has no such slugs.
pub fn canonical(platform: Platform, slug: &str) -> Result<Identity, NotAProblem> {
    spelled(platform, slug.trim())
}

fn spelled(platform: Platform, slug: &str) -> Result<Identity, NotAProblem> {
    // Before anything else, so that what an error quotes is short.
    if slug.chars().nth(LONGEST_SLUG).is_some() {
        return Err(NotAProblem::TooLong { what: "slug", most: LONGEST_SLUG });
    }
    match (platform.site().slug)(slug) {
        Some(slug) => Ok(Identity { platform, slug }),
        None => Err(NotAProblem::Slug {
            platform,
            slug: slug.to_owned(),
            expected: platform.site().alphabet,
        }),
    }
}

/// The site that a submission's number belongs to when no URL tells: the platform's main one.
#[must_use]
pub fn main_judge(platform: Platform) -> &'static str {
    platform.site().main_judge
}

/// The site of this name that numbers submissions of a platform, if there is one.
#[must_use]
pub fn judge_named(platform: Platform, name: &str) -> Option<&'static str> {
    let main = main_judge(platform);
    if name == main { Some(main) } else { (platform.site().judge)(name) }
}

/// The public page of a problem, an `https` URL. A custom problem has none, and neither has a slug
/// that its platform does not know.
#[must_use]
pub fn address(identity: &Identity) -> Option<String> {
    let Identity { platform, slug } = canonical(identity.platform, &identity.slug).ok()?;
    (platform.site().address)(&slug)
}
