//! Codeforces: the contest's number and the problem's index, `4/A`.
//!
//! Contests from 100000 on are the gym's, whether a page calls them gym, group or course:
//! `gym101021/A`. Contest 99999 is the archive of acm.sgu.ru, whose problems have numbers:
//! `acmsguru/100`. The same statement in two divisions is two problems.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "codeforces.com",
    judge,
    page,
    slug,
    alphabet: "contest and index, as in 4/A, gym101021/A (gym contests are numbered from 100000 \
               on) or acmsguru/100",
    address: |slug| Some(address(slug)),
    example: "4/A",
};

const FIRST_OF_GYM: u32 = 100_000;
const ACM_SGU_RU: u32 = 99_999;
/// `A`, `F2`, `0` and `01` are in use; authors of gym contests choose longer ones.
const LONGEST_INDEX: usize = 8;

fn judge(host: &str) -> Option<&'static str> {
    matches!(
        host,
        "codeforces.com"
            | "codeforces.ru"
            | "m1.codeforces.com"
            | "m2.codeforces.com"
            | "m3.codeforces.com"
            | "mirror.codeforces.com"
    )
    .then_some("codeforces.com")
}

fn page(_host: &str, path: &[&str]) -> Page {
    let (gym, contest, index) = match path {
        ["contest", contest, "problem" | "submit", index]
        | ["group", _, "contest", contest, "problem" | "submit", index]
        | ["edu", "course", .., "contest", contest, "problem" | "submit", index]
        | ["problemset", "problem" | "submit", contest, index]
        | ["problemsets", "acmsguru", "problem" | "submit", contest, index] => ("", contest, index),
        ["gym", contest, "problem" | "submit", index]
        | ["problemset", "gymProblem", contest, index] => ("gym", contest, index),
        _ => return Page::Other,
    };
    if spelling::digits(contest) {
        Page::Problem(format!("{gym}{contest}/{index}"))
    } else {
        Page::Other
    }
}

fn slug(written: &str) -> Option<String> {
    let written = written.to_ascii_uppercase();
    let (contest, index) = written.split_once('/').or_else(|| joined(&written))?;
    if contest == "ACMSGURU" {
        return acm_sgu_ru(index);
    }
    let (gym, contest) = match contest.strip_prefix("GYM") {
        Some(contest) => (true, spelling::number(contest)?),
        None => (false, spelling::number(contest)?),
    };
    if contest == ACM_SGU_RU && !gym {
        return acm_sgu_ru(index);
    }
    if index.len() > LONGEST_INDEX || !spelling::made_of(index, &[]) {
        return None;
    }
    match (gym, contest >= FIRST_OF_GYM) {
        (_, true) => Some(format!("gym{contest}/{index}")),
        (false, false) => Some(format!("{contest}/{index}")),
        (true, false) => None,
    }
}

fn acm_sgu_ru(index: &str) -> Option<String> {
    Some(format!("acmsguru/{}", spelling::number(index)?))
}

/// `4A` is contest 4 and index A. An index that begins with a digit needs the slash: nothing tells
/// where it begins.
fn joined(written: &str) -> Option<(&str, &str)> {
    let contest = written.strip_prefix("GYM").unwrap_or(written);
    let index = contest.trim_start_matches(|c: char| c.is_ascii_digit());
    written.strip_suffix(index).map(|contest| (contest, index))
}

fn address(slug: &str) -> String {
    let (contest, index) = slug.split_once('/').unwrap_or((slug, ""));
    match contest.strip_prefix("gym") {
        Some(contest) => format!("https://codeforces.com/gym/{contest}/problem/{index}"),
        None if contest == "acmsguru" => {
            format!("https://codeforces.com/problemsets/acmsguru/problem/{ACM_SGU_RU}/{index}")
        }
        None => format!("https://codeforces.com/contest/{contest}/problem/{index}"),
    }
}
