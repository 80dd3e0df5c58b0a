//! What becomes of deliveries that a mail server takes, delays, refuses, forgets or hangs up on.

use super::{Post, pass_time};
use crate::harness::on_both;
use crate::harness::working::Working;
use crate::notifications::tell;
use diesel::prelude::*;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use traverse::app::App;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::mail::Mailer;
use traverse::notifications::model::{Channel, State};
use traverse::schema::{deliveries, notifications};

/// The deliveries by mail of users, by name: as `sent1`.
fn states(db: &mut Db, users: &HashMap<i64, &'static str>) -> HashMap<&'static str, String> {
    let rows: Vec<(i64, State, i32)> = deliveries::table
        .inner_join(notifications::table)
        .filter(deliveries::channel.eq(Channel::Email))
        .select((notifications::user_id, deliveries::state, deliveries::attempts))
        .load(db)
        .unwrap();
    rows.into_iter()
        .map(|(user, state, attempts)| (users[&user], format!("{}{attempts}", state.as_str())))
        .collect()
}

#[track_caller]
fn until(db: &mut Db, users: &HashMap<i64, &'static str>, wanted: &[(&'static str, &str)]) {
    let began = Instant::now();
    loop {
        let states = states(db, users);
        if wanted.iter().all(|(name, state)| states[name] == *state) {
            return;
        }
        assert!(began.elapsed() < Duration::from_mins(2), "{states:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

on_both! {
    fn each_answer_has_its_consequence(post: Post) {
        let impatient = traverse::mail::Settings {
            limit: Duration::from_secs(4), ..post.mail.settings()
        };
        let app = App {
            mail: Some(Mailer::new(&impatient).unwrap()), ..post.server.app.clone()
        };
        let mut db = post.db();
        let mut users = HashMap::new();
        for name in ["ada", "busy", "cut", "full", "gone", "nobody", "rude", "slow"] {
            let (_, id) = post.reader(name);
            users.insert(id, name);
            tell(&mut db, id, "1");
        }
        let _worker = Working::with(app, traverse::worker::registry());
        until(&mut db, &users, &[
            ("ada", "sent1"), ("rude", "sent1"),
            // For good.
            ("gone", "dead1"), ("nobody", "dead1"),
            // For now.
            ("busy", "pending1"), ("full", "pending1"), ("slow", "pending1"), ("cut", "pending1"),
        ]);
        let dues: Vec<At> = deliveries::table
            .filter(deliveries::state.eq(State::Pending))
            .select(deliveries::due_at)
            .load(&mut db)
            .unwrap();
        assert_eq!(dues.len(), 4);
        let now = traverse::clock::Clock::System.now();
        for due in dues {
            // A minute, a fifth more at most, and what has passed since.
            let wait = (*due - *now).as_seconds_f64();
            assert!((20.0..=72.0).contains(&wait), "{wait}");
        }
        pass_time(&mut db);
        until(&mut db, &users, &[("cut", "sent2"), ("busy", "pending2"), ("slow", "pending2")]);
        let mut taken: Vec<String> = post.mail.letters().iter().map(|one| one.to[0].clone()).collect();
        taken.retain(|to| !to.starts_with("slow"));
        taken.sort();
        assert_eq!(taken, ["ada", "cut", "rude"].map(|name| format!("{name}@example.org")));
    }

    fn a_server_that_refuses_the_sender_kills_no_letter(post: Post) {
        let barred = traverse::mail::Settings {
            from: "barred@example.org".parse().unwrap(), ..post.mail.settings()
        };
        let app = App { mail: Some(Mailer::new(&barred).unwrap()), ..post.server.app.clone() };
        let (_, id) = post.reader("ada");
        let mut db = post.db();
        tell(&mut db, id, "1");
        let _worker = Working::with(app, traverse::worker::registry());
        until(&mut db, &HashMap::from([(id, "ada")]), &[("ada", "pending1")]);
    }

    fn without_a_mail_server_or_a_wish_nothing_is_sent(post: Post) {
        let (ada, id) = post.reader("ada");
        let mut db = post.db();
        tell(&mut db, id, "1");
        ada.put("/api/v1/channels/email", &serde_json::json!({"enabled": false})).expect(200);
        let _worker = Working::beside(&post.server);
        until(&mut db, &HashMap::from([(id, "ada")]), &[("ada", "skipped1")]);
        assert!(post.mail.letters().is_empty());
    }
}
