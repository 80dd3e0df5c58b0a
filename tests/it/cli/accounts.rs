//! `traverse user` and `traverse token`.

use super::{Said, run, run_with, start};
use crate::harness::server::PASSWORD;
use crate::harness::{Backend, Client, Database, Process, Server, on_both};
use diesel::prelude::*;
use serde_json::{Value, json};
use std::io::Read;
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

    fn a_refusal_names_what_it_refuses(database: Database) {
        run(&database, &["user", "add", "ada@example.org", "ada", "--admin"]).expect(0);
        for (email, handle, words) in [
            ("Ada@example.org", "bob", "`ada@example.org` has an account already"),
            ("bob@example.org", "Ada", "the handle `ada` is another account's"),
            ("bob@example.org", "B!", "the handle `B!`: 2 to 39 characters"),
        ] {
            run(&database, &["user", "add", email, handle]).expect(1).names(&[words]);
        }
        run(&database, &["user", "make-admin", "ada@example.org"]).expect(0)
            .names(&["account 1, ada@example.org, is an admin already"]);
    }

    fn scopes_may_have_commas_between(database: Database) {
        run(&database, &["user", "add", "ada@example.org", "ada"]).expect(0);
        let token = ["token", "add", "ada@example.org", "x", "--scope", "read,write", "--json"];
        let made: Value = serde_json::from_str(&run(&database, &token).expect(0).out).unwrap();
        assert_eq!(made["scopes"], json!(["read", "write"]));
    }

    fn a_password_that_cannot_be_says_where_it_came_from(database: Database) {
        for (password, words) in [
            ("", "the password read from standard input is empty: at least 10"),
            ("\n", "the password read from standard input is empty: at least 10"),
            ("ü\r\n", "the password read from standard input has 1 character: at least 10"),
            ("shortone\n", "the password read from standard input has 8 characters: at least 10"),
        ] {
            let add = ["user", "add", "ada@example.org", "ada"];
            run_with(&database, &add, password).expect(1).names(&[words]);
        }
    }
}

/// What `traverse user add` answers on a terminal on which this is typed.
fn typed(database: &Database, keys: &str) -> Said {
    let binary = env!("CARGO_BIN_EXE_traverse");
    let line = format!("'{binary}' user add ada@example.org ada");
    let mut script = std::process::Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    script.env("DATABASE_URL", database.url()).env_remove("RUST_LOG");
    let (mut child, mut stdin) = start(&mut script);
    std::io::Write::write_all(&mut stdin, keys.as_bytes()).unwrap();
    // Its end would be the end of what is typed.
    let code = child.wait().unwrap();
    drop(stdin);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    Said { code: code.code(), out: String::new(), err: out }
}

#[test]
fn on_a_terminal_a_password_is_typed_twice_and_ends_at_enter() {
    let database = Database::fresh(Backend::Sqlite);
    let twice = |one: &str, other: &str| typed(&database, &format!("{one}\n{other}\n"));
    twice(PASSWORD, "another horse battery").expect(1).names(&["are not the same"]);
    twice("short", "short").expect(1).names(&["the password typed has 5 characters"]);
    twice(PASSWORD, PASSWORD).expect(0).names(&["The same again: ", "account 1 was made"]);
    let process = Process::on(&database);
    let login = json!({"email": "ada@example.org", "password": PASSWORD});
    process.client().post("/api/v1/auth/login", &login).expect(200);
}
