//! What an operator does at a terminal, with the real binary.

mod accounts;
mod files;
mod output;
mod places;
mod settings;

use crate::harness::Database;
use crate::harness::process::command;
use crate::harness::server::PASSWORD;
use std::io::Write;
use std::process::{Output, Stdio};

/// What a command answers, with a password on its standard input.
fn run(database: &Database, arguments: &[&str]) -> Said {
    let mut child = command(database)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that wants none may have ended.
    drop(child.stdin.take().unwrap().write_all(PASSWORD.as_bytes()));
    Said::from(child.wait_with_output().unwrap())
}

/// The end of a command.
#[derive(Debug)]
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Said {
    #[track_caller]
    fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    #[track_caller]
    fn names(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.err.contains(word), "{word} is not in {self:?}");
        }
        self
    }
}
