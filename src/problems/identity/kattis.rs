//! Kattis: the problem's short name, which its package format restricts to a-z and 0-9.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "open.kattis.com",
    judge: |host| (host == "open.kattis.com").then_some("open.kattis.com"),
    page,
    slug: |slug| spelling::lower(slug, &[]),
    alphabet: "a-z and 0-9, as in hello",
    address: |slug| Some(format!("https://open.kattis.com/problems/{slug}")),
    example: "hello",
};

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["problems", name, ..] | ["contests" | "sessions", _, "problems", name, ..] => {
            Page::problem(name)
        }
        _ => Page::Other,
    }
}
