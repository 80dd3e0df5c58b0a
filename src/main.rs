//! Parses the command and calls the library.

#![deny(clippy::print_stdout, clippy::print_stderr, reason = "they panic where nobody reads")]

use std::process::ExitCode;

fn main() -> ExitCode {
    traverse::cli::run(traverse::cli::parse())
}
