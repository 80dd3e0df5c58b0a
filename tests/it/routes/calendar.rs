//! The calendar feed, for its owner and for calendar programs.

use crate::calendar::lint::{Read, lint};
use crate::calendar::{judges, nasty};
use crate::harness::seed::{Problem, Revision, Solve, pending};
use crate::harness::{Answer, Client, Server, on_both};
use chrono::TimeDelta;
use diesel::prelude::*;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use traverse::calendar::ics::plain_text;
use traverse::db::Db;
use traverse::problems::guards::set_topic_once;
use traverse::schema::{problems, revisions, solves};

/// Somebody with a feed.
struct Ada<'a> {
    server: &'a Server,
    client: Client,
    user_id: i64,
}

impl<'a> Ada<'a> {
    fn new(server: &'a Server) -> Self {
        let client = server.register("ada");
        let user_id = client.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        Self { server, client, user_id }
    }

    fn db(&self) -> Db {
        self.server.database.connect()
    }

    fn path(&self) -> String {
        let body = self.client.get("/api/v1/calendar").expect(200).body;
        self.path_of(&body)
    }

    fn path_of(&self, subscription: &Value) -> String {
        subscription["url"].as_str().unwrap().strip_prefix(&self.server.url).unwrap().to_owned()
    }

    fn fetch(&self, headers: &[(&str, &str)]) -> Answer {
        self.send(Method::GET, headers)
    }

    fn send(&self, method: Method, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.server.anonymous().request(method, &self.path());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::of(request)
    }

    fn events(&self) -> Vec<Read> {
        let report = lint(&self.fetch(&[]).expect(200).bytes);
        assert_eq!(report.faults, []);
        report.events
    }

    fn pending(&self, slug: &str, due_on: &str) -> i64 {
        pending(&mut self.db(), self.user_id, slug, due_on)
    }
}

/// Changes a revision as the schedule does: with the sequence that goes with it.
fn set_state(ada: &Ada<'_>, id: i64, state: &str) {
    let now = ada.server.app.clock.now();
    diesel::update(revisions::table.find(id))
        .set((
            revisions::state.eq(state),
            revisions::sequence.eq(revisions::sequence + 1),
            revisions::updated_at.eq(now),
        ))
        .execute(&mut ada.db())
        .unwrap();
}

fn titles(events: &[Read]) -> Vec<&str> {
    events.iter().map(|event| event.summary.as_str()).collect()
}

on_both! {
    fn a_feed_exists_from_registration_on(server: Server) {
        let ada = Ada::new(&server);
        let body = ada.client.get("/api/v1/calendar").expect(200).body;
        let url = body["url"].as_str().unwrap();
        let parts: Vec<&str> = url.rsplit('/').collect();
        assert_eq!(parts[0], "revisions.ics");
        assert_eq!(parts[1].len(), 32);
        assert!(parts[1].bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
        let webcal = body["webcal_url"].as_str().unwrap();
        assert_eq!(webcal.replace("webcal://", "http://"), url);
        let google = url::Url::parse(body["google_url"].as_str().unwrap()).unwrap();
        assert_eq!(google.host_str(), Some("calendar.google.com"));
        let cid = google.query_pairs().find(|(name, _)| name == "cid").unwrap();
        assert_eq!(cid.1, webcal);
        assert_eq!(body["last_fetched_at"], Value::Null);
        server.anonymous().get("/api/v1/calendar").expect(401);
    }

    fn an_empty_feed_is_a_calendar(server: Server) {
        let answer = Ada::new(&server).fetch(&[]).expect(200);
        let report = lint(&answer.bytes);
        assert_eq!(report.faults, []);
        assert_eq!((report.name.as_str(), report.events.len()), ("Revisions", 0));
        judges::accept(&answer.bytes, &json!({"name": "Revisions", "events": []}));
    }

    fn headers(server: Server) {
        let ada = Ada::new(&server);
        ada.pending("a", "2026-09-10");
        let answer = ada.fetch(&[("Accept-Encoding", "gzip, br, deflate")]).expect(200);
        for (name, value) in [
            ("content-type", Some("text/calendar; charset=utf-8")),
            ("content-disposition", Some("inline")),
            ("cache-control", Some("private, no-cache")),
            ("referrer-policy", Some("no-referrer")),
            ("x-robots-tag", Some("noindex")),
            ("last-modified", Some("Tue, 01 Sep 2026 12:00:00 GMT")),
            ("content-length", Some(answer.bytes.len().to_string().as_str())),
            ("content-encoding", None),
            ("set-cookie", None),
        ] {
            assert_eq!(answer.header(name), value, "{name}");
        }
        let etag = answer.header("etag").unwrap();
        assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 30, "{etag}");
        let twice = ada.fetch(&[]).expect(200);
        assert_eq!(twice.bytes, answer.bytes);
        assert_eq!(twice.header("etag"), Some(etag));
        assert_eq!(twice.header("last-modified"), answer.header("last-modified"));
    }

    fn head_is_get_without_the_body(server: Server) {
        let ada = Ada::new(&server);
        ada.pending("a", "2026-09-10");
        let (get, head) = (ada.fetch(&[]).expect(200), ada.send(Method::HEAD, &[]).expect(200));
        assert!(head.bytes.is_empty());
        for name in ["etag", "last-modified", "content-type", "content-length", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
        let etag = get.header("etag").unwrap();
        ada.send(Method::HEAD, &[("If-None-Match", etag)]).expect(304);
    }

    fn other_methods_are_405(server: Server) {
        let ada = Ada::new(&server);
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "REPORT"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let answer = ada.send(method, &[]).expect(405);
            assert_eq!(answer.header("allow"), Some("GET, HEAD"));
        }
    }

    fn what_the_client_has_is_not_sent_again(server: Server) {
        let ada = Ada::new(&server);
        ada.pending("a", "2026-09-10");
        let first = ada.fetch(&[]).expect(200);
        let (etag, date) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
        let weak = format!("W/{etag}");
        let list = format!("\"x\", {etag}");
        let earlier = "Tue, 01 Sep 2026 11:59:59 GMT";
        let tag = "If-None-Match";
        let since = "If-Modified-Since";
        for (status, headers) in [
            (304, &[(tag, etag)][..]),
            (304, &[(tag, &weak)]),
            (304, &[(tag, &list)]),
            (304, &[(tag, "*")]),
            (304, &[(tag, etag), (since, earlier)]),
            (304, &[(since, date)]),
            (304, &[(since, "Wed, 02 Sep 2026 00:00:00 GMT")]),
            (200, &[]),
            (200, &[(tag, "\"x\"")]),
            (200, &[(tag, "\"x\""), (since, date)]),
            (200, &[(tag, ""), (since, date)]),
            (200, &[(since, earlier)]),
            (200, &[(since, "yesterday")]),
        ] {
            let answer = ada.fetch(headers).expect(status);
            for name in ["etag", "last-modified", "cache-control"] {
                assert_eq!(answer.header(name), first.header(name), "{headers:?}: {name}");
            }
            let body: &[u8] = if status == 304 { &[] } else { &first.bytes };
            assert_eq!(answer.bytes, body, "{headers:?}");
        }
    }

    fn a_change_is_a_new_edition(server: Server) {
        let ada = Ada::new(&server);
        let id = ada.pending("a", "2026-09-10");
        let first = ada.fetch(&[]).expect(200);
        // The clock stands still, yet the two editions must not share a date.
        set_state(&ada, id, "skipped");
        let etag = first.header("etag").unwrap();
        let second = ada.fetch(&[("If-None-Match", etag)]).expect(200);
        assert_ne!(second.header("etag"), first.header("etag"));
        assert_eq!(second.header("last-modified"), Some("Tue, 01 Sep 2026 12:00:01 GMT"));
        let since = ("If-Modified-Since", first.header("last-modified").unwrap());
        assert_eq!(ada.fetch(&[since]).expect(200).bytes, second.bytes);
        // The same bytes again are another edition again: the date does not go back.
        set_state(&ada, id, "pending");
        diesel::update(revisions::table.find(id))
            .set(revisions::updated_at.eq(server.app.clock.now()))
            .execute(&mut ada.db())
            .unwrap();
        server.advance(TimeDelta::hours(-5));
        let third = ada.fetch(&[since]).expect(200);
        assert_eq!(third.header("last-modified"), Some("Tue, 01 Sep 2026 12:00:02 GMT"));
    }

    fn a_new_day_changes_nothing_that_is_not_shown(server: Server) {
        let ada = Ada::new(&server);
        ada.pending("a", "2026-09-10");
        let first = ada.fetch(&[]).expect(200);
        server.advance(TimeDelta::days(3));
        let since = ("If-Modified-Since", first.header("last-modified").unwrap());
        let later = ada.fetch(&[since]).expect(304);
        assert_eq!(later.header("etag"), first.header("etag"));
        assert_eq!(ada.fetch(&[]).expect(200).bytes, first.bytes);
    }

    fn pending_ones_and_those_of_180_days_are_shown(server: Server) {
        let ada = Ada::new(&server);
        let mut db = ada.db();
        for (number, (state, due_on, completed_on)) in [
            ("pending", "2026-09-01", None),
            ("pending", "2019-01-01", None),
            ("pending", "2096-01-01", None),
            ("completed", "2026-08-30", Some("2026-09-01")),
            ("completed", "2026-03-05", Some("2026-03-05")),
            ("completed", "2026-03-04", Some("2026-03-04")),
            ("skipped", "2026-09-01", None),
            ("suspended", "2026-09-01", None),
            ("undone", "2026-09-01", Some("2026-09-01")),
            ("withdrawn", "2026-09-01", None),
        ].into_iter().enumerate() {
            let slug = format!("p{number}");
            let problem_id =
                Problem { slug: &slug, title: None, ..Problem::default() }.insert(&mut db);
            let solve_id =
                Solve { user_id: ada.user_id, problem_id, title: None, difficulty: None }
                    .insert(&mut db);
            let rating = completed_on.map(|_| "good");
            Revision { state, due_on, completed_on, rating, ..Revision::default() }
                .insert(&mut db, ada.user_id, solve_id);
        }
        let shown = ["p0 (LeetCode)", "p1 (LeetCode)", "p2 (LeetCode)", "✓ p3 (LeetCode)"];
        let mut with_the_oldest = shown.to_vec();
        with_the_oldest.push("✓ p4 (LeetCode)");
        assert_eq!(titles(&ada.events()), with_the_oldest);
        // The day begins at 04:00.
        let etag = ada.fetch(&[]).expect(200).header("etag").unwrap().to_owned();
        server.advance(TimeDelta::minutes(16 * 60 - 1));
        ada.fetch(&[("If-None-Match", &etag)]).expect(304);
        server.advance(TimeDelta::minutes(1));
        ada.fetch(&[("If-None-Match", &etag)]).expect(200);
        assert_eq!(titles(&ada.events()), shown);
    }

    fn nobody_sees_the_revisions_of_another(server: Server) {
        let ada = Ada::new(&server);
        let bob = server.register("bob");
        let bob_id = bob.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        ada.pending("hers", "2026-09-10");
        pending(&mut ada.db(), bob_id, "his", "2026-09-10");
        assert_eq!(titles(&ada.events()), ["hers (LeetCode)"]);
    }

    fn an_address_that_never_was_is_404(server: Server) {
        let ada = Ada::new(&server);
        let path = ada.path();
        let token = path.split('/').nth(3).unwrap();
        let id = path.split('/').nth(2).unwrap();
        for path in [
            path.replace(token, "0123456789abcdef0123456789abcdef"),
            path.replace(token, &token.to_uppercase()),
            path.replace(token, &token[..31]),
            path.replace(token, &format!("{token}0")),
            path.replace(token, "%00"),
            path.replace(token, "%FF"),
            path.replace(&format!("/{id}/"), "/999999/"),
            path.replace(&format!("/{id}/"), "/x/"),
            path.replace(&format!("/{id}/"), "/-1/"),
            path.replace(&format!("/{id}/"), "/99999999999999999999/"),
        ] {
            server.anonymous().get(&path).expect(404);
            // A token of the API changes nothing.
            ada.client.get(&path).expect(404);
        }
        // Wrong as often as you like: never 429.
        for _ in 0..50 {
            server.anonymous().get(&path.replace(token, "0")).expect(404);
        }
        server.anonymous().get(&path).expect(200);
    }

    fn the_tokens_of_two_feeds_are_not_interchangeable(server: Server) {
        let (ada, bob) = (Ada::new(&server), server.register("bob"));
        let path = |body: &Value| ada.path_of(body);
        let hers = ada.path();
        let his = path(&bob.get("/api/v1/calendar").expect(200).body);
        let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let (hers, his) = (parts(&hers), parts(&his));
        server.anonymous().get(&format!("/calendar/{}/{}/revisions.ics", hers[2], his[3])).expect(404);
    }

    fn a_rotated_address_is_410_and_the_events_keep_their_names(server: Server) {
        let ada = Ada::new(&server);
        let bob = server.register("bob");
        let of_bob = ada.path_of(&bob.get("/api/v1/calendar").expect(200).body);
        ada.pending("a", "2026-09-10");
        let (old, before) = (ada.path(), ada.fetch(&[]).expect(200));
        let body = ada.client.post("/api/v1/calendar/rotate", &json!({})).expect(200).body;
        assert_eq!(body["last_fetched_at"], Value::Null);
        let new = ada.path_of(&body);
        assert_ne!(new, old);
        assert_eq!(new, ada.path());
        let gone = server.anonymous().get(&old).expect(410);
        assert_eq!(gone.code(), "gone");
        let after = server.anonymous().get(&new).expect(200);
        assert_eq!(after.bytes, before.bytes);
        assert_eq!(after.header("last-modified"), before.header("last-modified"));
        server.anonymous().get(&of_bob).expect(200);
        // Twice moved, both old ones are remembered.
        ada.client.post("/api/v1/calendar/rotate", &json!({})).expect(200);
        for path in [old, new] {
            server.anonymous().get(&path).expect(410);
        }
        ada.fetch(&[]).expect(200);
    }

    fn a_revoked_feed_has_no_address_until_it_is_rotated(server: Server) {
        let ada = Ada::new(&server);
        let old = ada.path();
        for _ in 0..2 {
            ada.client.delete("/api/v1/calendar").expect(204);
            server.anonymous().get(&old).expect(410);
            let body = ada.client.get("/api/v1/calendar").expect(200).body;
            for field in ["url", "webcal_url", "google_url"] {
                assert_eq!(body[field], Value::Null, "{field}");
            }
        }
        ada.client.post("/api/v1/calendar/rotate", &json!({})).expect(200);
        assert_ne!(ada.path(), old);
        ada.fetch(&[]).expect(200);
        server.anonymous().get(&old).expect(410);
    }

    fn only_what_may_write_moves_a_feed(server: Server) {
        let ada = Ada::new(&server);
        let token = |scopes: &[&str]| {
            let order = json!({"name": "t", "scopes": scopes});
            let body = ada.client.post("/api/v1/tokens", &order).expect(201).body;
            server.anonymous().with_token(body["token"].as_str().unwrap())
        };
        let (reader, extension) = (token(&["read"]), token(&["submit"]));
        reader.get("/api/v1/calendar").expect(200);
        extension.get("/api/v1/calendar").expect(403);
        for client in [reader, extension] {
            client.post("/api/v1/calendar/rotate", &json!({})).expect(403);
            client.delete("/api/v1/calendar").expect(403);
        }
    }

    fn the_account_goes_and_its_feed_with_it(server: Server) {
        let ada = Ada::new(&server);
        let path = ada.path();
        let password = json!({"password": "correct horse battery"});
        Answer::of(ada.client.request(Method::DELETE, "/api/v1/me").json(&password)).expect(204);
        server.anonymous().get(&path).expect(404);
    }

    fn a_fetch_is_noted_at_most_every_five_minutes(server: Server) {
        let ada = Ada::new(&server);
        let noted = || ada.client.get("/api/v1/calendar").expect(200).body["last_fetched_at"].clone();
        let etag = ada.fetch(&[]).expect(200).header("etag").unwrap().to_owned();
        let first = noted();
        assert_eq!(first, "2026-09-01T12:00:00Z");
        server.advance(TimeDelta::minutes(4));
        ada.fetch(&[("If-None-Match", &etag)]).expect(304);
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(noted(), first);
        server.advance(TimeDelta::minutes(1));
        ada.fetch(&[("If-None-Match", &etag)]).expect(304);
        // It is noted behind the answer.
        let began = Instant::now();
        while noted() == first {
            assert!(began.elapsed() < Duration::from_secs(10), "not noted");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(noted(), "2026-09-01T12:05:00Z");
    }

    /// The time of day is the user's, on both sides of a change of the clocks.
    fn timed_events_follow_the_users_clock(server: Server) {
        let ada = Ada::new(&server);
        for (slug, due_on) in [("a", "2026-10-24"), ("b", "2026-10-25"), ("c", "2027-03-28")] {
            ada.pending(slug, due_on);
        }
        let all_day = ada.fetch(&[]).expect(200);
        let starts = || ada.events().into_iter().map(|event| event.start).collect::<Vec<_>>();
        assert_eq!(starts(), ["20261024", "20261025", "20270328"]);
        let patch = |body: Value| ada.client.patch("/api/v1/me", &body).expect(200);
        patch(json!({"time_zone": "Europe/Berlin", "calendar_time": "02:30"}));
        let timed = ada.fetch(&[("If-None-Match", all_day.header("etag").unwrap())]).expect(200);
        let expected = ["20261024T003000Z", "20261025T003000Z", "20270328T013000Z"];
        assert_eq!(starts(), expected);
        patch(json!({"time_zone": "Asia/Tokyo"}));
        ada.fetch(&[("If-None-Match", timed.header("etag").unwrap())]).expect(200);
        assert_eq!(starts()[0], "20261023T173000Z");
        patch(json!({"calendar_time": null}));
        assert_eq!(starts(), ["20261024", "20261025", "20270328"]);
    }

    /// Titles that have broken calendars, from the database to five parsers.
    fn five_parsers_find_every_event_of_a_nasty_feed(server: Server) {
        let ada = Ada::new(&server);
        let mut db = ada.db();
        let mut expected = Vec::new();
        // PostgreSQL holds no NUL, and titles of 500 characters at most come in.
        let texts = nasty::TEXTS.iter().filter(|(source, _)| !source.contains('\0'));
        for (number, (source, seen)) in texts.enumerate() {
            let problem_id = Problem {
                platform: if number % 2 == 0 { "codeforces" } else { "custom" },
                slug: &format!("{}/A", number + 1),
                title: Some(source),
                topic: Some(source),
                ..Problem::default()
            }.insert(&mut db);
            let own = (number % 3 == 0).then_some(*source);
            let solve_id =
                Solve { user_id: ada.user_id, problem_id, title: own, difficulty: None }
                    .insert(&mut db);
            Revision::default().insert(&mut db, ada.user_id, solve_id);
            let (place, url) = if number % 2 == 0 {
                let url = format!("https://codeforces.com/contest/{}/problem/A", number + 1);
                ("Codeforces", Some(url))
            } else {
                ("own problem", None)
            };
            expected.push((format!("{seen} ({place})"), url, [place, seen, "easy"]));
        }
        let document = ada.fetch(&[]).expect(200).bytes;
        let report = lint(&document);
        assert_eq!(report.faults, []);
        assert_eq!(report.events.len(), expected.len());
        let events: Vec<Value> = report.events.iter().zip(expected).map(|(event, expected)| {
            let (summary, url, labels) = expected;
            // What joins a CR of one text to an LF of the next would be one line break.
            assert_eq!(event.summary, plain_text(&summary));
            let labels: Vec<_> = labels.into_iter().filter(|label| !label.is_empty()).collect();
            assert_eq!(event.categories, labels);
            assert_eq!(event.url, url);
            json!({
                "uid": event.uid, "changed_at": "2026-08-31T09:00:00Z", "sequence": 0,
                "start": "2026-09-10", "summary": summary, "description": event.description,
                "url": url, "categories": labels,
            })
        }).collect();
        judges::accept(&document, &json!({"name": "Revisions", "events": events}));
    }

    fn more_than_fits_is_cut_to_the_nearest(server: Server) {
        let ada = Ada::new(&server);
        let mut db = ada.db();
        let title = "字".repeat(500);
        let problem_id = Problem { title: Some(&title), ..Problem::default() }.insert(&mut db);
        let solve =
            Solve { user_id: ada.user_id, problem_id, title: None, difficulty: None };
        let solve_id = solve.insert(&mut db);
        for number in 1..=1_200 {
            let due_on = crate::harness::seed::day("2026-09-01") + chrono::Days::new(1_200 - number);
            Revision {
                number: i32::try_from(number).unwrap(),
                due_on: &due_on.to_string(),
                ..Revision::default()
            }.insert(&mut db, ada.user_id, solve_id);
        }
        let answer = ada.fetch(&[]).expect(200);
        assert!(answer.bytes.len() < 1_000_000);
        let events = ada.events();
        assert!((300..1_200).contains(&events.len()), "{}", events.len());
        assert_eq!(events[0].start, "20260901");
        assert!(events.is_sorted_by_key(|event| event.start.clone()));
    }

    fn a_new_title_is_a_new_version_of_the_events(server: Server) {
        let ada = Ada::new(&server);
        let mut db = ada.db();
        let problem_id = Problem::default().insert(&mut db);
        let solve =
            Solve { user_id: ada.user_id, problem_id, title: None, difficulty: None };
        let solve_id = solve.insert(&mut db);
        Revision::default().insert(&mut db, ada.user_id, solve_id);
        let before = ada.events().remove(0);
        let now = server.app.clock.now();
        diesel::update(solves::table.find(solve_id))
            .set(solves::title.eq("Mine"))
            .execute(&mut db)
            .unwrap();
        traverse::revisions::solve_changed(&mut db, solve_id, now).unwrap();
        let after = ada.events().remove(0);
        assert_eq!(after.summary, "Mine (LeetCode)");
        assert_eq!((before.sequence.as_str(), after.sequence.as_str()), ("0", "1"));
        assert_eq!((after.uid, after.stamp.as_str()), (before.uid, "20260901T120000Z"));
        diesel::update(problems::table.find(problem_id))
            .set((problems::title.eq(None::<String>), problems::topic.eq(None::<String>)))
            .execute(&mut db)
            .unwrap();
        set_topic_once(&mut db, problem_id, "graphs", now).unwrap().unwrap();
        assert_eq!(ada.events()[0].sequence, "2");
    }
}
