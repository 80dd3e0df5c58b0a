//! Project Euler: the problem's number, in the path (`/problem=1`).

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "projecteuler.net",
    judge: |host| (host == "projecteuler.net").then_some("projecteuler.net"),
    page,
    slug: |slug| spelling::number(slug).map(|number| number.to_string()),
    alphabet: "the problem's number, as in 1",
    address: |slug| Some(format!("https://projecteuler.net/problem={slug}")),
    example: "1",
};

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        [segment] => match segment.strip_prefix("problem=") {
            Some(number) if !number.is_empty() => Page::problem(number),
            _ => Page::Other,
        },
        _ => Page::Other,
    }
}
