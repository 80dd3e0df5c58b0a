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
use std::str::FromStr;
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

/// A platform that does not exist here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown platform {given:?}, expected one of {}",
    Platform::ALL.map(Platform::as_str).join(", ")
)]
pub struct UnknownPlatform {
    /// How the name that was given begins.
    pub given: String,
}

impl Platform {
    /// Every platform.
    pub const ALL: [Self; 14] = [
        Self::Leetcode,
        Self::Codeforces,
        Self::Atcoder,
        Self::Hackerrank,
        Self::Geeksforgeeks,
        Self::Codechef,
        Self::Cses,
        Self::Spoj,
        Self::Kattis,
        Self::Hackerearth,
        Self::Luogu,
        Self::Beecrowd,
        Self::Projecteuler,
        Self::Custom,
    ];

    /// The name in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Leetcode => "leetcode",
            Self::Codeforces => "codeforces",
            Self::Atcoder => "atcoder",
            Self::Hackerrank => "hackerrank",
            Self::Geeksforgeeks => "geeksforgeeks",
            Self::Codechef => "codechef",
            Self::Cses => "cses",
            Self::Spoj => "spoj",
            Self::Kattis => "kattis",
            Self::Hackerearth => "hackerearth",
            Self::Luogu => "luogu",
            Self::Beecrowd => "beecrowd",
            Self::Projecteuler => "projecteuler",
            Self::Custom => "custom",
        }
    }

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

impl FromStr for Platform {
    type Err = UnknownPlatform;

    /// Reads exactly what [`Platform::as_str`] writes.
    fn from_str(name: &str) -> Result<Self, UnknownPlatform> {
        Self::ALL
            .into_iter()
            .find(|platform| platform.as_str() == name)
            .ok_or_else(|| UnknownPlatform { given: name.chars().take(40).collect() })
    }
}

stored_as_text!(Platform);
