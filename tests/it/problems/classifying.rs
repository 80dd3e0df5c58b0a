//! The job that gives problems their topics: enqueued with them, by the tags at once, by an endpoint
//! where there is one; set once, whatever dies.

use super::completions::{Canned, Completions};
use crate::harness::faults;
use crate::harness::invariants::assert_hold;
use crate::harness::{Answer, Client, Server, Working, on_both, rows};
use actix_web::rt::System;
use chrono::TimeDelta;
use diesel::prelude::*;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use traverse::app::App;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::pool::Pool;
use traverse::jobs::Job;
use traverse::jobs::backend::Settings;
use traverse::jobs::model::State;
use traverse::jobs::registry::Registry;
use traverse::jobs::worker::Worker;
use traverse::problems::classify::batch::{ClassifyProblems, classify_problems};
use traverse::problems::classify::endpoint::{Address, Endpoint, NoAnswer, read};
use traverse::problems::classify::job::{ClassifyProblem, classify_problem};
use traverse::problems::topic::Topic;
use traverse::schema::{jobs, problems};

/// Makes a problem; its number.
fn make(client: &Client, slug: &str, words: &Value) -> i64 {
    let mut body = json!({"platform": "leetcode", "slug": slug});
    body.as_object_mut().unwrap().extend(words.as_object().unwrap().clone());
    client.post("/api/v1/problems", &body).expect(201).body["id"].as_i64().unwrap()
}

fn topic(client: &Client, id: i64) -> Value {
    client.get(&format!("/api/v1/problems/{id}")).expect(200).body["topic"].clone()
}

/// The jobs of the two kinds, in their order.
fn states(db: &mut Db) -> Vec<(String, State, i32)> {
    jobs::table
        .filter(jobs::kind.like("classify-problem%"))
        .order(jobs::id)
        .select((jobs::job_id, jobs::state, jobs::attempts))
        .load(db)
        .unwrap()
}

/// Waits until no job is due.
fn worked(db: &mut Db) {
    let began = Instant::now();
    while states(db).iter().any(|(_, state, attempts)| {
        *state == State::Running || *state == State::Pending && *attempts == 0
    }) {
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", states(db));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What failed has waited.
fn let_time_pass(db: &mut Db) {
    diesel::update(jobs::table.filter(jobs::state.eq(State::Pending)))
        .set(jobs::run_at.eq(rows::then()))
        .execute(db)
        .unwrap();
}

fn address(url: &str) -> Address {
    Address {
        url: url.parse().unwrap(),
        key: Some("sesame".to_owned()),
        model: "small".to_owned(),
        patience: Duration::from_millis(400),
        rest: Duration::ZERO,
    }
}

fn with_endpoint(app: &mut App, url: &str) {
    app.classifier = Some(Endpoint::new(address(url)).unwrap());
}

fn only_ours() -> Registry {
    Registry::default()
        .on::<ClassifyProblem, _, _>(classify_problem)
        .on::<ClassifyProblems, _, _>(classify_problems)
}

on_both! {
    fn a_new_problem_is_classified(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let known = make(&ada, "coin-change", &json!({}));
        let by_words = make(&ada, "trim-a-binary-search-tree", &json!({}));
        let unsure = make(&ada, "shopping-offers", &json!({"title": "Shopping Offers"}));
        let expected = [known, by_words, unsure].map(|id| format!("classify-problem-{id}"));
        let ids: Vec<String> = states(&mut db).into_iter().map(|(id, _, _)| id).collect();
        assert_eq!(ids, expected);
        assert_eq!(topic(&ada, known), Value::Null, "nobody works");
        let _working = Working::beside(&server);
        worked(&mut db);
        assert_eq!(topic(&ada, known), "dp");
        assert_eq!(topic(&ada, by_words), "trees");
        assert_eq!(topic(&ada, unsure), Value::Null, "none is better than a wrong one");
        assert!(states(&mut db).iter().all(|(_, state, _)| *state == State::Done));
    }

    fn tags_say_it_at_once(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let tagged = make(&ada, "shopping-offers", &json!({"tags": ["Array", "Backtracking"]}));
        assert_eq!(topic(&ada, tagged), "backtracking");
        assert!(states(&mut db).is_empty(), "nothing is to be found out");
        // Tags that mean nothing leave it to the job; those of a later submission say it.
        let vague = make(&ada, "kill-process", &json!({"tags": ["revisit"]}));
        assert_eq!(states(&mut db).len(), 1);
        let body = json!({"problem": {"platform": "leetcode", "slug": "kill-process",
                                      "tags": ["Tree", "Array"]},
                          "verdict": "accepted", "external_id": "1"});
        ada.post("/api/v1/submissions", &body).expect(201);
        assert_eq!(topic(&ada, vague), "trees");
        // What is stored stays, whatever later tags and the job say.
        let body = json!({"problem": {"platform": "leetcode", "slug": "kill-process",
                                      "tags": ["Graph"]},
                          "verdict": "accepted", "external_id": "2"});
        ada.post("/api/v1/submissions", &body).expect(201);
        let _working = Working::beside(&server);
        worked(&mut db);
        assert_eq!(topic(&ada, vague), "trees");
        assert_hold(&mut db);
    }

    fn a_topic_that_a_client_set_first_stays(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let id = make(&ada, "coin-change", &json!({}));
        ada.put(&format!("/api/v1/problems/{id}/topic"), &json!({"topic": "greedy"})).expect(200);
        let _working = Working::beside(&server);
        worked(&mut db);
        assert_eq!(topic(&ada, id), "greedy");
        let refused =
            ada.put(&format!("/api/v1/problems/{id}/topic"), &json!({"topic": "dp"})).expect(409);
        assert_eq!(refused.body["topic"], "greedy");
    }

    fn a_title_that_comes_later_is_looked_at(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let body = json!({"problem": {"platform": "codeforces", "slug": "1/B"},
                          "verdict": "accepted", "external_id": "1"});
        ada.post("/api/v1/submissions", &body).expect(201);
        let _working = Working::beside(&server);
        worked(&mut db);
        let id = problems::table.select(problems::id).first(&mut db).unwrap();
        assert_eq!(topic(&ada, id), Value::Null);
        let body = json!({"problem": {"platform": "codeforces", "slug": "1/B",
                                      "title": "Binary Tree"},
                          "verdict": "accepted", "external_id": "2"});
        ada.post("/api/v1/submissions", &body).expect(201);
        worked(&mut db);
        assert_eq!(topic(&ada, id), "trees");
        assert_eq!(states(&mut db).len(), 2);
    }

    fn problems_of_an_import_are_classified(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let row = |slug: &str, tags: &[&str]| {
            json!({"problem": {"platform": "leetcode", "slug": slug, "tags": tags},
                   "verdict": "accepted", "happened_at": "2024-01-01T10:00:00Z"})
        };
        let file = json!([row("coin-change", &[]), row("shopping-offers", &["Bitmask"]),
                          row("kill-process", &[]), row("invert-binary-tree", &[])]);
        let request = ada.request(Method::POST, "/api/v1/imports").json(&file);
        Answer::of(request).expect(201);
        // Tags say it of one.
        assert_eq!(batches(&mut db), [3]);
        // Again: nothing is new.
        Answer::of(ada.request(Method::POST, "/api/v1/imports").json(&file)).expect(201);
        assert_eq!(states(&mut db).len(), 1);
        let _working = Working::beside(&server);
        worked(&mut db);
        let mut topics: Vec<(String, Option<String>)> =
            problems::table.select((problems::slug, problems::topic)).load(&mut db).unwrap();
        topics.sort();
        let topics: Vec<_> = topics.iter().map(|(slug, t)| (&**slug, t.as_deref())).collect();
        assert_eq!(
            topics,
            [("coin-change", Some("dp")), ("invert-binary-tree", Some("trees")),
             ("kill-process", None), ("shopping-offers", Some("bit-manipulation"))]
        );
    }

    fn many_problems_have_few_jobs(server: Server) {
        let ada = server.register("ada");
        import(&ada, (0..450).map(|number| format!("p{number}")));
        let mut db = server.database.connect();
        assert_eq!(batches(&mut db), [200, 200, 50]);
    }

    fn an_endpoint_is_asked_about_each_of_many(server: Server) {
        let model = Completions::start(Canned::saying(r#"{"topic": "graphs"}"#));
        let server = server.with_app(|app| with_endpoint(app, &model.url));
        let ada = server.register("ada");
        import(&ada, ["coin-change", "a-binary-tree", "shopping-offers"].map(str::to_owned));
        let mut db = server.database.connect();
        let _working = Working::beside(&server);
        worked(&mut db);
        let topics: BTreeMap<String, Option<String>> = problems::table
            .select((problems::slug, problems::topic))
            .load(&mut db)
            .unwrap()
            .into_iter()
            .collect();
        let topics: Vec<_> = topics.iter().map(|(slug, t)| (&**slug, t.as_deref())).collect();
        let expected = [("a-binary-tree", "graphs"), ("coin-change", "dp"),
                        ("shopping-offers", "graphs")];
        assert_eq!(topics, expected.map(|(slug, topic)| (slug, Some(topic))));
        assert_eq!(model.asked().len(), 2, "the table says it of one");
        assert_eq!(states(&mut db).len(), 3);
    }

    fn an_endpoint_says_what_words_do_not(server: Server) {
        let model = Completions::start(Canned::saying(r#"{"topic": "graphs"}"#));
        let server = server.with_app(|app| with_endpoint(app, &model.url));
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let id = make(&ada, "shopping-offers", &json!({"title": "Shopping Offers"}));
        // Of what is in the table, and of what is somebody's own, it is not asked.
        let known = make(&ada, "coin-change", &json!({}));
        let own = json!({"platform": "custom", "slug": "my-binary-tree", "title": "Binary Tree"});
        let own = ada.post("/api/v1/problems", &own).expect(201).body["id"].as_i64().unwrap();
        let _working = Working::beside(&server);
        worked(&mut db);
        assert_eq!(topic(&ada, id), "graphs");
        assert_eq!(topic(&ada, known), "dp");
        assert_eq!(topic(&ada, own), "trees");
        let asked = model.asked();
        assert_eq!(asked.len(), 1);
        assert!(asked[0].head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
        assert!(asked[0].head.to_lowercase().contains("authorization: bearer sesame\r\n"));
        let body = &asked[0].body;
        assert_eq!(body["model"], "small");
        assert_eq!(body["temperature"], 0);
        assert_eq!(body["response_format"], json!({"type": "json_object"}));
        let messages = body["messages"].as_array().unwrap();
        assert!(messages[0]["content"].as_str().unwrap().contains("topological-sort"));
        let problem: Value =
            serde_json::from_str(messages[1]["content"].as_str().unwrap()).unwrap();
        let expected = json!({"platform": "leetcode", "slug": "shopping-offers",
                              "title": "Shopping Offers"});
        assert_eq!(problem, expected);
    }

    /// What is no answer is not asked again: what the words say counts, or nothing.
    fn rubbish_is_no_topic(server: Server) {
        let model = Completions::start(Canned::saying("I do not know."));
        let server = server.with_app(|app| with_endpoint(app, &model.url));
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let long = "x".repeat(100_000);
        let bad = [
            Canned::saying("I do not know."),
            Canned::saying(r#"{"topic": "quantum"}"#),
            Canned::saying(r#"{"topic": 7}"#),
            Canned::saying(r#"{"topic": null}"#),
            Canned::saying("} {"),
            Canned::text("200 OK", "<html>"),
            Canned::text("200 OK", r#"{"choices": []}"#),
            Canned::text("200 OK", &long),
            Canned::text("401 Unauthorized", r#"{"error": "no key"}"#),
            Canned::text("302 Found", ""),
        ];
        let _working = Working::beside(&server);
        for (number, canned) in bad.into_iter().enumerate() {
            model.say(canned.clone());
            let nothing = make(&ada, &format!("offers-{number}"), &json!({}));
            let tree = make(&ada, &format!("a-binary-tree-{number}"), &json!({}));
            worked(&mut db);
            assert_eq!(topic(&ada, nothing), Value::Null, "{canned:?}");
            assert_eq!(topic(&ada, tree), "trees", "{canned:?}");
        }
        assert!(states(&mut db).iter().all(|(_, state, n)| *state == State::Done && *n == 1));
        assert_eq!(model.asked().len(), 20);
    }

    /// One that is away is asked again, and in the end the words count.
    fn an_endpoint_that_is_away_is_asked_again(server: Server) {
        let slow = Canned { after: Duration::from_secs(2), ..Canned::saying(r#"{"topic": "dp"}"#) };
        let busy = Canned { headers: "retry-after: 0\r\n", ..Canned::text("429 Too Many", "") };
        let model = Completions::start(slow.clone());
        let server = server.with_app(|app| with_endpoint(app, &model.url));
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let id = make(&ada, "a-binary-tree", &json!({}));
        let _working = Working::with(server.app.clone(), only_ours());
        for (attempt, canned) in
            [slow, busy, Canned::text("500 Oh", ""), Canned::text("502 Bad", "")].into_iter().enumerate()
        {
            model.say(canned);
            let_time_pass(&mut db);
            let wanted = i32::try_from(attempt).unwrap() + 1;
            until(&mut db, |states| states[0].2 >= wanted && states[0].1 != State::Running);
            assert_eq!(topic(&ada, id), Value::Null);
        }
        let error: Option<String> = jobs::table
            .filter(jobs::kind.like("classify-problem%"))
            .select(jobs::last_error)
            .first(&mut db)
            .unwrap();
        assert_eq!(error.unwrap(), "the endpoint answers 502 Bad Gateway");
        let_time_pass(&mut db);
        until(&mut db, |states| states[0].1 == State::Done);
        assert_eq!(topic(&ada, id), "trees", "the words, at the last attempt");
        assert_eq!(model.asked().len(), 5);
    }

    /// Else five attempts would pass while the endpoint is away for some minutes.
    fn whoever_finds_the_endpoint_at_rest_waits_as_long_as_whoever_asked(server: Server) {
        let model = Completions::start(Canned::text("500 Oh", ""));
        let address = Address { rest: Duration::from_secs(30), ..address(&model.url) };
        let server = server.with_app(|app| app.classifier = Some(Endpoint::new(address).unwrap()));
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let _working = Working::with(server.app.clone(), only_ours());
        for (made, slug) in ["one", "other"].into_iter().enumerate() {
            make(&ada, slug, &json!({}));
            until(&mut db, |states| {
                states.len() == made + 1
                    && states.iter().all(|(_, state, tried)| *state == State::Pending && *tried == 1)
            });
        }
        assert_eq!(model.asked().len(), 1);
        let again: Vec<At> = jobs::table
            .filter(jobs::kind.like("classify-problem%"))
            .order(jobs::id)
            .select(jobs::run_at)
            .load(&mut db)
            .unwrap();
        assert!(*again[1] > *again[0] - TimeDelta::seconds(10), "{again:?}");
    }

    fn at_any_call_the_topic_is_set_once(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let mut struck = 0;
        for call in 1..=14 {
            let id = make(&ada, &format!("a-binary-tree-{call}"), &json!({}));
            let before = changes(&mut db, id);
            struck += usize::from(live(&server, &mut db, call));
            diesel::update(jobs::table.filter(jobs::state.eq(State::Running)))
                .set(jobs::lease_until.eq(rows::then()))
                .execute(&mut db)
                .unwrap();
            let_time_pass(&mut db);
            live(&server, &mut db, 0);
            assert_eq!(topic(&ada, id), "trees", "killed at call {call}");
            assert_eq!(changes(&mut db, id), before + 1, "killed at call {call}");
        }
        assert!(struck >= 8, "only {struck} kills struck");
    }

    fn at_any_call_the_topics_of_an_import_are_set_once(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let mut struck = 0;
        for call in 1..=14 {
            import(&ada, (0..3).map(|number| format!("a-binary-tree-{call}-{number}")));
            struck += usize::from(live(&server, &mut db, call));
            diesel::update(jobs::table.filter(jobs::state.eq(State::Running)))
                .set(jobs::lease_until.eq(rows::then()))
                .execute(&mut db)
                .unwrap();
            let_time_pass(&mut db);
            live(&server, &mut db, 0);
            let made: Vec<(Option<String>, i32)> = problems::table
                .filter(problems::slug.like(format!("a-binary-tree-{call}-%")))
                .select((problems::topic, problems::changes))
                .load(&mut db)
                .unwrap();
            assert_eq!(made, vec![(Some("trees".to_owned()), 1); 3], "killed at call {call}");
        }
        assert!(struck >= 8, "only {struck} kills struck");
    }

    /// A problem exists with its job, and not without it.
    fn a_problem_that_is_rolled_back_has_no_job(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let body = json!({"problem": {"platform": "leetcode", "slug": "two-sum"},
                          "verdict": "accepted"});
        // Without a key nothing is stored.
        ada.post("/api/v1/submissions", &body).expect(400);
        assert!(states(&mut db).is_empty());
    }
}

/// Imports solves of these problems.
fn import(client: &Client, slugs: impl IntoIterator<Item = String>) {
    let row = |slug| {
        json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted",
               "happened_at": "2024-01-01T10:00:00Z"})
    };
    let rows: Vec<Value> = slugs.into_iter().map(row).collect();
    client.post("/api/v1/imports", &json!(rows)).expect(201);
}

/// How many problems each job for many has.
fn batches(db: &mut Db) -> Vec<usize> {
    let payloads: Vec<String> = jobs::table
        .filter(jobs::kind.eq(ClassifyProblems::KIND))
        .order(jobs::id)
        .select(jobs::payload)
        .load(db)
        .unwrap();
    let size =
        |text: String| serde_json::from_str::<ClassifyProblems>(&text).unwrap().problem_ids.len();
    payloads.into_iter().map(size).collect()
}

fn changes(db: &mut Db, id: i64) -> i32 {
    problems::table.find(id).select(problems::changes).first(db).unwrap()
}

fn until(db: &mut Db, are: impl Fn(&[(String, State, i32)]) -> bool) {
    let began = Instant::now();
    while !are(&states(db)) {
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", states(db));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// As [`faults::live`], with our worker.
fn live(server: &Server, db: &mut Db, call: i64) -> bool {
    let start = |pool: Pool| {
        let app = App { pool: pool.clone(), ..server.app.clone() };
        let settings = Settings {
            slots: 2,
            poll: Duration::from_millis(50),
            sweep: Duration::from_millis(200),
        };
        Worker::start(pool, settings, only_ours(), &[], app.jobs.clone(), app)
    };
    let is_done = || states(db).iter().all(|(_, state, _)| *state == State::Done);
    faults::live(&server.database, call, start, is_done)
}

fn topic_in(content: &str) -> Result<Option<&'static str>, NoAnswer> {
    let body = json!({"choices": [{"message": {"content": content}}]}).to_string();
    read(body.as_bytes()).map(|topic| topic.map(Topic::as_str))
}

#[test]
fn an_answer_may_stand_in_a_sentence() {
    assert_eq!(topic_in(r#"{"topic":"dp"}"#), Ok(Some("dp")));
    assert_eq!(
        topic_in("Sure!\n```json\n{\"topic\": \"two-pointers\"}\n```"),
        Ok(Some("two-pointers"))
    );
    assert_eq!(topic_in(r#"{"topic": null, "why": "no idea"}"#), Ok(None));
    for useless in ["dp", r#"{"topic": "DP"}"#, r#"["dp"]"#, "", r#"{"topic": ["dp"]}"#] {
        assert!(matches!(topic_in(useless), Err(NoAnswer::Useless(_))), "{useless}");
    }
}

#[test]
fn an_endpoint_that_failed_is_left_alone_for_a_while() {
    let model = Completions::start(Canned::text("500 Oh", ""));
    let address = Address { rest: Duration::from_mins(1), ..address(&model.url) };
    assert!(!format!("{address:?}").contains("sesame"));
    let endpoint = Endpoint::new(address).unwrap();
    let subject = traverse::problems::classify::Subject {
        platform: traverse::problems::identity::Platform::Leetcode,
        slug: "x".to_owned(),
        title: None,
    };
    System::new().block_on(async {
        let asked = endpoint.ask(&subject).await;
        assert!(matches!(asked, Err(NoAnswer::Later { .. })), "{asked:?}");
        for _ in 0..2 {
            let asked = endpoint.ask(&subject).await;
            assert!(matches!(asked, Err(NoAnswer::Rests(_))), "{asked:?}");
        }
    });
    assert_eq!(model.asked().len(), 1);
    // Nobody there at all.
    let nobody = Endpoint::new(self::address("http://127.0.0.1:9")).unwrap();
    let asked = System::new().block_on(nobody.ask(&subject));
    let why = "the endpoint cannot be reached".to_owned();
    assert_eq!(asked, Err(NoAnswer::Later { wait: None, why }));
}
