//! What somebody can learn, or cause, who asks for a new password of others.

use super::{Post, token};
use crate::harness::on_both;
use crate::harness::working::Working;
use crate::harness::{Answer, Server};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chrono::TimeDelta;
use diesel::prelude::*;
use reqwest::Method;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use traverse::auth::reset::MailReset;
use traverse::jobs::Job;
use traverse::schema::{jobs, password_resets};

fn ask(server: &Server, address: &str, email: &str) -> Answer {
    let request = server.anonymous().request(Method::POST, "/api/v1/auth/reset");
    Answer::of(request.header("X-Forwarded-For", address).json(&json!({"email": email})))
}

fn confirm(server: &Server, token: &str, password: &str) -> Answer {
    let body = json!({"token": token, "new_password": password});
    server.anonymous().post("/api/v1/auth/reset/confirm", &body)
}

on_both! {
    fn known_and_unknown_addresses_are_answered_alike(post: Post) {
        post.server.register("ada");
        let known = ask(&post.server, "", "ada@example.org").expect(202);
        let unknown = ask(&post.server, "", "nobody@example.org").expect(202);
        assert_eq!(known.bytes, unknown.bytes);
        let names = |answer: &Answer| -> HashSet<_> { answer.headers.keys().cloned().collect() };
        assert_eq!(names(&known), names(&unknown));
        // The same is done for both, and neither address nor link is kept.
        let rows: Vec<(String, String)> = jobs::table
            .filter(jobs::kind.eq(MailReset::KIND))
            .select((jobs::job_id, jobs::payload))
            .load(&mut post.db())
            .unwrap();
        assert_eq!(rows.len(), 2);
        assert!(!rows.iter().any(|(id, payload)| format!("{id}{payload}").contains("example")));
    }

    fn known_and_unknown_addresses_take_as_long(post: Post) {
        post.server.register("ada");
        let time = |email: &str| {
            let began = Instant::now();
            ask(&post.server, "", email).expect(202);
            began.elapsed()
        };
        // The shortest of several is least disturbed by what else runs on the machine; on a busy one
        // it takes more of them.
        let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
        for round in 0..40 {
            for _ in 0..3 {
                known = known.min(time("ada@example.org"));
                unknown = unknown.min(time("eve@example.org"));
            }
            let ratio = known.as_secs_f64() / unknown.as_secs_f64();
            if round >= 4 && (0.7..1.4).contains(&ratio) {
                return;
            }
            post.server.advance(TimeDelta::minutes(20));
        }
        panic!("{known:?} {unknown:?}");
    }

    fn nobody_fills_a_mailbox(post: Post) {
        for name in ["ada", "bob"] {
            post.server.register(name);
        }
        let _worker = Working::beside(&post.server);
        for count in 1..=3 {
            ask(&post.server, "", "ada@example.org").expect(202);
            post.mail.wait_for(count);
        }
        // Answered alike; what is asked for later comes.
        ask(&post.server, "", "ada@example.org").expect(202);
        ask(&post.server, "", "bob@example.org").expect(202);
        assert_eq!(post.mail.wait_for(4)[3].to, ["bob@example.org"]);
        post.server.advance(TimeDelta::minutes(16));
        ask(&post.server, "", "ada@example.org").expect(202);
        assert_eq!(post.mail.wait_for(5)[4].to, ["ada@example.org"]);
    }

    fn an_address_asks_thirty_times(post: Post) {
        let database = Arc::clone(&post.server.database);
        let settings = post.mail.settings();
        let server = Server::start(database, post.server.app.clock.clone(), |config| {
            config.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
            config.mail = Some(settings);
        });
        for number in 0..30 {
            ask(&server, "192.0.2.1", &format!("a{number}@example.org")).expect(202);
        }
        let refused = ask(&server, "192.0.2.1", "b@example.org").expect(429);
        let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=900).contains(&wait), "{wait}");
        ask(&server, "192.0.2.2", "b@example.org").expect(202);
        server.advance(TimeDelta::seconds(wait));
        ask(&server, "192.0.2.1", "b@example.org").expect(202);
    }

    fn a_link_ends_by_time_and_by_another_change(post: Post) {
        let ada = post.server.register("ada");
        let _worker = Working::beside(&post.server);
        ask(&post.server, "", "ada@example.org").expect(202);
        let old = token(&post.mail.wait_for(1)[0]);
        post.server.advance(TimeDelta::minutes(61));
        confirm(&post.server, &old, "another horse battery").expect(403);
        ask(&post.server, "", "ada@example.org").expect(202);
        let link = token(&post.mail.wait_for(2)[1]);
        // A bad password uses nothing up; another change of the password does.
        confirm(&post.server, &link, "short").expect(422);
        let change = json!({"current_password": crate::harness::server::PASSWORD,
            "new_password": "a third horse battery"});
        ada.post("/api/v1/auth/password", &change).expect(200);
        confirm(&post.server, &link, "another horse battery").expect(403);
        let left: i64 = password_resets::table.count().get_result(&mut post.db()).unwrap();
        assert_eq!(left, 0);
    }

    /// What runs in the page is what its policy names, and it sends what the API reads.
    fn the_link_leads_to_a_page(post: Post) {
        post.server.register("ada");
        let _worker = Working::beside(&post.server);
        ask(&post.server, "", "ada@example.org").expect(202);
        let letter = post.mail.wait_for(1).remove(0);
        let (_, link) = letter.text.split_once("Choose a new password: ").unwrap();
        let (address, _) = link.split_once("#token=").unwrap();
        assert_eq!(address, format!("{}/reset-password", post.server.url));
        let answer = post.server.anonymous().get("/reset-password").expect(200);
        let page = String::from_utf8(answer.bytes.clone()).unwrap();
        let (_, rest) = page.split_once("<script>").unwrap();
        let (script, _) = rest.split_once("</script>").unwrap();
        let hash = BASE64_STANDARD.encode(Sha256::digest(script));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains(&format!("script-src 'sha256-{hash}';")), "{policy}");
        for word in ["#token=", "/api/v1/auth/reset/confirm", "token:", "new_password:"] {
            assert!(script.contains(word), "{word}");
        }
    }
}
