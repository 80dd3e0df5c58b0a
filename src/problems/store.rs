//! Plain reads and writes. Nothing here settles a race.

use super::identity::{Identity, Platform};
use super::model::{PROBLEM, ProblemRow};
use crate::db::Db;
use crate::problems::difficulty::Difficulty;
use crate::schema::{problem_keys, problems};
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};

/// The shared problem of an identity, or the user's own.
pub fn find(
    db: &mut Db,
    identity: &Identity,
    owner_id: Option<i64>,
) -> QueryResult<Option<ProblemRow>> {
    let named = problems::table
        .filter(problems::platform.eq(identity.platform))
        .filter(problems::slug.eq(&identity.slug))
        .select(PROBLEM);
    match owner_id {
        Some(owner_id) => named.filter(problems::owner_id.eq(owner_id)).first(db),
        None => named.filter(problems::owner_id.is_null()).first(db),
    }
    .optional()
}

/// The shared problems of a platform under these slugs, or the user's own.
pub fn find_all(
    db: &mut Db,
    platform: Platform,
    slugs: Vec<&str>,
    owner_id: Option<i64>,
) -> QueryResult<Vec<ProblemRow>> {
    let named = problems::table
        .filter(problems::platform.eq(platform))
        .filter(problems::slug.eq_any(slugs))
        .select(PROBLEM);
    match owner_id {
        Some(owner_id) => named.filter(problems::owner_id.eq(owner_id)).load(db),
        None => named.filter(problems::owner_id.is_null()).load(db),
    }
}

/// Problems by their numbers.
pub fn by_ids(db: &mut Db, ids: Vec<i64>) -> QueryResult<Vec<ProblemRow>> {
    problems::table.filter(problems::id.eq_any(ids)).select(PROBLEM).load(db)
}

/// The problems that a user can see under one of these titles.
pub fn titled(db: &mut Db, user_id: i64, titles: Vec<&str>) -> QueryResult<Vec<ProblemRow>> {
    problems::table
        .filter(problems::title.eq_any(titles))
        .filter(problems::owner_id.is_null().or(problems::owner_id.eq(user_id)))
        .filter(problems::alias_of.is_null())
        .select(PROBLEM)
        .load(db)
}

/// A problem that the user can see: a shared one, or one of their own.
pub fn visible(db: &mut Db, id: i64, user_id: i64) -> QueryResult<Option<ProblemRow>> {
    problems::table
        .find(id)
        .filter(problems::owner_id.is_null().or(problems::owner_id.eq(user_id)))
        .select(PROBLEM)
        .first(db)
        .optional()
}

/// A problem, whoever may see it.
pub fn by_id(db: &mut Db, id: i64) -> QueryResult<Option<ProblemRow>> {
    problems::table.find(id).select(PROBLEM).first(db).optional()
}

/// The problem that a key made or found, and what its request asked for.
pub fn by_key(db: &mut Db, owner_id: i64, key: &str) -> QueryResult<Option<(ProblemRow, String)>> {
    problem_keys::table
        .inner_join(problems::table)
        .filter(problem_keys::owner_id.eq(owner_id))
        .filter(problem_keys::idempotency_key.eq(key))
        .select((PROBLEM, problem_keys::fingerprint))
        .first(db)
        .optional()
}

/// What a list of problems is narrowed to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this platform.
    pub platform: Option<Platform>,
    /// About this.
    pub topic: Option<String>,
    /// This hard.
    pub difficulty: Option<Difficulty>,
    /// With this in the slug or the title, in any case.
    pub text: Option<String>,
}

/// The problems that a user can see, newest first, before the one with this number. Aliases are
/// names, not problems, and are left out.
pub fn list(
    db: &mut Db,
    user_id: i64,
    filter: &Filter,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<ProblemRow>> {
    let mut query = problems::table
        .filter(problems::owner_id.is_null().or(problems::owner_id.eq(user_id)))
        .filter(problems::alias_of.is_null())
        .filter(problems::id.lt(before.unwrap_or(i64::MAX)))
        .order(problems::id.desc())
        .limit(limit)
        .select(PROBLEM)
        .into_boxed();
    if let Some(platform) = filter.platform {
        query = query.filter(problems::platform.eq(platform));
    }
    if let Some(topic) = &filter.topic {
        query = query.filter(problems::topic.eq(topic));
    }
    if let Some(difficulty) = filter.difficulty {
        query = query.filter(problems::difficulty.eq(difficulty));
    }
    if let Some(text) = &filter.text {
        let pattern = contains(text);
        query = query.filter(
            lower(problems::slug).like(lower(pattern.clone().into_sql::<Text>())).escape('\\').or(
                lower(problems::title)
                    .like(lower(pattern.into_sql::<Nullable<Text>>()))
                    .escape('\\'),
            ),
        );
    }
    query.load(db)
}

diesel::define_sql_function! {
    /// The text in lower case, as the database knows it: `SQLite` that of ASCII only. So what is
    /// compared goes through it on both sides.
    fn lower<T: diesel::sql_types::SqlType + diesel::sql_types::SingleValue>(text: T) -> T;
}

/// A pattern for texts that contain `text`, whatever it is.
fn contains(text: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    format!("%{escaped}%")
}
