//! Pages of every platform: the problems, under every address they have, and what looks like one.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use traverse::problems::identity::{Platform, locate};

fn listed(under: &str) -> Map<String, Value> {
    let mut lists: Map<String, Value> =
        serde_json::from_str(include_str!("../data/identity-pages.json")).unwrap();
    serde_json::from_value(lists.remove(under).unwrap()).unwrap()
}

/// What is wrong with the answer to one page, if anything.
fn complaint(platform: Platform, page: &Value) -> Option<String> {
    let url = page["url"].as_str()?;
    let answer = locate(url);
    let right = match &answer {
        Ok(found) => {
            found.identity.platform == platform
                && page["slug"].as_str() == Some(&found.identity.slug)
        }
        Err(error) => {
            page["refused"].as_str().is_some_and(|reason| error.to_string().starts_with(reason))
        }
    };
    (!right).then(|| format!("{page}\n  got {answer:?}"))
}

#[test]
fn every_page_of_every_platform_is_what_it_shows() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    let mut platforms = BTreeSet::from([Platform::Custom]);
    for (platform, pages) in listed("pages") {
        let pages = pages.as_array().unwrap();
        let problems = pages.iter().filter(|page| page["slug"].is_string()).count();
        let refused = pages.iter().filter(|page| page["refused"].is_string()).count();
        assert!(problems >= 3 && refused >= 5, "{platform}: {problems} and {refused}");
        assert_eq!(problems + refused, pages.len(), "{platform}");
        let platform = platform.parse().unwrap();
        platforms.insert(platform);
        for page in pages {
            assert!(seen.insert(page["url"].as_str().unwrap().to_owned()), "twice: {page}");
            wrong.extend(complaint(platform, page));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(platforms.iter().eq(&BTreeSet::from(Platform::ALL)), "only {platforms:?}");
}

#[test]
fn urls_are_read_as_a_browser_reads_them() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for pages in listed("urls").values() {
        for page in pages.as_array().unwrap() {
            assert!(page["url"].is_string(), "{page}");
            wrong.extend(complaint(Platform::Leetcode, page));
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 60, "only {seen} URLs");
}
