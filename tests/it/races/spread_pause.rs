//! The row of a pause: one after the other spreads what fell due in it, until all is spread.

use super::shorten_pause::pause;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::Days;
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::pauses;
use traverse::pauses::guards::spread_pause;
use traverse::pauses::model::Pause;
use traverse::schema::pauses as rows_of_pauses;

/// Spreads all at once, as whoever has taken a pause over does.
fn spread(db: &mut Db, user: User, pause: &Pause) -> bool {
    let done: Work<bool> = write(db, |db| {
        let is_mine = spread_pause(db, user.id, pause.id, pause.until + Days::new(1))?;
        if is_mine {
            pauses::spread(db, pause.id, rows::then())?;
        }
        Ok(is_mine)
    });
    done.unwrap()
}

on_both! {
    fn one_caller_spreads(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let pause = pause(&mut db, ada, round);
            let won = racers.race(|db, _| spread(db, ada, &pause));
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            let passes = rows_of_pauses::table.find(pause.id).select(rows_of_pauses::passes);
            assert_eq!(passes.first(&mut db), Ok(1), "round {round}");
        });
    }

    fn others_and_what_is_not_over_stay(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let [one, other] = [ada, ada].map(|user| pause(&mut db, user, 0));
        let over = one.until + Days::new(1);
        assert!(!spread_pause(&mut db, bob.id, one.id, over).unwrap());
        assert!(!spread_pause(&mut db, ada.id, one.id, one.until).unwrap());
        // Some of it, and the rest.
        assert!(spread_pause(&mut db, ada.id, one.id, over).unwrap());
        assert!(spread(&mut db, ada, &one));
        assert!(!spread_pause(&mut db, ada.id, one.id, over).unwrap());
        assert!(spread_pause(&mut db, ada.id, other.id, over).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let pauses = [0, 1].map(|from| pause(&mut db, ada, from));
        wins_only_after_a_rollback(&database, |db, pair| {
            let pause = &pauses[pair];
            let is_mine =
                spread_pause(db, ada.id, pause.id, pause.until + Days::new(1)).unwrap();
            if is_mine {
                pauses::spread(db, pause.id, rows::then()).unwrap();
            }
            is_mine
        });
    }
}
