use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::{add_request, couples, pair, person};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::tx::{Stopped, write};
use traverse::social::guards::close_request;
use traverse::social::model::Status;
use traverse::social::requests::{Refusal, ask, cancel};
use traverse::social::store;

const ENDS: [Status; 3] = [Status::Accepted, Status::Declined, Status::Cancelled];

on_both! {
    fn one_end_wins(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let request = add_request(&mut db, couples[round]);
            let won = racers.race(|db, caller| {
                let end = ENDS[caller % 3];
                close_request(db, request, end, rows::then()).unwrap().then_some(end)
            });
            let won: Vec<Status> = won.into_iter().flatten().collect();
            let stored = store::request(&mut db, request).unwrap().unwrap().status;
            assert_eq!(won, [stored], "round {round}");
        });
    }

    /// One of the callers takes the request back, the others ask back: they are friends by it, or ask
    /// anew, and nobody is refused.
    fn who_asks_back_is_not_refused(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let handle = |id: i64| format!("user{}", id - couples[0].0.id);
        race_rounds(&database, |racers, round| {
            let (ada, bob) = couples[round];
            pair(&mut db, (ada, bob));
            let request = add_request(&mut db, (bob, ada));
            racers.race(|db, caller| {
                if caller == 0 {
                    let cancelled = write(db, |db| cancel(db, bob.id, request, rows::then()));
                    assert!(
                        matches!(
                            cancelled,
                            Ok(_) | Err(Stopped::Because(Refusal::Closed(Status::Accepted)))
                        ),
                        "{cancelled:?}"
                    );
                    return;
                }
                let name = handle(ada.id);
                let ada = person(ada, &name);
                write(db, |db| ask(db, &ada, &handle(bob.id), rows::day(), rows::then())).unwrap();
            });
        });
    }

    fn two_requests_stay_apart_and_an_end_stays(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let (one, other) = (add_request(&mut db, couples[0]), add_request(&mut db, couples[1]));
        for (end, wins) in [(Status::Declined, true), (Status::Declined, false), (ENDS[0], false)] {
            assert_eq!(close_request(&mut db, one, end, rows::then()).unwrap(), wins, "{end:?}");
        }
        let status = |request: i64, db: &mut _| store::request(db, request).unwrap().unwrap().status;
        assert_eq!(status(one, &mut db), Status::Declined);
        assert_eq!(status(other, &mut db), Status::Pending);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let requests = [0, 1].map(|number| add_request(&mut db, couples[number]));
        wins_only_after_a_rollback(&database, |db, pair| {
            close_request(db, requests[pair], Status::Accepted, rows::then()).unwrap()
        });
    }
}
