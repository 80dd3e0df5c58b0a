//! `GeeksforGeeks`: the slug of a practice problem with the number at its end, which tells apart
//! problems of one title. What follows it in the path (`/0`, `/1`) does not.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "geeksforgeeks.org",
    judge,
    page,
    // Some begin with a hyphen.
    slug: |slug| spelling::lower(slug, &['-', '_']),
    alphabet: "a-z, 0-9, - and _, with the number at the end, as in \
               subarray-with-given-sum-1587115621",
    address: |slug| Some(format!("https://www.geeksforgeeks.org/problems/{slug}/1")),
    example: "subarray-with-given-sum-1587115621",
};

fn judge(host: &str) -> Option<&'static str> {
    matches!(host, "geeksforgeeks.org" | "practice.geeksforgeeks.org")
        .then_some("geeksforgeeks.org")
}

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["problems", slug, ..] | ["batch", _, "track", _, "problem", slug, ..] => {
            Page::problem(slug)
        }
        _ => Page::Other,
    }
}
