//! The job of digests: dies at any call of the database, runs twice, and tells each once a day.

use super::{Post, open_jobs, pass_time};
use crate::harness::faults;
use crate::harness::on_both;
use chrono::TimeDelta;
use diesel::prelude::*;
use serde_json::json;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::pool::Pool;
use traverse::db::tx::{Work, write};
use traverse::digest::job::{DailyDigest, daily_digest};
use traverse::jobs::registry::Registry;
use traverse::jobs::{Job, enqueue};
use traverse::schema::{notifications, revisions, users};

/// More calls than a worker makes for three users.
const CALLS: i64 = 48;

fn live(post: &Post, db: &mut Db, call: i64) -> bool {
    let registry = || Registry::default().on::<DailyDigest, _, _>(daily_digest);
    let start = |pool: Pool| post.start(pool, registry());
    faults::live(&post.server.database, call, start, || open_jobs(db, DailyDigest::KIND) == 0)
}

fn begin(db: &mut Db) {
    let begun: Work<bool> = write(db, |db| Ok(enqueue(db, &DailyDigest {})?));
    begun.unwrap();
}

/// How many digests there are of a day.
fn told(db: &mut Db, day: &str) -> i64 {
    notifications::table
        .filter(notifications::dedup_key.eq(format!("digest:{day}")))
        .count()
        .get_result(db)
        .unwrap()
}

on_both! {
    fn at_any_call_each_is_told_once_a_day(post: Post) {
        let mut db = post.db();
        for name in ["ada", "bob", "eve"] {
            let client = post.server.register(name);
            let body = json!({
                "problem": {"platform": "leetcode", "slug": "two-sum"}, "verdict": "accepted",
            });
            client.post_with_key("/api/v1/submissions", "k", &body).expect(201);
        }
        diesel::update(revisions::table)
            .set(revisions::due_on.eq(crate::harness::rows::day()))
            .execute(&mut db)
            .unwrap();
        let mut struck = 0;
        for call in 1..=CALLS {
            post.server.advance(TimeDelta::days(1));
            begin(&mut db);
            struck += usize::from(live(&post, &mut db, call));
            pass_time(&mut db);
            live(&post, &mut db, 0);
            let day = post.server.now().date_naive().to_string();
            assert_eq!(told(&mut db, &day), 3, "{call}, {day}");
        }
        assert!(struck >= 25, "only {struck} of {CALLS} kills struck");
        // It looks once more at everybody, who have been told.
        diesel::update(users::table)
            .set(users::digest_due_at.eq(None::<At>))
            .execute(&mut db)
            .unwrap();
        begin(&mut db);
        live(&post, &mut db, 0);
        assert_eq!(told(&mut db, &post.server.now().date_naive().to_string()), 3);
    }
}
