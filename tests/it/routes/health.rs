use crate::harness::{Answer, Backend, Client, Process, Server, on_both};
use chrono::TimeDelta;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use reqwest::Method;
use serde_json::json;
use std::time::{Duration, Instant};
use traverse::db::instant::At;
use traverse::import::settle::SettleImports;
use traverse::jobs::guards::record_tick;
use traverse::jobs::purge::PurgeJobs;
use traverse::jobs::{enqueue_at, store};
use traverse::schema::jobs;

on_both! {
    fn a_process_that_runs_says_so_to_anybody(server: Server) {
        let health = server.anonymous().get("/healthz").expect(200).body;
        assert_eq!(health["status"], "ok");
        assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
        let ready = server.anonymous().get("/readyz").expect(200).body;
        let queue = json!({"worker": "unseen", "worker_lag_seconds": 0.0});
        let database = json!({"status": "ready", "database": "up", "migrations": "current"});
        for (name, value) in database.as_object().unwrap().iter().chain(queue.as_object().unwrap()) {
            assert_eq!(&ready[name], value, "{name}");
        }
        assert_eq!(ready.as_object().unwrap().len(), 5);
    }

    /// However late the work is, requests are answered.
    fn how_late_work_is_turns_nothing_red(server: Server) {
        let mut db = server.database.connect();
        let ready = || server.anonymous().get("/readyz").expect(200).body;
        let now = store::clock(&mut db).unwrap();
        let ago = |seconds| At::from(*now - TimeDelta::seconds(seconds));
        let lag = || ready()["worker_lag_seconds"].as_f64().unwrap();
        enqueue_at(&mut db, &PurgeJobs {}, Some(ago(-60))).unwrap();
        assert_eq!(ready()["worker_lag_seconds"], 0.0, "nothing is due");
        enqueue_at(&mut db, &SettleImports {}, Some(ago(5000))).unwrap();
        assert!((4990.0..6000.0).contains(&lag()), "{}", lag());
        // An urgent one that is late as well does not hide it, and what runs does not wait.
        diesel::update(jobs::table.filter(jobs::kind.eq("purge-jobs")))
            .set((jobs::priority.eq(10), jobs::run_at.eq(ago(100))))
            .execute(&mut db)
            .unwrap();
        assert!((4990.0..6000.0).contains(&lag()), "{}", lag());
        diesel::delete(jobs::table.filter(jobs::kind.eq("settle-imports")))
            .execute(&mut db)
            .unwrap();
        assert!((95.0..1000.0).contains(&lag()), "{}", lag());
        for (age, worker) in [(200, "unseen"), (100, "seen")] {
            record_tick(&mut db, "notification-push-drain", ago(age)).unwrap();
            assert_eq!(ready()["worker"], worker);
        }
    }

    fn a_worker_is_seen_from_its_start(server: Server) {
        let _worker = Process::worker(&server.database);
        let began = Instant::now();
        while server.anonymous().get("/readyz").expect(200).body["worker"] != "seen" {
            assert!(began.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn without_its_migrations_a_process_is_not_ready(server: Server) {
        let mut db = server.database.connect();
        db.batch_execute("delete from __diesel_schema_migrations").unwrap();
        let answer = server.anonymous().get("/readyz").expect(503);
        assert_eq!(answer.code(), "unavailable");
        assert_eq!(answer.body["migrations"], "pending");
        assert!(answer.header("retry-after").is_some());
        server.anonymous().get("/healthz").expect(200);
    }

    fn without_its_database_a_process_is_not_ready(server: Server) {
        match server.database.backend {
            Backend::Postgres => server.database.remove(),
            // A process keeps the file open, whoever takes it away.
            Backend::Sqlite => {
                let mut db = server.database.connect();
                db.batch_execute("drop table __diesel_schema_migrations").unwrap();
            }
        }
        let answer = server.anonymous().get("/readyz").expect(503);
        assert_eq!(answer.body["database"], "down");
        server.anonymous().get("/healthz").expect(200);
    }

    fn the_figures_count_routes_and_not_paths(server: Server) {
        let ada = server.register("ada");
        ada.delete("/api/v1/tokens/4711").expect(404);
        ada.get("/made/up/4712").expect(404);
        Answer::of(ada.request(Method::from_bytes(b"MADEUP").unwrap(), "/api/v1/me")).expect(405);
        Answer::of(ada.request(Method::HEAD, "/api/v1/me")).expect(200);
        let answer = server.anonymous().get("/metrics").expect(200);
        assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        let text = String::from_utf8(answer.bytes).unwrap();
        for line in [
            r#"traverse_http_requests_total{method="POST",route="/api/v1/auth/register",status="201"} 1"#,
            r#"traverse_http_requests_total{method="DELETE",route="/api/v1/tokens/{id}",status="404"} 1"#,
            r#"traverse_http_requests_total{method="GET",route="none",status="404"} 1"#,
            r#"traverse_http_requests_total{method="other",route="/api/v1/me",status="405"} 1"#,
            r#"traverse_http_requests_total{method="HEAD",route="/api/v1/me",status="200"} 1"#,
            r#"traverse_http_request_duration_seconds_count{method="POST",route="/api/v1/auth/register"} 1"#,
            "traverse_http_requests_in_flight 1",
            r#"traverse_database_connections{state="waiting"} 0"#,
            r#"traverse_build_info{version="0.1.0"} 1"#,
            "process_start_time_seconds 1788264000",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("4711") && !text.contains("4712") && !text.contains("MADEUP"));
    }

    fn from_elsewhere_the_figures_need_the_scope_admin(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let from_elsewhere = |client: &Client| {
            Answer::of(client.request(Method::GET, "/metrics").header("X-Forwarded-For", "192.0.2.1"))
        };
        from_elsewhere(&server.anonymous()).expect(401);
        from_elsewhere(&bob).expect(403);
        from_elsewhere(&ada).expect(200);
    }
}

/// A worker that lives is never taken for none.
#[test]
fn some_schedule_has_a_tick_each_minute() {
    assert!(traverse::worker::SCHEDULES.iter().any(|schedule| schedule.when == "0 * * * * *"));
}
