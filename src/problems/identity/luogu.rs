//! Luogu: the problem's id. It holds problems of its own (`P1001`, `B2001`, `U1`, `T1`) and copies
//! from elsewhere (`CF4A`, `SP1`, `UVA100`, `AT_arc059_a`), which are not merged with their
//! origin.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "luogu.com.cn",
    judge: |host| {
        matches!(host, "luogu.com.cn" | "luogu.com" | "luogu.org").then_some("luogu.com.cn")
    },
    page,
    slug,
    alphabet: "an id of capitals and a number, as in P1001, CF1352F2 or AT_arc059_a",
    address: |slug| Some(format!("https://www.luogu.com.cn/problem/{slug}")),
    example: "P1001",
};

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["problem", "list" | "random"] => Page::Other,
        ["problem", id] | ["problem", "solution", id] | ["problemnew", "show" | "solution", id] => {
            Page::problem(id)
        }
        _ => Page::Other,
    }
}

fn slug(written: &str) -> Option<String> {
    let id = spelling::upper(written, &['_'])?;
    if let Some(task) = id.strip_prefix("AT_") {
        return Some(format!("AT_{}", spelling::lower(task, &['_'])?));
    }
    let after_letters = id.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let well_formed = after_letters.len() < id.len()
        && after_letters.starts_with(|c: char| c.is_ascii_digit())
        && !after_letters.contains('_');
    well_formed.then_some(id)
}
