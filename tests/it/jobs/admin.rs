//! The queue as an admin sees it, over HTTP.

use super::{Ping, Recount};
use crate::harness::{Server, on_both};
use serde_json::json;
use traverse::db::Db;
use traverse::jobs::guards::{claim_jobs, fail_attempt};
use traverse::jobs::model::{Held, Verdict};
use traverse::jobs::{Failed, enqueue};

/// Claims the one ping that waits, and fails it for good.
fn kill(db: &mut Db) {
    let registry = traverse::jobs::registry::Registry::default()
        .on::<Ping, _, _>(|_: Ping| async { Ok::<(), Failed>(()) });
    let rows = claim_jobs(db, &registry.kinds(), "admin", 1, None).unwrap();
    let held = Held { id: rows[0].id, token: rows[0].lease_token.clone() };
    let verdict = Verdict::Failed { error: "the other side is gone".to_owned(), wait: None };
    fail_attempt(db, &held, &verdict).unwrap().unwrap();
}

on_both! {
    fn dead_jobs_are_seen_and_revived(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let mut db = server.database.connect();
        assert!(enqueue(&mut db, &Ping(7)).unwrap());
        kill(&mut db);
        assert!(enqueue(&mut db, &Recount).unwrap());
        bob.get("/api/v1/admin/jobs").expect(403);
        server.anonymous().get("/api/v1/admin/jobs").expect(401);
        let all = ada.get("/api/v1/admin/jobs").expect(200).body;
        let names: Vec<_> =
            all["items"].as_array().unwrap().iter().map(|job| &job["job_id"]).collect();
        assert_eq!(names, ["recount", "ping-7"]);
        let dead = ada.get("/api/v1/admin/jobs?state=dead&kind=ping").expect(200).body;
        let job = &dead["items"][0];
        assert_eq!(job["last_error"], "the other side is gone");
        assert_eq!((&job["attempts"], &job["payload"]), (&json!(1), &json!(7)));
        let path = format!("/api/v1/admin/jobs/{}", job["id"]);
        assert_eq!(&ada.get(&path).expect(200).body, job);
        bob.post(&format!("{path}/retry"), &json!({})).expect(403);
        let revived = ada.post(&format!("{path}/retry"), &json!({})).expect(200).body;
        assert_eq!((&revived["state"], &revived["attempts"]), (&json!("pending"), &json!(0)));
        let again = ada.post(&format!("{path}/retry"), &json!({})).expect(409);
        assert_eq!(again.code(), "job-not-dead");
        assert_eq!(again.body["state"], "pending");
        let stopped = ada.post(&format!("{path}/cancel"), &json!({})).expect(200).body;
        assert_eq!(stopped["state"], "cancelled");
        let again = ada.post(&format!("{path}/cancel"), &json!({})).expect(409);
        assert_eq!(again.code(), "job-not-pending");
        ada.get("/api/v1/admin/jobs/999999").expect(404);
        ada.post("/api/v1/admin/jobs/999999/retry", &json!({})).expect(404);
        ada.get("/api/v1/admin/jobs?state=asleep").expect(422);
        for kind in ["", "%00", "a%00b", "Ping", &"a".repeat(65)] {
            let refused = ada.get(&format!("/api/v1/admin/jobs?kind={kind}")).expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "kind");
        }
        let nothing = ada.get("/api/v1/admin/jobs?kind=unheard-of").expect(200).body;
        assert_eq!(nothing["items"], json!([]));
    }

    fn the_figures_tell_what_waits(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        assert!(enqueue(&mut db, &Ping(7)).unwrap());
        kill(&mut db);
        assert!(enqueue(&mut db, &Ping(8)).unwrap());
        let text = String::from_utf8(ada.get("/metrics").expect(200).bytes).unwrap();
        for line in [
            r#"traverse_jobs{kind="ping",state="dead"} 1"#,
            r#"traverse_jobs{kind="ping",state="pending"} 1"#,
            r#"traverse_job_attempts_total{outcome="stale"} 0"#,
            r#"traverse_job_lag_seconds{kind="ping"} "#,
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }
}
