//! Why something is no problem. Every message begins with the reason and is of bounded length.

use super::Platform;

/// Why a URL or a slug names no problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAProblem {
    /// It is no absolute URL.
    #[error("not a URL: {0}")]
    NotAUrl(String),
    /// It is a URL, but of no web page.
    #[error("not a URL of a web page: the scheme is {0:?}, expected http or https")]
    Scheme(String),
    /// The host, with its port where that is unusual, is of no known platform.
    #[error(
        "unknown platform: no problems are known at {host:?}; the problem can be entered under the \
         platform custom with a slug of one's own"
    )]
    UnknownSite {
        /// The host as it was understood, without `www.`.
        host: String,
    },
    /// The platform is known, the page is not that of a problem.
    #[error("not a problem page: a problem of {platform} has an address like {example}")]
    NotAProblemPage {
        /// The platform that the page is of.
        platform: Platform,
        /// A page that would have been one.
        example: String,
    },
    /// The page shows a submission by its number, which does not tell the problem.
    #[error("the page names a submission, not a problem: {platform} does not say which in the URL")]
    NamesASubmission {
        /// The platform that the page is of.
        platform: Platform,
    },
    /// The platform has no slugs that look like this.
    #[error("slug outside of the alphabet of {platform}: got {slug:?}, expected {expected}")]
    Slug {
        /// The platform.
        platform: Platform,
        /// What was given, percent-decoded once if it stood in a URL.
        slug: String,
        /// What the platform's slugs look like.
        expected: &'static str,
    },
    /// More characters than are accepted.
    #[error("{what} too long: at most {most} characters")]
    TooLong {
        /// `URL` or `slug`.
        what: &'static str,
        /// The greatest number of characters.
        most: usize,
    },
}
