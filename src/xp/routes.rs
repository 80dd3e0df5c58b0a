//! HTTP for XP.

use super::model::Entry;
use crate::app::App;
use crate::auth::caller::{Caller, Read};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::Query;
use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

/// XP of a user.
#[derive(Serialize, ToSchema)]
pub struct XpBody {
    /// The sum of all entries.
    total: i64,
}

/// XP
#[utoipa::path(
    operation_id = "get_xp",
    tag = "stats",
    responses((status = 200, description = "The sum of the ledger", body = XpBody)),
)]
#[get("/xp")]
pub async fn total(caller: Caller<Read>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let total: Work<_> = app.pool.read(move |db| Ok(super::total(db, user_id)?)).await;
    Ok(HttpResponse::Ok().json(XpBody { total: total? }))
}

/// The ledger of XP
///
/// Newest first.
#[utoipa::path(
    operation_id = "list_xp_entries",
    tag = "stats",
    params(PageQuery),
    responses((status = 200, description = "A page of entries", body = Items<Entry>)),
)]
#[get("/xp/entries")]
pub async fn entries(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("xp")?;
    let user_id = caller.user.id;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(super::entries(db, user_id, page.after, page.fetch())?)).await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |entry| entry.id)))
}
