//! beecrowd: the problem's number, kept since the site was URI Online Judge.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "judge.beecrowd.com",
    judge,
    page,
    slug: |slug| spelling::number(slug).map(|number| number.to_string()),
    alphabet: "the problem's number, as in 1001",
    address: |slug| Some(format!("https://judge.beecrowd.com/en/problems/view/{slug}")),
    example: "1001",
};

fn judge(host: &str) -> Option<&'static str> {
    matches!(
        host,
        "judge.beecrowd.com" | "beecrowd.com.br" | "beecrowd.com" | "urionlinejudge.com.br"
    )
    .then_some("judge.beecrowd.com")
}

fn page(_host: &str, path: &[&str]) -> Page {
    // The older hosts have the judge in a folder.
    match path.strip_prefix(&["judge"]).unwrap_or(path) {
        ["en" | "pt" | "es", "problems", "view", number] => Page::problem(number),
        _ => Page::Other,
    }
}
