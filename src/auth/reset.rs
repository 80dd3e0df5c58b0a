//! A new password for somebody who has forgotten theirs, by a link that goes to their address.
//!
//! What is always true: who asks learns nothing of accounts, since the same is done for any address:
//! the account is looked up and a job is enqueued, which for no account does nothing. The job carries
//! the number of the account, never the address. A link is known to its letter alone, of which the
//! hash is stored; it is good for [`GOOD_FOR`] and once, and a change of the password uses up all
//! links of the account.

use super::{guards, sessions, store};
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{Failed, Job, enqueue};
use crate::mail::{Letter, Undelivered};
use crate::secret::{self, Secrets};
use apalis_core::task::data::Data;
use chrono::TimeDelta;
use diesel::QueryResult;
use serde::{Deserialize, Serialize};

/// How long a link is good.
pub const GOOD_FOR: TimeDelta = TimeDelta::hours(1);

/// Hexadecimal digits of the name of a question.
const NAME: usize = 32;

/// Sends a link to an account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MailReset {
    /// What stands for the address: a keyed hash, since a mistyped address is nobody's business.
    pub question: String,
    /// Its account; for an address that has none there is nothing to do.
    pub user_id: Option<i64>,
}

impl Job for MailReset {
    const KIND: &'static str = "mail-password-reset";
    const MODE: Mode = Mode::Coalesce;
    const PRIORITY: i32 = 10;
    /// Beyond that nobody waits for it any more.
    const MAX_ATTEMPTS: i32 = 5;

    fn id(&self) -> String {
        format!("{}-{}", Self::KIND, self.question)
    }
}

/// Asks for a link, in the caller's transaction.
///
/// # Errors
/// When the database fails.
pub fn ask(db: &mut Db, secrets: &Secrets, email: &str) -> QueryResult<()> {
    let user_id = store::user_id(db, email)?;
    // A question that waits is answered for the account that it was asked for.
    let account = user_id.unwrap_or_default().to_be_bytes();
    let parts: [&[u8]; 3] = [b"password reset", email.as_bytes(), &account];
    let question = secret::keyed(NAME, &secrets.signing, &parts);
    enqueue(db, &MailReset { question, user_id }).map(drop)
}

/// Runs the job. An attempt makes a link of its own: whichever arrives is good.
///
/// # Errors
/// When the database fails, or the mail server.
pub async fn mail_reset(job: MailReset, app: Data<App>, lease: Lease) -> Result<(), Failed> {
    let (Some(mailer), Some(user_id)) = (&app.mail, job.user_id) else { return Ok(()) };
    let token = secret::token().map_err(|error| Failed::Because(error.to_string()))?;
    let (now, hash) = (app.clock.now(), secret::hash(&token));
    let made: Work<Option<String>> = app
        .pool
        .write(move |db| {
            let Some(user) = store::user(db, user_id)? else { return Ok(None) };
            store::add_reset(db, user.id, &hash, now, At::from(*now + GOOD_FOR))?;
            // Last, since it holds rows of others.
            store::purge_resets(db, now)?;
            Ok(Some(user.email))
        })
        .await;
    let Some(address) = made? else { return Ok(()) };
    if lease.is_lost() {
        return Err(Failed::Stale);
    }
    let origin = app.config.origin();
    let link = format!("{origin}/reset-password#token={token}");
    let letter = Letter {
        to: &address,
        subject: "A new password for Traverse",
        body: "Somebody, hopefully you, asks for a new password of your account.\n\
               The link is good for an hour, and once. Whoever did not ask need not do anything.",
        link: Some(("Choose a new password", &link)),
        name: &format!("reset-{}", secret::hash(&secret::hash(&token))),
        origin: &origin,
        unsubscribe: None,
    };
    match mailer.send(&letter, now).await {
        Ok(()) => Ok(()),
        Err(Undelivered::Refused(error)) => {
            tracing::warn!(%error, "a link for a new password was refused");
            Ok(())
        }
        Err(Undelivered::Later(error)) => Err(Failed::Because(error)),
    }
}

/// A link that is used up, too old, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotGood;

/// Whether a link is good at `now`: asked before a password is hashed, which takes long.
///
/// # Errors
/// When the database fails.
pub fn is_good(db: &mut Db, token: &str, now: At) -> QueryResult<bool> {
    Ok(store::reset_user(db, &secret::hash(token), now)?.is_some())
}

/// Gives the account of a link a password, which ends every session and uses up all its links.
///
/// # Errors
/// [`NotGood`]; then nothing is changed.
pub fn reset(db: &mut Db, token: &str, password_hash: &str, now: At) -> Work<(), NotGood> {
    let hash = secret::hash(token);
    let user_id = store::reset_user(db, &hash, now)?.ok_or(Stopped::Because(NotGood))?;
    // The account before its link, as whoever deletes the account takes them.
    store::set_password(db, user_id, password_hash, now)?;
    if !guards::use_reset(db, &hash, now)? {
        return Err(Stopped::Because(NotGood));
    }
    store::forget_resets(db, user_id)?;
    sessions::end_all(db, user_id)?;
    Ok(())
}
