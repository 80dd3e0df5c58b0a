//! SPOJ: the problem's code, in the case in which it is written.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "spoj.com",
    // Until 2013 the same site was at spoj.pl.
    judge: |host| matches!(host, "spoj.com" | "spoj.pl").then_some("spoj.com"),
    page,
    slug,
    alphabet: "a code of letters, digits and _ in SPOJ's own case, as in PRIME1, and not the name \
               of a list of problems, such as classical",
    address: |slug| Some(format!("https://www.spoj.com/problems/{slug}/")),
    example: "PRIME1",
};

/// `/problems/<one of these>` lists problems. Codes are written in capitals.
const LISTS: [&str; 9] =
    ["classical", "challenge", "partial", "tutorial", "riddle", "basics", "main", "my", "tag"];

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["problems", list, ..] if LISTS.contains(list) => Page::Other,
        ["problems" | "submit", code, ..] => Page::problem(code),
        _ => Page::Other,
    }
}

fn slug(written: &str) -> Option<String> {
    (spelling::made_of(written, &['_']) && !LISTS.contains(&written)).then(|| written.to_owned())
}
