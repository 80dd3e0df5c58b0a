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
use std::process::{Child, ChildStdin, Command, Output, Stdio};

/// What a command answers, with a password on its standard input.
fn run(database: &Database, arguments: &[&str]) -> Said {
    run_with(database, arguments, PASSWORD)
}

/// What a command answers, with a text on its standard input.
fn run_with(database: &Database, arguments: &[&str], text: &str) -> Said {
    let (child, mut stdin) = start(command(database).args(arguments));
    // A command that wants none may have ended.
    drop(stdin.write_all(text.as_bytes()));
    drop(stdin);
    Said::from(child.wait_with_output().unwrap())
}

/// Starts a command whose standard input and output are this test's.
fn start(command: &mut Command) -> (Child, ChildStdin) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
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
