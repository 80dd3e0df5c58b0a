//! `traverse migrate`, `traverse backup` and `traverse doctor`: the database as a whole.

use super::{Failed, tell};
use crate::config::Config;
use crate::db::{Db, catalogue, copy, migrate};
use crate::mail::{self, Mailer};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Folds what a command has written into SQLite's file, so that the file alone is the database. A
/// server that runs does the same when it stops.
pub(super) fn fold(db: &mut Db) -> Result<(), Failed> {
    copy::fold(db)?;
    Ok(())
}

pub(super) fn migrate(config: &Config, out: &mut impl Write) -> Result<(), Failed> {
    let ran = migrate::run(&config.database)?;
    fold(&mut Db::open(&config.database)?)?;
    for name in &ran {
        writeln!(out, "{name}")?;
    }
    let what = if ran.is_empty() { "is" } else { "was brought" };
    tell(&format!("{} {what} up to date", config.database));
    Ok(())
}

pub(super) fn check(config: &Config, out: &mut impl Write) -> Result<ExitCode, Failed> {
    let pending = migrate::pending(&config.database)?;
    for name in &pending {
        writeln!(out, "{name}")?;
    }
    if pending.is_empty() {
        tell(&format!("{} is up to date", config.database));
        return Ok(ExitCode::SUCCESS);
    }
    tell(&to_do(config, &pending));
    Ok(ExitCode::FAILURE)
}

pub(super) fn backup(config: &Config, file: &Path, out: &mut impl Write) -> Result<(), Failed> {
    copy::to_file(&config.database, file)?;
    writeln!(out, "{}", file.display())?;
    tell(&format!(
        "{} was copied, and the copy is whole. To go back to it: stop the server, put it in the \
         place of the database, and remove the files beside it that end in -wal and -shm",
        config.database
    ));
    Ok(())
}

pub(super) fn doctor(config: &Config, out: &mut impl Write) -> Result<(), Failed> {
    match config.doubts() {
        None => writeln!(out, "settings: fine")?,
        Some(doubt) => writeln!(out, "settings: warning: {doubt}")?,
    }
    if let Some(mail) = &config.mail {
        check_mail(mail, out)?;
    }
    writeln!(out, "database: {}", config.database)?;
    for (file, mode) in config.database.open_to_others() {
        writeln!(
            out,
            "file: warning: others than its owner can read or write `{file}`, whose mode is \
             {mode:03o}: `chmod 600 {file}`"
        )?;
    }
    let pending = migrate::pending(&config.database)?;
    if !pending.is_empty() {
        return Err(Failed::Refused(to_do(config, &pending)));
    }
    writeln!(out, "schema: up to date")?;
    let mut db = Db::open_to_look(&config.database)?;
    let guards = crate::app::guards();
    catalogue::check(&mut db, &guards)?;
    writeln!(out, "guards: all {} are kept", guards.len())?;
    Ok(())
}

/// Greets the mail server, as a letter would, and sends none.
fn check_mail(settings: &mail::Settings, out: &mut impl Write) -> Result<(), Failed> {
    let refused = |why: String| {
        Failed::Io(format!("the mail server {}:{}: {why}", settings.host, settings.port))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failed::Io(error.to_string()))?;
    let greeted = runtime.block_on(async {
        let mailer = Mailer::new(settings).map_err(|unusable| unusable.to_string())?;
        mailer.greet().await
    });
    greeted.map_err(refused)?;
    if settings.security == mail::Security::None {
        writeln!(
            out,
            "mail: warning: letters, and the password, go to {} in clear",
            settings.host
        )?;
    } else {
        writeln!(out, "mail: {} answers, over TLS", settings.host)?;
    }
    Ok(())
}

/// Refuses a database that is not there, as `doctor` does: only what is to fill one makes it.
pub(super) fn expect_there(config: &Config) -> Result<(), Failed> {
    if config.database.to_be_made().is_none() {
        return Ok(());
    }
    let pending = migrate::pending(&config.database)?;
    Err(Failed::Refused(to_do(config, &pending)))
}

fn to_do(config: &Config, pending: &[String]) -> String {
    let what = match config.database.to_be_made() {
        Some(path) => format!("there is no file `{path}` yet, and "),
        None => String::new(),
    };
    let names = pending.join(", ");
    format!(
        "{}: {what}to be migrated: {names}; `traverse migrate` does it, and a server that starts",
        config.database
    )
}
