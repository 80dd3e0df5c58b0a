//! Databases that cannot be: each refusal says which, and what was expected there.

use super::Said;
use crate::harness::{Backend, Database, Process, on_both, process::command};
use traverse::db::{BadLocation, Location};

/// What every command that uses a database says of one.
#[track_caller]
fn all_say(url: &str, words: &[&str]) {
    let database = Database::empty(Backend::Sqlite);
    for arguments in
        [&["doctor"][..], &["migrate", "--check"], &["migrate"], &["serve"], &["user", "list"]]
    {
        let mut command = command(&database);
        let output = command.args(arguments).env("DATABASE_URL", url).output().unwrap();
        let said = Said::from(output).expect(1);
        // The log of the server has lines of its own.
        assert!(said.err.contains("traverse: "), "{arguments:?}: {said:?}");
        said.names(words);
    }
}

#[test]
fn a_file_that_cannot_be_is_named_with_what_was_expected() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let text = path("text");
    std::fs::write(&text, "a text that is no database, of some length at least\n".repeat(40))
        .unwrap();
    for (path, words) in [
        (path("nope/x.db"), [path("nope"), "does not exist".to_owned()]),
        (path(""), [path(""), "is a folder; the path of a database file".to_owned()]),
        (text.clone(), [text.clone(), "is no SQLite database".to_owned()]),
        (format!("{text}/x.db"), [text.clone(), "Not a directory".to_owned()]),
    ] {
        let url = format!("sqlite:{path}");
        all_say(&url, &[&url, &words[0], &words[1]]);
    }
    assert!(!folder.path().join("nope").exists());
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("a text"));
}

/// To look changes nothing, not even the mode of the journal of somebody else's database.
#[test]
fn to_look_at_a_database_leaves_it_as_it_is() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("other.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("create table things (id integer)").unwrap();
    drop(other);
    let before = std::fs::read(&path).unwrap();
    let database = Database::empty(Backend::Sqlite);
    for arguments in [&["doctor"][..], &["migrate", "--check"]] {
        let url = format!("sqlite:{}", path.display());
        let output = command(&database).args(arguments).env("DATABASE_URL", url).output().unwrap();
        Said::from(output).expect(1).names(&["to be migrated"]);
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_server_that_does_not_answer_is_named_without_its_password() {
    let url = "postgres://ada:ge%20heim@127.0.0.1:1/db?password=auch-geheim&connect_timeout=3";
    let shown = "postgres://ada@127.0.0.1:1/db?connect_timeout=3";
    all_say(url, &[shown, "127.0.0.1"]);
    let database = Database::empty(Backend::Sqlite);
    for url in [
        url,
        "postgres://ada:ge%zzheim@127.0.0.1/db",
        "postgres://ada:ge/heim@127.0.0.1/db",
        "postgres://ada:ge@heim@127.0.0.1/db",
        "postgres://ada:ge?heim@127.0.0.1/db",
        "postgres:ada:geheim@h",
        "mysql://ada:geheim@h/db",
    ] {
        let output = command(&database).arg("doctor").env("DATABASE_URL", url).output().unwrap();
        let said = Said::from(output).expect(1);
        let all = format!("{}{}", said.out, said.err);
        assert!(!all.contains("heim") && !all.contains("zz"), "{url}: {all}");
    }
}

#[test]
fn an_url_says_what_is_wrong_with_it() {
    for (url, expected) in [
        ("", Err(BadLocation::Unknown)),
        ("traverse.db", Err(BadLocation::Unknown)),
        ("mysql://h/db", Err(BadLocation::OtherScheme("mysql".to_owned()))),
        ("postgres:db", Err(BadLocation::OtherScheme("postgres".to_owned()))),
        ("sqlite:", Err(BadLocation::NoPath)),
        ("sqlite://", Err(BadLocation::NoPath)),
        ("sqlite::memory:", Err(BadLocation::InMemory)),
        ("sqlite://:memory:", Err(BadLocation::InMemory)),
        ("sqlite:file:x?mode=memory", Err(BadLocation::InMemory)),
        ("sqlite:x.db?mode=rwc", Err(BadLocation::NoPlainPath)),
        ("sqlite:file:x.db", Err(BadLocation::NoPlainPath)),
        ("postgres://u:a/b@h/db", Err(BadLocation::Unescaped)),
        ("postgres://u:a@b@h/db", Err(BadLocation::Unescaped)),
        ("postgres://u:a?b@h/db", Err(BadLocation::Unescaped)),
        ("postgres://u:a#b@h/db", Err(BadLocation::Unescaped)),
        ("sqlite:x.db", Ok("sqlite:x.db")),
        ("sqlite://x.db", Ok("sqlite:x.db")),
        ("sqlite:///var/x.db", Ok("sqlite:/var/x.db")),
        ("postgres://h1:5432,h2:5432/db", Ok("postgres://h1:5432,h2:5432/db")),
        ("postgresql://u:p:q@h/db", Ok("postgres://u@h/db")),
        ("postgres://u:p%40@[::1]:5432/db", Ok("postgres://u@[::1]:5432/db")),
        ("postgres:///db?host=/tmp&user=a@b", Ok("postgres:///db?host=/tmp&user=a@b")),
        ("postgres://u@h?sslpassword=p", Ok("postgres://u@h")),
    ] {
        let parsed = Location::parse(url).map(|location| location.to_string());
        assert_eq!(parsed, expected.map(str::to_owned), "{url}");
    }
}

on_both! {
    /// The pool tries again and again; the log must not say so each time.
    fn an_outage_has_one_line(backend: Backend) {
        let database = Database::fresh(backend);
        let process = Process::on(&database);
        let ready = || process.client().get("/readyz").status;
        assert_eq!(ready(), 200);
        database.remove();
        // SQLite keeps the file open, whoever takes it away.
        let (status, lines) = match backend {
            Backend::Postgres => (503, 1),
            Backend::Sqlite => (200, 0),
        };
        for _ in 0..8 {
            assert_eq!(ready(), status);
        }
        let log = process.log();
        let errors: Vec<_> = log.lines().filter(|line| line.contains("\"ERROR\"")).collect();
        assert_eq!(errors.len(), lines, "{}", errors.join("\n"));
        assert!(errors.iter().all(|line| line.contains("the database cannot be reached")));
    }
}
