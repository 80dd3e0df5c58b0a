use super::create_broadcast::broadcast;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::broadcasts::guards::{advance_broadcast, create_broadcast};
use traverse::broadcasts::{Batch, store, tell};
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::schema::notifications;

fn new(db: &mut Db, admin: User) -> i64 {
    create_broadcast(db, &broadcast(admin, None)).unwrap().unwrap().id
}

on_both! {
    fn one_runner_takes_a_step(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = new(&mut db, ada);
            let won =
                racers.race(|db, _| advance_broadcast(db, id, 0, 1000, rows::then()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn whom_a_step_passes_is_told_once(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        User::add(&mut db, "bob");
        let mut rounds = 0;
        race_rounds(&database, |racers, _| {
            let id = new(&mut db, ada);
            let seen = store::find(&mut db, id).unwrap().unwrap();
            let batch = Batch { broadcast: seen, to: 1_000_000, is_last: true };
            racers.race(|db, _| {
                let told: Work<bool> = write(db, |db| Ok(tell(db, &batch, rows::then())?));
                told.unwrap()
            });
            rounds += 1;
            let row = store::find(&mut db, id).unwrap().unwrap();
            assert!(row.told == 2 && row.finished_at.is_some(), "{row:?}");
        });
        let told: i64 = notifications::table.count().get_result(&mut db).unwrap();
        assert_eq!(told, 2 * rounds);
    }

    fn two_broadcasts_and_two_steps_stay_apart(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let (one, other) = (new(&mut db, ada), new(&mut db, ada));
        for (id, from, to, moves) in [
            (one, 0, 1000, true),
            (one, 0, 1000, false),
            (one, 0, 2000, false),
            (one, 1000, 2000, true),
            (other, 0, 1000, true),
        ] {
            let moved = advance_broadcast(&mut db, id, from, to, rows::then()).unwrap();
            assert_eq!(moved, moves, "{id} from {from} to {to}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let both = [new(&mut db, ada), new(&mut db, ada)];
        wins_only_after_a_rollback(&database, |db, pair| {
            advance_broadcast(db, both[pair], 0, 1000, rows::then()).unwrap()
        });
    }
}
