//! What further rows bring to the solves that are there: an earlier first solve, reviews, and what
//! they say of the problem. Each row notes what it changed, so that its verdict hides nothing.
//!
//! What was brought once is there, so that the same rows again change nothing, and note nothing.

use super::batch::Context;
use super::decide::{Group, awaited};
use super::record::{first_solve, retrievals, said};
use super::standing::Standing;
use crate::db::Db;
use crate::db::instant::At;
use crate::revisions::FirstSolve;
use crate::revisions::imported::{self as schedules, Late, Retrieval};
use crate::revisions::spread::Spread;
use crate::solves::Said;
use crate::solves::imported as solves;
use chrono::SecondsFormat;
use diesel::QueryResult;
use std::collections::HashMap;

/// Brings to the solves what the rows know of them, each under its lock.
pub fn bring(
    db: &mut Db,
    context: &Context,
    import_id: i64,
    groups: &mut [Group<'_>],
    spread: &mut Spread,
) -> QueryResult<()> {
    note_verdicts(groups);
    let mut plans: HashMap<usize, Plan> = plans(db, context, Some(import_id), groups)?
        .into_iter()
        .map(|plan| (plan.group, plan))
        .collect();
    let mut by_solve: Vec<(usize, &mut Group<'_>)> = groups.iter_mut().enumerate().collect();
    // In one order everywhere, so that two who write to the same solves wait for each other at most
    // one way.
    by_solve.sort_by_key(|(_, group)| group.solve.as_ref().map(|solve| solve.id));
    for (number, group) in by_solve {
        let Some(solve_id) = group.solve.as_ref().map(|solve| solve.id) else { continue };
        if let Some(plan) = plans.remove(&number) {
            take_in(db, context, group, &plan, spread)?;
        }
        for said in say(group) {
            solves::say(db, solve_id, &said, context.now)?;
        }
    }
    Ok(())
}

/// Takes what the rows of a group know of its solve into the log of that.
fn take_in(
    db: &mut Db,
    context: &Context,
    group: &mut Group<'_>,
    plan: &Plan,
    spread: &mut Spread,
) -> QueryResult<()> {
    let Plan { solve_id, late, first_place, .. } = plan;
    let taken = schedules::take_in(db, &context.learner, *solve_id, late, spread, context.now)?;
    if let (true, Some(place)) = (taken.became_first, first_place) {
        let mut note = note_first(group);
        if taken.completed > 0 {
            let revisions = counted(taken.completed, "a revision", "revisions");
            note = format!("{note}; that one completed {revisions} ({} XP)", taken.xp);
        }
        group.note(*place, note);
    }
    plan.note_reviews(group, &taken.reviews);
    Ok(())
}

/// Notes what a dry run would bring to the solves that are there.
pub fn foretell(db: &mut Db, context: &Context, groups: &mut [Group<'_>]) -> QueryResult<()> {
    note_verdicts(groups);
    for plan in plans(db, context, None, groups)? {
        let Some(group) = groups.get_mut(plan.group) else { continue };
        if let Some(place) = plan.first_place {
            let note = note_first(group);
            group.note(place, note);
        }
        let all: Vec<At> = plan.late.reviews.iter().map(|review| review.at).collect();
        plan.note_reviews(group, &all);
    }
    for group in groups {
        drop(say(group));
    }
    Ok(())
}

/// What the rows of a group bring to the log of its solve.
struct Plan {
    group: usize,
    solve_id: i64,
    late: Late,
    /// The entry that may be the first solve.
    first_place: Option<usize>,
    /// The entry that each review is from.
    places: HashMap<At, usize>,
}

impl Plan {
    fn note_reviews(&self, group: &mut Group<'_>, taken: &[At]) {
        let mut counts = vec![0_usize; group.entries.len()];
        for place in taken.iter().filter_map(|at| self.places.get(at)) {
            if let Some(count) = counts.get_mut(*place) {
                *count += 1;
            }
        }
        for (place, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            let reviews = counted(count, "a review of it is", "reviews of it are");
            group.note(place, format!("{reviews} new"));
        }
    }
}

fn plans(
    db: &mut Db,
    context: &Context,
    import_id: Option<i64>,
    groups: &[Group<'_>],
) -> QueryResult<Vec<Plan>> {
    let mut plans: Vec<Plan> = groups
        .iter()
        .enumerate()
        .filter_map(|(at, group)| plan(context, import_id, at, group))
        .collect();
    let reviewed: Vec<i64> = plans
        .iter()
        .filter(|plan| !plan.late.reviews.is_empty())
        .map(|plan| plan.solve_id)
        .collect();
    if !reviewed.is_empty() {
        let known = schedules::reviewed_at(db, &reviewed)?;
        for Plan { solve_id, late, .. } in &mut plans {
            late.reviews.retain(|review| !known.contains(&(*solve_id, review.at)));
        }
        // The same file again opens no log.
        plans.retain(|Plan { late, .. }| late.first.is_some() || !late.reviews.is_empty());
    }
    Ok(plans)
}

fn plan(
    context: &Context,
    import_id: Option<i64>,
    number: usize,
    group: &Group<'_>,
) -> Option<Plan> {
    let solve = group.solve.as_ref()?;
    let difficulty = group.problem.as_ref().and_then(|problem| problem.difficulty);
    let (first_place, first): (Option<usize>, Option<FirstSolve>) = group
        .further_places()
        .filter(|(_, entry)| !entry.is_settled())
        .map(|(place, entry)| (place, first_solve(context, entry, difficulty, import_id)))
        .filter(|(_, first)| schedules::is_earlier(first, solve.first_solved_at, solve.first_day))
        .min_by_key(|(_, first)| first.at)
        .unzip();
    let begins = first.as_ref().map_or(solve.first_solved_at, |first| first.at);
    let mut reviews: Vec<(Retrieval, usize)> = group
        .further_places()
        .filter(|(_, entry)| !entry.is_deleted())
        .flat_map(|(place, entry)| {
            retrievals(context, entry).into_iter().map(move |review| (review, place))
        })
        .filter(|(review, _)| begins.is_none_or(|begins| review.at >= begins))
        .collect();
    if first.is_none() && reviews.is_empty() {
        return None;
    }
    reviews.sort_by_key(|(review, _)| review.at);
    reviews.dedup_by_key(|(review, _)| review.at);
    let places = reviews.iter().map(|(review, place)| (review.at, *place)).collect();
    let reviews = reviews.into_iter().map(|(review, _)| review).collect();
    Some(Plan {
        group: number,
        solve_id: solve.id,
        late: Late { first, reviews },
        first_place,
        places,
    })
}

/// Submissions that wait here for the verdict that a row brings.
fn note_verdicts(groups: &mut [Group<'_>]) {
    for (group, place) in awaited(groups) {
        if let Some(group) = groups.get_mut(group) {
            group.note(place, "its submission was pending, and is accepted now".to_owned());
        }
    }
}

fn note_first(group: &Group<'_>) -> String {
    let before = group.solve.as_ref().and_then(|solve| solve.first_solved_at);
    before.map_or_else(
        || "it is the first solve now, in place of one at a time that was not known".to_owned(),
        |at| {
            format!(
                "it is the first solve now, in place of the one of {}",
                at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
            )
        },
    )
}

fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { one.to_owned() } else { format!("{count} {more}") }
}

/// What of the rows' words the solve lacks, each word of the first row that has it: the earliest row
/// of the whole file, then the others as they stand there.
fn say(group: &mut Group<'_>) -> Vec<Said> {
    let Some(mut lacks) = group.solve.as_ref().map(|solve| solve.lacks) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut notes = Vec::new();
    for (place, entry) in group.further_places().filter(|(_, entry)| !entry.is_deleted()) {
        if lacks.is_nothing() {
            break;
        }
        let news = lacks.news(said(entry));
        let words = [
            news.title.as_ref().map(|_| "title"),
            news.difficulty.map(|_| "difficulty"),
            news.tags.as_ref().map(|_| "tags"),
        ];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        if words.is_empty() {
            continue;
        }
        notes.push((place, format!("kept with your solve: {}", words.join(", "))));
        lacks = lacks.less(&news);
        all.push(news);
    }
    for (place, note) in notes {
        group.note(place, note);
    }
    if let Standing::Opened { lacks: known, .. } = &mut group.standing {
        *known = lacks;
    }
    all
}
