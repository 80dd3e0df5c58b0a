//! HTTP for blocks.

use super::write;
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use crate::social::BLOCKS;
use crate::social::blocks::{self, Refusal};
use crate::social::model::BlockRow;
use actix_web::{HttpResponse, delete, get, put, web};
use serde::Serialize;
use utoipa::ToSchema;

/// Somebody who is blocked.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Block {
    /// The number of their account.
    user_id: i64,
    /// Their handle; null where the blocker did not know it when they blocked them.
    #[schema(required = true)]
    handle: Option<String>,
    /// What is shown, where something other than the handle is.
    #[schema(required = true)]
    display_name: Option<String>,
    /// Since when.
    created_at: At,
}

impl From<BlockRow> for Block {
    fn from(row: BlockRow) -> Self {
        let user_id = row.person.id;
        // Else blocking one number after the other would tell who there is.
        let known = Some(row.person).filter(|_| row.acquainted);
        let (handle, display_name) =
            known.map(|person| (person.handle, person.display_name)).unzip();
        let display_name = display_name.flatten();
        Self { user_id, handle, display_name, created_at: row.created_at }
    }
}

/// List who is blocked
///
/// The latest first.
#[utoipa::path(
    operation_id = "list_blocks",
    tag = "people",
    params(PageQuery),
    responses((status = 200, description = "A page of blocks", body = Items<Block>)),
)]
#[get("/blocks")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("blocks")?;
    let user_id = caller.user.id;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(blocks::list(db, user_id, page.after, page.fetch())?)).await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |row| row.id).map(Block::from)))
}

/// Block somebody
///
/// A friendship with its streak and open requests end, each leaves the groups of the other, and nothing
/// that they do reaches the caller any more. They are not told, and are answered like anybody.
#[utoipa::path(
    operation_id = "block",
    tag = "people",
    params(("user_id" = i64, Path, description = "The number of their account")),
    responses(
        (status = 200, description = "They are blocked, now or since an earlier call", body = Block),
        (status = 409, description = "`too-many-blocks`: 10,000 are blocked"),
        (status = 422, description = "Nobody blocks themselves"),
    ),
)]
#[put("/blocks/{user_id}")]
pub async fn put(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(blocked_id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let row = write(&app, move |db| blocks::block(db, user_id, blocked_id, now)).await?;
    Ok(HttpResponse::Ok().json(Block::from(row)))
}

/// Take a block back
///
/// What it ended stays ended. The same answer where nobody was blocked.
#[utoipa::path(
    operation_id = "unblock",
    tag = "people",
    params(("user_id" = i64, Path, description = "The number of their account")),
    responses((status = 204, description = "They are not blocked")),
)]
#[delete("/blocks/{user_id}")]
pub async fn delete(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(blocked_id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let lifted: Work<_> =
        app.pool.write(move |db| Ok(blocks::unblock(db, user_id, blocked_id, now)?)).await;
    lifted?;
    Ok(HttpResponse::NoContent().finish())
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown => Self::not_found(),
            Refusal::Yourself => Self::invalid_at("user_id", "another one's number is expected"),
            Refusal::TooMany => Self::conflict(
                "too-many-blocks",
                "Too many are blocked",
                format!("{BLOCKS} are blocked, and nobody blocks more"),
            ),
        }
    }
}
