use crate::harness::server::PASSWORD;
use crate::harness::{Answer, Client, Database, Server, on_both};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::json;

const NAME: &str = "traverse_session";

/// What `Set-Cookie` says of the session: its value, and all of it.
fn set_cookie(answer: &Answer) -> Option<(String, String)> {
    let all = answer.headers.get_all("set-cookie").iter().collect::<Vec<_>>();
    assert!(all.len() <= 1, "{all:?}");
    let text = all.first()?.to_str().unwrap().to_owned();
    let value = text.strip_prefix(&format!("{NAME}="))?.split(';').next()?.to_owned();
    Some((value, text))
}

fn with_cookie(
    client: &Client,
    method: Method,
    path: &str,
    cookie: &str,
) -> reqwest::blocking::RequestBuilder {
    client.request(method, path).header("Cookie", format!("{NAME}={cookie}"))
}

on_both! {
    fn a_login_sets_a_cookie_that_no_script_reads(server: Server) {
        server.register("ada");
        let login = json!({"email": "ada@example.org", "password": PASSWORD});
        let answer = server.anonymous().post("/api/v1/auth/login", &login).expect(200);
        let (value, cookie) = set_cookie(&answer).unwrap();
        assert_eq!(answer.body["token"], value.as_str());
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        assert!(!cookie.contains("Secure"), "{cookie}");
        let me = with_cookie(&server.anonymous(), Method::GET, "/api/v1/me", &value);
        Answer::of(me).expect(200);
    }

    fn where_others_come_by_https_the_cookie_is_secure(database: Database) {
        let server = Server::on(database, |config| {
            config.public_url = Some("https://traverse.example.org".to_owned());
        });
        server.register("ada");
        let login = json!({"email": "ada@example.org", "password": PASSWORD});
        let answer = server.anonymous().post("/api/v1/auth/login", &login).expect(200);
        assert!(set_cookie(&answer).unwrap().1.contains("Secure"));
        assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
        let cookie = set_cookie(&answer).unwrap().0;
        let patch = |origin: &str| {
            let request = with_cookie(&server.anonymous(), Method::PATCH, "/api/v1/me", &cookie);
            Answer::of(request.header("Origin", origin).json(&json!({}))).status
        };
        assert_eq!(patch("https://traverse.example.org"), 200);
        assert_eq!(patch("https://traverse.example.com"), 403);
    }

    fn the_page_of_another_site_cannot_use_the_cookie(server: Server) {
        let ada = server.register("ada");
        let cookie = ada.token.unwrap();
        let patch = |origin: Option<&str>| {
            let request = with_cookie(&server.anonymous(), Method::PATCH, "/api/v1/me", &cookie);
            let request = match origin {
                Some(origin) => request.header("Origin", origin),
                None => request,
            };
            Answer::of(request.json(&json!({"daily_cap": 7}))).status
        };
        assert_eq!(patch(Some(&server.url)), 200);
        for origin in [None, Some("http://evil.example.org"), Some("null"), Some("")] {
            assert_eq!(patch(origin), 403, "{origin:?}");
        }
    }

    fn the_cookie_slides_with_its_session(server: Server) {
        let ada = server.register("ada");
        let cookie = ada.token.clone().unwrap();
        let get = || Answer::of(with_cookie(&server.anonymous(), Method::GET, "/api/v1/me", &cookie));
        assert!(set_cookie(&get().expect(200)).is_none());
        server.advance(TimeDelta::days(2));
        assert_eq!(set_cookie(&get().expect(200)).unwrap().0, cookie);
        assert!(set_cookie(&get().expect(200)).is_none());
        server.advance(TimeDelta::days(2));
        // Who sends the header keeps no cookie.
        assert!(set_cookie(&ada.get("/api/v1/me").expect(200)).is_none());
    }

    fn logging_out_takes_the_cookie_away(server: Server) {
        let ada = server.register("ada");
        server.advance(TimeDelta::days(2));
        let cookie = ada.token.unwrap();
        let request = with_cookie(&server.anonymous(), Method::POST, "/api/v1/auth/logout", &cookie);
        let answer = Answer::of(request.header("Origin", &server.url)).expect(204);
        let (value, cookie) = set_cookie(&answer).unwrap();
        assert_eq!(value, "");
        assert!(cookie.contains("Max-Age=0"), "{cookie}");
    }

    fn the_header_wins_over_the_cookie(server: Server) {
        let ada = server.register("ada");
        let wrong = server.anonymous().with_token("trv_wrong");
        let cookie = ada.token.unwrap();
        Answer::of(with_cookie(&wrong, Method::GET, "/api/v1/me", &cookie)).expect(401);
    }
}
