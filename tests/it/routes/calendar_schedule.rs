//! Whatever a user does to their schedule over the API, their calendar follows.

use crate::calendar::lint::{Read, lint};
use crate::harness::{Answer, Backend, Client, Server, on_both};
use chrono::TimeDelta;
use diesel::connection::SimpleConnection;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use traverse::problems::TopicOutcome;
use traverse::problems::topic::Topic;

/// A calendar program that keeps what it was given and asks for what is new.
struct Program<'a> {
    server: &'a Server,
    path: String,
    etag: String,
    bytes: Vec<u8>,
}

impl<'a> Program<'a> {
    fn subscribed(server: &'a Server, owner: &Client) -> Self {
        let url = owner.get("/api/v1/calendar").expect(200).body["url"].clone();
        let path = url.as_str().unwrap().strip_prefix(&server.url).unwrap().to_owned();
        let first = server.anonymous().get(&path).expect(200);
        let etag = first.header("etag").unwrap().to_owned();
        Self { server, path, etag, bytes: first.bytes }
    }

    fn events(&self) -> BTreeMap<String, Read> {
        let report = lint(&self.bytes);
        assert_eq!(report.faults, []);
        report.events.into_iter().map(|event| (event.uid.clone(), event)).collect()
    }

    /// Asks for what is new, and checks it against a whole fetch. An event that reads otherwise has
    /// a higher sequence. The answer tells whether anything was new.
    fn refreshed(&mut self, after: &str) -> bool {
        let before = self.events();
        let request = self.server.anonymous().request(Method::GET, &self.path);
        let answer = Answer::of(request.header("If-None-Match", &self.etag));
        let whole = self.server.anonymous().get(&self.path).expect(200);
        if answer.status == 304 {
            assert_eq!(self.bytes, whole.bytes, "after {after}: told that nothing is new");
            return false;
        }
        let answer = answer.expect(200);
        assert_eq!(answer.bytes, whole.bytes, "after {after}");
        answer.header("etag").unwrap().clone_into(&mut self.etag);
        let is_new = self.bytes != answer.bytes;
        self.bytes = answer.bytes;
        for (uid, event) in self.events() {
            let Some(old) = before.get(&uid) else { continue };
            let versions = [old, &event].map(|event| event.sequence.parse::<u32>().unwrap());
            if *old != event {
                assert!(versions[1] > versions[0], "after {after}: {old:?} {event:?}");
            }
        }
        is_new
    }

    fn titles(&self) -> Vec<String> {
        let mut titles: Vec<_> = self.events().into_values().map(|event| event.summary).collect();
        titles.sort();
        titles
    }
}

fn solve(client: &Client, key: &str, problem: &Value) -> Value {
    let body = json!({"problem": problem, "verdict": "accepted"});
    client.post_with_key("/api/v1/submissions", key, &body).expect(201).body
}

fn leetcode(slug: &str) -> Value {
    json!({"platform": "leetcode", "slug": slug})
}

on_both! {
    fn the_calendar_follows_the_schedule(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
        let mut program = Program::subscribed(&server, &ada);
        assert!(!program.refreshed("nothing"));

        let solved = solve(&ada, "1", &leetcode("two-sum"));
        assert!(program.refreshed("a first solve"));
        assert_eq!(program.titles(), ["two-sum (LeetCode)", "two-sum (LeetCode)"]);
        let (solve_id, problem_id) =
            (solved["solve"]["id"].to_string(), solved["problem"]["id"].to_string());
        let revision = |number: usize| {
            let path = format!("/api/v1/solves/{solve_id}");
            let body = ada.get(&path).expect(200).body;
            let pending: Vec<String> = body["revisions"].as_array().unwrap().iter()
                .filter(|revision| revision["state"] == "pending")
                .map(|revision| revision["id"].to_string())
                .collect();
            format!("/api/v1/revisions/{}", pending[number])
        };

        server.advance(TimeDelta::days(2));
        let first = revision(0);
        ada.post(&format!("{first}/complete"), &json!({"rating": "good"})).expect(200);
        assert!(program.refreshed("a completion"));
        assert_eq!(program.titles().iter().filter(|title| title.starts_with('✓')).count(), 1);
        ada.post(&format!("{first}/complete"), &json!({"rating": "good"})).expect(200);
        assert!(!program.refreshed("a completion again"));

        ada.post(&format!("{first}/undo"), &json!({})).expect(200);
        assert!(program.refreshed("an undo"));
        assert_eq!(program.titles(), ["two-sum (LeetCode)", "two-sum (LeetCode)"]);

        ada.post(&format!("{}/postpone", revision(0)), &json!({"days": 3})).expect(200);
        assert!(program.refreshed("a postponement"));
        ada.post(&format!("{}/skip", revision(1)), &json!({})).expect(200);
        assert!(program.refreshed("a skip"));

        let of_solve = format!("/api/v1/solves/{solve_id}");
        ada.post(&format!("{of_solve}/suspend"), &json!({})).expect(200);
        assert!(program.refreshed("a suspension"));
        assert_eq!(program.titles(), [""; 0]);
        ada.post(&format!("{of_solve}/resume"), &json!({})).expect(200);
        assert!(program.refreshed("a resumption"));
        assert_eq!(program.titles().len(), 2);
        ada.post(&format!("{of_solve}/reset"), &json!({})).expect(200);
        assert!(program.refreshed("a reset"));

        ada.patch(&of_solve, &json!({"notes": "use a map"})).expect(200);
        assert!(!program.refreshed("notes"));
        ada.patch(&of_solve, &json!({"title": "Twos; um\nBEGIN:VALARM"})).expect(200);
        assert!(program.refreshed("a title of one's own"));
        assert!(program.titles()[0].starts_with("Twos; um"), "{:?}", program.titles());
        ada.patch(&of_solve, &json!({"title": "Twos; um\nBEGIN:VALARM"})).expect(200);
        assert!(!program.refreshed("the same title"));
        ada.patch(&of_solve, &json!({"difficulty": "hard"})).expect(200);
        assert!(program.refreshed("a difficulty of one's own"));
        ada.patch(&of_solve, &json!({"title": null, "difficulty": null})).expect(200);
        assert!(program.refreshed("neither"));
        ada.patch(&of_solve, &json!({"title": null, "difficulty": null})).expect(200);
        assert!(!program.refreshed("neither again"));
        let topic = format!("/api/v1/problems/{problem_id}/topic");
        ada.put(&topic, &json!({"topic": "hashing"})).expect(200);
        assert!(program.refreshed("a topic"));

        // What another user says of the problem for the first time.
        let bob = server.register("bob");
        let mut named = leetcode("two-sum");
        named["title"] = json!("Two Sum");
        bob.post("/api/v1/problems", &named).expect(200);
        assert!(program.refreshed("a title for everybody"));
        named["difficulty"] = json!("easy");
        solve(&bob, "1", &named);
        assert!(program.refreshed("a difficulty for everybody"));
        assert_eq!(program.titles(), ["Two Sum (LeetCode)", "Two Sum (LeetCode)"]);
        bob.post("/api/v1/problems", &leetcode("3sum")).expect(201);
        solve(&bob, "2", &leetcode("3sum"));
        assert!(!program.refreshed("what others solve"));

        solve(&ada, "2", &leetcode("4sum"));
        assert!(program.refreshed("another solve"));
        server.advance(TimeDelta::days(20));
        solve(&ada, "3", &leetcode("4sum"));
        assert!(program.refreshed("a solve again"));
        ada.patch("/api/v1/me", &json!({"ladder_days": [2, 4], "desired_retention": 0.8})).expect(200);
        assert!(!program.refreshed("other settings"));
        ada.post("/api/v1/revisions/reschedule", &json!({"preview": true})).expect(200);
        assert!(!program.refreshed("a preview"));
        ada.post("/api/v1/revisions/reschedule", &json!({"preview": false})).expect(200);
        assert!(program.refreshed("everything planned again"));

        ada.delete(&of_solve).expect(204);
        assert!(program.refreshed("a deletion"));
        assert!(program.titles().iter().all(|title| title.contains("4sum")));
        server.advance(TimeDelta::days(181));
        assert!(program.refreshed("half a year"));
        assert_eq!(program.titles(), ["4sum (LeetCode)", "4sum (LeetCode)"]);
        server.advance(TimeDelta::days(200));
        assert!(!program.refreshed("more of it"));
    }

    /// An event that moves has a new stamp and a higher sequence, also where all move at once.
    fn the_calendar_follows_the_clock_of_its_user(server: Server) {
        let ada = server.register("ada");
        for slug in ["two-sum", "3sum"] {
            solve(&ada, slug, &leetcode(slug));
        }
        let mut program = Program::subscribed(&server, &ada);
        for (change, moves) in [
            (json!({"time_zone": "Asia/Tokyo"}), false),
            (json!({"calendar_time": "09:30"}), true),
            (json!({"calendar_time": "09:30"}), false),
            (json!({"time_zone": "Europe/Berlin"}), true),
            (json!({"calendar_time": null}), true),
            (json!({"time_zone": "UTC"}), false),
        ] {
            let before = program.events();
            // A new second, since the stamps have no parts of one.
            server.advance(TimeDelta::seconds(1));
            ada.patch("/api/v1/me", &change).expect(200);
            program.refreshed(&change.to_string());
            let moved = program.events().into_iter().all(|(uid, event)| {
                let old = &before[&uid];
                (&old.start, &old.stamp) != (&event.start, &event.stamp)
                    && event.stamp > old.stamp
            });
            assert_eq!(moved, moves, "{change}");
        }
    }
}

/// A topic that is set while another transaction records a first solve of the problem: neither sees
/// the other, and whatever commits last, no program is told that nothing is new. (SQLite has one writer
/// at a time.)
#[test]
fn a_problem_that_changes_beside_its_first_solve_is_seen() {
    let server = Server::fresh(Backend::Postgres);
    let ada = server.register("ada");
    let user_id = ada.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
    let problem = ada.post("/api/v1/problems", &leetcode("two-sum")).expect(201).body;
    let id = problem["id"].as_i64().unwrap();
    let mut program = Program::subscribed(&server, &ada);
    let mut other = server.database.connect();
    other.batch_execute("begin").unwrap();
    let topic = Topic::named("hashing").unwrap();
    let now = server.app.clock.now();
    let set = traverse::problems::set_topic(&mut other, user_id, id, topic, now).unwrap();
    assert!(matches!(set, TopicOutcome::Is(_)));
    solve(&ada, "k", &leetcode("two-sum"));
    assert!(program.refreshed("the solve"));
    other.batch_execute("commit").unwrap();
    assert!(program.refreshed("the topic"));
    let categories: Vec<String> =
        program.events().into_values().flat_map(|event| event.categories).collect();
    assert!(categories.contains(&"hashing".to_owned()), "{categories:?}");
}
