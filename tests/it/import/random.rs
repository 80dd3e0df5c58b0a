//! Files and histories that nobody would think of: what a dry run tells is what happens, the same
//! file again changes nothing, and what is true of every database stays true.

use super::dump::{assert_unchanged, dump};
use super::upload::{all, counts, send};
use crate::harness::invariants::assert_hold;
use crate::harness::{Backend, Client, Server};
use chrono::TimeDelta;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

/// How many histories each database sees.
const CASES: u8 = 16;

/// Something that the user does before or between imports.
#[derive(Clone, Debug)]
enum Act {
    Submit(Row),
    DeleteSubmission(usize),
    DeleteSolve(usize),
    Wait,
    Import(Vec<Row>),
}

/// A submission, live or in a file.
#[derive(Clone, Debug)]
struct Row {
    problem: usize,
    /// Hours after the first of June; nothing where it is not known.
    hour: Option<i64>,
    number: Option<usize>,
    verdict: &'static str,
    reviews: Vec<(i64, &'static str)>,
}

/// The last two have one title.
const TITLES: [&str; 5] = ["One", "Two", "Three", "Four", "Four"];

impl Row {
    fn json(&self) -> Value {
        let at = |hour: i64| {
            let june = "2026-06-01T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
            json!(june + TimeDelta::hours(hour))
        };
        let mut row = json!({
            "problem": {"platform": "leetcode", "slug": format!("p-{}", self.problem),
                        "title": TITLES[self.problem]},
            "verdict": self.verdict,
        });
        if let Some(hour) = self.hour {
            row["happened_at"] = at(hour);
        }
        if let Some(number) = self.number {
            row["external_id"] = json!(format!("{}-{number}", self.problem));
        }
        if !self.reviews.is_empty() {
            let review =
                |(hour, rating): &(i64, &str)| json!({"happened_at": at(*hour), "rating": rating});
            row["reviews"] = self.reviews.iter().map(review).collect();
        }
        row
    }
}

fn row() -> impl Strategy<Value = Row> {
    let reviews = prop_oneof![
        4 => Just(Vec::new()),
        1 => prop::collection::vec((0_i64..1500, prop::sample::select(vec!["again", "good"])), 1..4),
    ];
    (
        0_usize..5,
        prop::option::weighted(0.85, 0_i64..1500),
        prop::option::weighted(0.6, 0_usize..3),
        prop::sample::select(vec!["accepted", "accepted", "accepted", "pending", "wrong_answer"]),
        reviews,
    )
        .prop_map(|(problem, hour, number, verdict, reviews)| Row {
            problem,
            hour,
            number,
            verdict,
            reviews,
        })
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => row().prop_map(Act::Submit),
        1 => (0_usize..9).prop_map(Act::DeleteSubmission),
        1 => (0_usize..9).prop_map(Act::DeleteSolve),
        1 => Just(Act::Wait),
        4 => prop::collection::vec(row(), 1..9).prop_map(Act::Import),
    ]
}

fn perform(server: &Server, user: &Client, act: &Act, place: usize) {
    match act {
        Act::Submit(row) => {
            let mut body = row.json();
            body.as_object_mut().unwrap().remove("reviews");
            let key = format!("k{place}");
            let answer = user.post_with_key("/api/v1/submissions", &key, &body);
            assert!(matches!(answer.status, 200 | 201 | 410), "{answer:?}");
        }
        Act::DeleteSubmission(n) => delete(user, "/api/v1/submissions", *n),
        Act::DeleteSolve(n) => delete(user, "/api/v1/solves", *n),
        Act::Wait => server.advance(TimeDelta::days(2)),
        Act::Import(rows) => import(server, user, rows),
    }
}

fn delete(user: &Client, list: &str, n: usize) {
    let items = all(user, list);
    if let Some(item) = items.get(n) {
        user.delete(&format!("{list}/{}", item["id"])).expect(204);
    }
}

fn import(server: &Server, user: &Client, rows: &[Row]) {
    let file = json!(rows.iter().map(Row::json).collect::<Vec<_>>()).to_string();
    let send = |query| send(user, query, "application/json", file.as_bytes());
    let dry = send("?dry_run=true").expect(200).body;
    let report = send("").expect(201).body;
    assert_eq!(counts(&dry), counts(&report), "{file}");
    assert_eq!(counts(&report)[0], i64::try_from(rows.len()).unwrap());
    let mut db = server.database.connect();
    let before = dump(&mut db);
    let again = send("").expect(201).body;
    assert_eq!(again["imported"], 0, "{file}");
    assert_unchanged(&before, &dump(&mut db));
    let submissions = all(user, "/api/v1/submissions");
    for solve in all(user, "/api/v1/solves") {
        let earlier = submissions.iter().find(|row| {
            row["solve_id"] == solve["id"]
                && row["happened_at"].as_str() < solve["first_solved_at"].as_str()
                && row["happened_at"].is_string()
        });
        assert!(earlier.is_none(), "{solve}\nis later than\n{earlier:?}\n{file}");
    }
}

fn histories(backend: Backend) {
    for seed in 0..CASES {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let acts = prop::collection::vec(act(), 3..9).new_tree(&mut runner).unwrap().current();
        let server = Server::fresh(backend);
        let user = server.register("ada");
        if seed % 2 == 1 {
            let both = json!({"scheduler": "both", "daily_cap": 2});
            user.patch("/api/v1/me", &both).expect(200);
        }
        for (place, act) in acts.iter().enumerate() {
            println!("{backend:?} {seed}: {act:?}");
            perform(&server, &user, act, place);
            assert_hold(&mut server.database.connect());
        }
    }
}

mod what_is_true_stays_true {
    use super::{Backend, histories};

    #[test]
    fn sqlite() {
        histories(Backend::Sqlite);
    }

    #[test]
    fn postgres() {
        histories(Backend::Postgres);
    }
}
