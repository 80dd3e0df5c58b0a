//! Parses the command and calls the library.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    traverse::cli::run(traverse::cli::Cli::parse())
}
