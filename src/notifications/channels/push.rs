//! Web Push (RFC 8030): a message to each device of a user.
//!
//! Each device that has a message leaves a receipt, so that a later attempt reaches only those that
//! missed it. A device that its push service does not know any more is taken away.

use super::super::drain;
use super::super::model::{Channel, Device, Kind, Notification, Parcel};
use super::super::web_push::{DeviceKeys, LONGEST};
use super::super::{guards, store};
use super::{End, Sending};
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{Failed, Job, enqueue};
use crate::outgoing::{Answer, uri};
use apalis_core::task::data::Data;
use apalis_core::worker::context::WorkerContext;
use chrono::{DateTime, Utc};
use diesel::QueryResult;
use futures_util::future::join_all;
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a push service may take.
const LIMIT: Duration = Duration::from_secs(15);

const _: () = assert!(
    LIMIT.as_secs() + drain::LOOK.as_secs() * 2 < drain::ATTEMPT.as_secs(),
    "the devices of a user, which are sent to at once, are done within an attempt: cut off, nobody \
     would know which of them have the message"
);

/// Characters of an answer that are quoted.
const QUOTED: usize = 200;

/// Sends all messages that are due.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Drain {}

impl Job for Drain {
    const KIND: &'static str = "notification-push-drain";
    const MODE: Mode = Mode::Coalesce;
    const PRIORITY: i32 = 5;
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
    drain::drain(Channel::Push, job, &app, &lease, &worker).await
}

/// The job of a tick: what waited for its time is sent within a minute of it. Where nothing is due,
/// there is none.
///
/// # Errors
/// When the database fails.
pub fn tick(db: &mut Db, _: At) -> QueryResult<bool> {
    Ok(store::is_due(db, Channel::Push)? && enqueue(db, &Drain {})?)
}

/// What became of the message to one device.
enum Arrival {
    /// Its push service took it.
    Taken,
    /// Its push service does not know it.
    Gone,
    /// Neither.
    Failed(String, Option<Duration>),
}

/// Sends to all devices of the user that have not had the message, at once.
pub(super) async fn send(app: &App, parcel: &Parcel) -> Sending {
    let (user_id, delivery_id) = (parcel.user_id, parcel.held.id);
    let look = app.pool.read(move |db| {
        let devices = store::devices(db, user_id, delivery_id)?;
        Ok((devices, store::has_arrived(db, delivery_id)?))
    });
    let found: Option<Work<_>> = tokio::time::timeout(drain::LOOK, look).await.ok();
    let (devices, has_arrived) = match found {
        Some(Ok(found)) => found,
        looked => {
            tracing::warn!(?looked, "the devices of a user cannot be read");
            return End::failed(drain::AWAY).into();
        }
    };
    let message = message(&parcel.notification);
    let is_one = devices.len() == 1;
    let arrivals = join_all(devices.iter().map(|device| async {
        let arrival = send_to(app, parcel, device, &message).await;
        if matches!(arrival, Arrival::Taken) && !is_one {
            note(app, delivery_id, device.id).await;
        }
        arrival
    }))
    .await;
    let mut sending = Sending::from(End::Arrived);
    let (mut failures, mut retry_after) = (Vec::new(), None);
    for (device, arrival) in devices.iter().zip(arrivals) {
        match arrival {
            Arrival::Taken => sending.receipts.push(device.id),
            Arrival::Gone => sending.gone.push((device.id, device.updated_at)),
            Arrival::Failed(error, wait) => {
                failures.push(error);
                retry_after = retry_after.max(wait);
            }
        }
    }
    if !failures.is_empty() {
        sending.end = End::Failed { error: failures.join("; "), retry_after };
    } else if !has_arrived && sending.receipts.is_empty() {
        sending.end = End::Nowhere("the user has no device");
    }
    sending
}

async fn send_to(app: &App, parcel: &Parcel, device: &Device, message: &[u8]) -> Arrival {
    let request = match request(app, parcel, device, message) {
        Ok(request) => request,
        Err(why) => return Arrival::Failed(why, None),
    };
    match app.outgoing.send(request, LIMIT).await {
        Ok(answer) if answer.status.is_success() => Arrival::Taken,
        Ok(answer) if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::GONE) => {
            Arrival::Gone
        }
        Ok(answer) => {
            Arrival::Failed(quoted(&answer), retry_after(&answer.headers, *app.clock.now()))
        }
        Err(why) => Arrival::Failed(why.to_string(), None),
    }
}

/// Leaves a receipt at once, while other devices are still sent to: should this process die before
/// the whole attempt is written down, this device does not get the message again. Where it fails,
/// that is left to the end.
async fn note(app: &App, delivery_id: i64, device_id: i64) {
    let now = app.clock.now();
    let note =
        app.pool.statement(move |db| Ok(guards::record_receipt(db, delivery_id, device_id, now)?));
    let noted: Option<Work<bool>> = tokio::time::timeout(drain::LOOK, note).await.ok();
    if !matches!(noted, Some(Ok(_))) {
        tracing::debug!(?noted, "a receipt has to wait");
    }
}

fn request(
    app: &App,
    parcel: &Parcel,
    device: &Device,
    message: &[u8],
) -> Result<Request<Full<Bytes>>, String> {
    let endpoint = app.outgoing.read(&device.endpoint).map_err(|why| why.to_string())?;
    let keys = DeviceKeys::read(&device.p256dh, &device.auth).map_err(|why| why.to_string())?;
    let body = keys.encrypt(message).map_err(|why| why.to_string())?;
    let signed = app.vapid.authorization(&endpoint, app.clock.now());
    let kind = parcel.notification.kind;
    Request::post(uri(&endpoint).map_err(|why| why.to_string())?)
        .header("TTL", time_to_live(kind).as_secs())
        .header("Urgency", urgency(kind))
        .header("Topic", topic(&parcel.notification))
        .header(CONTENT_ENCODING, "aes128gcm")
        .header(CONTENT_TYPE, "application/octet-stream")
        .header(AUTHORIZATION, signed.map_err(|why| why.to_string())?)
        .body(Full::from(body))
        .map_err(|why| why.to_string())
}

/// What the device gets, as JSON.
#[derive(Serialize)]
struct Message<'a> {
    title: &'a str,
    body: &'a str,
    link: Option<&'a str>,
    notification_id: i64,
    kind: Kind,
}

/// The message of a notification. One that is too long loses the end of its body, or of its title.
#[must_use]
pub fn message(notification: &Notification) -> Vec<u8> {
    let (mut title, mut body) = (notification.title.clone(), notification.body.clone());
    loop {
        let message = Message {
            title: &title,
            body: &body,
            link: notification.link.as_deref(),
            notification_id: notification.id,
            kind: notification.kind,
        };
        // Text and numbers always have a JSON form.
        let json = serde_json::to_vec(&message).unwrap_or_default();
        let surplus = json.len().saturating_sub(LONGEST);
        let cut = if body.is_empty() { &mut title } else { &mut body };
        if surplus == 0 || cut.is_empty() {
            return json;
        }
        shorten(cut, surplus);
    }
}

/// Takes at least a character from the end of a text, and no more than it must: one byte of JSON may
/// be a sixth of a character.
fn shorten(text: &mut String, surplus: usize) {
    let mut kept = text.len().saturating_sub(surplus.div_ceil(6).max(1) + '…'.len_utf8());
    while !text.is_char_boundary(kept) {
        kept -= 1;
    }
    text.truncate(kept);
    if kept > 0 {
        text.push('…');
    }
}

/// How long a push service keeps a message for a device that is away: what is of a day, half a day.
fn time_to_live(kind: Kind) -> Duration {
    match kind {
        Kind::RingsClosed | Kind::Digest | Kind::FriendStreak => Duration::from_hours(12),
        Kind::FriendRequest | Kind::FriendAccepted | Kind::Broadcast | Kind::ImportFinished => {
            Duration::from_hours(7 * 24)
        }
    }
}

/// Whether a device that saves its battery wants to wake up for it (RFC 8030, section 5.3).
fn urgency(kind: Kind) -> &'static str {
    match kind {
        Kind::Broadcast | Kind::ImportFinished => "low",
        _ => "normal",
    }
}

/// What a message replaces while the device is away (RFC 8030, section 5.4): a digest the one before,
/// any other itself, sent twice.
fn topic(notification: &Notification) -> String {
    match notification.kind {
        Kind::Digest => "digest".to_owned(),
        _ => format!("n{}", notification.id),
    }
}

/// What a push service said, in the words of the log.
fn quoted(answer: &Answer) -> String {
    let said = String::from_utf8_lossy(&answer.body);
    let said: String = said.chars().filter(|c| !c.is_control()).take(QUOTED).collect();
    format!("the push service answered {}: {said}", answer.status.as_u16())
}

/// Seconds, or an instant (RFC 9110, section 10.2.3).
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at: DateTime<Utc> = httpdate::parse_http_date(text).ok()?.into();
    (at - now).to_std().ok()
}
