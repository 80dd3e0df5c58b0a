//! A URL in which there is nothing to normalise is taken apart without the parser; the answer is
//! the same. A scheme in capitals means the same and always goes through the parser.

use proptest::prelude::*;
use traverse::problems::identity::locate;

const HOSTS: [&str; 8] = [
    "leetcode.com",
    "www.leetcode.cn",
    "codeforces.com",
    "atcoder.jp",
    "www.www.cses.fi",
    "example.org",
    "m1.codeforces.com",
    "LeetCode.com",
];

fn both(rest: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(locate(&format!("https://{rest}")), locate(&format!("HTTPS://{rest}")));
    Ok(())
}

proptest! {
    #[test]
    fn known_hosts(
        host in prop::sample::select(HOSTS.to_vec()),
        path in "(/(problems|problemset|problem|contest|task|tasks|[a-zA-Z0-9_.-]{1,6}|))*/?",
    ) {
        both(&format!("{host}{path}"))?;
    }

    #[test]
    fn anything(rest in "[a-z.]{0,12}(/[ -~]{0,8}){0,4}") {
        both(&rest)?;
    }
}
