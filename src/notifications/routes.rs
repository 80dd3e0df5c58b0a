//! HTTP for notifications, channels and devices.

use super::channels::{self, Choice};
use super::devices;
use super::model::{
    Channel, DeliveryRow, Kind, NewSubscription, Notification, PushSubscription, Receipt, State,
};
use super::web_push::{BadKeys, DeviceKeys};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use actix_web::guard::GuardContext;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, delete, get, post, put, web};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use url::Url;
use utoipa::openapi::schema::{self, AdditionalProperties};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// The most characters of an endpoint.
const LONGEST_ENDPOINT: usize = 2_048;

/// A question that is asked by its name alone, too: `?unread`.
#[derive(Clone, Copy, Debug)]
pub struct Asked(bool);

impl<'de> Deserialize<'de> for Asked {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        match String::deserialize(input)?.as_str() {
            "" | "true" => Ok(Self(true)),
            "false" => Ok(Self(false)),
            _ => Err(serde::de::Error::custom("`true` or `false` is expected")),
        }
    }
}

impl PartialSchema for Asked {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(schema::Type::String)
            .enum_values(Some(["", "true", "false"]))
            .into()
    }
}

impl ToSchema for Asked {}

/// Which notifications.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Only those that were not read; with `false` only those that were.
    #[param(inline)]
    unread: Option<Asked>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

/// List notifications
///
/// Newest first. What the channel `in_app` does not carry is not in the list.
#[utoipa::path(
    operation_id = "list_notifications",
    tag = "notifications",
    params(Filter),
    responses((status = 200, description = "A page of notifications", body = Items<Notification>)),
)]
#[get("/notifications")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(filter): Query<Filter>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> =
        PageQuery { limit: filter.limit, cursor: filter.cursor }.read("notifications")?;
    let (user_id, unread) = (caller.user.id, filter.unread.map(|Asked(unread)| unread));
    let rows: Work<_> = app
        .pool
        .read(move |db| Ok(super::list(db, user_id, unread, page.after, page.fetch())?))
        .await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |row| row.id)))
}

/// Mark a notification as read
///
/// Twice is as once: the first time stays.
#[utoipa::path(
    operation_id = "read_notification",
    tag = "notifications",
    params(("id" = i64, Path, description = "The notification")),
    responses((status = 200, description = "It is read", body = Notification)),
)]
#[post("/notifications/{id}/read")]
pub async fn read(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let read: Work<_> = app.pool.write(move |db| Ok(super::read(db, user_id, id, now)?)).await;
    Ok(HttpResponse::Ok().json(read?.ok_or_else(ApiError::not_found)?))
}

/// A notification on its way through one channel.
#[derive(Serialize, ToSchema)]
pub struct Delivery {
    /// Its number.
    id: i64,
    /// Through which channel.
    channel: Channel,
    /// Where it is.
    state: State,
    /// Attempts so far; after ten it is dead.
    attempts: i32,
    /// When it is tried next; null where it has ended.
    #[schema(required = true)]
    next_attempt_at: Option<At>,
    /// When it ended.
    #[schema(required = true)]
    finished_at: Option<At>,
    /// Why the last attempt failed, or why nothing was sent.
    #[schema(required = true)]
    last_error: Option<String>,
    /// The devices that have it.
    receipts: Vec<Receipt>,
}

impl Delivery {
    fn new(row: DeliveryRow, receipts: &[Receipt]) -> Self {
        let receipts =
            receipts.iter().filter(|receipt| receipt.delivery_id == row.id).copied().collect();
        Self {
            id: row.id,
            channel: row.channel,
            state: row.state,
            attempts: row.attempts,
            next_attempt_at: row.finished_at.is_none().then_some(row.due_at),
            finished_at: row.finished_at,
            last_error: row.last_error,
            receipts,
        }
    }
}

/// List the deliveries of a notification
///
/// One for each channel that carries it; all on one page.
#[utoipa::path(
    operation_id = "list_deliveries",
    tag = "notifications",
    params(("id" = i64, Path, description = "The notification")),
    responses((status = 200, description = "Its deliveries", body = Items<Delivery>)),
)]
#[get("/notifications/{id}/deliveries")]
pub async fn deliveries(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let found: Work<_> = app.pool.read(move |db| Ok(super::deliveries(db, user_id, id)?)).await;
    let (rows, receipts) = found?.ok_or_else(ApiError::not_found)?;
    let items = rows.into_iter().map(|row| Delivery::new(row, &receipts)).collect();
    Ok(HttpResponse::Ok().json(Items { items, next_cursor: None }))
}

/// Of each kind of notification, whether a channel carries it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kinds(BTreeMap<Kind, bool>);

impl PartialSchema for Kinds {
    fn schema() -> RefOr<Schema> {
        let kinds = Kind::ALL.into_iter().fold(ObjectBuilder::new(), |object, kind| {
            let carries = ObjectBuilder::new()
                .schema_type(schema::Type::Boolean)
                .description(Some(format!("Whether it carries `{}`.", kind.as_str())));
            object.property(kind.as_str(), carries)
        });
        kinds
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)))
            .description(Some("Of each kind of notification, whether the channel carries it."))
            .into()
    }
}

impl ToSchema for Kinds {
    fn name() -> std::borrow::Cow<'static, str> {
        "NotificationKinds".into()
    }
}

/// What a user wants of a channel.
#[derive(Serialize, ToSchema)]
#[schema(as = ChannelChoice)]
pub struct ChannelBody {
    /// The channel.
    channel: Channel,
    /// Whether the instance can send through it.
    available: bool,
    /// Whether it is on.
    enabled: bool,
    /// What it carries while it is on: all kinds.
    kinds: Kinds,
}

impl ChannelBody {
    fn new(app: &App, channel: Channel, choice: &Choice) -> Self {
        let carries = |kind| (kind, !choice.muted.contains(&kind));
        Self {
            channel,
            available: channels::is_set_up(app, channel),
            enabled: choice.enabled,
            kinds: Kinds(Kind::ALL.into_iter().map(carries).collect()),
        }
    }
}

/// What a user wants of a channel from now on.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewChannelChoice)]
#[serde(deny_unknown_fields)]
pub struct NewChannelBody {
    /// Whether it is on.
    enabled: bool,
    /// What it carries while it is on; a kind that is absent, it does carry.
    #[serde(default)]
    kinds: Kinds,
}

fn named(name: &str) -> Result<Channel, ApiError> {
    name.parse().map_err(|_| ApiError::not_found())
}

/// Show a channel
///
/// What the caller wants of it. A new account has `in_app` and `push` on, with all kinds, and `email`
/// off; `push` goes to its devices, which there are none of at first.
#[utoipa::path(
    operation_id = "get_channel",
    tag = "notifications",
    params(("channel" = inline(Channel), Path, description = "The channel")),
    responses((status = 200, description = "What the caller wants of it", body = ChannelBody)),
)]
#[get("/channels/{channel}")]
pub async fn get_channel(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(name): Path<String>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, channel) = (caller.user.id, named(&name)?);
    let choice: Work<_> =
        app.pool.read(move |db| Ok(channels::choice(db, user_id, channel)?)).await;
    Ok(HttpResponse::Ok().json(ChannelBody::new(&app, channel, &choice?)))
}

/// Set a channel
///
/// As a whole, for what happens from now on. In quiet hours, which `PATCH /me` sets, `push` and
/// `email` wait.
#[utoipa::path(
    operation_id = "put_channel",
    tag = "notifications",
    params(("channel" = inline(Channel), Path, description = "The channel")),
    request_body = NewChannelBody,
    responses(
        (status = 200, description = "What the caller wants of it now", body = ChannelBody),
        (status = 409, description = "`channel-unavailable`: the instance cannot send through it"),
    ),
)]
#[put("/channels/{channel}")]
pub async fn put_channel(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(name): Path<String>,
    Json(body): Json<NewChannelBody>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, channel, now) = (caller.user.id, named(&name)?, app.clock.now());
    if body.enabled && !channels::is_set_up(&app, channel) {
        let (title, detail) = ("The channel is not available", "the instance has no mail server");
        return Err(ApiError::new(StatusCode::CONFLICT, "channel-unavailable", title, detail));
    }
    let muted = body.kinds.0.into_iter().filter(|(_, carries)| !carries).map(|(kind, _)| kind);
    let choice = Choice { enabled: body.enabled, muted: muted.collect() };
    let answer = ChannelBody::new(&app, channel, &choice);
    let kept: Work<()> =
        app.pool.write(move |db| Ok(channels::choose(db, user_id, channel, &choice, now)?)).await;
    kept?;
    Ok(HttpResponse::Ok().json(answer))
}

/// The keys of a device, as its browser gives them.
#[derive(Deserialize, ToSchema)]
#[schema(as = DeviceKeys)]
#[serde(deny_unknown_fields)]
pub struct KeysBody {
    /// Its public key: 65 bytes in base64url.
    #[schema(
        example = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )]
    p256dh: String,
    /// Its secret: 16 bytes in base64url.
    #[schema(example = "BTBZMqHH6r4Tts7J_aSIgg")]
    auth: String,
}

/// A device, as `PushSubscription.toJSON()` of its browser gives it.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewPushSubscription)]
#[serde(deny_unknown_fields)]
pub struct NewSubscriptionBody {
    /// Where its messages are taken.
    #[schema(
        max_length = 2048,
        example = "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk"
    )]
    endpoint: String,
    /// Its keys.
    keys: KeysBody,
    /// When the browser expects its end, in milliseconds since 1970. Nothing goes by it: a device that
    /// has ended is taken away when its push service says so.
    #[serde(default, rename = "expirationTime")]
    #[expect(dead_code, reason = "browsers send it")]
    expiration_time: Option<f64>,
}

impl NewSubscriptionBody {
    /// Its endpoint in one spelling, or all that is wrong with it.
    fn check(&self, app: &App) -> Result<Url, Vec<FieldError>> {
        let mut faults = Vec::new();
        let endpoint = app.outgoing.read(&self.endpoint);
        match &endpoint {
            Ok(url) if url.as_str().len() > LONGEST_ENDPOINT => {
                let detail = format!("at most {LONGEST_ENDPOINT} characters");
                faults.push(FieldError::new("/endpoint", detail));
            }
            Ok(_) => {}
            Err(refused) => faults.push(FieldError::new("/endpoint", refused.to_string())),
        }
        let keys = DeviceKeys::read(&self.keys.p256dh, &self.keys.auth).and_then(DeviceKeys::check);
        if let Err(bad) = keys {
            let pointer = match bad {
                BadKeys::P256dh => "/keys/p256dh",
                BadKeys::Auth => "/keys/auth",
            };
            faults.push(FieldError::new(pointer, bad.to_string()));
        }
        endpoint.ok().filter(|_| faults.is_empty()).ok_or(faults)
    }
}

/// List devices
///
/// Those that take messages, the newest first.
#[utoipa::path(
    operation_id = "list_push_subscriptions",
    tag = "notifications",
    params(PageQuery),
    responses((status = 200, description = "A page of devices", body = Items<PushSubscription>)),
)]
#[get("/push-subscriptions")]
pub async fn list_devices(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("push-subscriptions")?;
    let user_id = caller.user.id;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(devices::list(db, user_id, page.after, page.fetch())?)).await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |row| row.id)))
}

/// Register a device
///
/// It is its endpoint: registered again it has its new keys, and where somebody else had it, it is
/// the caller's from now on. A user has at most 20; a further one takes the place of the one that was
/// registered the longest ago.
#[utoipa::path(
    operation_id = "create_push_subscription",
    tag = "notifications",
    request_body = NewSubscriptionBody,
    responses(
        (status = 201, description = "It is the caller's now", body = PushSubscription),
        (status = 200, description = "It was, and has these keys now", body = PushSubscription),
    ),
)]
#[post("/push-subscriptions")]
pub async fn register_device(
    caller: Caller<Write>,
    app: web::Data<App>,
    Json(body): Json<NewSubscriptionBody>,
) -> Result<HttpResponse, ApiError> {
    let endpoint = body.check(&app).map_err(ApiError::invalid)?;
    let (user_id, now) = (caller.user.id, app.clock.now());
    let registered: Work<_> = app
        .pool
        .write(move |db| {
            let new = NewSubscription {
                user_id,
                endpoint: endpoint.as_str(),
                p256dh: &body.keys.p256dh,
                auth: &body.keys.auth,
                now,
            };
            Ok(devices::register(db, &new)?)
        })
        .await;
    let (device, is_new) =
        registered?.ok_or_else(|| ApiError::unauthorized("the account was deleted meanwhile"))?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(HttpResponse::build(status).json(device))
}

/// Whether a path may name a device: `key` has a path of its own.
fn is_no_key(request: &GuardContext<'_>) -> bool {
    !request.head().uri.path().ends_with("/key")
}

/// Remove a device
#[utoipa::path(
    operation_id = "delete_push_subscription",
    tag = "notifications",
    params(("id" = i64, Path, description = "The device")),
    responses((status = 204, description = "It takes no more messages")),
)]
#[delete("/push-subscriptions/{id}", guard = "is_no_key")]
pub async fn remove_device(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let removed: Work<bool> = app.pool.write(move |db| Ok(devices::remove(db, user_id, id)?)).await;
    if removed? { Ok(HttpResponse::NoContent().finish()) } else { Err(ApiError::not_found()) }
}

/// The key by which push services know the instance.
#[derive(Serialize, ToSchema)]
#[schema(as = PushKey)]
pub struct KeyBody {
    /// 65 bytes in base64url: the `applicationServerKey` of a browser's `subscribe` (RFC 8292).
    public_key: String,
}

/// Show the key for push
///
/// A browser subscribes with it; a device that subscribed with another one is not reached.
#[utoipa::path(
    operation_id = "get_push_key",
    tag = "notifications",
    responses((status = 200, description = "The key", body = KeyBody)),
)]
#[get("/push-subscriptions/key")]
pub async fn push_key(_: Caller<Read>, app: web::Data<App>) -> HttpResponse {
    HttpResponse::Ok().json(KeyBody { public_key: app.vapid.public_key().to_owned() })
}
