//! A new password by mail, the way out of mail, and the digest, with a real mail server.

use crate::harness::mail_server::{Arrived, MailServer};
use crate::harness::server::PASSWORD;
use crate::harness::working::Working;
use crate::harness::{Database, Server, on_both};
use reqwest::Method;
use serde_json::json;
use traverse::db::tx::write;
use traverse::notifications::model::Kind;
use traverse::notifications::{Notice, notify};

fn with_mail(database: Database) -> (Server, MailServer) {
    let mail = MailServer::start();
    let settings = mail.settings();
    (Server::on(database, |config| config.mail = Some(settings)), mail)
}

/// The token that a link in a letter ends with.
fn token(letter: &Arrived) -> String {
    let (_, rest) = letter.text.split_once("#token=").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

fn log_in(server: &Server, password: &str) -> u16 {
    let body = json!({"email": "ada@example.org", "password": password});
    server.anonymous().post("/api/v1/auth/login", &body).status
}

on_both! {
    fn a_link_sets_a_password_once_and_ends_every_session(database: Database) {
        let (server, mail) = with_mail(database);
        let ada = server.register("ada");
        let _worker = Working::beside(&server);
        let ask = |email: &str| {
            let body = json!({"email": email});
            server.anonymous().post("/api/v1/auth/reset", &body).expect(202)
        };
        assert_eq!(ask("nobody@example.org").bytes, ask("ADA@example.org").bytes);
        let letters = mail.wait_for(1);
        assert_eq!(letters[0].to, ["ada@example.org"]);
        assert!(!letters[0].headers.contains_key("list-unsubscribe"));

        let confirm = |token: &str| {
            let body = json!({"token": token, "new_password": "another horse battery"});
            server.anonymous().post("/api/v1/auth/reset/confirm", &body)
        };
        assert_eq!(confirm("trv_no").expect(403).code(), "reset-link-invalid");
        let token = token(&letters[0]);
        confirm(&token).expect(204);
        assert_eq!(confirm(&token).expect(403).code(), "reset-link-invalid");
        ada.get("/api/v1/me").expect(401);
        assert_eq!(log_in(&server, PASSWORD), 401);
        assert_eq!(log_in(&server, "another horse battery"), 200);
        assert_eq!(mail.letters().len(), 1);
    }

    fn without_a_mail_server_nobody_gets_a_link(server: Server) {
        for email in ["ada@example.org", "nobody@example.org"] {
            let answer = server.anonymous().post("/api/v1/auth/reset", &json!({"email": email}));
            assert_eq!(answer.expect(409).code(), "mail-unavailable");
        }
    }

    fn mail_is_sent_until_its_kind_is_unsubscribed(database: Database) {
        let (server, mail) = with_mail(database);
        let ada = server.register("ada");
        let id = ada.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        ada.put("/api/v1/channels/email", &json!({"enabled": true})).expect(200);
        let _worker = Working::beside(&server);
        let tell = |kind, cause: &str| {
            let notice = Notice {
                user_id: id, kind, cause, title: "A <title>", body: "A body", link: Some("/today"),
            };
            let mut db = server.database.connect();
            let told: traverse::db::tx::Work<bool> = write(&mut db, |db| {
                Ok(notify(db, &notice, server.app.clock.now())?)
            });
            assert!(told.unwrap());
        };
        tell(Kind::Digest, "1");
        let letter = mail.wait_for(1).remove(0);
        let address = letter.headers["list-unsubscribe"].trim_matches(['<', '>']).to_owned();
        let (_, path) = address.split_once("/api/v1/").unwrap();
        let path = format!("/api/v1/{path}");
        let muted = || !ada.get("/api/v1/channels/email").expect(200).body["kinds"]["digest"]
            .as_bool().unwrap();

        let page = server.anonymous().get(&path).expect(200);
        assert!(String::from_utf8(page.bytes).unwrap().contains("<button>"));
        assert!(!muted(), "looking at it changes nothing");
        for _ in 0..2 {
            let click = server.anonymous().request(Method::POST, &path)
                .form(&[("List-Unsubscribe", "One-Click")]).send().unwrap();
            assert_eq!(click.status(), 200);
            assert!(muted());
        }
        let forged = path.replace("digest", "broadcast");
        server.anonymous().post(&forged, &json!({})).expect(404);
        tell(Kind::Digest, "2");
        tell(Kind::FriendRequest, "3");
        let letters = mail.wait_for(2);
        assert_eq!(letters.len(), 2, "{letters:?}");
        assert_ne!(letters[0].headers["message-id"], letters[1].headers["message-id"]);
    }
}
