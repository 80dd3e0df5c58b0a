//! Users with a token each, and problems, put straight into the database.

use std::fmt::Write;

use diesel::connection::SimpleConnection;
use traverse::db::Db;
use traverse::revisions::settings::Settings;
use traverse::secret;

/// Users, with the numbers from 1, as their settings have.
pub const USERS: usize = 10_000;

/// Problems, with the numbers from 1.
pub const PROBLEMS: usize = 3_000;

/// When all of it was made.
const MADE: &str = "2026-01-01T00:00:00.000000Z";

/// The token of a user.
pub fn token(user: usize) -> String {
    format!("trv_{user:043}")
}

/// The name of a problem on LeetCode.
pub fn slug(problem: usize) -> String {
    format!("a-problem-of-ordinary-length-{problem}")
}

/// Fills an empty database.
pub fn fill(db: &mut Db, users: usize, problems: usize) {
    let settings = Settings::default().to_canonical_json().unwrap();
    let numbers = |count: usize| {
        format!(
            "(with recursive n (i) as (select 1 union all select i + 1 from n where i < {count}) \
             select i from n) as numbers"
        )
    };
    db.batch_execute("begin").unwrap();
    db.batch_execute(&format!(
        "insert into users (email, handle, password_hash, role, time_zone, day_starts_at, \
           scheduler, goal_solves, goal_revisions, daily_cap, digest_hour, created_at, updated_at) \
         select 'user-' || i || '@example.org', 'user-' || i, '-', 'user', 'Europe/Berlin', \
           '04:00', 'adaptive', 1, 3, 20, 8, '{MADE}', '{MADE}' \
         from {} order by i",
        numbers(users)
    ))
    .unwrap();
    db.batch_execute(&format!(
        "insert into scheduler_settings (user_id, content) \
         select id, '{settings}' from users order by id"
    ))
    .unwrap();
    db.batch_execute("update users set settings_id = id").unwrap();
    db.batch_execute(&format!(
        "insert into problems (platform, slug, title, difficulty, created_at, updated_at) \
         select 'leetcode', '{}' || i, 'A Problem Of Ordinary Length ' || i, 'medium', \
           '{MADE}', '{MADE}' \
         from {} order by i",
        slug(0).trim_end_matches('0'),
        numbers(problems)
    ))
    .unwrap();
    let users: Vec<usize> = (1..=users).collect();
    for batch in users.chunks(1000) {
        let mut insert = String::from(
            "insert into tokens (user_id, kind, name, scopes, token_hash, created_at) values ",
        );
        for (place, user) in batch.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let hash = secret::hash(&token(*user));
            write!(
                insert,
                "{comma}({user}, 'api', 'bench', 'read write submit', '{hash}', '{MADE}')"
            )
            .unwrap();
        }
        db.batch_execute(&insert).unwrap();
    }
    db.batch_execute("commit").unwrap();
    settle(db);
}

/// What a database does some time after much was written: statistics, and the log put into place.
pub fn settle(db: &mut Db) {
    db.batch_execute(if let Db::Postgres(_) = db { "vacuum analyze" } else { "analyze" }).unwrap();
    checkpoint(db);
}

/// Puts the log into place, so that nobody else has to.
pub fn checkpoint(db: &mut Db) {
    let statement = match db {
        Db::Postgres(_) => "checkpoint",
        Db::Sqlite(_) => "pragma wal_checkpoint(truncate)",
    };
    db.batch_execute(statement).unwrap();
}
