//! `traverse user` and `traverse token`.

use super::run;
use crate::harness::server::PASSWORD;
use crate::harness::{Backend, Client, Database, Process, Server, on_both};
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::auth::model::TokenKind;
use traverse::config::Registration;
use traverse::schema::tokens;

fn register(client: &Client, name: &str, setup_token: Option<&str>) -> crate::harness::Answer {
    let body = json!({"email": format!("{name}@example.org"), "password": PASSWORD,
                      "setup_token": setup_token});
    client.post("/api/v1/auth/register", &body)
}

/// The token that the log shows.
fn setup_token(process: &Process) -> Option<String> {
    process.log().lines().find_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["setup_token"].as_str().map(str::to_owned)
    })
}

on_both! {
    fn make_admin_claims_the_instance(backend: Backend) {
        let database = Database::fresh(backend);
        let process = Process::on(&database);
        let token = setup_token(&process).unwrap();
        run(&database, &["user", "add", "ada@example.org", "ada"]).expect(0);
        run(&database, &["user", "make-admin", "ada@example.org"]).expect(0).names(&["account 1"]);
        let client = process.client();
        // On this machine, and with the token that was good until now.
        for (name, token) in [("bob", None), ("eve", Some(token.as_str()))] {
            let registered = register(&client, name, token).expect(201);
            assert_eq!(registered.body["user"]["role"], "user", "{name}");
        }
        drop(process);
        assert_eq!(setup_token(&Process::on(&database)), None);
        let listed = run(&database, &["user", "list"]).expect(0).out;
        let roles: Vec<_> = listed.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
        assert_eq!(roles, ["admin", "user", "user"]);
    }

    fn whoever_comes_after_make_admin_is_refused_where_it_is_closed(database: Database) {
        run(&database, &["user", "add", "ada@example.org", "ada"]).expect(0);
        let server = Server::on(database, |config| config.registration = Registration::Closed);
        let token = traverse::auth::setup_token(&server.app.secrets);
        run(&server.database, &["user", "make-admin", "ada@example.org"]).expect(0);
        for token in [None, Some(token.as_str())] {
            let refused = register(&server.anonymous(), "bob", token).expect(403);
            assert_eq!(refused.code(), "registration-closed");
        }
    }

    fn what_was_made_is_told(database: Database) {
        let added = run(&database, &["user", "add", "ada@example.org", "Ada", "--admin"]).expect(0);
        assert_eq!(added.out, "1\n");
        added.names(&["account 1", "ada@example.org", "handle ada", "role admin", "token add"]);
        let bob = run(&database, &["user", "add", "bob@example.org", "bob", "--json"]).expect(0);
        let bob: Value = serde_json::from_str(&bob.out).unwrap();
        assert_eq!(bob["id"], 2);
        let listed = run(&database, &["user", "list", "--json"]).expect(0).out;
        let listed: Vec<Value> =
            listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(listed[1], bob);
        assert_eq!(listed[0]["role"], "admin");
        let token = ["token", "add", "bob@example.org", " curl ", "--scope", "write", "--scope"];
        let plain = run(&database, &[&token[..], &["read"]].concat()).expect(0);
        assert!(plain.out.starts_with("trv_") && plain.out.lines().count() == 1, "{plain:?}");
        plain.names(&["token", "bob@example.org", ": curl, for read write"]);
        let made = run(&database, &[&token[..], &["read", "--json"]].concat()).expect(0).out;
        let made: Value = serde_json::from_str(&made).unwrap();
        assert_eq!((&made["name"], &made["user_id"]), (&json!("curl"), &json!(2)));
        assert_eq!(made["scopes"], json!(["read", "write"]));
        let server = Server::on(database, |_| {});
        let bob = server.anonymous().with_token(made["token"].as_str().unwrap());
        bob.get("/api/v1/me").expect(200);
    }

    fn a_token_is_checked_as_the_api_does(database: Database) {
        run(&database, &["user", "add", "ada@example.org", "ada"]).expect(0);
        let long = "x".repeat(101);
        for name in ["", "  ", "a\u{7}b", long.as_str()] {
            let token = ["token", "add", "ada@example.org", name, "--scope", "read"];
            run(&database, &token).expect(1).names(&["1 to 100 characters"]);
        }
        let unknown = ["token", "add", "ada@example.org", "x", "--scope", "reed"];
        run(&database, &unknown).expect(2).names(&["read, write, submit, admin"]);
        let help = run(&database, &["token", "add", "--help"]).expect(0);
        assert!(help.out.contains("read, write, submit, admin"), "{help:?}");
        let excess = ["token", "add", "ada@example.org", "x", "--scope", "admin"];
        run(&database, &excess).expect(1).names(&["no scope admin", "read write submit"]);
        let nobody = ["token", "add", "bob@example.org", "x", "--scope", "read"];
        run(&database, &nobody).expect(1).names(&["`bob@example.org` has no account"]);
        let made: i64 = tokens::table.filter(tokens::kind.eq(TokenKind::Api)).count()
            .get_result(&mut database.connect()).unwrap();
        assert_eq!(made, 0);
    }
}
