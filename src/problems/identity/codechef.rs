//! `CodeChef`: the problem's code. Contests, courses and the practice section show copies of one
//! problem under one code.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "codechef.com",
    judge: |host| (host == "codechef.com").then_some("codechef.com"),
    page,
    slug: |slug| spelling::upper(slug, &['_']),
    alphabet: "a code of A-Z, 0-9 and _, as in FLOW001",
    address: |slug| Some(format!("https://www.codechef.com/problems/{slug}")),
    example: "FLOW001",
};

/// `/problems/<one of these>` lists problems. Codes are written in capitals.
const LISTS: [&str; 7] =
    ["school", "beginner", "easy", "medium", "hard", "challenge", "extcontest"];
/// `/<one of these>/problems/…` is of no contest.
const NO_CONTESTS: [&str; 3] = ["tags", "users", "api"];

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["problems" | "problems-old", list, ..] if LISTS.contains(list) => Page::Other,
        ["problems" | "problems-old" | "submit", code, ..] => Page::problem(code),
        [section, ..] if NO_CONTESTS.contains(section) => Page::Other,
        [_, "problems" | "problems-old" | "submit", code, ..]
        | ["practice" | "learn", "course", _, _, "problems" | "submit", code, ..] => {
            Page::problem(code)
        }
        _ => Page::Other,
    }
}
