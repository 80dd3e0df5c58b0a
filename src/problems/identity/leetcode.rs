//! `LeetCode`: the `titleSlug`. The sites .com and .cn share it, but each numbers its submissions.

use super::site::{Page, Site};
use super::spelling;

pub(super) const SITE: Site = Site {
    main_judge: "leetcode.com",
    judge,
    page,
    slug: |slug| spelling::lower(slug, &['-']),
    alphabet: "a-z, 0-9 and -, as in two-sum",
    address: |slug| Some(format!("https://leetcode.com/problems/{slug}/")),
    example: "two-sum",
};

fn judge(host: &str) -> Option<&'static str> {
    match host {
        "leetcode.com" => Some("leetcode.com"),
        "leetcode.cn" | "leetcode-cn.com" => Some("leetcode.cn"),
        _ => None,
    }
}

fn page(_host: &str, path: &[&str]) -> Page {
    match path {
        ["problems", slug, ..]
        | ["contest", _, "problems", slug, ..]
        | ["contest", "season", _, "problems", slug, ..] => Page::problem(slug),
        _ => Page::Other,
    }
}
