use super::command::{Command, commands};
use super::world::World;
use crate::harness::{Backend, Database, invariants, on_both};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

/// How many times the usual number of cases are tried: `TRAVERSE_SOAK` says more.
pub fn cases(usual: u32) -> u32 {
    let times = std::env::var("TRAVERSE_SOAK").ok().and_then(|text| text.parse().ok());
    usual * times.unwrap_or(1)
}

/// The same sequences each time, so that a run can be repeated; other ones in a soak.
pub fn runner(config: Config) -> TestRunner {
    if cases(1) > 1 {
        return TestRunner::new(config);
    }
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn hold(database: &Database, usual: u32, length: usize, least: (usize, usize)) {
    let config = Config {
        cases: cases(usual),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..Config::default()
    };
    let (revisions, reviews) = (Cell::new(0), Cell::new(0));
    let result = runner(config).run(
        &prop::collection::vec(commands(), 1..length),
        |sequence: Vec<Command>| {
            let mut world = World::new(database);
            for command in &sequence {
                world.run(command);
                let found = invariants::look(&mut world.db);
                prop_assert!(found.wrong.is_empty(), "{command:?}: {}", found.wrong.join("\n"));
                revisions.set(revisions.get() + found.revisions);
                reviews.set(reviews.get() + found.reviews);
            }
            Ok(())
        },
    );
    if let Err(error) = result {
        panic!("{error}");
    }
    let looked_at = (revisions.get(), reviews.get());
    assert!(looked_at.0 > least.0 && looked_at.1 > least.1, "too little was done: {looked_at:?}");
}

on_both! {
    fn everything_holds_after_each_command(database: Database) {
        match database.backend {
            Backend::Sqlite => hold(&database, 100, 60, (1000, 200)),
            Backend::Postgres => hold(&database, 15, 40, (100, 20)),
        }
    }
}
