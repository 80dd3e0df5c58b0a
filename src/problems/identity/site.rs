//! The shape that every platform's file has.

/// What is known of one platform.
pub(super) struct Site {
    /// The judge when no URL tells.
    pub(super) main_judge: &'static str,
    /// The judge at a host (in lower case, without `www.`), if the host is of this platform.
    pub(super) judge: fn(host: &str) -> Option<&'static str>,
    /// What a page of this platform shows. The path comes as its segments, none of them empty,
    /// each percent-decoded once.
    pub(super) page: fn(host: &str, path: &[&str]) -> Page,
    /// The canonical spelling of a slug, or nothing outside of the alphabet. Idempotent.
    pub(super) slug: fn(&str) -> Option<String>,
    /// What `slug` accepts, in words.
    pub(super) alphabet: &'static str,
    /// The page of a problem, from its canonical slug.
    pub(super) address: fn(&str) -> Option<String>,
    /// A canonical slug, to show what an address looks like.
    pub(super) example: &'static str,
}

/// What a page shows.
pub(super) enum Page {
    /// A problem; the slug is still as it stood in the URL.
    Problem(String),
    /// A submission, by its number alone.
    Submission,
    /// Neither.
    Other,
}

impl Page {
    pub(super) fn problem(slug: &str) -> Self {
        Self::Problem(slug.to_owned())
    }
}
