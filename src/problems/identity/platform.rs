//! The platforms, by the names that the API and the database use.

use super::site::Site;
use super::{
    atcoder, beecrowd, codechef, codeforces, cses, custom, geeksforgeeks, hackerearth, hackerrank,
    kattis, leetcode, luogu, projecteuler, spoj,
};
use crate::db::text::stored_as_text;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// Where a problem is from.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    FromSqlRow,
    AsExpression,
)]
#[serde(rename_all = "lowercase")]
#[diesel(sql_type = Text)]
pub enum Platform {
    /// leetcode.com and leetcode.cn: one set of slugs, two judges.
    Leetcode,
    /// codeforces.com with its gym, groups, courses and the acm.sgu.ru archive.
    Codeforces,
    /// atcoder.jp.
    Atcoder,
    /// hackerrank.com.
    Hackerrank,
    /// The practice problems of geeksforgeeks.org, not its articles.
    Geeksforgeeks,
    /// codechef.com.
    Codechef,
    /// The problem set of cses.fi.
    Cses,
    /// The international spoj.com; pl.spoj.com numbers problems of its own.
    Spoj,
    /// open.kattis.com.
    Kattis,
    /// hackerearth.com.
    Hackerearth,
    /// luogu.com.cn.
    Luogu,
    /// beecrowd, before 2021 URI Online Judge.
    Beecrowd,
    /// projecteuler.net.
    Projecteuler,
    /// Anything else, under a slug of the user's own that nobody else sees.
    Custom,
}

impl Platform {
    pub(super) const fn site(self) -> &'static Site {
        match self {
            Self::Leetcode => &leetcode::SITE,
            Self::Codeforces => &codeforces::SITE,
            Self::Atcoder => &atcoder::SITE,
            Self::Hackerrank => &hackerrank::SITE,
            Self::Geeksforgeeks => &geeksforgeeks::SITE,
            Self::Codechef => &codechef::SITE,
            Self::Cses => &cses::SITE,
            Self::Spoj => &spoj::SITE,
            Self::Kattis => &kattis::SITE,
            Self::Hackerearth => &hackerearth::SITE,
            Self::Luogu => &luogu::SITE,
            Self::Beecrowd => &beecrowd::SITE,
            Self::Projecteuler => &projecteuler::SITE,
            Self::Custom => &custom::SITE,
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

stored_as_text! {
    Platform, "platform":
    Leetcode => "leetcode",
    Codeforces => "codeforces",
    Atcoder => "atcoder",
    Hackerrank => "hackerrank",
    Geeksforgeeks => "geeksforgeeks",
    Codechef => "codechef",
    Cses => "cses",
    Spoj => "spoj",
    Kattis => "kattis",
    Hackerearth => "hackerearth",
    Luogu => "luogu",
    Beecrowd => "beecrowd",
    Projecteuler => "projecteuler",
    Custom => "custom",
}
