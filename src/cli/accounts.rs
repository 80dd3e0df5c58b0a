//! `traverse user` and `traverse token`: what an operator does without the API.

use super::Failed;
use crate::app;
use crate::auth::model::{Scope, Scopes, User};
use crate::auth::{self, Handle, Issued, Registration, TokenOrder, Unregistered, password};
use crate::clock::Clock;
use crate::config::Config;
use crate::db::Db;
use crate::db::tx::{self, Stopped, Work};
use clap::Subcommand;
use std::io::{IsTerminal, Read};

/// Passwords are read from standard input, since others can read a command line.
#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// Make an account; its password is read from standard input.
    Add {
        /// Where mail goes.
        email: String,
        /// `[a-z0-9_-]{2,39}`.
        handle: String,
        /// An IANA name.
        #[arg(long, default_value = "UTC")]
        time_zone: String,
        /// Let it run the instance.
        #[arg(long)]
        admin: bool,
    },
    /// List the accounts.
    List,
    /// Give an account a password, read from standard input; ends its sessions.
    SetPassword {
        /// The address of the account.
        email: String,
    },
    /// Let an account run the instance.
    MakeAdmin {
        /// The address of the account.
        email: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token and print it: it is shown only now.
    Add {
        /// The address of the account.
        email: String,
        /// What the token is called.
        name: String,
        /// What it allows; may be given several times.
        #[arg(long, required = true, value_parser = |name: &str| name.parse::<Scope>())]
        scope: Vec<Scope>,
    },
}

pub(super) fn user(config: &Config, command: UserCommand) -> Result<(), Failed> {
    let mut db = open(config)?;
    let now = Clock::System.now();
    match command {
        UserCommand::Add { email, handle, time_zone, admin } => {
            let email = auth::address(&email)
                .ok_or_else(|| Failed::Refused("the address is not one".to_owned()))?;
            crate::days::zone(&time_zone).map_err(|error| Failed::Refused(error.to_string()))?;
            let handle = handle.to_lowercase();
            if !auth::is_handle(&handle) {
                let detail = "a handle has 2 to 39 characters of a-z, 0-9, _ and -";
                return Err(Failed::Refused(detail.to_owned()));
            }
            let new = Registration {
                email,
                handle: Handle::Chosen(handle),
                display_name: None,
                password_hash: hash(&read_password()?)?,
                time_zone,
                may_claim: admin,
                open: true,
            };
            let session = tx::write(&mut db, |db| {
                let session = auth::register(db, &new, now)?;
                auth::end_all(db, session.user.id)?;
                if admin {
                    auth::make_admin(db, session.user.id, now)?;
                }
                Ok(session)
            });
            let user = session.map_err(said)?.user;
            println!("{}", user.id);
        }
        UserCommand::List => {
            for user in auth::users(&mut db)? {
                println!("{}\t{}\t{}\t{}", user.id, user.email, user.handle, user.role.as_str());
            }
        }
        UserCommand::SetPassword { email } => {
            let user = account(&mut db, &email)?;
            let hash = hash(&read_password()?)?;
            let done: Work<_> =
                tx::write(&mut db, |db| Ok(auth::set_password(db, user.id, &hash, now)?));
            done.map_err(said)?;
        }
        UserCommand::MakeAdmin { email } => {
            let user = account(&mut db, &email)?;
            let done: Work<_> = tx::write(&mut db, |db| Ok(auth::make_admin(db, user.id, now)?));
            done.map_err(said)?;
        }
    }
    Ok(())
}

pub(super) fn token(config: &Config, command: TokenCommand) -> Result<(), Failed> {
    let TokenCommand::Add { email, name, scope } = command;
    let mut db = open(config)?;
    let user = account(&mut db, &email)?;
    let scopes = Scopes::new(scope);
    if !auth::excess(&scopes, &user.role.scopes()).is_empty() {
        return Err(Failed::Refused("the account may not do that itself".to_owned()));
    }
    let order = TokenOrder { name, scopes, expires_at: None, key: None };
    let now = Clock::System.now();
    match tx::write(&mut db, |db| auth::issue(db, user.id, &order, now)).map_err(said)? {
        Issued::New(_, token) => println!("{token}"),
        Issued::Replayed(_) | Issued::KeyReused | Issued::Revoked => {}
    }
    Ok(())
}

/// Migrates first, so that the command works before the server has ever run.
fn open(config: &Config) -> Result<Db, Failed> {
    let (db, _) = app::prepare(config)?;
    Ok(db)
}

fn account(db: &mut Db, email: &str) -> Result<User, Failed> {
    let email = email.trim().to_lowercase();
    auth::by_address(db, &email)?
        .map(|found| found.user)
        .ok_or_else(|| Failed::Refused(format!("`{email}` has no account")))
}

fn read_password() -> Result<String, Failed> {
    if std::io::stdin().is_terminal() {
        eprintln!("The password, then Ctrl-D:");
    }
    let mut text = String::new();
    std::io::stdin()
        .take(64 * 1024)
        .read_to_string(&mut text)
        .map_err(|error| Failed::Io(format!("the password cannot be read: {error}")))?;
    let password = text.trim_end_matches(['\r', '\n']).to_owned();
    match password::fault(&password) {
        Some(fault) => Err(Failed::Refused(fault)),
        None => Ok(password),
    }
}

fn hash(password: &str) -> Result<String, Failed> {
    password::hash(password)
        .ok_or_else(|| Failed::Refused("the password cannot be hashed".to_owned()))
}

/// A refusal, in words for a terminal.
fn said<Reason: Into<Said>>(stopped: Stopped<Reason>) -> Failed {
    match stopped {
        Stopped::Because(reason) => Failed::Refused(reason.into().0.to_owned()),
        Stopped::Database(error) => Failed::Database(error),
        Stopped::Pool(error) => Failed::Io(error.to_string()),
    }
}

struct Said(&'static str);

impl From<Unregistered> for Said {
    fn from(reason: Unregistered) -> Self {
        Self(match reason {
            Unregistered::EmailTaken => "the address has an account already",
            Unregistered::HandleTaken => "the handle has an account already",
            Unregistered::Closed => "the instance takes no more accounts",
            Unregistered::NoRandomness => "the system gave no randomness",
        })
    }
}

impl From<auth::secret::NoRandomness> for Said {
    fn from(_: auth::secret::NoRandomness) -> Self {
        Self("the system gave no randomness")
    }
}

impl From<std::convert::Infallible> for Said {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}
