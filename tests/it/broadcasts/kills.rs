//! A worker that dies at any call of the database, or in the middle of a large audience.

use super::{expire, live, told};
use crate::harness::people::add_users;
use crate::harness::{Client, Server, on_both};
use diesel::prelude::*;
use serde_json::json;
use traverse::db::Db;
use traverse::jobs::model::State;
use traverse::schema::jobs;

/// Accounts of three steps.
const USERS: usize = 2500;

/// More calls than a worker makes for one broadcast.
const CALLS: i64 = 48;

/// Accounts of the large audience: `TRAVERSE_AUDIENCE` says more.
fn audience() -> usize {
    std::env::var("TRAVERSE_AUDIENCE").ok().and_then(|text| text.parse().ok()).unwrap_or(12_000)
}

fn broadcast(admin: &Client) -> i64 {
    let body = json!({"title": "Down on Sunday", "body": "For an hour", "audience": "all"});
    let made = admin.post("/api/v1/admin/broadcasts", &body).expect(201).body;
    made["id"].as_i64().unwrap()
}

/// All were told, and the broadcast knows.
#[track_caller]
fn assert_told(admin: &Client, db: &mut Db, id: i64, count: usize) {
    let count = i64::try_from(count).unwrap();
    assert_eq!(told(db, id), count);
    let found = admin.get(&format!("/api/v1/admin/broadcasts/{id}")).expect(200).body;
    assert_eq!(
        (&found["status"], &found["progress"]["told"]),
        (&json!("completed"), &json!(count))
    );
    assert_eq!(found["progress"]["cursor_user_id"], found["progress"]["last_user_id"]);
}

on_both! {
    fn at_any_call_all_are_told_once(server: Server) {
        let admin = server.register("ada");
        let mut db = server.database.connect();
        add_users(&mut db, USERS);
        let mut struck = 0;
        for call in 1..=CALLS {
            let id = broadcast(&admin);
            struck += usize::from(live(&server, &mut db, call));
            expire(&mut db);
            live(&server, &mut db, 0);
            assert_told(&admin, &mut db, id, USERS + 1);
        }
        assert!(struck >= 25, "only {struck} of {CALLS} kills struck");
    }

    fn ten_kills_over_a_large_audience(server: Server) {
        let admin = server.register("ada");
        let mut db = server.database.connect();
        let count = audience();
        add_users(&mut db, count);
        let id = broadcast(&admin);
        // What a step takes differs: each life is to come a twelfth of the way, and the next one is
        // killed later, or earlier.
        let part = i64::try_from(count).unwrap() / 12;
        let (mut call, mut struck, mut in_flight) = (15, 0, 0);
        for kill in 0..10 {
            let before = told(&mut db, id);
            struck += usize::from(live(&server, &mut db, call + kill % 3));
            let so_far = told(&mut db, id);
            in_flight += usize::from(so_far > 0 && so_far <= i64::try_from(count).unwrap());
            let steps = (part - (so_far - before)) / 1000;
            call = (call + 12 * steps).max(10);
            if so_far == before {
                call += 5;
            }
            expire(&mut db);
        }
        live(&server, &mut db, 0);
        assert_told(&admin, &mut db, id, count + 1);
        println!("{struck} kills, {in_flight} of them amid {count} accounts: each was told once");
        assert!(struck >= 8 && in_flight >= 5, "{struck} struck, {in_flight} of them in the walk");
    }

    fn run_twice_it_tells_once(server: Server) {
        let admin = server.register("ada");
        let mut db = server.database.connect();
        add_users(&mut db, USERS);
        let id = broadcast(&admin);
        for _ in 0..2 {
            live(&server, &mut db, 0);
            assert_told(&admin, &mut db, id, USERS + 1);
            let again = (
                jobs::state.eq(State::Pending),
                jobs::attempts.eq(0),
                jobs::finished_at.eq(None::<traverse::db::instant::At>),
            );
            assert_eq!(diesel::update(jobs::table).set(again).execute(&mut db).unwrap(), 1);
        }
    }

    fn whose_admin_is_gone_ends(server: Server) {
        server.register("ada");
        let mut db = server.database.connect();
        let bob = server.register("bob");
        let bob_id = bob.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        traverse::auth::make_admin(&mut db, bob_id, server.app.clock.now()).unwrap();
        let id = broadcast(&server.log_in("bob"));
        let proven = traverse::auth::by_address(&mut db, "bob@example.org").unwrap().unwrap();
        assert!(traverse::auth::delete(&mut db, &proven).unwrap());
        live(&server, &mut db, 0);
        assert_eq!(told(&mut db, id), 0);
        let states: Vec<State> = jobs::table.select(jobs::state).load(&mut db).unwrap();
        assert_eq!(states, [State::Done]);
    }
}
