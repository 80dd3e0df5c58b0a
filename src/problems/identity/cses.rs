//! CSES: the number of a task of the problem set.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "cses.fi",
    judge: |host| (host == "cses.fi").then_some("cses.fi"),
    page,
    slug: |slug| spelling::number(slug).map(|number| number.to_string()),
    alphabet: "the task's number, as in 1068",
    address: |slug| Some(format!("https://cses.fi/problemset/task/{slug}")),
    example: "1068",
};

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["problemset", "task" | "submit", task] => Page::problem(task),
        ["problemset", "result", ..] => Page::Submission,
        _ => Page::Other,
    }
}
