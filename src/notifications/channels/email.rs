//! Mail: a letter to the user's address, which says how to get no more of them.
//!
//! What a letter is of is looked at once more when it is sent: whoever has unsubscribed meanwhile
//! gets none. A letter has one `Message-ID`, however often it is sent.

use super::super::model::{Channel, Kind, Parcel};
use super::super::{drain, store, unsubscribe};
use super::{End, Sending, choice};
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{Failed, Job, enqueue};
use crate::mail::{FAREWELL, LIMIT, Letter, Undelivered};
use apalis_core::task::data::Data;
use apalis_core::worker::context::WorkerContext;
use diesel::QueryResult;
use serde::{Deserialize, Serialize};
use std::time::Duration;

const _: () = assert!(
    drain::LOOK.as_secs() + LIMIT.as_secs() + FAREWELL.as_secs() < drain::ATTEMPT.as_secs(),
    "a letter is sent within an attempt: cut off, nobody would know whether it was taken"
);

/// Sends all letters that are due.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Drain {}

impl Job for Drain {
    const KIND: &'static str = "notification-email-drain";
    const MODE: Mode = Mode::Coalesce;
    const PRIORITY: i32 = 4;
    /// Another goes on soon after this one's process has died.
    const LEASE: Duration = Duration::from_secs(30);

    fn id(&self) -> String {
        Self::KIND.to_owned()
    }
}

/// Runs it.
///
/// # Errors
/// When the database fails.
pub async fn run(
    job: Drain,
    app: Data<App>,
    lease: Lease,
    worker: WorkerContext,
) -> Result<(), Failed> {
    drain::drain(Channel::Email, job, &app, &lease, &worker).await
}

/// The job of a tick: what waited for its time is sent within a minute of it. Where nothing is due,
/// there is none.
///
/// # Errors
/// When the database fails.
pub fn tick(db: &mut Db, _: At) -> QueryResult<bool> {
    Ok(store::is_due(db, Channel::Email)? && enqueue(db, &Drain {})?)
}

/// Sends the letter of a delivery.
pub(super) async fn send(app: &App, parcel: &Parcel) -> Sending {
    letter(app, parcel).await.into()
}

async fn letter(app: &App, parcel: &Parcel) -> End {
    let Some(mailer) = &app.mail else { return End::Nowhere("the instance sends no mail") };
    let (user_id, kind) = (parcel.user_id, parcel.notification.kind);
    let look = app.pool.read(move |db| {
        let choice = choice(db, user_id, Channel::Email)?;
        let wants = choice.enabled && !choice.muted.contains(&kind);
        Ok(if wants { store::address(db, user_id)? } else { None })
    });
    let found: Option<Work<Option<String>>> = tokio::time::timeout(drain::LOOK, look).await.ok();
    let address = match found {
        Some(Ok(Some(address))) => address,
        Some(Ok(None)) => return End::Nowhere("the user wants no such mail any more"),
        looked => {
            tracing::warn!(?looked, "the address of a user cannot be read");
            return End::failed(drain::AWAY);
        }
    };
    let origin = app.config.origin();
    let unsubscribe = way_out(app, &origin, user_id, kind);
    let link = parcel.notification.link.as_ref().map(|path| format!("{origin}{path}"));
    let letter = Letter {
        to: &address,
        subject: &parcel.notification.title,
        body: &parcel.notification.body,
        link: link.as_deref().map(|address| ("Open", address)),
        name: &format!("delivery-{}", parcel.held.id),
        origin: &origin,
        unsubscribe: Some(&unsubscribe),
    };
    match mailer.send(&letter, app.clock.now()).await {
        Ok(()) => End::Arrived,
        Err(Undelivered::Refused(error)) => End::Refused(error),
        Err(Undelivered::Later(error)) => End::failed(error),
    }
}

fn way_out(app: &App, origin: &str, user_id: i64, kind: Kind) -> String {
    format!("{origin}/api/v1/unsubscribe/{}", unsubscribe::token(&app.secrets, user_id, kind))
}
