//! Problems by the hundred: what an import finds, or makes.

use super::classify::ClassifyProblems;
use super::classify::batch::TOGETHER;
use super::guards;
use super::identity::{Identity, Platform};
use super::model::{NewProblem, ProblemRow};
use super::topic::Topic;
use super::{Named, describe, owner, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::jobs;
use diesel::QueryResult;
use std::collections::{BTreeMap, HashMap};

/// Problems by the identities that they were asked for: an alias has the problem that it names.
pub type ByIdentity = HashMap<Identity, ProblemRow>;

/// The problems of these identities that there are, aliases followed.
pub fn find_all<'a>(
    db: &mut Db,
    user_id: i64,
    identities: impl IntoIterator<Item = &'a Identity>,
) -> QueryResult<ByIdentity> {
    // Empty for no identity: then nothing is asked.
    let mut slugs: BTreeMap<Platform, Vec<&str>> = BTreeMap::new();
    for identity in identities {
        slugs.entry(identity.platform).or_default().push(&identity.slug);
    }
    let mut found = ByIdentity::new();
    for (platform, slugs) in slugs {
        let owner_id = (platform == Platform::Custom).then_some(user_id);
        for problem in store::find_all(db, platform, slugs, owner_id)? {
            found.insert(problem.identity(), problem);
        }
    }
    follow_all(db, &mut found)?;
    Ok(found)
}

fn follow_all(db: &mut Db, found: &mut ByIdentity) -> QueryResult<()> {
    let aliased: Vec<i64> = found.values().filter_map(|problem| problem.alias_of).collect();
    if aliased.is_empty() {
        return Ok(());
    }
    let targets: HashMap<i64, ProblemRow> =
        store::by_ids(db, aliased)?.into_iter().map(|problem| (problem.id, problem)).collect();
    for problem in found.values_mut() {
        if let Some(target) = problem.alias_of.and_then(|id| targets.get(&id)) {
            *problem = target.clone();
        }
    }
    Ok(())
}

/// The problems of these names, made where there are none among those that were found. What they
/// lack of title and difficulty they get.
pub fn create_missing(
    db: &mut Db,
    user_id: i64,
    mut found: ByIdentity,
    named: &[Named],
    now: At,
) -> QueryResult<ByIdentity> {
    // In one order everywhere, so that two who make the same problems wait for each other at most
    // one way.
    let missing: BTreeMap<&Identity, &Named> = named
        .iter()
        .filter(|named| !found.contains_key(&named.identity))
        .map(|named| (&named.identity, named))
        .collect();
    for problem in create_all(db, user_id, missing.values().copied(), now)? {
        found.insert(problem.identity(), problem);
    }
    let lost = missing.keys().copied().filter(|identity| !found.contains_key(*identity));
    // Lost the race: the winner has committed, so a second statement sees its row.
    let winners = find_all(db, user_id, lost)?;
    found.extend(winners);
    // In that order once more: whoever gives a problem its title locks its row.
    let mut ordered: Vec<&Named> = named.iter().collect();
    ordered.sort_by(|one, other| one.identity.cmp(&other.identity));
    for named in ordered {
        let problem = found.get_mut(&named.identity).ok_or(diesel::NotFound)?;
        if lacks(problem, named) {
            *problem = describe(db, problem.clone(), named, now)?;
        }
    }
    Ok(found)
}

/// Whether a problem lacks anything that its name says.
const fn lacks(problem: &ProblemRow, named: &Named) -> bool {
    problem.title.is_none() && named.title.is_some()
        || problem.difficulty.is_none() && named.difficulty.is_some()
        || problem.topic.is_none() && named.topic.is_some()
}

fn create_all<'a>(
    db: &mut Db,
    user_id: i64,
    named: impl Iterator<Item = &'a Named>,
    now: At,
) -> QueryResult<Vec<ProblemRow>> {
    let (custom, shared): (Vec<NewProblem<'_>>, Vec<NewProblem<'_>>) = named
        .map(|named| NewProblem {
            owner_id: owner(named, user_id),
            platform: named.identity.platform,
            slug: &named.identity.slug,
            title: named.title.as_deref(),
            difficulty: named.difficulty,
            topic: named.topic.map(Topic::as_str),
            created_at: now,
            updated_at: now,
        })
        .partition(|new| new.owner_id.is_some());
    let mut made = guards::create_problems(db, &shared)?;
    made.extend(guards::create_custom_problems(db, &custom)?);
    let unknown: Vec<i64> =
        made.iter().filter(|problem| problem.topic.is_none()).map(|problem| problem.id).collect();
    let unknown: Vec<ClassifyProblems> = unknown
        .chunks(TOGETHER)
        .map(|ids| ClassifyProblems { problem_ids: ids.to_vec() })
        .collect();
    jobs::enqueue_all(db, &unknown)?;
    Ok(made)
}

/// The problems that a user can see under exactly one of these titles. Aliases are names, not
/// problems, and are left out.
pub fn titled(db: &mut Db, user_id: i64, titles: Vec<&str>) -> QueryResult<Vec<ProblemRow>> {
    store::titled(db, user_id, titles)
}
