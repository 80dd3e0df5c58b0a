//! HTTP for broadcasts: an admin's.

use super::model::BroadcastRow;
use super::{Made, Order, create as make, find, list as broadcasts};
use crate::app::App;
use crate::auth::caller::{Admin, Caller};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::idempotency::{self, Key};
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use actix_web::{HttpResponse, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{RefOr, schema::SchemaType};
use utoipa::{PartialSchema, ToSchema};

/// The most days back that somebody's activity is asked for: ten years.
const MOST_DAYS: i32 = 3650;
/// The longest title, in characters.
const TITLE: usize = 200;
/// The longest text, in characters.
const BODY: usize = 2000;

/// Who is told: `"all"`, or `{"active_days": 30}` for whoever registered, submitted something or got XP
/// in so many days before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everybody.
    All,
    /// Who was active in the last days.
    ActiveDays(i32),
}

impl PartialSchema for Audience {
    fn schema() -> RefOr<Schema> {
        let all = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .enum_values(Some(["all"]))
            .description(Some("Everybody"));
        let days = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Integer))
            .minimum(Some(1))
            .maximum(Some(MOST_DAYS));
        let active = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Object))
            .property("active_days", days)
            .required("active_days")
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)))
            .description(Some(
                "Whoever registered, submitted something or got XP in so many days before",
            ));
        OneOfBuilder::new().item(all).item(active).into()
    }
}

impl ToSchema for Audience {}

/// A broadcast to be made.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBroadcastBody {
    /// One line: 1 to 200 characters.
    #[schema(min_length = 1, max_length = 200, example = "Down on Sunday")]
    title: String,
    /// What is told: 1 to 2,000 characters.
    #[schema(min_length = 1, max_length = 2000, example = "From 8 to 9 UTC, for a new disk.")]
    body: String,
    /// Who is told.
    audience: Audience,
}

/// Where a broadcast is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BroadcastStatus)]
pub enum Status {
    /// Nobody has been told so far.
    Queued,
    /// Some have been told.
    Running,
    /// All have been told.
    Completed,
}

/// How far a broadcast is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = BroadcastProgress)]
pub struct Progress {
    /// All of its audience up to this number of an account has been told.
    cursor_user_id: i64,
    /// The highest number of an account that it goes to.
    last_user_id: i64,
    /// How many have been told.
    told: i64,
}

/// A broadcast.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Broadcast {
    /// Its number. The job that tells it is `broadcast-fanout-` and that.
    id: i64,
    /// One line.
    title: String,
    /// What is told.
    body: String,
    /// Who is told.
    audience: Audience,
    /// Where it is.
    status: Status,
    /// How far it is.
    progress: Progress,
    /// When it was made.
    created_at: At,
    /// When the last was told.
    #[schema(required = true)]
    finished_at: Option<At>,
}

impl From<BroadcastRow> for Broadcast {
    fn from(row: BroadcastRow) -> Self {
        let status = match (row.finished_at, row.cursor_user_id) {
            (Some(_), _) => Status::Completed,
            (None, 0) => Status::Queued,
            (None, _) => Status::Running,
        };
        Self {
            id: row.id,
            title: row.title,
            body: row.body,
            audience: row.active_days.map_or(Audience::All, Audience::ActiveDays),
            status,
            progress: Progress {
                cursor_user_id: row.cursor_user_id,
                last_user_id: row.last_user_id,
                told: row.told,
            },
            created_at: row.created_at,
            finished_at: row.finished_at,
        }
    }
}

/// List broadcasts
///
/// The latest first.
#[utoipa::path(
    operation_id = "list_broadcasts",
    tag = "admin",
    security(("bearer" = ["admin"]), ("cookie" = [])),
    params(PageQuery),
    responses((status = 200, description = "A page of broadcasts", body = Items<Broadcast>)),
)]
#[get("/admin/broadcasts")]
pub async fn list(
    _: Caller<Admin>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("broadcasts")?;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(broadcasts(db, page.after, page.fetch())?)).await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |row| row.id).map(Broadcast::from)))
}

/// Broadcast
///
/// Everybody of the audience is notified once, in the background. Who that is, is fixed now: whoever
/// registers later, or becomes active later, is not told.
#[utoipa::path(
    operation_id = "create_broadcast",
    tag = "admin",
    security(("bearer" = ["admin"]), ("cookie" = [])),
    params(idempotency::Header),
    request_body = NewBroadcastBody,
    responses(
        (status = 201, description = "On its way", body = Broadcast),
        (status = 200, description = "The key made it before", body = Broadcast,
            headers(("Idempotency-Replayed" = String, description = "`true`"))),
    ),
)]
#[post("/admin/broadcasts")]
pub async fn create(
    caller: Caller<Admin>,
    app: web::Data<App>,
    key: Key,
    Json(body): Json<NewBroadcastBody>,
) -> Result<HttpResponse, ApiError> {
    let fingerprint = idempotency::fingerprint(&body)?;
    let order = Order { key: key.0.map(|key| (key, fingerprint)), ..check(&body)? };
    let (user_id, now) = (caller.user.id, app.clock.now());
    let made: Work<_> = app.pool.write(move |db| Ok(make(db, user_id, &order, now)?)).await;
    match made? {
        Made::New(row) => Ok(HttpResponse::Created().json(Broadcast::from(row))),
        Made::Replayed(row) => Ok(HttpResponse::Ok()
            .insert_header((idempotency::REPLAYED, "true"))
            .json(Broadcast::from(row))),
        Made::KeyReused => Err(idempotency::reused()),
    }
}

fn check(body: &NewBroadcastBody) -> Result<Order, ApiError> {
    let mut errors = Vec::new();
    let fits = |text: &str, longest: usize| (1..=longest).contains(&text.chars().count());
    let (title, text) = (body.title.trim(), body.body.trim());
    if !fits(title, TITLE) || title.contains(char::is_control) {
        let expected = "1 to 200 characters are expected, none of them a control character";
        errors.push(FieldError::new("/title", expected));
    }
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if !fits(text, BODY) || text.contains(is_control) {
        let expected = "1 to 2000 characters are expected, no control character but for new lines";
        errors.push(FieldError::new("/body", expected));
    }
    let active_days = match body.audience {
        Audience::All => None,
        Audience::ActiveDays(days) => Some(days),
    };
    if active_days.is_some_and(|days| !(1..=MOST_DAYS).contains(&days)) {
        let expected = format!("1 to {MOST_DAYS} days are expected");
        errors.push(FieldError::new("/audience/active_days", expected));
    }
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    Ok(Order { title: title.to_owned(), body: text.to_owned(), active_days, key: None })
}

/// Show a broadcast
#[utoipa::path(
    operation_id = "get_broadcast",
    tag = "admin",
    security(("bearer" = ["admin"]), ("cookie" = [])),
    params(("id" = i64, Path, description = "The broadcast")),
    responses(
        (status = 200, description = "The broadcast, and how far it is", body = Broadcast),
        (status = 404, description = "There is no such broadcast"),
    ),
)]
#[get("/admin/broadcasts/{id}")]
pub async fn get(
    _: Caller<Admin>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let row: Work<_> = app.pool.read(move |db| Ok(find(db, id)?)).await;
    let row = row?.ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(Broadcast::from(row)))
}
