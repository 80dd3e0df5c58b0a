//! The identity of a problem: the cases that were handed over, the spellings of slugs, the judges,
//! and what holds for any input.

use proptest::prelude::*;
use serde_json::Value;
use traverse::problems::identity::{
    Identity, LONGEST_SLUG, LONGEST_URL, NotAProblem, Platform, address, canonical, locate,
    main_judge,
};

#[test]
fn the_cases_that_were_handed_over() {
    let cases: Value = serde_json::from_str(include_str!("../data/identity-cases.json")).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert!(cases.len() >= 70, "only {} cases", cases.len());
    for case in cases {
        let url = case["url"].as_str().unwrap();
        match (locate(url), case["refused"].as_str()) {
            (Ok(found), None) => {
                assert_eq!(found.identity.platform.as_str(), case["platform"], "{url}");
                assert_eq!(found.identity.slug, case["slug"], "{url}");
            }
            (Err(error), Some(reason)) => {
                assert!(error.to_string().starts_with(reason), "{url}: {error}");
            }
            (answer, _) => panic!("{url}: {answer:?}"),
        }
    }
}

fn spelled(platform: Platform, slug: &str) -> Option<String> {
    canonical(platform, slug).ok().map(|identity| identity.slug)
}

/// Platform, slug as given, slug as it is spelled.
const SPELLINGS: &[(&str, &str, Option<&str>)] = &[
    ("leetcode", "Two-Sum", Some("two-sum")),
    ("leetcode", " two-sum\n", Some("two-sum")),
    ("leetcode", "0001-two-sum", Some("0001-two-sum")),
    ("leetcode", "1", Some("1")),
    ("leetcode", "two_sum", None),
    ("leetcode", "two-sum/", None),
    ("leetcode", "two%2Dsum", None),
    ("leetcode", "\u{212a}", None),
    ("leetcode", "https://leetcode.com/problems/two-sum", None),
    ("codeforces", "4a", Some("4/A")),
    ("codeforces", "4A", Some("4/A")),
    ("codeforces", "4/a", Some("4/A")),
    ("codeforces", "004/A", Some("4/A")),
    ("codeforces", "1352f2", Some("1352/F2")),
    ("codeforces", "1000/0", Some("1000/0")),
    ("codeforces", "921/01", Some("921/01")),
    ("codeforces", "101021/A", Some("gym101021/A")),
    ("codeforces", "101021a", Some("gym101021/A")),
    ("codeforces", "gym101021a", Some("gym101021/A")),
    ("codeforces", "GYM101021/A", Some("gym101021/A")),
    ("codeforces", "gym0101021/A", Some("gym101021/A")),
    ("codeforces", "acmsguru/100", Some("acmsguru/100")),
    ("codeforces", "AcmSguRu/0100", Some("acmsguru/100")),
    ("codeforces", "99999/100", Some("acmsguru/100")),
    ("codeforces", "99999/A", None),
    ("codeforces", "gym99999/A", None),
    ("codeforces", "gym99999/100", None),
    ("codeforces", "gym4/A", None),
    ("codeforces", "acmsguru/A", None),
    ("codeforces", "acmsguru", None),
    ("codeforces", "92101", None),
    ("codeforces", "A", None),
    ("codeforces", "gym", None),
    ("codeforces", "/A", None),
    ("codeforces", "4/", None),
    ("codeforces", "4//A", None),
    ("codeforces", "4/A/B", None),
    ("codeforces", "0/A", None),
    ("codeforces", "-4/A", None),
    ("codeforces", "4/А", None), // a Cyrillic letter
    ("codeforces", "4/ABCDEFGHI", None),
    ("codeforces", "٤/A", None), // an Arabic digit
    ("atcoder", "ARC059_A", Some("arc059_a")),
    ("atcoder", "APG4b_a", Some("apg4b_a")),
    ("atcoder", "abc043/arc059_a", None),
    ("atcoder", "_", None),
    ("hackerrank", "Solve-Me-First", Some("solve-me-first")),
    ("hackerrank", "master/solve-me-first", Some("solve-me-first")),
    ("hackerrank", "MASTER/x", Some("x")),
    ("hackerrank", "master", Some("master")),
    ("hackerrank", "w30/Candles-2", Some("w30/candles-2")),
    ("hackerrank", "master/w30/x", None),
    ("hackerrank", "w30/", None),
    ("hackerrank", "/x", None),
    ("geeksforgeeks", "Second-Largest3735", Some("second-largest3735")),
    ("geeksforgeeks", "second-largest3735/1", None),
    ("codechef", "flow001", Some("FLOW001")),
    ("codechef", "START100B/FLOW001", None),
    ("cses", "1068", Some("1068")),
    ("cses", "0001068", Some("1068")),
    ("cses", "+1068", None),
    ("cses", "1068.0", None),
    ("cses", "0", None),
    ("cses", "4294967296", None),
    ("spoj", "PRIME1", Some("PRIME1")),
    ("spoj", "prime1", Some("prime1")),
    ("spoj", "classical", None),
    ("spoj", "PRIME 1", None),
    ("kattis", "Hello", Some("hello")),
    ("kattis", "hello-world", None),
    ("hackerearth", "Simple-Search-4", Some("simple-search-4")),
    ("hackerearth", "algorithm/simple-search-4", None),
    ("luogu", "p1001", Some("P1001")),
    ("luogu", "cf1352f2", Some("CF1352F2")),
    ("luogu", "at_ARC059_A", Some("AT_arc059_a")),
    ("luogu", "1001", None),
    ("luogu", "P1001_2", None),
    ("luogu", "list", None),
    ("beecrowd", "01001", Some("1001")),
    ("beecrowd", "x", None),
    ("projecteuler", "001", Some("1")),
    ("projecteuler", "problem=1", None),
    ("custom", "My own: Über-Problem №1/a ", Some("My own: Über-Problem №1/a")),
    ("custom", "two-sum", Some("two-sum")),
    ("custom", "..", Some("..")),
    ("custom", "a\nb", None),
    ("custom", "a\u{0}b", None),
    ("custom", "a\u{9f}b", None),
    ("custom", " \t ", None),
];

#[test]
fn slugs_have_one_spelling() {
    for (platform, given, expected) in SPELLINGS {
        let platform = platform.parse().unwrap();
        assert_eq!(spelled(platform, given).as_deref(), *expected, "{platform} {given:?}");
    }
    for platform in Platform::ALL {
        for good in [true, false] {
            let covered = |case: &&(&str, &str, Option<&str>)| {
                case.0 == platform.as_str() && case.2.is_some() == good
            };
            assert!(SPELLINGS.iter().find(covered).is_some(), "{platform} {good}");
        }
        assert!(spelled(platform, "").is_none(), "{platform}");
        assert!(spelled(platform, "a\u{7}b").is_none(), "{platform}");
    }
}

#[test]
fn lengths_are_counted_in_characters() {
    let url = |length: usize| {
        let start = "https://leetcode.com/problems/two-sum?";
        format!("{start}{}", "é".repeat(length - start.len()))
    };
    assert!(locate(&url(LONGEST_URL)).is_ok());
    assert!(locate(&format!(" {} ", url(LONGEST_URL))).is_ok());
    let error = locate(&url(LONGEST_URL + 1)).unwrap_err();
    assert_eq!(error, NotAProblem::TooLong { what: "URL", most: 2048 });
    assert!(locate(&"https://leetcode.com/problems/two-sum/".repeat(1 << 20)).is_err());

    let page = |slug: usize| format!("https://leetcode.com/problems/{}/", "x".repeat(slug));
    assert!(locate(&page(LONGEST_SLUG)).is_ok());
    let error = locate(&page(LONGEST_SLUG + 1)).unwrap_err();
    assert_eq!(error, NotAProblem::TooLong { what: "slug", most: 255 });
    assert_eq!(error.to_string(), "slug too long: at most 255 characters");

    assert!(canonical(Platform::Custom, &"é".repeat(LONGEST_SLUG)).is_ok());
    for platform in Platform::ALL {
        for slug in ["1".repeat(LONGEST_SLUG + 1), "é".repeat(LONGEST_SLUG + 1)] {
            let error = canonical(platform, &slug).unwrap_err();
            assert_eq!(error, NotAProblem::TooLong { what: "slug", most: 255 }, "{platform}");
        }
    }
}

#[test]
fn a_submission_number_belongs_to_the_site_of_its_url() {
    let cases = [
        ("https://leetcode.com/problems/two-sum/", "leetcode.com"),
        ("https://www.leetcode.com/problems/two-sum/", "leetcode.com"),
        ("https://leetcode.cn/problems/two-sum/", "leetcode.cn"),
        ("https://leetcode-cn.com/problems/two-sum/", "leetcode.cn"),
        ("https://codeforces.com/contest/4/problem/A", "codeforces.com"),
        ("https://m1.codeforces.com/contest/4/problem/A", "codeforces.com"),
        ("https://mirror.codeforces.com/contest/4/problem/A", "codeforces.com"),
        ("https://atcoder.jp/contests/arc059/tasks/arc059_a", "atcoder.jp"),
        ("https://arc059.contest.atcoder.jp/tasks/arc059_a", "atcoder.jp"),
        ("https://beta.atcoder.jp/contests/arc059/tasks/arc059_a", "atcoder.jp"),
        ("https://practice.geeksforgeeks.org/problems/x-1/1", "geeksforgeeks.org"),
        ("https://www.luogu.com/problem/P1001", "luogu.com.cn"),
        ("https://www.spoj.com/problems/PRIME1/", "spoj.com"),
        ("https://www.urionlinejudge.com.br/judge/en/problems/view/1001", "judge.beecrowd.com"),
    ];
    for (url, judge) in cases {
        assert_eq!(locate(url).unwrap().judge, judge, "{url}");
    }
    assert_eq!(main_judge(Platform::Leetcode), "leetcode.com");
    assert_eq!(main_judge(Platform::Custom), "custom");
}

#[test]
fn the_same_name_does_not_make_the_same_problem() {
    let team = locate("https://codeforces.com/contest/231/problem/A").unwrap();
    let other_team = locate("https://codeforces.com/contest/401/problem/C").unwrap();
    assert_ne!(team.identity, other_team.identity);
    let here = canonical(Platform::Leetcode, "two-sum").unwrap();
    let there = canonical(Platform::Custom, "two-sum").unwrap();
    assert_ne!(here, there);
}

#[test]
fn addresses_are_the_pages_that_the_platforms_show() {
    let cases = [
        (Platform::Leetcode, "two-sum", "https://leetcode.com/problems/two-sum/"),
        (Platform::Codeforces, "4/A", "https://codeforces.com/contest/4/problem/A"),
        (Platform::Codeforces, "gym101021/A", "https://codeforces.com/gym/101021/problem/A"),
        (
            Platform::Codeforces,
            "acmsguru/100",
            "https://codeforces.com/problemsets/acmsguru/problem/99999/100",
        ),
        (Platform::Atcoder, "arc059_a", "https://atcoder.jp/contests/arc059/tasks/arc059_a"),
        (
            Platform::Atcoder,
            "m_solutions2020_a",
            "https://atcoder.jp/contests/m-solutions2020/tasks/m_solutions2020_a",
        ),
        (
            Platform::Hackerrank,
            "w30/candles-2",
            "https://www.hackerrank.com/contests/w30/challenges/candles-2",
        ),
        (Platform::Cses, "1068", "https://cses.fi/problemset/task/1068"),
        (Platform::Projecteuler, "1", "https://projecteuler.net/problem=1"),
    ];
    for (platform, slug, page) in cases {
        let identity = canonical(platform, slug).unwrap();
        assert_eq!(address(&identity).as_deref(), Some(page));
    }
    let custom = canonical(Platform::Custom, "https://leetcode.com/").unwrap();
    assert_eq!(address(&custom), None);
    let unspelled = Identity { platform: Platform::Leetcode, slug: "../../logout?".to_owned() };
    assert_eq!(address(&unspelled), None, "nothing that is no slug gets into a URL");
}

#[test]
fn platforms_have_one_name_everywhere() {
    for platform in Platform::ALL {
        let name = platform.as_str();
        assert_eq!(name.parse(), Ok(platform));
        assert_eq!(platform.to_string(), name);
        assert_eq!(serde_json::to_value(platform).unwrap(), name);
        assert_eq!(serde_json::from_value::<Platform>(name.into()).unwrap(), platform);
    }
    let schema = serde_json::to_value(<Platform as utoipa::PartialSchema>::schema()).unwrap();
    assert_eq!(schema["enum"], serde_json::json!(Platform::ALL.map(Platform::as_str)));
    let error = "LeetCode".parse::<Platform>().unwrap_err().to_string();
    assert!(error.starts_with("unknown platform \"LeetCode\", expected one of leetcode, "));
    assert!(error.ends_with(", custom"), "{error}");
    let error = "x".repeat(1 << 20).parse::<Platform>().unwrap_err().to_string();
    assert!(error.len() < 300, "{error}");
}

#[test]
fn a_refusal_says_what_was_expected() {
    let error = locate("https://leetcode.com/problems/two_sum/").unwrap_err().to_string();
    assert_eq!(
        error,
        "slug outside of the alphabet of leetcode: got \"two_sum\", expected a-z, 0-9 and -, as \
         in two-sum"
    );
    let error = locate("https://cses.fi/problemset/").unwrap_err().to_string();
    assert_eq!(
        error,
        "not a problem page: a problem of cses has an address like \
         https://cses.fi/problemset/task/1068"
    );
    let error = locate("ftp://cses.fi/").unwrap_err().to_string();
    assert_eq!(error, "not a URL of a web page: the scheme is \"ftp\", expected http or https");
}

fn platform() -> impl Strategy<Value = Platform> {
    proptest::sample::select(Platform::ALL.to_vec())
}

/// Slugs near those of some platform, most of them canonical for one or another.
fn slug() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9][a-z0-9-]{0,30}",
        "[A-Za-z0-9_-]{1,12}",
        "(gym)?[0-9]{1,7}/?[A-Za-z][0-9]?",
        "(acmsguru|99999|100000|99998)/[0-9A-Z]{1,4}",
        "(master|Master|w30)/[a-zA-Z0-9_-]{1,9}",
        "(P|cf|At_|AT_|UVA)[a-zA-Z0-9_]{1,9}",
        "0{0,3}[0-9]{1,10}",
        "_{0,2}[a-z]{0,3}_{0,2}[a-z0-9]{0,3}",
        ".{1,20}",
        "[ \\t]{0,2}.{0,260}",
        "(\\.|/|%|=|\\?|#|é|K|ſ|[a-z]){1,9}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn canonical_is_canonical(platform in platform(), slug in slug()) {
        if let Ok(once) = canonical(platform, &slug) {
            prop_assert!((1..=LONGEST_SLUG).contains(&once.slug.chars().count()));
            prop_assert!(!once.slug.chars().any(char::is_control));
            prop_assert_eq!(canonical(platform, &once.slug).unwrap(), once);
        }
    }

    #[test]
    fn an_address_locates_its_problem(platform in platform(), slug in slug()) {
        if let Ok(identity) = canonical(platform, &slug) {
            match address(&identity) {
                None => prop_assert_eq!(platform, Platform::Custom),
                Some(page) => {
                    prop_assert!(page.starts_with("https://"));
                    let found = locate(&page).unwrap();
                    prop_assert_eq!(&found.identity, &identity);
                    prop_assert_eq!(found.judge, main_judge(platform));
                }
            }
        }
    }

    #[test]
    fn what_does_not_matter_does_not_matter(
        platform in platform(),
        slug in slug(),
        before in "[ \\t\\r\\n]{0,3}",
        slashes in "/{0,3}",
        query in "(\\?[a-z=&/%]{0,9})?(#[a-z=&/]{0,9})?",
    ) {
        if let Some(page) = canonical(platform, &slug).ok().and_then(|it| address(&it)) {
            let plain = locate(&page).unwrap();
            let (host, path) = page.strip_prefix("https://").unwrap().split_once('/').unwrap();
            let bare = host.strip_prefix("www.").unwrap_or(host);
            for host in [bare.to_uppercase(), format!("www.{bare}"), format!("{host}.")] {
                for scheme in ["http", "HTTPS"] {
                    let url = format!("{before}{scheme}://{host}/{path}{slashes}{query}{before}");
                    prop_assert_eq!(&locate(&url).unwrap(), &plain, "{}", url);
                }
            }
        }
    }

    #[test]
    fn any_text_is_answered(text in ".{0,300}", platform in platform()) {
        let _ = canonical(platform, &text);
        if let Err(error) = locate(&text) {
            prop_assert!(error.to_string().len() < 10_000);
        }
    }

    #[test]
    fn any_path_is_answered_with_a_canonical_identity(
        host in proptest::sample::select(vec![
            "leetcode.com", "codeforces.com", "atcoder.jp", "x.contest.atcoder.jp",
            "hackerrank.com", "geeksforgeeks.org", "codechef.com", "cses.fi", "spoj.com",
            "open.kattis.com", "hackerearth.com", "luogu.com", "judge.beecrowd.com",
            "projecteuler.net",
        ]),
        path in proptest::collection::vec(
            prop_oneof![
                3 => proptest::sample::select(vec![
                    "problems", "problem", "contest", "contests", "gym", "tasks", "challenges",
                    "task", "submit", "result", "view", "en", "problemset", "algorithm",
                    "problem=1", "practice", "practice-problems", "master", "group", "edu",
                    "course", "acmsguru", "4", "A", "101021", "99999", "P1001", "solution",
                ]).prop_map(str::to_owned),
                1 => "[a-zA-Z0-9_%=.-]{0,6}",
                1 => "\\PC{0,4}",
            ],
            0..8,
        ),
    ) {
        if let Ok(found) = locate(&format!("https://{host}/{}", path.join("/"))) {
            let Identity { platform, slug } = &found.identity;
            prop_assert_eq!(&canonical(*platform, slug).unwrap(), &found.identity);
            let page = address(&found.identity).unwrap();
            prop_assert_eq!(locate(&page).unwrap().identity, found.identity);
        }
    }
}
