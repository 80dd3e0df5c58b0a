//! A process that dies at any call of the database while it sends mail: in the end the letter is
//! there, and twice only where it died between sending and writing that down.

use super::{Post, open_jobs, pass_time, token};
use crate::harness::faults;
use crate::harness::on_both;
use crate::harness::rows;
use crate::notifications::tell;
use diesel::prelude::*;
use std::collections::{HashMap, HashSet};
use traverse::auth::reset::{self, MailReset, mail_reset};
use traverse::db::Db;
use traverse::db::pool::Pool;
use traverse::db::tx::{Work, write};
use traverse::jobs::Job;
use traverse::jobs::registry::Registry;
use traverse::notifications::channels::email;
use traverse::notifications::model::{Channel, State};
use traverse::schema::{deliveries, jobs};

/// More calls than a worker makes for one letter.
const CALLS: i64 = 36;

/// As [`faults::live`], with the sender of what is told.
fn live(post: &Post, db: &mut Db, call: i64) -> bool {
    let registry = || Registry::default().on::<email::Drain, _, _>(email::run);
    let start = |pool: Pool| post.start(pool, registry());
    faults::live(&post.server.database, call, start, || {
        let open: i64 = deliveries::table
            .filter(deliveries::finished_at.is_null())
            .count()
            .get_result(db)
            .unwrap();
        open == 0
    })
}

/// As [`faults::live`], with the sender of links for a new password.
fn live_for_resets(post: &Post, db: &mut Db, call: i64) -> bool {
    let registry = || Registry::default().on::<MailReset, _, _>(mail_reset);
    let start = |pool: Pool| post.start(pool, registry());
    faults::live(&post.server.database, call, start, || open_jobs(db, MailReset::KIND) == 0)
}

fn ask(post: &Post, db: &mut Db) {
    let secrets = post.server.app.secrets.clone();
    let asked: Work<()> = write(db, |db| Ok(reset::ask(db, &secrets, "ada@example.org")?));
    asked.unwrap();
}

#[track_caller]
fn assert_good(post: &Post, db: &mut Db, token: &str) {
    assert!(reset::is_good(db, token, post.server.app.clock.now()).unwrap());
}

on_both! {
    fn at_any_call_a_letter_is_sent_in_the_end(post: Post) {
        let (_, id) = post.reader("ada");
        let mut db = post.db();
        let mut struck = HashSet::new();
        for call in 1..=CALLS {
            tell(&mut db, id, &call.to_string());
            if live(&post, &mut db, call) {
                struck.insert(call);
            }
            pass_time(&mut db);
            live(&post, &mut db, 0);
        }
        assert!(struck.len() >= 10, "only {} of {CALLS} kills struck", struck.len());
        let sent: Vec<i64> = deliveries::table
            .filter(deliveries::channel.eq(Channel::Email))
            .filter(deliveries::state.eq(State::Sent))
            .order(deliveries::id)
            .select(deliveries::id)
            .load(&mut db)
            .unwrap();
        assert_eq!(i64::try_from(sent.len()).unwrap(), CALLS);
        let mut times: HashMap<String, usize> = HashMap::new();
        for letter in post.mail.wait_for(sent.len()) {
            *times.entry(letter.headers["message-id"].clone()).or_default() += 1;
        }
        let mut again = 0;
        for (call, delivery) in (1..).zip(&sent) {
            let name = format!("<delivery-{delivery}@");
            let found = times.iter().find(|(id, _)| id.starts_with(&name));
            let (_, times) = found.unwrap_or_else(|| panic!("{name}: {times:?}"));
            assert!(*times == 1 || (*times == 2 && struck.contains(&call)), "{call}: {times}");
            again += usize::from(*times == 2);
        }
        eprintln!("{} kills struck, {again} letters were sent twice", struck.len());
    }

    fn at_any_call_a_link_is_sent_in_the_end(post: Post) {
        post.server.register("ada");
        let mut db = post.db();
        let (mut struck, mut before) = (0, 0);
        for call in 1..=CALLS {
            ask(&post, &mut db);
            let was_killed = live_for_resets(&post, &mut db, call);
            struck += usize::from(was_killed);
            pass_time(&mut db);
            live_for_resets(&post, &mut db, 0);
            let letters = post.mail.wait_for(before + 1);
            let came = letters.len() - before;
            assert!(came == 1 || (came == 2 && was_killed), "{call}: {came}");
            letters[before..].iter().for_each(|one| assert_good(&post, &mut db, &token(one)));
            before = letters.len();
        }
        assert!(struck >= 8, "only {struck} of {CALLS} kills struck");
        assert_eq!(open_jobs(&mut db, MailReset::KIND), 0);
    }

    fn a_question_that_is_answered_twice_gives_two_links_and_one_password(post: Post) {
        let ada = post.server.register("ada");
        let mut db = post.db();
        ask(&post, &mut db);
        live_for_resets(&post, &mut db, 0);
        // As where its worker died right after the letter was taken.
        diesel::update(jobs::table.filter(jobs::kind.eq(MailReset::KIND)))
            .set((
                jobs::state.eq("pending"),
                jobs::finished_at.eq(None::<traverse::db::instant::At>),
                jobs::run_at.eq(rows::then()),
            ))
            .execute(&mut db)
            .unwrap();
        live_for_resets(&post, &mut db, 0);
        let tokens: Vec<String> = post.mail.wait_for(2).iter().map(token).collect();
        assert_ne!(tokens[0], tokens[1]);
        let now = post.server.app.clock.now();
        for (token, used) in [(&tokens[0], true), (&tokens[1], false)] {
            let set = write(&mut db, |db| reset::reset(db, token, "a hash", now));
            assert_eq!(set.is_ok(), used);
        }
        ada.get("/api/v1/me").expect(401);
    }
}
