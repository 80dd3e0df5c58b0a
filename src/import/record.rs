//! Writing what was decided: problems, solves and their schedules, XP, submissions.

use super::batch::Context;
use super::decide::{Entry, Group, awaited};
use super::late;
use super::standing::Standing;
use crate::db::Db;
use crate::db::instant::At;
use crate::problems::Named;
use crate::problems::many::{self, ByIdentity};
use crate::problems::naming::{clean, topic_of};
use crate::revisions::imported::Retrieval;
use crate::revisions::rating::{Facts, Rating, rate};
use crate::revisions::spread::Spread;
use crate::revisions::{FirstSolve, GIVEN, by_rule};
use crate::solves::Said;
use crate::solves::imported::{self as solves, Brought, Lacks, Recorded, Standing as Solve};
use crate::submissions::imported::{self as submissions, Likenesses};
use crate::submissions::model::{Advance, Effects, NewSubmission, Verdict};
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
    // The solves before what came with them, as everybody locks them.
    late::bring(db, context, import_id, groups, spread)?;
    keep_submissions(db, context, import_id, groups, &recorded)
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
    let found: ByIdentity = groups
        .iter()
        .filter_map(|group| Some((group.opening()?.identity.clone(), group.problem.clone()?)))
        .collect();
    let problems = many::create_missing(db, user_id, found, &names, context.now)?;
    // An alias gives one problem two names: the earliest of all is its first solve.
    let mut openers: Vec<&mut Group<'_>> =
        groups.iter_mut().filter(|group| group.opener.is_some()).collect();
    openers.sort_by_key(|group| group.opening().map(Entry::order));
    let mut taken = HashSet::new();
    let mut brought = Vec::with_capacity(names.len());
    for group in openers {
        let Some(entry) = group.opening() else { continue };
        let problem = problems.get(&entry.identity).ok_or(Error::NotFound)?;
        if taken.insert(problem.id) {
            brought.push(Brought {
                problem,
                said: said(entry),
                notes: entry.item.solve_notes.as_deref(),
                first: first_solve(context, entry, problem.difficulty, Some(import_id)),
                reviews: retrievals(context, entry),
            });
        } else {
            group.lose(true);
        }
        group.problem = Some(problem.clone());
        group.problem_id = Some(problem.id);
    }
    let recorded =
        solves::begin_all(db, &context.learner, &brought, import_id, spread, context.now)?;
    let mut solved: HashMap<i64, Solve> = HashMap::new();
    for Brought { problem, said, first, .. } in &brought {
        if let Some(Recorded { solve_id: id, .. }) = recorded.get(&problem.id).copied() {
            let (first_solved_at, first_day) = (first.at, first.day);
            let (import_id, lacks) = (Some(import_id), Lacks::after(said));
            solved.insert(problem.id, Solve { id, first_solved_at, first_day, import_id, lacks });
        }
    }
    // Lost the race: the winner has committed, so a second statement sees its row.
    let lost = taken.into_iter().filter(|id| !solved.contains_key(id)).collect();
    solved.extend(solves::of_problems(db, user_id, lost)?);
    for group in groups.iter_mut().filter(|group| group.solve.is_none()) {
        let Some(problem_id) = group.problem_id else { continue };
        group.solve = solved.get(&problem_id).copied();
        let Some(entry) = group.opening() else { continue };
        if !recorded.contains_key(&problem_id) {
            let is_ours = group.solve.is_some_and(|solve| solve.import_id == Some(import_id));
            group.lose(is_ours);
        } else if group.earliest_row.map(i64::from) == Some(entry.row)
            && let Some(solve) = group.solve
        {
            group.standing =
                Standing::Opened { problem_id, solve_id: solve.id, lacks: solve.lacks };
        }
    }
    Ok(recorded)
}

fn named(entry: &Entry<'_>) -> Named {
    Named {
        identity: entry.identity.clone(),
        title: title(entry),
        difficulty: entry.item.difficulty,
        topic: topic_of(&entry.item.tags),
    }
}

fn title(entry: &Entry<'_>) -> Option<String> {
    entry.item.title.as_deref().map(clean).filter(|title| !title.is_empty())
}

/// What a row says of its problem.
pub fn said(entry: &Entry<'_>) -> Said {
    let tags: Vec<String> =
        entry.item.tags.iter().map(|tag| clean(tag)).filter(|tag| !tag.is_empty()).collect();
    Said {
        title: title(entry),
        difficulty: entry.item.difficulty,
        tags: (!tags.is_empty()).then_some(tags),
    }
}

/// A row as the first solve of its problem.
pub fn first_solve(
    context: &Context,
    entry: &Entry<'_>,
    difficulty: Option<crate::problems::difficulty::Difficulty>,
    import_id: Option<i64>,
) -> FirstSolve {
    let (at, precision) = entry.solved();
    let (rating, rating_source) = match entry.rating() {
        Some(rating) => (rating, GIVEN.to_owned()),
        None => (by_facts(entry, difficulty), by_rule()),
    };
    FirstSolve {
        at: at.map(At::from),
        day: context.learner.days.local_day(at.unwrap_or(*context.opened_at)),
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
        minutes: item.minutes,
        hint_used: item.hint_used,
        solution_viewed: item.solution_viewed,
    };
    rate(&facts, item.difficulty.or(difficulty))
}

/// The reviews of a row, the oldest first.
pub fn retrievals(context: &Context, entry: &Entry<'_>) -> Vec<Retrieval> {
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
    for group in groups {
        let (Some(problem_id), Some(solve)) = (group.problem_id, &group.solve) else { continue };
        let effects = recorded.get(&problem_id).filter(|_| group.opener.is_some());
        let opening = group.opening().map(|entry| (entry, effects));
        let further = group.further().filter(|entry| entry.numbered().is_some());
        for (entry, effects) in opening.into_iter().chain(further.map(|entry| (entry, None))) {
            if entry.known.is_some() {
                continue;
            }
            if entry.numbered().is_some_and(|numbered| !numbers.insert(numbered)) {
                continue;
            }
            let mut row = submission(context, entry, problem_id, solve.id, &request);
            row.effects = effects.map(stored).transpose()?;
            if effects.is_none()
                && let (Some(at), Some(likenesses)) = (row.happened_at, likenesses.get(entry.judge))
            {
                row.possible_duplicate_of = likenesses.find(problem_id, row.language, at);
            }
            rows.push(row);
        }
    }
    // In one order, too, for whoever brings the same ones.
    rows.sort_by_key(|row| (row.judge, row.external_id));
    let wanted = rows.len();
    if submissions::record_all(db, rows, context.now)? < wanted {
        // Somebody has handed one of them in since the batch was looked up, and it need not be
        // accepted. The next look at the batch finds it.
        return Err(Error::NotFound);
    }
    accept_pending(db, context, groups, recorded)
}

/// Brings their verdicts to the submissions that wait for them.
fn accept_pending(
    db: &mut Db,
    context: &Context,
    groups: &[Group<'_>],
    recorded: &HashMap<i64, Recorded>,
) -> QueryResult<()> {
    for (group, place) in awaited(groups) {
        let Some(group) = groups.get(group) else { continue };
        let Some(entry) = group.entries.get(place) else { continue };
        let (Some(known), Some(solve), Some(problem_id)) =
            (entry.known, &group.solve, group.problem_id)
        else {
            continue;
        };
        let effects = recorded.get(&problem_id).filter(|_| group.opener == Some(place));
        let item = entry.item;
        let advance = Advance {
            verdict: Verdict::Accepted,
            solve_id: Some(solve.id),
            language: item.language.as_deref(),
            runtime_ms: item.runtime_ms.map(i64::from),
            memory_kb: item.memory_kb.map(i64::from),
            rating: entry.rating(),
            attempts: item.attempts,
            minutes: item.minutes,
            hint_used: item.hint_used,
            solution_viewed: item.solution_viewed,
            // They are of whoever handed it in.
            source: None,
            notes: None,
            effects: effects.map(stored).transpose()?,
            updated_at: context.now,
        };
        if !submissions::accept_pending(db, known, &advance)? {
            // The next look at the batch finds how it is now.
            return Err(Error::NotFound);
        }
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
            if let (Some((judge, _)), Some(problem_id)) = (entry.numbered(), group.problem_id) {
                problems.entry(judge).or_default().push(problem_id);
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
        minutes: item.minutes,
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
