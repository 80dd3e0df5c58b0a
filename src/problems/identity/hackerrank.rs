//! `HackerRank`: the challenge's slug, after that of its contest unless that is `master`, the
//! contest that holds everything outside of contests.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "hackerrank.com",
    judge: |host| (host == "hackerrank.com").then_some("hackerrank.com"),
    page,
    slug,
    alphabet: "a challenge of a-z, 0-9, - and _, alone or after its contest, as in \
               solve-me-first or w30/candles-2",
    address: |slug| Some(address(slug)),
    example: "solve-me-first",
};

const NO_CONTEST: &str = "master";

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["challenges", challenge, ..] => Page::problem(challenge),
        ["contests", contest, "challenges", challenge, ..] => {
            Page::Problem(format!("{contest}/{challenge}"))
        }
        _ => Page::Other,
    }
}

fn slug(written: &str) -> Option<String> {
    let Some((contest, challenge)) = written.split_once('/') else {
        return spelling::lower(written, &['-', '_']);
    };
    let contest = spelling::lower(contest, &['-', '_'])?;
    let challenge = spelling::lower(challenge, &['-', '_'])?;
    Some(if contest == NO_CONTEST { challenge } else { format!("{contest}/{challenge}") })
}

fn address(slug: &str) -> String {
    match slug.split_once('/') {
        None => format!("https://www.hackerrank.com/challenges/{slug}/problem"),
        Some((contest, challenge)) => {
            format!("https://www.hackerrank.com/contests/{contest}/challenges/{challenge}")
        }
    }
}
