use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::Days;
use traverse::db::Db;
use traverse::pauses::guards::shorten_pause;
use traverse::pauses::model::{Pause, Span};
use traverse::pauses::store;

/// A pause of ten days, so many days from the first.
pub fn pause(db: &mut Db, user: User, from: usize) -> Pause {
    let from = rows::day() + Days::new(u64::try_from(from).unwrap());
    let span = Span::new(from, from + Days::new(9), from).unwrap();
    store::add(db, user.id, span, rows::then()).unwrap()
}

on_both! {
    fn one_caller_shortens(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let pause = pause(&mut db, ada, round);
            let today = pause.from + Days::new(3);
            let won = racers.race(|db, _| shorten_pause(db, ada.id, pause.id, today).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            let left = store::get(&mut db, ada.id, pause.id).unwrap().unwrap();
            assert_eq!(left.until, pause.from + Days::new(2));
        });
    }

    fn others_and_what_is_over_stay(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let [one, other] = [ada, ada].map(|user| pause(&mut db, user, 0));
        let today = one.from + Days::new(3);
        assert!(!shorten_pause(&mut db, bob.id, one.id, today).unwrap());
        assert!(!shorten_pause(&mut db, ada.id, one.id, one.until + Days::new(1)).unwrap());
        assert!(shorten_pause(&mut db, ada.id, one.id, today).unwrap());
        assert!(!shorten_pause(&mut db, ada.id, one.id, today).unwrap());
        let unchanged = store::get(&mut db, ada.id, other.id).unwrap().unwrap();
        assert_eq!(unchanged, other);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let pauses = [0, 1].map(|from| pause(&mut db, ada, from));
        wins_only_after_a_rollback(&database, |db, pair| {
            let pause = pauses[pair];
            shorten_pause(db, ada.id, pause.id, pause.from + Days::new(3)).unwrap()
        });
    }
}
