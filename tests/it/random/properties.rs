use super::command::{Command, commands};
use super::world::World;
use crate::harness::{Backend, Database, invariants};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// How many times the usual number of cases are tried: `TRAVERSE_SOAK` says more.
fn cases(usual: u32) -> u32 {
    let times = std::env::var("TRAVERSE_SOAK").ok().and_then(|text| text.parse().ok());
    usual * times.unwrap_or(1)
}

fn hold(backend: Backend, usual: u32, length: usize) {
    let config = Config {
        cases: cases(usual),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..Config::default()
    };
    let database = Database::fresh(backend);
    let result = TestRunner::new(config).run(
        &prop::collection::vec(commands(), 1..length),
        |sequence: Vec<Command>| {
            let mut world = World::new(&database);
            for command in &sequence {
                world.run(command);
                let found = invariants::look(&mut world.db);
                prop_assert!(found.wrong.is_empty(), "{command:?}: {}", found.wrong.join("\n"));
            }
            Ok(())
        },
    );
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn everything_holds_after_each_command_on_sqlite() {
    hold(Backend::Sqlite, 200, 60);
}

#[test]
fn everything_holds_after_each_command_on_postgres() {
    hold(Backend::Postgres, 15, 40);
}
