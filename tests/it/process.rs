//! What the real binary does as a process: it stops when told, and tells no secrets in its log.

use crate::harness::server::PASSWORD;
use crate::harness::{Answer, Backend, Process, on_both};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How many requests the process is answering.
fn figures_of(process: &Process) -> String {
    String::from_utf8(process.client().get("/metrics").expect(200).bytes).unwrap()
}

/// Requests that are not answered yet; the one that asks is among them.
fn in_flight(figures: &str) -> u32 {
    let mut lines = figures.lines();
    let value = lines.find_map(|line| line.strip_prefix("traverse_http_requests_in_flight "));
    value.unwrap().parse().unwrap()
}

/// Registrations that are answered.
fn answered(figures: &str) -> u32 {
    let of_route = |line: &&str| {
        line.starts_with("traverse_http_requests_total{") && line.contains("/auth/register")
    };
    let lines = figures.lines().filter(of_route);
    lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap()).sum()
}

on_both! {
    fn what_runs_is_finished_before_the_end(process: Process) {
        stop(process, "TERM");
    }

    fn an_interrupt_is_a_request_to_stop(process: Process) {
        stop(process, "INT");
    }

    fn the_log_tells_much_and_no_secret(process: Process) {
        let client = process.client();
        let account = json!({"email": "ada@example.org", "handle": "ada", "password": PASSWORD});
        let named = client.request(Method::POST, "/api/v1/auth/register");
        let named = named.header("X-Request-Id", "the-first").json(&account);
        let registered = Answer::of(named).expect(201);
        let session = registered.body["token"].as_str().unwrap().to_owned();
        let ada = client.with_token(&session);
        let order = json!({"name": "x", "scopes": ["read"]});
        let made = ada.post("/api/v1/tokens", &order).expect(201);
        let token = made.body["token"].as_str().unwrap().to_owned();
        let wrong = json!({"email": "ada@example.org", "password": "a wrong password"});
        client.post("/api/v1/auth/login", &wrong).expect(401);
        client.with_token("trv_guessed").get("/api/v1/me").expect(401);
        let feed = "0123456789abcdef0123456789abcdef";
        client.get(&format!("/calendar/1/{feed}/revisions.ics")).expect(404);
        ada.get("/api/v1/tokens?cursor=in-the-query").expect(422);
        ada.get("/a-path-that-is-not-there").expect(404);

        let log = process.log();
        for secret in [PASSWORD, "a wrong password", session.as_str(), token.as_str(), "trv_", feed,
                       "in-the-query", "a-path-that-is-not-there", "ada@example.org", "argon2"] {
            assert!(!log.contains(secret), "{secret} is in\n{log}");
        }
        let lines: Vec<Value> =
            log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answered: Vec<_> = lines.iter().filter(|line| line["message"] == "answered").collect();
        let routes: Vec<_> = answered.iter().filter(|line| line["route"] != "/readyz")
            .map(|line| (line["method"].as_str().unwrap(), line["route"].as_str().unwrap(),
                         line["status"].as_u64().unwrap())).collect();
        assert_eq!(routes[..4], [
            ("POST", "/api/v1/auth/register", 201),
            ("POST", "/api/v1/tokens", 201),
            ("POST", "/api/v1/auth/login", 401),
            ("GET", "/api/v1/me", 401),
        ]);
        assert_eq!(routes.len(), 7);
        for line in &answered {
            assert!(line["ms"].as_f64().is_some_and(|ms| ms >= 0.0), "{line}");
            assert!(line["span"]["request_id"].is_string(), "{line}");
        }
        let first = answered.iter().find(|line| line["span"]["request_id"] == "the-first");
        assert_eq!(first.unwrap()["route"], "/api/v1/auth/register");
        let of_ada = answered.iter().find(|line| line["route"] == "/api/v1/tokens").unwrap();
        assert_eq!(of_ada["user_id"], registered.body["user"]["id"]);
    }
}

/// Tells a process to stop while it hashes passwords, with an idle connection open.
fn stop(mut process: Process, signal: &str) {
    let idle = process.client();
    idle.get("/healthz").expect(200);
    let clients = 40;
    std::thread::scope(|scope| {
        let registered: Vec<_> = (0..clients)
            .map(|number| {
                let client = process.client();
                scope.spawn(move || {
                    let account = json!({"email": format!("user{number}@example.org"),
                                         "password": PASSWORD});
                    client.post("/api/v1/auth/register", &account)
                })
            })
            .collect();
        let began = Instant::now();
        let mut figures = figures_of(&process);
        while in_flight(&figures) - 1 + answered(&figures) < clients {
            assert!(began.elapsed() < Duration::from_secs(30), "they were too slow");
            figures = figures_of(&process);
        }
        assert!(in_flight(&figures) > 1, "they were too fast");
        process.signal(signal);
        for answer in registered {
            answer.join().unwrap().expect(201);
        }
    });
    let status = process.wait(Duration::from_secs(10));
    assert!(status.success(), "{status} {}", process.log());
    assert!(idle.request(Method::GET, "/healthz").send().is_err());
    assert!(process.log().contains("stopping"));
}

on_both! {
    fn a_second_signal_does_not_wait(backend: Backend) {
        let mut process = Process::fresh(backend);
        // A request that is never sent to its end.
        let mut stream = std::net::TcpStream::connect(process.url.trim_start_matches("http://")).unwrap();
        let head = "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{";
        std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
        while in_flight(&figures_of(&process)) < 2 {}
        process.signal("TERM");
        let began = Instant::now();
        while !process.log().contains("stopping") {
            assert!(began.elapsed() < Duration::from_secs(5));
        }
        process.signal("TERM");
        assert_eq!(process.wait(Duration::from_secs(5)).code(), Some(1));
    }
}
