use crate::harness::server::PASSWORD;
use crate::harness::{Answer, Backend, Database, Server, on_both};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use reqwest::Method;
use serde_json::json;
use traverse::db::Db;

#[derive(QueryableByName)]
struct Owned {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Text)]
    column: String,
    /// `CASCADE`, or what else becomes of the row; empty where nothing refers to `users`.
    #[diesel(sql_type = Text)]
    on_delete: String,
}

/// Every column that names a user, by its name, in every table.
fn owned(db: &mut Db) -> Vec<Owned> {
    let sql = match db {
        Db::Sqlite(_) => {
            "\
            select m.name as \"table\", c.name as \"column\", \
                   coalesce((select f.on_delete from pragma_foreign_key_list(m.name) f \
                             where f.\"from\" = c.name and f.\"table\" = 'users'), '') as on_delete \
              from sqlite_schema m join pragma_table_info(m.name) c \
             where m.type = 'table' and c.name in ('user_id', 'owner_id', \
                   'user1_id', 'user2_id', 'requester_id', 'addressee_id', 'blocker_id', 'blocked_id')"
        }
        Db::Postgres(_) => {
            "\
            select c.relname::text as \"table\", a.attname::text as \"column\", \
                   coalesce((select case f.confdeltype when 'c' then 'CASCADE' else 'other' end \
                               from pg_constraint f \
                              where f.contype = 'f' and f.conrelid = c.oid \
                                and f.confrelid = 'users'::regclass and f.conkey = array[a.attnum]), \
                            '') as on_delete \
              from pg_class c join pg_attribute a on a.attrelid = c.oid \
             where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace \
               and a.attname in ('user_id', 'owner_id', 'user1_id', 'user2_id', 'requester_id', \
                                 'addressee_id', 'blocker_id', 'blocked_id')"
        }
    };
    diesel::sql_query(sql).load(db).unwrap()
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

fn rows_of(db: &mut Db, owned: &Owned, user_id: i64) -> i64 {
    let Owned { table, column, .. } = owned;
    let sql = format!("select count(*) as rows from {table} where {column} = {user_id}");
    diesel::sql_query(sql).get_result::<Count>(db).unwrap().rows
}

on_both! {
    fn whatever_names_a_user_goes_with_them(database: Database) {
        let owned = owned(&mut database.connect());
        assert!(owned.len() >= 10, "{} columns", owned.len());
        for Owned { table, column, on_delete } in owned {
            assert_eq!(on_delete, "CASCADE", "{table}.{column}");
        }
    }

    fn a_deleted_account_leaves_no_row(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        for client in [&ada, &bob] {
            client.post("/api/v1/tokens", &json!({"name": "x", "scopes": ["read"]})).expect(201);
            client.patch("/api/v1/me", &json!({"maximum_interval": 90})).expect(200);
        }
        let id = |client: &crate::harness::Client| client.get("/api/v1/me").body["id"].as_i64().unwrap();
        let (ada_id, bob_id) = (id(&ada), id(&bob));
        let delete = |password: &str| {
            let request = ada.request(Method::DELETE, "/api/v1/me");
            Answer::of(request.json(&json!({"password": password})))
        };
        assert_eq!(delete("not the password").expect(403).code(), "wrong-password");
        let mut db = server.database.connect();
        let owned = owned(&mut db);
        let rows = |db: &mut Db, user_id| -> i64 {
            owned.iter().map(|owned| rows_of(db, owned, user_id)).sum()
        };
        let before = rows(&mut db, bob_id);
        assert!(rows(&mut db, ada_id) >= 4);
        delete(PASSWORD).expect(204);
        ada.get("/api/v1/me").expect(401);
        assert_eq!(rows(&mut db, ada_id), 0);
        assert_eq!(rows(&mut db, bob_id), before);
        let login = json!({"email": "ada@example.org", "password": PASSWORD});
        server.anonymous().post("/api/v1/auth/login", &login).expect(401);
        // The address and the handle are free again.
        server.register("ada");
        if server.database.backend == Backend::Sqlite {
            let broken = "select count(*) as rows from pragma_foreign_key_check";
            assert_eq!(diesel::sql_query(broken).get_result::<Count>(&mut db).unwrap().rows, 0);
        }
    }
}
