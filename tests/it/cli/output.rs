//! What commands print, and to whom.

use super::run;
use crate::harness::process::command;
use crate::harness::{Database, on_both};

on_both! {
    fn whoever_stops_reading_is_no_failure(database: Database) {
        run(&database, &["user", "add", "ada@example.org", "ada"]).expect(0);
        for arguments in [
            &["openapi"][..],
            &["doctor"],
            &["user", "list"],
            &["user", "list", "--json"],
            &["token", "add", "ada@example.org", "x", "--scope", "read"],
            &["token", "add", "ada@example.org", "x", "--scope", "read", "--json"],
            &["--help"],
        ] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let ended = command(&database).args(arguments).stdout(writer).output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(0), "{arguments:?} {said}");
            assert!(!said.contains("panicked"), "{said}");
        }
    }

    fn nobody_need_read_what_went_wrong(database: Database) {
        for (arguments, code) in [(&["user", "make-admin", "nobody"][..], 1), (&["migrate"], 0)] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let ended = command(&database).args(arguments).stderr(writer).output().unwrap();
            assert_eq!(ended.status.code(), Some(code), "{arguments:?}");
        }
    }

    fn a_command_shows_the_settings_that_it_uses(database: Database) {
        let shown = |arguments: &[&str]| {
            let help = run(&database, &[arguments, &["--help"]].concat()).expect(0).out;
            assert!(help.contains("DATABASE_URL"), "{arguments:?}");
            help.contains("TRAVERSE_LISTEN")
        };
        for arguments in [&[][..], &["serve"], &["doctor"]] {
            assert!(shown(arguments), "{arguments:?}");
        }
        for arguments in [&["migrate"][..], &["backup"], &["user"], &["user", "add"], &["token", "add"]]
        {
            assert!(!shown(arguments), "{arguments:?}");
        }
        // It takes them all the same, wherever they stand.
        run(&database, &["user", "list", "--listen", "127.0.0.1:1"]).expect(0);
        run(&database, &["--listen", "127.0.0.1:1", "doctor"]).expect(0);
    }
}
