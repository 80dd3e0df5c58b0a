//! Submissions of one problem, told in any order: what follows is the same.

use super::command::Command;
use super::properties::{cases, runner};
use super::world::World;
use crate::harness::{Backend, Database, invariants, on_both};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use traverse::revisions::rating::Rating;

/// Accepted submissions, by how many minutes ago they were, in some order, and in another.
type Told = Vec<(i64, Option<Rating>)>;

fn submissions() -> impl Strategy<Value = (Told, Told)> {
    let moments = prop_oneof![3 => 0..60 * 24 * 90_i64, 2 => 0..60 * 24 * 5_i64];
    let ratings = prop::option::of(prop::sample::select(Rating::ALL.to_vec()));
    prop::collection::vec((moments, ratings), 2..12)
        .prop_map(|told| told.into_iter().collect::<BTreeMap<_, _>>().into_iter().rev().collect())
        .prop_flat_map(|told: Told| (Just(told.clone()), Just(told).prop_shuffle()))
}

fn tell(database: &Database, told: &Told) -> Result<Value, TestCaseError> {
    let mut world = World::new(database);
    // Fuzz depends on the number of the solve, which is another one each time.
    world.run(&Command::Prefer(json!({"scheduler": "both", "fuzz": false})));
    for (minutes, rating) in told {
        world.solve(*minutes, *rating);
        let found = invariants::look(&mut world.db);
        prop_assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    }
    Ok(world.derived())
}

on_both! {
    fn the_order_of_arrival_does_not_matter(database: Database) {
        let usual = if database.backend == Backend::Sqlite { 120 } else { 20 };
        let config = Config { cases: cases(usual), failure_persistence: None, ..Config::default() };
        let result = runner(config).run(&submissions(), |(in_order, shuffled)| {
            let expected = tell(&database, &in_order)?;
            prop_assert_eq!(tell(&database, &shuffled)?, expected);
            Ok(())
        });
        if let Err(error) = result {
            panic!("{error}");
        }
    }
}
