//! The command line.
//!
//! Standard output has what a command is for, in a form that a program can read on: a name a line,
//! a token, with `--json` an object. What a person wants to know beside that is on standard error.
//! Whoever reads either may stop early.

mod accounts;
mod database;
mod entry;
pub mod serve;

use crate::app::StartError;
use crate::config::{self, BadSetting, Config, OF_THE_SERVER, Settings};
use crate::db::{Unopened, catalogue, copy, migrate};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Remembers what you have solved, and tells you when to solve it again.
///
/// Each setting can be given by the variable in brackets too.
#[derive(Parser)]
#[command(name = "traverse", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API, and work in the background beside it; the default.
    Serve {
        /// Whether this process works in the background too.
        #[arg(long, default_value = "yes")]
        worker: YesNo,
    },
    /// Work in the background, and serve nothing; any number of these may run on `PostgreSQL`.
    Worker,
    /// Bring the schema of the database to this version; print the names of what was run.
    Migrate {
        /// Change nothing: print what is to be run, and exit with 1 if that is anything.
        #[arg(long)]
        check: bool,
    },
    /// Copy a SQLite database to a new file; the server may run meanwhile.
    Backup {
        /// The copy, which must not be there yet.
        file: PathBuf,
    },
    /// Accounts.
    #[command(subcommand)]
    User(accounts::UserCommand),
    /// Tokens for programs.
    #[command(subcommand)]
    Token(accounts::TokenCommand),
    /// Print the OpenAPI document.
    Openapi,
    /// Check the settings, the database and its guards; change nothing.
    Doctor,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum YesNo {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The settings.
    #[error(transparent)]
    Setting(#[from] BadSetting),
    /// The start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The schema.
    #[error(transparent)]
    Migrate(#[from] migrate::MigrateError),
    /// The guards.
    #[error(transparent)]
    Unguarded(#[from] catalogue::Unguarded),
    /// The connection.
    #[error(transparent)]
    Unopened(#[from] Unopened),
    /// The backup.
    #[error(transparent)]
    NotCopied(#[from] copy::NotCopied),
    /// The network or a file.
    #[error("{0}")]
    Io(String),
    /// The request makes no sense here.
    #[error("{0}")]
    Refused(String),
    /// The database.
    #[error("it refused a statement: {0}")]
    Database(#[from] diesel::result::Error),
    /// Standard output.
    #[error("the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

impl Failed {
    /// Whether the database is what failed, so that whoever reads of it must know which one that is.
    fn is_of_the_database(&self) -> bool {
        match self {
            Self::Start(
                StartError::Metrics(_) | StartError::Classifier(_) | StartError::Mail(_),
            )
            | Self::Setting(_)
            | Self::Io(_)
            | Self::Refused(_)
            | Self::Output(_) => false,
            Self::NotCopied(reason) => reason.is_of_the_database(),
            Self::Start(_)
            | Self::Migrate(_)
            | Self::Unguarded(_)
            | Self::Unopened(_)
            | Self::Database(_) => true,
        }
    }
}

/// Reads the command line. For `--help`, `--version` and what makes no sense it ends the process.
#[must_use]
pub fn parse() -> Cli {
    let read = Cli::from_arg_matches(&command().get_matches());
    read.unwrap_or_else(|error| error.exit())
}

/// The commands. Only those that use the settings of the server show them.
fn command() -> clap::Command {
    let mut command = config::without_empty_variables(Cli::command());
    // What all commands have in common is handed down to them here.
    command.build();
    command.mut_subcommands(|command| match command.get_name() {
        "serve" | "doctor" => command,
        "openapi" => without_settings(command).mut_args(|arg| match arg.get_id().as_str() {
            "database_url" => arg.hide(true),
            _ => arg,
        }),
        _ => without_settings(command),
    })
}

fn without_settings(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| match arg.get_help_heading() {
            Some(OF_THE_SERVER) => arg.hide(true),
            _ => arg,
        })
        .mut_subcommands(without_settings)
}

/// Runs a command; says on standard error why it failed.
#[must_use]
pub fn run(cli: Cli) -> ExitCode {
    let mut out = std::io::stdout();
    let ran = dispatch(cli, &mut out).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    match ran {
        Ok(code) => code,
        // Whoever reads has read enough.
        Err(Failed::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("traverse: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Says something to the person at the terminal, if anybody is there.
fn tell(words: &str) {
    drop(writeln!(std::io::stderr(), "{words}"));
}

fn dispatch(cli: Cli, out: &mut impl Write) -> Result<ExitCode, Failed> {
    if let Some(Command::Openapi) = cli.command {
        writeln!(out, "{}", crate::http::openapi::json())?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::try_from(cli.settings)?;
    let database = config.database.clone();
    on_database(config, cli.command, out).map_err(|failed| match failed {
        failed if failed.is_of_the_database() => {
            Failed::Io(format!("the database {database} cannot be used: {failed}"))
        }
        failed => failed,
    })
}

fn on_database(
    config: Config,
    command: Option<Command>,
    out: &mut impl Write,
) -> Result<ExitCode, Failed> {
    match command {
        None => serve::serve(config, true)?,
        Some(Command::Serve { worker }) => serve::serve(config, worker == YesNo::Yes)?,
        Some(Command::Worker) => serve::work(config)?,
        Some(Command::Migrate { check: false }) => database::migrate(&config, out)?,
        Some(Command::Migrate { check: true }) => return database::check(&config, out),
        Some(Command::Backup { file }) => database::backup(&config, &file, out)?,
        Some(Command::User(command)) => accounts::user(&config, command, out)?,
        Some(Command::Token(command)) => accounts::token(&config, command, out)?,
        Some(Command::Doctor) => database::doctor(&config, out)?,
        Some(Command::Openapi) => {}
    }
    Ok(ExitCode::SUCCESS)
}
