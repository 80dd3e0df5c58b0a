use crate::harness::{Answer, Client, Database, Server, on_both};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Sends bytes as they are, and reads until the server closes the connection.
fn raw(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    // The server may answer and close before it has all of it.
    drop(stream.write_all(bytes));
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    String::from_utf8(answer).unwrap()
}

/// Sends a request of one line, with these headers, on a connection of its own.
fn ask(server: &Server, line: &str, headers: &str) -> String {
    raw(
        server,
        format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n").as_bytes(),
    )
}

#[track_caller]
fn is_problem(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.body["code"], code);
    assert_eq!(answer.body["type"], format!("urn:traverse:error:{code}"));
    assert_eq!(answer.body["status"], status);
    assert!(answer.body["title"].is_string() && answer.body["detail"].is_string());
}

fn document(server: &Server) -> Value {
    server.anonymous().get("/openapi.json").expect(200).body
}

on_both! {
    fn what_is_not_there_is_a_problem(server: Server) {
        let ada = server.register("ada");
        for path in ["/nope", "/api/v1/nope", "/api/v1", "/api/v1/me/", "/api/v1/tokens/x",
                     "/api/v1/tokens/%00", "/docs/nope", "/%", "/%zz", "//", "/api/v2/me"] {
            let answer = if path == "/api/v1/tokens/x" || path == "/api/v1/tokens/%00" {
                ada.delete(path)
            } else {
                ada.get(path)
            };
            is_problem(&answer, 404, "not-found");
        }
    }

    fn every_path_tells_its_methods(server: Server) {
        let document = document(&server);
        let paths = document["paths"].as_object().unwrap();
        assert!(paths.len() > 8);
        let client = server.anonymous();
        for (path, item) in paths {
            let mut allowed: Vec<_> = item.as_object().unwrap().keys()
                .map(|method| method.to_uppercase()).collect();
            if allowed.contains(&"GET".to_owned()) && !allowed.contains(&"HEAD".to_owned()) {
                allowed.push("HEAD".to_owned());
            }
            allowed.sort();
            let allowed = allowed.join(", ");
            let path = path.replace("{feed_id}", "1").replace("{token}", &"0".repeat(32));
            let path = path.replace(['{', '}'], "");
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
                           "TRACE", "PROPFIND"] {
                if allowed.split(", ").any(|known| known == method) {
                    continue;
                }
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                let answer = Answer::of(client.request(method.clone(), &path));
                assert_eq!(answer.header("allow"), Some(allowed.as_str()), "{method} {path}");
                if method == Method::HEAD {
                    assert_eq!(answer.status, 405);
                } else {
                    is_problem(&answer, 405, "method-not-allowed");
                }
            }
        }
    }

    fn head_is_get_without_the_body(server: Server) {
        let ada = server.register("ada");
        for path in ["/api/v1/me", "/healthz", "/openapi.json", "/docs/", "/nope"] {
            let get = ada.get(path);
            let head = Answer::of(ada.request(Method::HEAD, path));
            assert_eq!(head.status, get.status);
            assert_eq!(head.header("content-length"), get.header("content-length"), "{path}");
            assert_eq!(head.header("content-type"), get.header("content-type"));
            assert!(head.bytes.is_empty());
        }
    }

    fn a_body_is_one_json_object(server: Server) {
        let client = server.anonymous();
        let send = |kind: &str, body: &str| {
            let request = client.request(Method::POST, "/api/v1/auth/login");
            Answer::of(request.header("Content-Type", kind).body(body.to_owned()))
        };
        let right = r#"{"email": "ada@example.org", "password": "x"}"#;
        is_problem(&send("application/json", right), 401, "invalid-credentials");
        is_problem(&send("Application/JSON; charset=utf-8", right), 401, "invalid-credentials");
        for (body, status, code) in [
            ("", 400, "malformed"),
            ("{", 400, "malformed"),
            ("nonsense", 400, "malformed"),
            (r#"{"email": "a", "password": "b"} x"#, 400, "malformed"),
            ("{}x", 400, "malformed"),
            (r#"{"email": 1} {"#, 400, "malformed"),
            (r#"{"email": 1, "password""#, 400, "malformed"),
            ("{}", 422, "invalid"),
            ("null", 422, "invalid"),
            (r#"["ada@example.org", "x"]"#, 422, "invalid"),
            (r#"{"email": 1, "password": "x"}"#, 422, "invalid"),
            (r#"{"email": "a", "password": "x", "more": 1}"#, 422, "invalid"),
            (r#"{"email": "a", "email": "b", "password": "x"}"#, 422, "invalid"),
        ] {
            is_problem(&send("application/json", body), status, code);
        }
        for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
            is_problem(&send(kind, right), 415, "unsupported-media-type");
        }
        let request = client.request(Method::POST, "/api/v1/auth/login");
        let request = request.header("Content-Encoding", "gzip");
        let request = request.header("Content-Type", "application/json").body(right);
        is_problem(&Answer::of(request), 415, "unsupported-media-type");
    }

    fn a_refused_value_has_a_pointer(server: Server) {
        let ada = server.register("ada");
        let patch = json!({"daily_goal": {"solves": "one", "revisions": 1}});
        let refused = ada.patch("/api/v1/me", &patch).expect(422);
        assert_eq!(refused.body["errors"][0]["pointer"], "/daily_goal/solves");
    }

    fn a_refused_value_is_told_in_the_words_of_the_api(server: Server) {
        let ada = server.register("ada");
        let integer = "an integer from -2147483648 to 2147483647 is expected";
        for (patch, pointer, detail) in [
            (json!({"daily_cap": "x"}), "/daily_cap", integer),
            (json!({"daily_cap": 1.5}), "/daily_cap", integer),
            (json!({"daily_goal": {"solves": 1}}), "/daily_goal/revisions", "this field is needed"),
            (json!({"time_zone": 5}), "/time_zone", "a string is expected"),
        ] {
            let refused = ada.patch("/api/v1/me", &patch).expect(422);
            let error = &refused.body["errors"][0];
            assert_eq!(*error, json!({"pointer": pointer, "detail": detail}), "{patch}");
        }
        let refused = ada.patch("/api/v1/me", &json!({"a/b": 1})).expect(422);
        assert_eq!(refused.body["errors"][0]["pointer"], "/a~1b");
        let words = ["expected i", "invalid type", "struct ", "enum ", "at line", "unknown variant"];
        let bodies = [
            ("/api/v1/submissions", json!({"verdict": "x", "problem": {}})),
            ("/api/v1/submissions", json!({"verdict": 1, "problem": {}})),
            ("/api/v1/submissions", json!({"verdict": "accepted", "problem": 5})),
            ("/api/v1/submissions", json!({"verdict": "accepted", "problem": {}, "happened_at": 1})),
            ("/api/v1/submissions", json!({"verdict": "accepted", "problem": {}, "rating": "so"})),
            ("/api/v1/submissions", json!({"verdict": "accepted", "problem": {"tags": 1}})),
            ("/api/v1/problems", json!({"platform": "x", "slug": "y"})),
            ("/api/v1/tokens", json!({"name": "x", "scopes": "read"})),
            ("/api/v1/tokens", json!({"name": "x", "scopes": ["reed"]})),
        ];
        for (path, body) in bodies {
            let refused = ada.post_with_key(path, "k", &body).expect(422).body.to_string();
            assert!(!words.iter().any(|word| refused.contains(word)), "{body}: {refused}");
        }
        for query in ["solves?limit=x", "solves?limit=-1", "solves?leech=2", "revisions?from=x",
                      "revisions?state=x", "problems?platform=x", "submissions?updated_since=x"] {
            let refused = ada.get(&format!("/api/v1/{query}")).expect(422).body.to_string();
            assert!(!words.iter().any(|word| refused.contains(word)), "{query}: {refused}");
        }
    }

    fn a_cursor_is_of_one_list(server: Server) {
        let ada = server.register("ada");
        for slug in ["two-sum", "3sum"] {
            let body = json!({"problem": {"platform": "leetcode", "slug": slug},
                              "verdict": "accepted"});
            ada.post_with_key("/api/v1/submissions", slug, &body).expect(201);
        }
        let lists = ["submissions", "inbox", "solves", "problems", "xp/entries"];
        let mut checked = 0;
        for of in lists {
            let page = ada.get(&format!("/api/v1/{of}?limit=1")).expect(200).body;
            let cursor = page["next_cursor"].as_str().unwrap_or_else(|| panic!("{of}: {page}"));
            for list in lists {
                let expected = if list == of { 200 } else { 422 };
                ada.get(&format!("/api/v1/{list}?cursor={cursor}")).expect(expected);
                checked += 1;
            }
        }
        assert_eq!(checked, 25);
    }

    fn a_body_that_is_too_large_is_read_and_refused(server: Server) {
        let send = |length: usize| {
            let request = server.anonymous().request(Method::POST, "/api/v1/auth/login");
            let body = format!(r#"{{"email": "{}", "password": "x"}}"#, "a".repeat(length));
            Answer::of(request.header("Content-Type", "application/json").body(body))
        };
        is_problem(&send(1024 * 1024 - 100), 401, "invalid-credentials");
        // The client sends all of it, and still gets the answer.
        for length in [1024 * 1024 + 1, 20 * 1024 * 1024] {
            is_problem(&send(length), 413, "too-large");
        }
    }

    fn a_body_that_ends_early_takes_nothing_with_it(server: Server) {
        let head = "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                    Content-Length: 100\r\n\r\n{\"email\"";
        let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        drop(stream.read_to_string(&mut answer));
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
        server.anonymous().get("/healthz").expect(200);
    }

    fn long_addresses_and_headers_are_refused(server: Server) {
        let client = server.anonymous();
        let path = |length: usize| format!("/healthz?{}", "a".repeat(length - "/healthz?".len()));
        client.get(&path(8 * 1024)).expect(200);
        is_problem(&client.get(&path(8 * 1024 + 1)), 414, "target-too-long");
        let with = |length: usize| {
            Answer::of(client.request(Method::GET, "/healthz").header("X-Long", "a".repeat(length)))
        };
        with(31 * 1024).expect(200);
        is_problem(&with(33 * 1024), 431, "headers-too-large");
        // What the library refuses before it is a request has no body, and a right status.
        for (answer, status) in [
            (ask(&server, "GET /healthz", &"X-Many: 1\r\n".repeat(100)), "431"),
            (ask(&server, "GET /healthz", &format!("X-Long: {}\r\n", "a".repeat(200 * 1024))), "431"),
            (ask(&server, &format!("GET /{}", "a".repeat(70 * 1024)), ""), "400"),
            (ask(&server, "GET /heal thz", ""), "400"),
            (raw(&server, b"nonsense\r\n\r\n"), "400"),
            (raw(&server, b"GET /healthz HTTP/1.1\r\n\r\n"), "400"),
            (ask(&server, "POST /healthz", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), "400"),
        ] {
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        }
        server.anonymous().get("/healthz").expect(200);
    }

    fn a_request_has_a_name(server: Server) {
        let named = |name: &str| {
            let request = server.anonymous().request(Method::GET, "/nope");
            let answer = Answer::of(request.header("X-Request-Id", name));
            answer.header("x-request-id").unwrap().to_owned()
        };
        for kept in ["a", "Az09._-", &"a".repeat(128)] {
            assert_eq!(named(kept), kept);
        }
        for other in ["", "a b", "a/b", "é", "a\"", &"a".repeat(129)] {
            let made = named(other);
            assert_eq!(made.len(), 36, "{made}");
            assert_eq!(made.as_bytes()[14], b'7', "{made}");
        }
        let made = || server.anonymous().get("/healthz").header("x-request-id").unwrap().to_owned();
        assert_ne!(made(), made());
    }

    fn every_answer_tells_browsers_to_take_care(server: Server) {
        let ada = server.register("ada");
        let answers = [
            ada.get("/api/v1/me").expect(200),
            ada.delete("/api/v1/tokens/1000").expect(404),
            ada.get("/nope").expect(404),
            ada.post("/api/v1/me", &json!({})).expect(405),
            server.anonymous().get("/api/v1/me").expect(401),
            server.anonymous().get("/healthz").expect(200),
            server.anonymous().get("/docs/").expect(200),
            server.anonymous().get(&format!("/{}", "a".repeat(9000))).expect(414),
        ];
        for answer in &answers {
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
            assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
            assert_eq!(answer.header("x-frame-options"), Some("DENY"));
            assert!(answer.header("permissions-policy").is_some());
            let policy = answer.header("content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none'"), "{policy}");
            assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
            assert!(answer.header("x-request-id").is_some());
            assert_eq!(answer.header("strict-transport-security"), None);
        }
        for answer in &answers[..6] {
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
        assert_eq!(answers[4].header("www-authenticate"), Some("Bearer"));
    }

    fn the_documentation_loads_nothing_from_elsewhere(server: Server) {
        let client = server.anonymous();
        let from_the_start = client.get("/").expect(302);
        assert_eq!(from_the_start.header("location"), Some("/docs/"));
        let to = client.get("/docs").expect(308);
        assert_eq!(to.header("location"), Some("/docs/"));
        let page = client.get("/docs/").expect(200);
        assert_eq!(page.header("content-type"), Some("text/html"));
        let html = String::from_utf8(page.bytes).unwrap();
        assert!(html.contains("<title>Traverse: the API</title>"), "{html}");
        let mut loaded = 0;
        for attribute in ["src=\"", "href=\""] {
            for rest in html.split(attribute).skip(1) {
                let target = rest.split('"').next().unwrap();
                assert!(!target.contains("//"), "{target}");
                client.get(&format!("/docs/{}", target.trim_start_matches("./"))).expect(200);
                loaded += 1;
            }
        }
        assert!(loaded >= 5, "{html}");
        // Every script is a file, so that the policy need not allow any in the page.
        assert!(html.split("<script").skip(1).all(|script| script.starts_with(" src=")));
        let start = client.get("/docs/swagger-initializer.js").expect(200);
        let start = String::from_utf8(start.bytes).unwrap();
        assert!(start.contains(r#""url": "/openapi.json""#), "{start}");
        assert!(start.contains(r#""validatorUrl": "none""#), "{start}");
        assert!(!start.contains("http"), "{start}");
        client.get("/openapi.json").expect(200);
    }

    fn more_requests_may_wait_than_there_are_connections(database: Database) {
        let server = Server::on(database, |config| config.connections = 1);
        let ada = server.register("ada");
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let asked: Vec<_> =
                (0..100).map(|_| scope.spawn(|| ada.get("/api/v1/me").status)).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    }

    fn who_does_not_send_is_not_waited_for(server: Server) {
        let connect = || {
            let stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
            stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
            stream
        };
        let began = Instant::now();
        let (mut head, mut body) = (connect(), connect());
        head.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n").unwrap();
        body.write_all(b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n\
                         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{").unwrap();
        let mut answer = String::new();
        head.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!((9..15).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
        answer.clear();
        body.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains(r#""code":"too-slow""#), "{answer}");
        assert!((29..45).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    }

    fn each_operation_wants_the_scopes_that_it_says(server: Server) {
        let document = document(&server);
        let ada = server.register("ada");
        let token = |scope: &str| -> Client {
            let order = json!({"name": scope, "scopes": [scope]});
            let made = ada.post("/api/v1/tokens", &order).expect(201).body;
            ada.with_token(made["token"].as_str().unwrap())
        };
        let tokens = ["read", "write", "submit", "admin"].map(|scope| (scope, token(scope)));
        let mut checked = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            let url: String = path.split('/')
                .map(|part| if part.starts_with('{') { "1" } else { part })
                .collect::<Vec<_>>().join("/");
            for (method, operation) in item.as_object().unwrap() {
                let security = operation["security"].as_array().unwrap();
                if security.contains(&json!({})) {
                    continue;
                }
                let wanted: Vec<_> = security[0]["bearer"].as_array().unwrap().iter()
                    .map(|scope| scope.as_str().unwrap()).collect();
                let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                let anonymous = server.anonymous();
                let send = |client: &Client| Answer::of(client.request(method.clone(), &url));
                is_problem(&send(&anonymous), 401, "unauthorized");
                for (scope, client) in &tokens {
                    // An empty list is any token; such routes look at more than the scope.
                    if wanted.is_empty() {
                        continue;
                    }
                    let answer = send(client);
                    let refused = answer.status == 403;
                    assert_eq!(refused, !wanted.contains(scope), "{method} {path} {scope}: {answer:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked >= 16, "{checked}");
    }
}
