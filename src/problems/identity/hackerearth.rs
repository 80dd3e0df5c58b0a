//! `HackerEarth`: the problem's slug. It stands after the kind of the problem, in the practice
//! section, in a contest or alone.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "hackerearth.com",
    judge: |host| (host == "hackerearth.com").then_some("hackerearth.com"),
    page,
    slug: |slug| spelling::lower(slug, &['-', '_']),
    alphabet: "a-z, 0-9, - and _, as in simple-search-4",
    address: |slug| Some(format!("https://www.hackerearth.com/problem/algorithm/{slug}/")),
    example: "simple-search-4",
};

const KINDS: [&str; 6] =
    ["algorithm", "approximate", "golf", "multiplayer", "sql", "machine-learning"];

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["practice", topic @ ..] => {
            let mut rest = topic.iter().skip_while(|segment| **segment != "practice-problems");
            rest.next();
            match (rest.next(), rest.next()) {
                (Some(kind), Some(slug)) if KINDS.contains(kind) => Page::problem(slug),
                _ => Page::Other,
            }
        }
        ["problem", kind, slug, ..] | ["challenges", _, _, kind, slug, ..]
            if KINDS.contains(kind) =>
        {
            Page::problem(slug)
        }
        // The older address of a contest's problem. The other kinds name topics there.
        [_, "algorithm" | "approximate", slug, ..] => Page::problem(slug),
        _ => Page::Other,
    }
}
