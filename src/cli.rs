//! The command line.

mod accounts;
mod serve;

use crate::app::StartError;
use crate::config::{BadSetting, Config, Settings};
use crate::db::{Db, catalogue, migrate};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Remembers what you have solved, and tells you when to solve it again.
#[derive(Debug, Parser)]
#[command(name = "traverse", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API; the default.
    Serve,
    /// Bring the schema of the database to this version.
    Migrate {
        /// Change nothing; exit with 1 if something is to be done.
        #[arg(long)]
        check: bool,
    },
    /// Accounts.
    #[command(subcommand)]
    User(accounts::UserCommand),
    /// Tokens for programs.
    #[command(subcommand)]
    Token(accounts::TokenCommand),
    /// Print the OpenAPI document.
    Openapi,
    /// Check the settings, the database and its guards.
    Doctor,
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
    /// The network or a file.
    #[error("{0}")]
    Io(String),
    /// The request makes no sense here.
    #[error("{0}")]
    Refused(String),
    /// The database.
    #[error("the database refused a statement: {0}")]
    Database(#[from] diesel::result::Error),
}

/// Runs a command; says on standard error why it failed.
#[must_use]
pub fn run(cli: Cli) -> ExitCode {
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("traverse: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failed> {
    if let Some(Command::Openapi) = cli.command {
        println!("{}", crate::http::openapi::json());
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::try_from(cli.settings)?;
    match cli.command {
        None | Some(Command::Serve) => serve::run(config)?,
        Some(Command::Migrate { check: false }) => {
            for name in migrate::run(&config.database)? {
                println!("{name}");
            }
        }
        Some(Command::Migrate { check: true }) => {
            let pending = migrate::pending(&config.database)?;
            for name in &pending {
                println!("{name}");
            }
            if !pending.is_empty() {
                return Ok(ExitCode::FAILURE);
            }
        }
        Some(Command::User(command)) => accounts::user(&config, command)?,
        Some(Command::Token(command)) => accounts::token(&config, command)?,
        Some(Command::Doctor) => doctor(&config)?,
        Some(Command::Openapi) => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn doctor(config: &Config) -> Result<(), Failed> {
    println!("settings: fine");
    let pending = migrate::pending(&config.database)?;
    if !pending.is_empty() {
        return Err(Failed::Refused(format!("to be migrated: {}", pending.join(", "))));
    }
    println!("schema: up to date");
    let mut db = Db::open(&config.database).map_err(migrate::MigrateError::from)?;
    let guards = crate::app::guards();
    catalogue::check(&mut db, &guards)?;
    println!("guards: all {} are kept", guards.len());
    Ok(())
}
