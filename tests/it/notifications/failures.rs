//! What goes wrong: it is tried again, as late as it should, only where it went wrong, and not for
//! ever.

use super::{Stage, pass_time, pause, tell};
use crate::harness::on_both;
use crate::harness::push_service::Reply;
use crate::jobs::SOON;
use diesel::prelude::*;
use std::time::{Duration, Instant};
use traverse::notifications::guards::claim_deliveries;
use traverse::notifications::model::Channel;
use traverse::schema::push_subscriptions;

/// The first message to a path is answered so, the others are taken.
fn once(reply: Reply) -> impl Fn(&str, usize) -> Reply + Send + Sync + 'static {
    move |_, before| if before == 0 { reply.clone() } else { Reply::of(201) }
}

fn devices(stage: &Stage) -> i64 {
    push_subscriptions::table.count().get_result(&mut stage.db()).unwrap()
}

on_both! {
    fn what_failed_is_tried_again_after_a_minute(stage: Stage) {
        stage.device("/phone");
        let reply = Reply { body: b"out of\0 order".to_vec(), ..Reply::of(500) };
        stage.service.answers(once(reply));
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "pending1");
        let error = stage.delivery(told)["last_error"].clone();
        assert_eq!(error, "the push service answered 500: out of order");
        let waits = stage.waits(told);
        assert!((55.0..=72.0).contains(&waits), "{waits}");
        pass_time(&mut stage.db());
        stage.until(told, "sent2");
        worker.stop();
        assert_eq!(stage.service.statuses("/phone"), [500, 201]);
    }

    /// Each wait is twice the one before, to an hour; the tenth failure is the last.
    fn after_ten_failures_it_is_dead(stage: Stage) {
        stage.device("/phone");
        stage.service.answers(|_, _| Reply::of(503));
        let worker = stage.work();
        let told = stage.tell("1");
        for attempt in 1..=9 {
            stage.until(told, &format!("pending{attempt}"));
            let waits = stage.waits(told);
            let least = (60.0 * 2.0_f64.powi(attempt - 1)).min(3600.0);
            assert!((least - 5.0..=least * 1.2).contains(&waits), "{attempt}: {waits}");
            pass_time(&mut stage.db());
        }
        stage.until(told, "dead10");
        pass_time(&mut stage.db());
        pause(500);
        worker.stop();
        assert_eq!(stage.service.received().len(), 10);
        assert_eq!(devices(&stage), 1);
    }

    fn who_asks_to_wait_is_left_alone_but_not_for_ever(stage: Stage) {
        stage.device("/phone");
        let worker = stage.work();
        for (cause, (asked, least, most)) in [
            ("7200", 7190.0, 7200.0),
            // Less than it would wait anyway.
            ("1", 55.0, 72.0),
            ("99999999", 21_590.0, 21_600.0),
            ("Tue, 01 Sep 2026 13:00:00 GMT", 3590.0, 3600.0),
            ("soon", 55.0, 72.0),
        ]
        .into_iter()
        .enumerate()
        {
            let asked = asked.to_owned();
            stage.service.answers(move |_, _| Reply::of(429).with("Retry-After", &*asked));
            let told = stage.tell(&cause.to_string());
            stage.until(told, "pending1");
            let waits = stage.waits(told);
            assert!((least..=most).contains(&waits), "{cause}: {waits}");
        }
        worker.stop();
    }

    fn a_device_that_is_gone_is_taken_away(stage: Stage) {
        for path in ["/gone", "/unknown", "/phone"] {
            stage.device(path);
        }
        stage.service.answers(|path, _| match path {
            "/gone" => Reply::of(410),
            "/unknown" => Reply::of(404),
            _ => Reply::of(201),
        });
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "sent1");
        assert_eq!(devices(&stage), 1);
        stage.service.answers(|_, _| Reply::of(410));
        let last = stage.tell("2");
        stage.until(last, "skipped1");
        assert_eq!(stage.delivery(last)["last_error"], "the user has no device");
        worker.stop();
        assert_eq!(devices(&stage), 0);
    }

    fn a_device_that_has_it_is_not_sent_to_again(stage: Stage) {
        stage.device("/phone");
        stage.device("/laptop");
        stage.service.answers(|path, before| match (path, before) {
            ("/laptop", 0 | 1) => Reply::of(500),
            _ => Reply::of(201),
        });
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "pending1");
        assert_eq!(stage.delivery(told)["receipts"].as_array().unwrap().len(), 1);
        pass_time(&mut stage.db());
        stage.until(told, "pending2");
        pass_time(&mut stage.db());
        stage.until(told, "sent3");
        worker.stop();
        assert_eq!(stage.service.statuses("/phone"), [201]);
        assert_eq!(stage.service.statuses("/laptop"), [500, 500, 201]);
    }

    /// Other devices, and other messages, do not wait for it.
    fn one_that_does_not_answer_is_given_up(stage: Stage) {
        stage.device("/slow");
        stage.service.answers(|_, _| Reply::of(201).after(Duration::from_secs(25)));
        let worker = stage.work();
        let began = Instant::now();
        let told = stage.tell("1");
        stage.until(told, "sending1");
        stage.device("/phone");
        stage.service.answers(|path, _| match path {
            "/slow" => Reply::of(201).after(Duration::from_secs(25)),
            _ => Reply::of(201),
        });
        stage.tell("2");
        while stage.service.statuses("/phone").is_empty() {
            assert!(began.elapsed() < Duration::from_secs(10), "it waits for the slow one");
            pause(20);
        }
        stage.until(told, "pending1");
        assert!(began.elapsed() < Duration::from_secs(24), "{:?}", began.elapsed());
        let error = stage.delivery(told)["last_error"].clone();
        assert_eq!(error, "no answer within 15s");
        worker.stop();
    }

    /// Whoever was silent for longer than the lease changes nothing; what was sent is known all the
    /// same, so that nobody gets it twice.
    fn a_late_mark_changes_nothing(stage: Stage) {
        stage.device("/phone");
        stage.service.answers(|_, _| Reply::of(201).after(Duration::from_secs(2)));
        let worker = stage.work();
        let told = stage.tell("1");
        while stage.service.received().is_empty() {
            pause(20);
        }
        // Its lease runs out, and another holds it.
        let mut db = stage.db();
        pass_time(&mut db);
        let lease = Duration::from_hours(1);
        let claimed = claim_deliveries(&mut db, Channel::Push, "other", lease, 10).unwrap();
        assert_eq!(claimed.len(), 1);
        let stale = || stage.server.app.deliveries.get(Channel::Push, "stale");
        let began = Instant::now();
        while stale() == 0 {
            assert!(began.elapsed() < SOON);
            pause(20);
        }
        assert_eq!(stage.state(told), "sending2");
        // That one dies too; the third finds that the device has it.
        pass_time(&mut db);
        stage.until(told, "sent3");
        worker.stop();
        assert_eq!(stage.service.statuses("/phone"), [201]);
    }

    /// What is on its way is done, the rest stays for another.
    fn a_worker_that_stops_finishes_what_it_began(stage: Stage) {
        stage.device("/phone");
        stage.service.answers(|_, _| Reply::of(201).after(Duration::from_millis(700)));
        let mut db = stage.db();
        for number in 0..100 {
            tell(&mut db, stage.ada_id, &number.to_string());
        }
        let worker = stage.work();
        while stage.service.received().is_empty() {
            pause(5);
        }
        worker.stop();
        let begun = stage.service.received().len();
        assert!((1..100).contains(&begun), "{begun}");
        let sending: i64 = traverse::schema::deliveries::table
            .filter(traverse::schema::deliveries::lease_token.is_not_null())
            .count()
            .get_result(&mut db)
            .unwrap();
        assert_eq!(sending, 0, "what was claimed is marked");
        stage.service.answers(|_, _| Reply::of(201));
        let next = stage.work();
        stage.until_received(100);
        next.stop();
        assert_eq!(stage.service.received().len(), 100);
    }
}
