//! What one person may have is counted under the lock of their account: the last place is taken once.

use crate::harness::faults::Kill;
use crate::harness::overlap::{Ending, overlap};
use crate::harness::people::{add_request, add_users, friends, pair, person};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::tx::{Stopped, write};
use traverse::schema::{friend_requests, groups as rows_of_groups, users};
use traverse::social::guards::{hold_people, part, raise_block};
use traverse::social::model::Status;
use traverse::social::requests::{self, Asked, Refusal};
use traverse::social::{FRIENDS, GROUPS, OPEN_REQUESTS, groups, in_order, store};

/// More than there are callers.
const CROWD: i64 = 64;

/// So many accounts, and the crowd: those behind them.
fn others(db: &mut Db, count: i64) -> (Vec<User>, Vec<User>) {
    add_users(db, usize::try_from(count + CROWD).unwrap());
    let ids: Vec<i64> = users::table
        .filter(users::handle.like("user-%"))
        .order(users::id)
        .select(users::id)
        .load(db)
        .unwrap();
    let mut known: Vec<User> = ids.iter().map(|id| User { id: *id, settings_id: 0 }).collect();
    let crowd = known.split_off(usize::try_from(count).unwrap());
    (known, crowd)
}

fn handle(db: &mut Db, user: User) -> String {
    users::table.find(user.id).select(users::handle).first(db).unwrap()
}

on_both! {
    fn the_last_request_is_opened_once(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let (known, crowd) = others(&mut db, OPEN_REQUESTS - 1);
        for user in known {
            add_request(&mut db, (ada, user));
        }
        let handles: Vec<String> = crowd.iter().map(|user| handle(&mut db, *user)).collect();
        race_rounds(&database, |racers, round| {
            let asked = racers.race(|db, caller| {
                let me = person(ada, "ada");
                let day = rows::day();
                write(db, |db| requests::ask(db, &me, &handles[caller], day, rows::then()))
            });
            let mut opened = Vec::new();
            for asked in asked {
                match asked {
                    Ok(Asked::New(request)) => opened.push(request.id),
                    Err(Stopped::Because(Refusal::TooManyRequests)) => {}
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(opened.len(), 1, "round {round}");
            assert_eq!(store::count_open(&mut db, ada.id).unwrap(), OPEN_REQUESTS);
            diesel::delete(friend_requests::table.find(opened[0])).execute(&mut db).unwrap();
        });
    }

    fn the_last_friend_is_made_once(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let (known, crowd) = others(&mut db, FRIENDS - 1);
        for user in known {
            friends(&mut db, (ada, user));
        }
        let mut open: Vec<i64> =
            crowd.iter().map(|user| add_request(&mut db, (*user, ada))).collect();
        race_rounds(&database, |racers, round| {
            let accepted = racers.race(|db, caller| {
                let me = person(ada, "ada");
                let (id, day) = (open[caller], rows::day());
                let accepted =
                    write(db, |db| requests::accept(db, &me, id, day, rows::then()));
                match accepted {
                    Ok(_) => true,
                    Err(Stopped::Because(Refusal::TooManyFriends)) => false,
                    other => panic!("{other:?}"),
                }
            });
            let won: Vec<usize> = (0..accepted.len()).filter(|caller| accepted[*caller]).collect();
            assert_eq!(won.len(), 1, "round {round}");
            assert_eq!(store::count_friends(&mut db, ada.id).unwrap(), FRIENDS);
            let winner = crowd[won[0]];
            let row = store::pair(&mut db, in_order(ada.id, winner.id)).unwrap().unwrap();
            assert!(part(&mut db, row.id, rows::then()).unwrap());
            open[won[0]] = add_request(&mut db, (winner, ada));
        });
    }

    fn the_last_group_is_made_once(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let create = |db: &mut Db| {
            write(db, |db| groups::create(db, ada.id, "group", None, rows::then())).is_ok()
        };
        for _ in 1..GROUPS {
            assert!(create(&mut db));
        }
        race_rounds(&database, |racers, round| {
            let made = racers.race(|db, _| create(db));
            assert_eq!(made.iter().filter(|made| **made).count(), 1, "round {round}");
            let newest = rows_of_groups::table.select(diesel::dsl::max(rows_of_groups::id));
            let newest: Option<i64> = newest.first(&mut db).unwrap();
            diesel::delete(rows_of_groups::table.find(newest.unwrap())).execute(&mut db).unwrap();
        });
    }

    fn each_account_is_held_once(database: Database) {
        let mut db = database.connect();
        let [ada, bob, _] = ["ada", "bob", "eve"].map(|name| User::add(&mut db, name));
        assert_eq!(hold_people(&mut db, &[bob.id, ada.id, bob.id, 12345]).unwrap(), 2);
    }

    fn whoever_comes_second_waits(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        for ending in [Ending::Rollback, Ending::Commit] {
            let got = overlap(&database, ending, |db| hold_people(db, &[ada.id]).unwrap());
            assert_eq!(got, (1, 1), "{ending:?}");
        }
    }

    /// What blocked people ask takes as many calls of the database as what anybody asks, so that they
    /// do not notice it by the time.
    fn a_hidden_request_costs_what_another_does(database: Database) {
        let kill = Kill::watch(&database);
        let mut db = database.connect();
        let [ada, bob, eve] = ["ada", "bob", "eve"].map(|name| User::add(&mut db, name));
        pair(&mut db, (ada, bob));
        let with_eve = pair(&mut db, (ada, eve));
        assert!(raise_block(&mut db, with_eve, eve.id, rows::then()).unwrap());
        let me = person(ada, "ada");
        let calls = ["bob", "eve"].map(|handle| {
            kill.arm(1000);
            let asked =
                write(&mut db, |db| requests::ask(db, &me, handle, rows::day(), rows::then()));
            assert!(matches!(asked, Ok(Asked::New(request)) if request.status == Status::Pending));
            1000 - kill.left()
        });
        assert!(calls[0] > 5, "{calls:?}");
        // The end of what is kept is counted twice: as a statement, and as a commit.
        assert_eq!(calls[0], calls[1] + 1);
        kill.disarm(&database);
    }
}
