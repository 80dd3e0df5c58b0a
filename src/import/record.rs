//! Writing what was decided: problems, solves and their schedules, XP, submissions.

use super::batch::Context;
use super::decide::{Entry, Group};
use crate::db::Db;
use crate::db::instant::At;
use crate::problems::naming::clean;
use crate::problems::{Named, many};
use crate::revisions::imported::{self as schedules, Late, Retrieval};
use crate::revisions::rating::{Facts, Rating, rate};
use crate::revisions::spread::Spread;
use crate::revisions::{FirstSolve, GIVEN, by_rule};
use crate::solves::Said;
use crate::solves::imported::{self as solves, Brought, Recorded};
use crate::submissions::imported::{self as submissions, Likenesses};
use crate::submissions::model::{Effects, NewSubmission, Verdict};
use diesel::QueryResult;
use diesel::result::Error;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Writes what was decided of a batch.
pub fn record(
    db: &mut Db,
    context: &Context,
    import_id: i64,
    groups: &mut [Group<'_>],
    spread: &mut Spread,
) -> QueryResult<()> {
    let recorded = open(db, context, import_id, groups, spread)?;
    keep_submissions(db, context, import_id, groups, &recorded)?;
    bring_late(db, context, import_id, groups, spread)
}

/// Makes the first solves, with all that they cause.
fn open(
    db: &mut Db,
    context: &Context,
    import_id: i64,
    groups: &mut [Group<'_>],
    spread: &mut Spread,
) -> QueryResult<HashMap<i64, Recorded>> {
    let names: Vec<Named> = groups.iter().filter_map(Group::opening).map(named).collect();
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let user_id = context.learner.user_id;
    let names: Vec<&Named> = names.iter().collect();
    let problems = many::find_or_create_all(db, user_id, &names, context.now)?;
    let mut taken = HashSet::new();
    let mut brought = Vec::with_capacity(names.len());
    for group in groups.iter_mut() {
        let Some(entry) = group.opening() else { continue };
        let problem = problems.get(&entry.identity).ok_or(Error::NotFound)?;
        // An alias that was made meanwhile gives two names one problem.
        if taken.insert(problem.id) {
            brought.push(Brought {
                problem,
                said: said(entry),
                first: first_solve(context, entry, problem.difficulty, Some(import_id)),
                reviews: retrievals(context, entry),
            });
        } else {
            group.lose();
        }
        group.problem = Some(problem.clone());
    }
    let recorded =
        solves::begin_all(db, &context.learner, &brought, import_id, spread, context.now)?;
    let problem_ids: Vec<i64> = taken.into_iter().collect();
    // Lost the race or not: a second statement sees whoever won.
    let now_solved = solves::of_problems(db, user_id, problem_ids)?;
    for group in groups.iter_mut().filter(|group| group.solve.is_none()) {
        let Some(problem) = &group.problem else { continue };
        if group.opener.is_some() && !recorded.contains_key(&problem.id) {
            group.lose();
        }
        if let Some(problem) = &group.problem {
            group.solve = now_solved.get(&problem.id).cloned();
        }
    }
    Ok(recorded)
}

fn named(entry: &Entry<'_>) -> Named {
    Named {
        identity: entry.identity.clone(),
        title: title(entry),
        difficulty: entry.item.difficulty,
    }
}

fn title(entry: &Entry<'_>) -> Option<String> {
    entry.item.title.as_deref().map(clean).filter(|title| !title.is_empty())
}

fn said(entry: &Entry<'_>) -> Said {
    let tags: Vec<String> =
        entry.item.tags.iter().map(|tag| clean(tag)).filter(|tag| !tag.is_empty()).collect();
    Said {
        title: title(entry),
        difficulty: entry.item.difficulty,
        tags: (!tags.is_empty()).then_some(tags),
    }
}

fn first_solve(
    context: &Context,
    entry: &Entry<'_>,
    difficulty: Option<crate::problems::difficulty::Difficulty>,
    import_id: Option<i64>,
) -> FirstSolve {
    let item = entry.item;
    let (at, precision) = item.solved();
    let (rating, rating_source) = match entry.rating() {
        Some(rating) => (rating, GIVEN.to_owned()),
        None => (by_facts(entry, difficulty), by_rule()),
    };
    FirstSolve {
        at: at.map(At::from),
        day: context.learner.days.local_day(at.unwrap_or(*context.now)),
        precision: precision.as_str().to_owned(),
        rating,
        rating_source,
        import_id,
    }
}

fn by_facts(
    entry: &Entry<'_>,
    difficulty: Option<crate::problems::difficulty::Difficulty>,
) -> Rating {
    let item = entry.item;
    let facts = Facts {
        attempts: item.attempts.and_then(|attempts| u32::try_from(attempts).ok()),
        minutes: item.minutes.map(f64::from),
        hint_used: item.hint_used,
        solution_viewed: item.solution_viewed,
    };
    rate(&facts, item.difficulty.or(difficulty))
}

fn retrievals(context: &Context, entry: &Entry<'_>) -> Vec<Retrieval> {
    let retrieval = |review: &super::formats::Review| Retrieval {
        at: review.happened_at.into(),
        day: context.learner.days.local_day(review.happened_at),
        rating: review.rating,
    };
    entry.item.reviews.iter().map(retrieval).collect()
}

/// Keeps the submissions of the first solves, and all others that have a number which is new.
fn keep_submissions(
    db: &mut Db,
    context: &Context,
    import_id: i64,
    groups: &[Group<'_>],
    recorded: &HashMap<i64, Recorded>,
) -> QueryResult<()> {
    let request = format!("import:{import_id}");
    let likenesses = likenesses(db, context, groups)?;
    let mut numbers = HashSet::new();
    let mut rows = Vec::new();
    let mut pending = Vec::new();
    for group in groups {
        let (Some(problem), Some(solve)) = (&group.problem, &group.solve) else { continue };
        let effects = recorded.get(&problem.id).filter(|_| group.opener.is_some());
        let opening = group.opening().map(|entry| (entry, effects));
        let further = group.further().filter(|entry| entry.numbered().is_some());
        for (entry, effects) in opening.into_iter().chain(further.map(|entry| (entry, None))) {
            if let Some(known) = entry.known {
                if known.is_pending && !known.is_deleted {
                    pending.push((known, solve.id, entry, effects));
                }
                continue;
            }
            if entry.numbered().is_some_and(|numbered| !numbers.insert(numbered)) {
                continue;
            }
            let mut row = submission(context, entry, problem.id, solve.id, &request);
            row.effects = effects.map(stored).transpose()?;
            if effects.is_none()
                && let (Some(at), Some(likenesses)) = (row.happened_at, likenesses.get(entry.judge))
            {
                row.possible_duplicate_of = likenesses.find(problem.id, row.language, at);
            }
            rows.push(row);
        }
    }
    submissions::record_all(db, rows, context.now)?;
    for (known, solve_id, entry, effects) in pending {
        let effects = effects.map(stored).transpose()?;
        submissions::accept_pending(db, known, solve_id, entry.rating(), effects, context.now)?;
    }
    Ok(())
}

fn stored(recorded: &Recorded) -> QueryResult<String> {
    let effects = Effects { first_solve: true, xp_awarded: recorded.xp, ..Effects::default() };
    serde_json::to_string(&effects).map_err(|error| Error::SerializationError(Box::new(error)))
}

/// What further submissions may likely be the same as, by the judge of those.
fn likenesses(
    db: &mut Db,
    context: &Context,
    groups: &[Group<'_>],
) -> QueryResult<HashMap<&'static str, Likenesses>> {
    let mut likenesses = HashMap::new();
    if !context.has_unlike {
        return Ok(likenesses);
    }
    let mut problems: BTreeMap<&'static str, Vec<i64>> = BTreeMap::new();
    for group in groups {
        for entry in group.further().filter(|entry| entry.known.is_none()) {
            if let (Some((judge, _)), Some(problem)) = (entry.numbered(), &group.problem) {
                problems.entry(judge).or_default().push(problem.id);
            }
        }
    }
    for (judge, problems) in problems {
        let user_id = context.learner.user_id;
        likenesses.insert(judge, Likenesses::of(db, user_id, problems, judge)?);
    }
    Ok(likenesses)
}

fn submission<'a>(
    context: &Context,
    entry: &Entry<'a>,
    problem_id: i64,
    solve_id: i64,
    request: &'a str,
) -> NewSubmission<'a> {
    let item = entry.item;
    let (at, precision) = item.solved();
    NewSubmission {
        user_id: context.learner.user_id,
        problem_id: Some(problem_id),
        solve_id: Some(solve_id),
        judge: entry.judge,
        external_id: item.external_id.as_deref(),
        idempotency_key: None,
        fingerprint: request,
        verdict: Some(Verdict::Accepted),
        language: item.language.as_deref(),
        runtime_ms: item.runtime_ms.map(i64::from),
        memory_kb: item.memory_kb.map(i64::from),
        happened_at: at.map(At::from),
        // One whose time is unknown belongs to no day.
        local_day: at.map(|at| context.learner.days.local_day(at)),
        time_precision: Some(precision.as_str()),
        rating: item.rating,
        attempts: item.attempts,
        minutes: item.minutes.map(f64::from),
        hint_used: item.hint_used,
        solution_viewed: item.solution_viewed,
        source: item.source.as_deref(),
        notes: item.notes.as_deref(),
        possible_duplicate_of: None,
        effects: None,
        received_at: context.now,
        updated_at: context.now,
    }
}

/// Brings earlier solves and reviews to the solves that were there, each under its lock.
fn bring_late(
    db: &mut Db,
    context: &Context,
    import_id: i64,
    groups: &[Group<'_>],
    spread: &mut Spread,
) -> QueryResult<()> {
    let mut late: BTreeMap<i64, Late> = BTreeMap::new();
    let mut reviewed = Vec::new();
    for group in groups {
        let Some(solve) = &group.solve else { continue };
        let first = group
            .further()
            .filter(|entry| !entry.is_settled())
            .map(|entry| {
                let difficulty = group.problem.as_ref().and_then(|problem| problem.difficulty);
                first_solve(context, entry, difficulty, Some(import_id))
            })
            .filter(|first| schedules::is_earlier(first, solve.first_solved_at, solve.first_day))
            .min_by_key(|first| first.at);
        let mut reviews: Vec<Retrieval> = group
            .further()
            .filter(|entry| !entry.is_deleted())
            .flat_map(|entry| retrievals(context, entry))
            .collect();
        if !reviews.is_empty() {
            reviews.sort_by_key(|review| review.at);
            reviews.dedup_by_key(|review| review.at);
            let begins = first.as_ref().map_or(solve.first_solved_at, |first| first.at);
            reviews.retain(|review| begins.is_none_or(|begins| review.at >= begins));
            reviewed.push(solve.id);
        }
        if first.is_some() || !reviews.is_empty() {
            late.insert(solve.id, Late { first, reviews });
        }
    }
    if !reviewed.is_empty() {
        let known = schedules::reviewed_at(db, &reviewed)?;
        for (solve_id, late) in &mut late {
            late.reviews.retain(|review| !known.contains(&(*solve_id, review.at)));
        }
        // The same file again opens no log.
        late.retain(|_, late| late.first.is_some() || !late.reviews.is_empty());
    }
    for (solve_id, late) in &late {
        schedules::take_in(db, &context.learner, *solve_id, late, spread, context.now)?;
    }
    Ok(())
}
