//! `AtCoder`: the task's id. Contests share tasks (`abc043` and `arc059` share `arc059_a`), so the
//! contest is no part of the identity.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "atcoder.jp",
    judge,
    page,
    // No two tasks differ in case alone; a few are written with capitals (`APG4b_a`).
    slug: |slug| spelling::lower(slug, &['_', '-']),
    alphabet: "a task id of a-z, 0-9, _ and -, as in arc059_a",
    address: |slug| Some(address(slug)),
    example: "arc059_a",
};

fn judge(host: &str) -> Option<&'static str> {
    (matches!(host, "atcoder.jp" | "beta.atcoder.jp") || of_one_contest(host))
        .then_some("atcoder.jp")
}

/// Until 2018 each contest had a host of its own, such as `arc059.contest.atcoder.jp`.
fn of_one_contest(host: &str) -> bool {
    host.strip_suffix(".contest.atcoder.jp")
        .is_some_and(|contest| !contest.is_empty() && !contest.contains('.'))
}

fn page(host: &str, path: &[&str]) -> Page {
    match path {
        ["contests", _, "tasks", task, ..] if !of_one_contest(host) => Page::problem(task),
        ["tasks", task, ..] if of_one_contest(host) => Page::problem(task),
        _ => Page::Other,
    }
}

/// No address goes without a contest. Most tasks are named after theirs, with `_` for `-`.
fn address(task: &str) -> String {
    let contest = task.rsplit_once('_').map_or(task, |(contest, _)| contest);
    let contest = contest.replace('_', "-");
    // An id may begin with the underscore, and an empty segment would be none.
    let contest = if contest.is_empty() { task } else { &contest };
    format!("https://atcoder.jp/contests/{contest}/tasks/{task}")
}
