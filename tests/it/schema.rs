//! `src/schema.rs` is written by hand: it says of every table and column what both databases have.

use crate::harness::people::add_users;
use crate::harness::{Backend, Database, Server, on_both};
use diesel::connection::{InstrumentationEvent, SimpleConnection};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use serde_json::json;
use std::collections::BTreeMap;
use traverse::auth;
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::revisions::store::solves_with_pending;
use traverse::social::store::{open_requests_of, open_requests_to};

/// A column: its type, and whether it may be null.
type Columns = BTreeMap<String, (String, bool)>;

/// What the file says.
fn written() -> BTreeMap<String, Columns> {
    let text = concat!(
        include_str!("../../src/schema.rs"),
        include_str!("../../src/schema/people.rs"),
        include_str!("../../src/schema/rings.rs"),
    );
    let mut tables = BTreeMap::new();
    for block in text.split("diesel::table! {").skip(1) {
        let block = block.split_once("\n}").unwrap().0;
        let (head, columns) = block.split_once(") {").unwrap();
        let (name, _) = head.rsplit_once('(').unwrap();
        let name = name.split_whitespace().last().unwrap();
        let columns: Columns = columns
            .lines()
            .filter_map(|line| line.trim().trim_end_matches(',').split_once(" -> "))
            .map(|(column, kind)| {
                let inner = kind.strip_prefix("Nullable<").and_then(|kind| kind.strip_suffix('>'));
                (column.to_owned(), (inner.unwrap_or(kind).to_owned(), inner.is_some()))
            })
            .collect();
        tables.insert(name.to_owned(), columns);
    }
    tables
}

#[derive(QueryableByName)]
#[expect(clippy::struct_field_names, reason = "the names of the catalogue")]
struct Column {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Bool)]
    nullable: bool,
}

/// What the database has.
fn found(db: &mut Db) -> BTreeMap<String, Columns> {
    let columns: Vec<Column> = match db {
        Db::Postgres(conn) => diesel::sql_query(
            "select table_name::text, column_name::text, data_type::text as kind,
                    is_nullable = 'YES' as nullable
               from information_schema.columns
              where table_schema = current_schema() and table_name not like '\\_\\_diesel%'",
        )
        .load(conn)
        .unwrap(),
        Db::Sqlite(conn) => diesel::sql_query(
            "select t.name as table_name, c.name as column_name, lower(c.type) as kind,
                    c.\"notnull\" = 0 and c.pk = 0 as nullable
               from sqlite_schema t join pragma_table_info(t.name) c
              where t.type = 'table' and t.name not like '\\_\\_diesel%' escape '\\'
                and t.name not like 'sqlite\\_%' escape '\\'",
        )
        .load(conn)
        .unwrap(),
    };
    let mut tables: BTreeMap<String, Columns> = BTreeMap::new();
    for column in columns {
        let table = tables.entry(column.table_name).or_default();
        table.insert(column.column_name, (column.kind, column.nullable));
    }
    tables
}

/// The name that a database has for a type.
fn kind_on(db: &Db, kind: &str) -> &'static str {
    match (db, kind) {
        (Db::Postgres(_), "BigInt") => "bigint",
        (Db::Postgres(_), "Integer")
        | (Db::Sqlite(_), "BigInt" | "Integer" | "SmallInt" | "Bool") => "integer",
        (Db::Postgres(_), "SmallInt") => "smallint",
        (_, "Text") | (Db::Sqlite(_), "Instant" | "Date") => "text",
        (Db::Postgres(_), "Bool") => "boolean",
        (Db::Postgres(_), "Date") => "date",
        (Db::Postgres(_), "Instant") => "timestamp with time zone",
        (Db::Postgres(_), "Double") => "double precision",
        (Db::Sqlite(_), "Double") => "real",
        (Db::Postgres(_), "Binary") => "bytea",
        (Db::Sqlite(_), "Binary") => "blob",
        other => panic!("no test knows the type {}", other.1),
    }
}

on_both! {
    fn every_column_is_as_it_is_written(database: Database) {
        let mut db = database.connect();
        let mut expected = written();
        let count: usize = expected.values().map(BTreeMap::len).sum();
        assert!(expected.len() >= 16 && count >= 150, "only {} with {count}", expected.len());
        for columns in expected.values_mut() {
            for (kind, _) in columns.values_mut() {
                kind_on(&db, kind).clone_into(kind);
            }
        }
        assert_eq!(found(&mut db), expected);
    }

    fn every_column_can_be_selected(database: Database) {
        let mut db = database.connect();
        let mut selected = 0;
        for (table, columns) in written() {
            let names: Vec<&str> = columns.keys().map(String::as_str).collect();
            db.batch_execute(&format!("select {} from {table}", names.join(", "))).unwrap();
            selected += names.len();
        }
        assert!(selected >= 150, "only {selected}");
    }
}

#[derive(QueryableByName)]
struct Reference {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    column: String,
}

/// Every foreign key: the table that refers, and its column.
fn references(db: &mut Db) -> Vec<Reference> {
    match db {
        Db::Postgres(conn) => diesel::sql_query(
            "select c.conrelid::regclass::text as child, a.attname::text as column
               from pg_constraint c
               join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
              where c.contype = 'f' order by 1, 2",
        )
        .load(conn)
        .unwrap(),
        Db::Sqlite(conn) => diesel::sql_query(
            "select t.name as child, f.\"from\" as column
               from sqlite_schema t join pragma_foreign_key_list(t.name) f
              where t.type = 'table' order by 1, 2",
        )
        .load(conn)
        .unwrap(),
    }
}

/// How the database looks for the rows that refer to one: as it does when that one is deleted.
fn plan(db: &mut Db, reference: &Reference) -> String {
    let Reference { child, column } = reference;
    let lines: Vec<String> = match db {
        Db::Postgres(conn) => {
            conn.batch_execute(
                "set enable_seqscan = off; set plan_cache_mode = force_generic_plan",
            )
            .unwrap();
            let name = format!("delete_{child}_{column}");
            conn.batch_execute(&format!(
                "prepare {name} (bigint) as select 1 from {child} where {column} = $1 for key share"
            ))
            .unwrap();
            let statement = format!("explain execute {name} (1)");
            diesel::sql_query(statement)
                .load::<Explained>(conn)
                .unwrap()
                .into_iter()
                .map(|row| row.line)
                .collect()
        }
        Db::Sqlite(conn) => {
            let statement =
                format!("explain query plan select rowid from {child} where {column} = ?1");
            diesel::sql_query(statement)
                .load::<Detail>(conn)
                .unwrap()
                .into_iter()
                .map(|row| row.detail)
                .collect()
        }
    };
    lines.join("\n")
}

#[derive(QueryableByName)]
struct Explained {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

#[derive(QueryableByName)]
struct Detail {
    #[diesel(sql_type = Text)]
    detail: String,
}

/// What the server has read of each table row by row, from the first to the last.
fn scanned(conn: &mut PgConnection) -> BTreeMap<String, i64> {
    #[derive(QueryableByName)]
    struct Scanned {
        #[diesel(sql_type = Text)]
        name: String,
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        rows: i64,
    }
    conn.batch_execute("select pg_stat_force_next_flush()").unwrap();
    conn.batch_execute("select pg_stat_clear_snapshot()").unwrap();
    let rows: Vec<Scanned> = diesel::sql_query(
        "select relname::text as name, seq_tup_read as rows from pg_stat_user_tables",
    )
    .load(conn)
    .unwrap();
    rows.into_iter().map(|row| (row.name, row.rows)).collect()
}

/// A hundred thousand solves of others than the first account, each with what hangs on it.
const CROWD: &str = "
    insert into users (email, handle, password_hash, role, time_zone, day_starts_at, scheduler,
                       goal_solves, goal_revisions, daily_cap, digest_hour, created_at, updated_at)
    select 'u' || n, 'u' || n, '', 'user', 'UTC', '04:00', 'adaptive', 1, 3, 20, 8, now(), now()
      from generate_series(1, 1000) n;
    insert into scheduler_settings (user_id, content) select id, '{}' from users where email like 'u%';
    insert into problems (platform, slug, created_at, updated_at)
    select 'leetcode', 'p' || n, now(), now() from generate_series(1, 100) n;
    insert into solves (user_id, problem_id, first_day, time_precision, rating, rating_source,
                        settings_id, created_at, updated_at)
    select u.id, p.id, current_date, 'exact', 'good', 'given', 1, now(), now()
      from users u cross join problems p where u.email like 'u%' and p.owner_id is null;
    insert into submissions (user_id, problem_id, solve_id, judge, fingerprint, verdict, received_at,
                             updated_at)
    select user_id, problem_id, id, 'leetcode.com', 'f', 'accepted', now(), now() from solves where user_id > 1;
    insert into revisions (user_id, solve_id, revision_number, kind, state, scheduled_on, due_on,
                           interval_days, settings_id, created_at, updated_at)
    select user_id, id, 1, 'adaptive', 'pending', current_date, current_date, 1, 1, now(), now()
      from solves where user_id > 1;
    insert into reviews (user_id, solve_id, kind, rating, rating_source, happened_at, local_day,
                         cause, moves_schedule, settings_id, seq, created_at, updated_at)
    select user_id, id, 'adaptive', 'good', 'given', now(), current_date, 'completed', true, 1, 0, now(), now()
      from solves where user_id > 1;
    insert into schedule_entries (user_id, solve_id, kind, event, local_day, happened_at, settings_id,
                                  seq, created_at)
    select user_id, id, 'adaptive', 'skipped', current_date, now(), 1, 0, now() from solves where user_id > 1;
    analyze";

on_both! {
    /// A row that others refer to is deleted without looking through all of them.
    fn every_foreign_key_has_an_index(database: Database) {
        let mut db = database.connect();
        let references = references(&mut db);
        assert!(references.len() >= 20, "only {} foreign keys", references.len());
        for reference in &references {
            let Reference { child, column } = reference;
            let plan = plan(&mut db, reference);
            let scans = plan.contains("Seq Scan") || plan.contains("SCAN");
            assert!(!scans, "{child}.{column}: {plan}");
        }
    }
}

/// What a piece of work asks its database, and how the database goes about it, with these arguments.
fn plan_of(db: &mut Db, arguments: &str, work: impl FnOnce(&mut Db)) -> String {
    let (sender, receiver) = std::sync::mpsc::channel();
    let note = move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            sender.send(query.to_string()).unwrap();
        }
    };
    match db {
        Db::Postgres(conn) => conn.set_instrumentation(note),
        Db::Sqlite(conn) => conn.set_instrumentation(note),
    }
    work(db);
    let statement = receiver.try_iter().next().unwrap();
    let statement = statement.split(" -- binds").next().unwrap();
    let lines: Vec<String> = match db {
        Db::Postgres(conn) => {
            conn.batch_execute(
                "set enable_seqscan = off; set enable_sort = off; set enable_hashagg = off",
            )
            .unwrap();
            conn.batch_execute(&format!("deallocate all; prepare asked as {statement}")).unwrap();
            diesel::sql_query(format!("explain execute asked ({arguments})"))
                .load::<Explained>(conn)
                .unwrap()
                .into_iter()
                .map(|row| row.line)
                .collect()
        }
        Db::Sqlite(conn) => diesel::sql_query(format!("explain query plan {statement}"))
            .load::<Detail>(conn)
            .unwrap()
            .into_iter()
            .map(|row| row.detail)
            .collect(),
    };
    lines.join("\n")
}

on_both! {
    /// Planning again asks for fifty solves at a time, and reads no more of an account for it.
    fn the_solves_with_pending_revisions_are_read_in_their_order(database: Database) {
        let mut db = database.connect();
        let plan = plan_of(&mut db, "1, 0, 50", |db| {
            solves_with_pending(db, 1, 0, 50).unwrap();
        });
        assert!(plan.contains("revisions_pending_solves"), "{plan}");
        assert!(!plan.contains("Sort") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}

on_both! {
    /// However many requests for friendship have ended.
    fn open_requests_are_read_alone(database: Database) {
        let mut db = database.connect();
        add_users(&mut db, 400);
        let now = "2026-09-01T09:00:00.000000Z";
        db.batch_execute(&format!(
            "insert into friend_requests (requester_id, addressee_id, status, hidden, created_at, \
               closed_at) \
             select one.id, other.id, 'cancelled', false, '{now}', '{now}' \
             from users as one join users as other on one.id <> other.id where one.id % 20 = 1; \
             analyze"
        ))
        .unwrap();
        let plan = plan_of(&mut db, "1, 100000, 50", |db| {
            open_requests_of(db, 1, 100_000, 50).unwrap();
        });
        assert!(plan.contains("friend_requests_open_of"), "{plan}");
        let plan = plan_of(&mut db, "1, 100000, false, 50", |db| {
            open_requests_to(db, 1, 100_000, 50).unwrap();
        });
        assert!(plan.contains("friend_requests_open_to"), "{plan}");
    }
}

/// PostgreSQL counts what it reads: the deletion of an account reads what it has, whatever others have.
#[test]
fn the_deletion_of_an_account_scans_no_table() {
    let server = Server::fresh(Backend::Postgres);
    let ada = server.register("ada");
    let body = json!({"problem": {"platform": "custom", "slug": "dp-1"}, "verdict": "accepted",
                      "external_id": "5"});
    for key in ["k", "l"] {
        ada.post_with_key("/api/v1/submissions", key, &body);
    }
    let mut db = server.database.connect();
    let Db::Postgres(conn) = &mut db else { unreachable!("it was asked for") };
    conn.batch_execute(CROWD).unwrap();
    let before = scanned(conn);
    let proven = auth::by_address(&mut db, "ada@example.org").unwrap().unwrap();
    let deleted: Work<bool> = write(&mut db, |db| Ok(auth::delete(db, &proven)?));
    assert!(deleted.unwrap());
    let Db::Postgres(conn) = &mut db else { unreachable!("it was asked for") };
    for (table, rows) in scanned(conn) {
        let read = rows - before[&table];
        assert!(read < 2000, "{read} rows of {table} were read");
    }
}
