//! What is in SQLite's file alone, and copies of it.

use super::run;
use crate::harness::{Backend, Database, Process, invariants};
use diesel::connection::SimpleConnection;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use traverse::db::{Db, Location, copy};

/// The path of a database's file, with an ending.
fn file(database: &Database, ending: &str) -> PathBuf {
    let Location::Sqlite(path) = &database.location else { panic!("SQLite has files") };
    PathBuf::from(format!("{path}{ending}"))
}

/// A folder that goes with all that is in it.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// What a copy of the file, and of nothing beside it, holds.
#[track_caller]
fn alone(path: &Path) -> invariants::Findings {
    let folder = folder();
    let alone = folder.path().join("alone.db");
    std::fs::copy(path, &alone).unwrap();
    let location = Location::Sqlite(alone.to_str().unwrap().to_owned());
    invariants::assert_hold(&mut Db::open(&location).unwrap())
}

#[test]
fn after_a_clean_stop_the_file_is_whole() {
    let database = Database::fresh(Backend::Sqlite);
    let mut process = Process::on(&database);
    let registered = process.client().post(
        "/api/v1/auth/register",
        &json!({"email": "ada@example.org", "password": "correct horse battery"}),
    );
    let ada = process.client().with_token(registered.expect(201).body["token"].as_str().unwrap());
    for number in 0..40 {
        let url = format!("https://leetcode.com/problems/p{number}/");
        let body = json!({"problem": {"url": url}, "verdict": "accepted"});
        ada.post_with_key("/api/v1/submissions", &format!("k{number}"), &body).expect(201);
    }
    process.signal("TERM");
    assert!(process.wait(Duration::from_secs(10)).success(), "{}", process.log());
    assert_eq!(alone(&file(&database, "")).submissions, 40);
}

/// Also while somebody else has the file open, who else would fold the log in when they close it.
#[test]
fn after_each_command_the_file_is_whole() {
    let database = Database::empty(Backend::Sqlite);
    let open = |path: &Path| {
        let mut db = Db::open(&Location::Sqlite(path.to_str().unwrap().to_owned())).unwrap();
        db.batch_execute("select count(*) from sqlite_schema").unwrap();
        db
    };
    run(&database, &["migrate"]).expect(0);
    let other = open(&file(&database, ""));
    assert_eq!(alone(&file(&database, "")).users, 0);
    for (number, arguments) in [
        &["user", "add", "ada@example.org", "ada"][..],
        &["user", "make-admin", "ada@example.org"],
        &["user", "set-password", "ada@example.org"],
        &["token", "add", "ada@example.org", "x", "--scope", "read"],
    ]
    .into_iter()
    .enumerate()
    {
        run(&database, arguments).expect(0);
        assert_eq!(alone(&file(&database, "")).users, 1, "{number}");
        assert_eq!(file(&database, "-wal").metadata().unwrap().len(), 0, "{arguments:?}");
    }
    drop(other);
}

#[test]
fn a_backup_is_one_moment_of_a_server_that_runs() {
    let database = Database::fresh(Backend::Sqlite);
    let process = Process::on(&database);
    let registered = process.client().post(
        "/api/v1/auth/register",
        &json!({"email": "ada@example.org", "password": "correct horse battery"}),
    );
    let token = registered.expect(201).body["token"].as_str().unwrap().to_owned();
    let (answered, folder) = (AtomicUsize::new(0), folder());
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for client in 0..4 {
            let ada = process.client().with_token(&token);
            let (answered, done) = (&answered, &done);
            scope.spawn(move || {
                for turn in 0.. {
                    if done.load(Ordering::SeqCst) > 0 {
                        break;
                    }
                    let url = format!("https://leetcode.com/problems/p{client}-{turn}/");
                    let body = json!({"problem": {"url": url}, "verdict": "accepted"});
                    let key = format!("k{client}-{turn}");
                    ada.post_with_key("/api/v1/submissions", &key, &body).expect(201);
                    answered.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let backups = thread::Builder::new().spawn_scoped(scope, || {
            for number in 1..=3 {
                while answered.load(Ordering::SeqCst) < 20 * number {
                    thread::yield_now();
                }
                let name = folder.path().join(format!("copy-{number}.db"));
                let before = answered.load(Ordering::SeqCst);
                let said = run(&database, &["backup", name.to_str().unwrap()]).expect(0);
                assert_eq!(said.out.trim(), name.to_str().unwrap());
                let found = alone(&name).submissions;
                // A client's last submission may be stored and not answered yet.
                let most = answered.load(Ordering::SeqCst) + 4;
                assert!((before..=most).contains(&found), "{before} {found} {most}");
            }
        });
        let ended = backups.unwrap().join();
        done.store(1, Ordering::SeqCst);
        ended.unwrap();
    });
    assert!(!process.log().contains("\"ERROR\""), "{}", process.log());
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 3, "something is left beside the copies");
}

/// The copy takes the place of the database as it is.
#[test]
fn a_backup_can_be_served() {
    let database = Database::fresh(Backend::Sqlite);
    run(&database, &["user", "add", "ada@example.org", "ada"]).expect(0);
    let restored = Database::empty(Backend::Sqlite);
    let name = file(&restored, "");
    run(&database, &["backup", name.to_str().unwrap()]).expect(0);
    let login = json!({"email": "ada@example.org", "password": "correct horse battery"});
    Process::on(&restored).client().post("/api/v1/auth/login", &login).expect(200);
    run(&restored, &["doctor"]).expect(0);
}

#[test]
fn a_backup_replaces_nothing_and_is_for_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let (database, folder) = (Database::fresh(Backend::Sqlite), folder());
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("there"), "precious").unwrap();
    std::os::unix::fs::symlink("/nowhere", path("link")).unwrap();
    for (name, words) in [
        ("there", "is there already"),
        ("link", "is there already"),
        ("nope/copy.db", "cannot be written: No such file or directory"),
    ] {
        run(&database, &["backup", &path(name)]).expect(1).names(&[&path(name), words]);
    }
    assert_eq!(std::fs::read_to_string(path("there")).unwrap(), "precious");
    run(&database, &["backup", &path("copy.db")]).expect(0);
    let mode = std::fs::metadata(path("copy.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let nothing = Database::empty(Backend::Sqlite);
    run(&nothing, &["backup", &path("none.db")]).expect(1).names(&["there is no file"]);
    assert!(!file(&nothing, "").exists());
    assert!(
        copy::to_file(&Location::Postgres("postgres://h/d".to_owned()), Path::new("x"))
            .unwrap_err()
            .to_string()
            .contains("pg_dump")
    );
}

/// The permissions of what is there, by the ending of its name.
fn modes(database: &Database) -> Vec<(&'static str, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let modes = ["", "-wal", "-shm"].into_iter().filter_map(|ending| {
        let mode = file(database, ending).metadata().ok()?.permissions().mode();
        Some((ending, mode & 0o777))
    });
    modes.collect()
}

#[test]
fn a_database_is_made_for_its_owner() {
    let database = Database::empty(Backend::Sqlite);
    let process = Process::on(&database);
    assert_eq!(modes(&database), [("", 0o600), ("-wal", 0o600), ("-shm", 0o600)]);
    drop(process);
    let database = Database::empty(Backend::Sqlite);
    run(&database, &["migrate"]).expect(0);
    assert_eq!(modes(&database)[0], ("", 0o600));
    let said = run(&database, &["doctor"]).expect(0).out;
    assert!(!said.contains("warning"), "{said}");
}

#[test]
fn the_doctor_warns_of_a_database_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let database = Database::fresh(Backend::Sqlite);
    for mode in [0o644, 0o640, 0o622] {
        let path = file(&database, "");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let said = run(&database, &["doctor"]).expect(0).out;
        let warning = said.lines().find(|line| line.starts_with("file: warning:")).unwrap();
        let way_out = format!("`chmod 600 {}`", path.display());
        assert!(warning.contains(&format!("{mode:03o}")) && warning.contains(&way_out), "{said}");
    }
}

#[test]
fn who_asks_for_an_account_makes_no_database() {
    let database = Database::empty(Backend::Sqlite);
    for arguments in [
        &["user", "list"][..],
        &["user", "set-password", "ada@example.org"],
        &["user", "make-admin", "ada@example.org"],
        &["token", "add", "ada@example.org", "x", "--scope", "read"],
    ] {
        let path = file(&database, "").display().to_string();
        run(&database, arguments).expect(1).names(&["there is no file", &path, "traverse migrate"]);
        assert_eq!(modes(&database), [], "{arguments:?}");
    }
}
