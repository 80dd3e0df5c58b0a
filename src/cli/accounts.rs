//! `traverse user` and `traverse token`: what an operator does without the API.

use super::database::{expect_there, fold};
use super::entry::read_password;
use super::{Failed, tell};
use crate::app;
use crate::auth::model::{Role, Scope, Scopes, User};
use crate::auth::{self, Handle, Issued, Registration, TokenOrder, Unregistered, password};
use crate::clock::Clock;
use crate::config::Config;
use crate::db::Db;
use crate::db::tx::{self, Stopped, Work};
use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::io::Write;

/// Passwords are no arguments, since others can read a command line.
#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// Make an account; its password is read from standard input, or asked for on a terminal.
    Add {
        /// The address to log in with.
        email: String,
        /// A short name, unique on the instance: 2 to 39 of a-z, 0-9, _ and -.
        handle: String,
        /// The zone of its days: an IANA name, such as Europe/Berlin.
        #[arg(long, default_value = "UTC")]
        time_zone: String,
        /// Let it run the instance.
        #[arg(long)]
        admin: bool,
        /// Print the account as JSON, not only its number.
        #[arg(long)]
        json: bool,
    },
    /// List the accounts: number, address, handle and role, with tabs between.
    List {
        /// Print each as JSON, on a line of its own.
        #[arg(long)]
        json: bool,
    },
    /// Give an account a password, read from standard input or asked for on a terminal; ends its
    /// sessions.
    SetPassword {
        /// The address of the account.
        email: String,
    },
    /// Let an account run the instance, and claim the instance with that.
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
        /// What the token is called: 1 to 100 characters.
        name: String,
        /// What it allows: one, or several with commas between; may be given several times.
        #[arg(long, required = true, value_delimiter = ',', value_parser = scopes())]
        scope: Vec<Scope>,
        /// Print the token as JSON, with its number.
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn user(
    config: &Config,
    command: UserCommand,
    out: &mut impl Write,
) -> Result<(), Failed> {
    match command {
        UserCommand::Add { email, handle, time_zone, admin, json } => {
            let new = account_to_be(&email, &handle, time_zone, admin)?;
            let mut db = open(config)?;
            let user = add(&mut db, &new)?;
            fold(&mut db)?;
            if json {
                return print(out, &user);
            }
            writeln!(out, "{}", user.id)?;
            let (id, email, role) = (user.id, &user.email, user.role.as_str());
            tell(&format!("account {id} was made: {email}, handle {}, role {role}", user.handle));
            tell(&format!(
                "a token for its programs: traverse token add {email} NAME --scope write"
            ));
        }
        UserCommand::List { json } => {
            for user in auth::users(&mut open_existing(config)?)? {
                if json {
                    print(out, &user)?;
                } else {
                    let role = user.role.as_str();
                    writeln!(out, "{}\t{}\t{}\t{role}", user.id, user.email, user.handle)?;
                }
            }
        }
        UserCommand::SetPassword { email } => {
            let mut db = open_existing(config)?;
            let user = account(&mut db, &email)?;
            let (hash, now) = (hash(&read_password()?)?, Clock::System.now());
            let done: Work<_> =
                tx::write(&mut db, |db| Ok(auth::set_password(db, user.id, &hash, now)?));
            done.map_err(said)?;
            fold(&mut db)?;
            let (id, email) = (user.id, &user.email);
            tell(&format!("account {id}, {email}, has a new password, and no session any more"));
        }
        UserCommand::MakeAdmin { email } => {
            let mut db = open_existing(config)?;
            let user = account(&mut db, &email)?;
            let now = Clock::System.now();
            let done: Work<_> = tx::write(&mut db, |db| Ok(auth::make_admin(db, user.id, now)?));
            done.map_err(said)?;
            fold(&mut db)?;
            let (id, email) = (user.id, &user.email);
            tell(&match user.role {
                Role::Admin => format!("account {id}, {email}, is an admin already"),
                Role::User => format!(
                    "account {id}, {email}, is an admin from its next login on; the setup token \
                     makes none any more"
                ),
            });
        }
    }
    Ok(())
}

/// Checks what an account is to be, and reads its password.
fn account_to_be(
    email: &str,
    handle: &str,
    time_zone: String,
    admin: bool,
) -> Result<Registration, Failed> {
    let email = auth::address(email).ok_or_else(|| {
        Failed::Refused(format!("`{email}`: an address such as ada@example.org is expected"))
    })?;
    crate::days::zone(&time_zone).map_err(|error| Failed::Refused(error.to_string()))?;
    let (typed, handle) = (handle, handle.to_lowercase());
    if !auth::is_handle(&handle) {
        let wanted = "2 to 39 characters of a-z, 0-9, _ and - are expected";
        return Err(Failed::Refused(format!("the handle `{typed}`: {wanted}")));
    }
    Ok(Registration {
        email,
        handle: Handle::Chosen(handle),
        display_name: None,
        password_hash: hash(&read_password()?)?,
        time_zone,
        may_claim: admin,
        open: true,
    })
}

fn add(db: &mut Db, new: &Registration) -> Result<User, Failed> {
    let now = Clock::System.now();
    let made = tx::write(db, |db| {
        let user = auth::register(db, new, now)?.user;
        auth::end_all(db, user.id)?;
        if !new.may_claim {
            return Ok(user);
        }
        auth::make_admin(db, user.id, now)?;
        Ok(auth::user(db, user.id)?.ok_or(diesel::NotFound)?)
    });
    made.map_err(|stopped| match stopped {
        Stopped::Because(reason) => Failed::Refused(unregistered(reason, new)),
        Stopped::Database(error) => Failed::Database(error),
        Stopped::Pool(error) => Failed::Io(error.to_string()),
    })
}

/// Why there is no account, in words for a terminal.
fn unregistered(reason: Unregistered, new: &Registration) -> String {
    match reason {
        Unregistered::EmailTaken => format!("`{}` has an account already", new.email),
        Unregistered::HandleTaken => match &new.handle {
            Handle::Chosen(handle) | Handle::Suggested(handle, _) => {
                format!("the handle `{handle}` is another account's")
            }
        },
        Unregistered::Closed => "the instance takes no more accounts".to_owned(),
        Unregistered::NoRandomness => "the system gave no randomness".to_owned(),
    }
}

pub(super) fn token(
    config: &Config,
    command: TokenCommand,
    out: &mut impl Write,
) -> Result<(), Failed> {
    let TokenCommand::Add { email, name, scope, json } = command;
    let name = auth::token_name(&name).ok_or_else(|| {
        Failed::Refused(format!("`{}`: {}", name.escape_debug(), auth::TOKEN_NAME))
    })?;
    let mut db = open_existing(config)?;
    let user = account(&mut db, &email)?;
    let scopes = Scopes::new(scope);
    let excess = auth::excess(&scopes, &user.role.scopes());
    if !excess.is_empty() {
        let excess = Scopes::new(excess).to_text();
        let may = user.role.scopes().to_text();
        let detail = format!("{} has no scope {excess} to give: it has {may}", user.email);
        return Err(Failed::Refused(detail));
    }
    let order = TokenOrder { name, scopes, expires_at: None, key: None };
    let now = Clock::System.now();
    let issued = tx::write(&mut db, |db| auth::issue(db, user.id, &order, now)).map_err(said)?;
    let Issued::New(row, token) = issued else { return Ok(()) };
    fold(&mut db)?;
    if json {
        let made = serde_json::json!({
            "id": row.id, "user_id": user.id, "name": row.name, "scopes": order.scopes,
            "token": token,
        });
        return print(out, &made);
    }
    writeln!(out, "{token}")?;
    let (id, scopes) = (row.id, order.scopes.to_text());
    tell(&format!("token {id} of {} was made: {}, for {scopes}", user.email, row.name));
    tell("it is shown only now; a program sends it as `Authorization: Bearer …`");
    Ok(())
}

/// One JSON object on a line of its own.
fn print(out: &mut impl Write, thing: &impl Serialize) -> Result<(), Failed> {
    let text = serde_json::to_string(thing).map_err(|error| Failed::Io(error.to_string()))?;
    writeln!(out, "{text}")?;
    Ok(())
}

/// The scopes by their names, which `--help` and a refusal list.
fn scopes() -> impl TypedValueParser<Value = Scope> {
    let names = PossibleValuesParser::new(Scope::ALL.map(Scope::as_str));
    names.try_map(|name| name.parse::<Scope>())
}

/// Migrates first, so that the command works before the server has ever run.
fn open(config: &Config) -> Result<Db, Failed> {
    let (db, _) = app::prepare(config)?;
    Ok(db)
}

/// As [`open`], but it makes no database: who asks for an account has mistaken the place.
fn open_existing(config: &Config) -> Result<Db, Failed> {
    expect_there(config)?;
    open(config)
}

fn account(db: &mut Db, email: &str) -> Result<User, Failed> {
    let email = email.trim().to_lowercase();
    auth::by_address(db, &email)?
        .map(|found| found.user)
        .ok_or_else(|| Failed::Refused(format!("`{email}` has no account")))
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

impl From<crate::secret::NoRandomness> for Said {
    fn from(_: crate::secret::NoRandomness) -> Self {
        Self("the system gave no randomness")
    }
}

impl From<std::convert::Infallible> for Said {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}
