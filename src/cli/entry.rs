//! The entry of a password: from standard input, or typed unseen and twice where that is a terminal.

use super::Failed;
use crate::auth::password;
use std::io::{IsTerminal, Read};

/// The most bytes that are read: more than any password may have.
const MOST: u64 = 64 * 1024;

/// Reads a new password, and refuses one that cannot be used.
pub(super) fn read_password() -> Result<String, Failed> {
    if std::io::stdin().is_terminal() {
        return typed();
    }
    let mut text = String::new();
    std::io::stdin().take(MOST).read_to_string(&mut text).map_err(|error| {
        Failed::Io(format!("the password cannot be read from standard input: {error}"))
    })?;
    let password = text.trim_end_matches(['\r', '\n']).to_owned();
    usable(password, "read from standard input")
}

/// Enter ends it. It is asked for again, since nobody sees what they type.
fn typed() -> Result<String, Failed> {
    let ask = |prompt| {
        rpassword::prompt_password(prompt)
            .map_err(|error| Failed::Io(format!("the password cannot be read: {error}")))
    };
    let password = usable(ask("Password: ")?, "typed")?;
    if ask("The same again: ")? == password {
        Ok(password)
    } else {
        Err(Failed::Refused("the two passwords are not the same".to_owned()))
    }
}

fn usable(password: String, origin: &str) -> Result<String, Failed> {
    match password::fault(&password) {
        Some(fault) => {
            let length = match password.chars().count() {
                0 => "is empty".to_owned(),
                1 => "has 1 character".to_owned(),
                count => format!("has {count} characters"),
            };
            Err(Failed::Refused(format!("the password {origin} {length}: {fault}")))
        }
        None => Ok(password),
    }
}
