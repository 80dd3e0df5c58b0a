use crate::harness::server::PASSWORD;
use crate::harness::{Answer, Database, Server, on_both};
use reqwest::Method;
use serde_json::{Value, json};
use traverse::auth::setup_token;
use traverse::config::Registration;

fn account(name: &str) -> Value {
    json!({"email": format!("{name}@example.org"), "handle": name, "password": PASSWORD})
}

/// Registers through a proxy, so not on the machine itself.
fn from_elsewhere(server: &Server, account: &Value) -> Answer {
    let request = server.anonymous().request(Method::POST, "/api/v1/auth/register");
    Answer::of(request.header("X-Forwarded-For", "192.0.2.1").json(account))
}

fn closed(database: Database) -> Server {
    Server::on(database, |config| config.registration = Registration::Closed)
}

on_both! {
    fn who_registers_is_who_logs_in(server: Server) {
        server.register("ada");
        let login = json!({"email": " ADA@example.org", "password": PASSWORD});
        let answer = server.anonymous().post("/api/v1/auth/login", &login).expect(200);
        let ada = server.anonymous().with_token(answer.body["token"].as_str().unwrap());
        assert_eq!(ada.get("/api/v1/me").expect(200).body["email"], "ada@example.org");
    }

    fn the_first_account_of_the_machine_is_the_admin(server: Server) {
        assert_eq!(server.register("ada").get("/api/v1/me").body["role"], "admin");
        assert_eq!(server.register("bob").get("/api/v1/me").body["role"], "user");
    }

    fn from_elsewhere_the_admin_needs_the_setup_token(server: Server) {
        let answer = from_elsewhere(&server, &account("ada")).expect(201);
        assert_eq!(answer.body["user"]["role"], "user");
        let mut bob = account("bob");
        bob["setup_token"] = json!("0".repeat(32));
        let refused = from_elsewhere(&server, &bob).expect(422);
        assert_eq!(refused.body["errors"][0]["pointer"], "/setup_token");
        bob["setup_token"] = json!(setup_token(&server.app.secrets));
        assert_eq!(from_elsewhere(&server, &bob).expect(201).body["user"]["role"], "admin");
        let mut eve = account("eve");
        eve["setup_token"] = bob["setup_token"].clone();
        assert_eq!(from_elsewhere(&server, &eve).expect(201).body["user"]["role"], "user");
    }

    fn the_instance_is_claimed_once_for_ever(server: Server) {
        let ada = server.register("ada");
        let body = json!({"password": PASSWORD});
        Answer::of(ada.request(Method::DELETE, "/api/v1/me").json(&body)).expect(204);
        assert_eq!(server.register("bob").get("/api/v1/me").body["role"], "user");
    }

    fn a_closed_instance_takes_its_admin_and_nobody_else(database: Database) {
        let server = closed(database);
        let refused = from_elsewhere(&server, &account("eve")).expect(403);
        assert_eq!(refused.code(), "registration-closed");
        assert_eq!(server.register("ada").get("/api/v1/me").body["role"], "admin");
        let register = |account: &Value| {
            server.anonymous().post("/api/v1/auth/register", account).expect(403).body
        };
        // Whether an address has an account, a closed instance does not tell.
        assert_eq!(register(&account("ada")), register(&account("bob")));
    }

    fn an_address_and_a_handle_have_one_account(server: Server) {
        server.register("ada");
        let register = |email: &str, handle: &str| {
            let body = json!({"email": email, "handle": handle, "password": PASSWORD});
            server.anonymous().post("/api/v1/auth/register", &body)
        };
        assert_eq!(register("Ada@Example.org", "bob").expect(409).code(), "email-taken");
        assert_eq!(register("bob@example.org", "ADA").expect(409).code(), "handle-taken");
        register("bob@example.org", "bob").expect(201);
    }

    fn a_handle_is_made_of_the_address_where_none_is_given(server: Server) {
        let register = |email: &str| {
            let body = json!({"email": email, "password": PASSWORD});
            let answer = server.anonymous().post("/api/v1/auth/register", &body).expect(201);
            answer.body["user"]["handle"].as_str().unwrap().to_owned()
        };
        assert_eq!(register("Ada.Lovelace@example.org"), "adalovelace");
        let another = register("ada.lovelace@example.com");
        assert!(another.starts_with("adalovelace-"), "{another}");
        assert_eq!(register("é@example.org"), "learner");
    }

    fn all_that_is_wrong_is_said_at_once(server: Server) {
        let body = json!({"email": "ada", "password": "short", "handle": "a", "time_zone": "Mars",
                          "display_name": "a\u{0}b"});
        let refused = server.anonymous().post("/api/v1/auth/register", &body).expect(422);
        let pointers: Vec<_> = refused.body["errors"].as_array().unwrap().iter()
            .map(|error| error["pointer"].as_str().unwrap()).collect();
        assert_eq!(pointers, ["/email", "/password", "/handle", "/display_name", "/time_zone"]);
    }

    fn a_changed_password_ends_every_session(server: Server) {
        let (ada, other) = (server.register("ada"), server.log_in("ada"));
        let order = json!({"name": "cli", "scopes": ["read"]});
        let program = ada.post("/api/v1/tokens", &order).expect(201);
        let program = server.anonymous().with_token(program.body["token"].as_str().unwrap());
        let change = |current: &str| {
            let body = json!({"current_password": current, "new_password": "another battery"});
            ada.post("/api/v1/auth/password", &body)
        };
        assert_eq!(change("not the password").expect(403).code(), "wrong-password");
        let changed = change(PASSWORD).expect(200);
        ada.get("/api/v1/me").expect(401);
        other.get("/api/v1/me").expect(401);
        program.get("/api/v1/me").expect(200);
        let only = server.anonymous().with_token(changed.body["token"].as_str().unwrap());
        only.get("/api/v1/me").expect(200);
        let login = |password: &str| {
            let body = json!({"email": "ada@example.org", "password": password});
            server.anonymous().post("/api/v1/auth/login", &body).status
        };
        assert_eq!((login(PASSWORD), login("another battery")), (401, 200));
    }

    fn a_token_of_a_program_changes_no_password_and_deletes_nobody(server: Server) {
        let ada = server.register("ada");
        let order = json!({"name": "all", "scopes": ["read", "write", "submit", "admin"]});
        let program = ada.post("/api/v1/tokens", &order).expect(201);
        let program = server.anonymous().with_token(program.body["token"].as_str().unwrap());
        let body = json!({"current_password": PASSWORD, "new_password": "another battery"});
        program.post("/api/v1/auth/password", &body).expect(403);
        let body = json!({"password": PASSWORD});
        Answer::of(program.request(Method::DELETE, "/api/v1/me").json(&body)).expect(403);
        ada.get("/api/v1/me").expect(200);
    }
}
