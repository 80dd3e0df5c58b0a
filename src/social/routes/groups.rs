//! HTTP for groups.

use super::write;
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::idempotency::{self, Key};
use crate::http::json::{Json, OptionalJson};
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Day, Path, Query};
use crate::social::groups::{self, GROUP_NAME, Made, Place, Refusal, week_of};
use crate::social::model::{GroupRow, MemberRow, Person, Role};
use crate::social::{GROUPS, MEMBERS, MEMBERSHIPS};
use actix_web::{HttpResponse, delete, get, post, put, web};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A group, to one of its members.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Group {
    /// Its number.
    id: i64,
    /// What it is called.
    #[schema(example = "Tuesday evenings")]
    name: String,
    /// The number of its owner's account.
    owner_id: i64,
    /// What the caller is in it.
    role: Role,
    /// When it was made.
    created_at: At,
}

impl Group {
    fn new(row: GroupRow, role: Role) -> Self {
        Self { id: row.id, name: row.name, owner_id: row.user_id, role, created_at: row.created_at }
    }
}

/// A group to be made.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGroupBody {
    /// What it is called: 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100, example = "Tuesday evenings")]
    name: String,
}

/// A member of a group.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Member {
    /// Who.
    user: Person,
    /// As what.
    role: Role,
    /// Since when.
    joined_at: At,
}

impl From<MemberRow> for Member {
    fn from(row: MemberRow) -> Self {
        Self { user: row.person, role: row.role, joined_at: row.created_at }
    }
}

/// What a member of a group is to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberRole {
    /// Helps the others.
    Coach,
    /// Everybody else.
    #[default]
    Viewer,
}

impl From<MemberRole> for Role {
    fn from(role: MemberRole) -> Self {
        match role {
            MemberRole::Coach => Self::Coach,
            MemberRole::Viewer => Self::Viewer,
        }
    }
}

/// As what somebody is to be in a group.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberBody {
    /// `viewer` where absent.
    #[serde(default)]
    #[schema(required = false)]
    role: MemberRole,
}

/// Which week.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Week {
    /// A day of it; the caller's today where absent.
    #[param(value_type = Option<NaiveDate>)]
    day: Option<Day>,
}

/// One line of a leaderboard.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeaderboardPlace {
    /// From 1; who has the same XP has the same place.
    #[schema(minimum = 1)]
    rank: i64,
    /// Who.
    user: Person,
    /// As what.
    role: Role,
    /// XP of the week; below zero where more was taken back than got.
    xp: i64,
}

impl From<Place> for LeaderboardPlace {
    fn from(place: Place) -> Self {
        let MemberRow { person, role, .. } = place.member;
        Self { rank: place.rank, user: person, role, xp: place.xp }
    }
}

/// The XP of a group in a week.
#[derive(Serialize, ToSchema)]
pub struct Leaderboard {
    /// Its Monday.
    from: NaiveDate,
    /// Its Sunday.
    to: NaiveDate,
    /// Everybody in the group, the most XP first.
    items: Vec<LeaderboardPlace>,
}

/// List groups
///
/// Those that the caller is in, the latest first.
#[utoipa::path(
    operation_id = "list_groups",
    tag = "people",
    params(PageQuery),
    responses((status = 200, description = "A page of groups", body = Items<Group>)),
)]
#[get("/groups")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("groups")?;
    let user_id = caller.user.id;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(groups::list(db, user_id, page.after, page.fetch())?)).await;
    let items = page.items(rows?, |(group, _)| group.id);
    Ok(HttpResponse::Ok().json(items.map(|(group, role)| Group::new(group, role))))
}

/// Make a group
///
/// Its maker owns it: adds and removes members, and ends it by leaving.
#[utoipa::path(
    operation_id = "create_group",
    tag = "people",
    params(idempotency::Header),
    request_body = NewGroupBody,
    responses(
        (status = 201, description = "Made", body = Group),
        (status = 200, description = "The key made it before", body = Group,
            headers(("Idempotency-Replayed" = String, description = "`true`"))),
        (status = 409, description = "`too-many-groups`: the caller has 50, or is in 200"),
        (status = 410, description = "The group that the key made has ended"),
    ),
)]
#[post("/groups")]
pub async fn create(
    caller: Caller<Write>,
    app: web::Data<App>,
    key: Key,
    Json(body): Json<NewGroupBody>,
) -> Result<HttpResponse, ApiError> {
    let fingerprint = idempotency::fingerprint(&body)?;
    let name =
        groups::group_name(&body.name).ok_or_else(|| ApiError::invalid_at("/name", GROUP_NAME))?;
    let (user_id, now) = (caller.user.id, app.clock.now());
    let made = app
        .pool
        .write(move |db| {
            let key = key.0.as_deref().map(|key| (key, fingerprint.as_str()));
            groups::create(db, user_id, &name, key, now)
        })
        .await?;
    match made {
        Made::New(row) => Ok(HttpResponse::Created().json(Group::new(row, Role::Owner))),
        Made::Replayed(row) => Ok(HttpResponse::Ok()
            .insert_header((idempotency::REPLAYED, "true"))
            .json(Group::new(row, Role::Owner))),
        Made::KeyReused => Err(idempotency::reused()),
        Made::Ended => Err(ApiError::gone("the group that the key made has ended")),
    }
}

/// Add a member to a group
///
/// A friend of its owner; who is in it already gets the role.
#[utoipa::path(
    operation_id = "put_group_member",
    tag = "people",
    params(
        ("id" = i64, Path, description = "The group"),
        ("user_id" = i64, Path, description = "The number of their account"),
    ),
    request_body(content = Option<MemberBody>),
    responses(
        (status = 200, description = "They are in it with that role", body = Member),
        (status = 403, description = "The caller is not its owner"),
        (status = 404, description = "No such group, or no friend of the caller"),
        (status = 409, description = "`group-full`: it has 100 members; `too-many-groups`: they are \
            in 200; `group-owner`: the owner stays the owner"),
    ),
)]
#[put("/groups/{id}/members/{user_id}")]
pub async fn put_member(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path((id, member_id)): Path<(i64, i64)>,
    OptionalJson(body): OptionalJson<MemberBody>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now, role) = (caller.user.id, app.clock.now(), Role::from(body.role));
    let member =
        write(&app, move |db| groups::put_member(db, user_id, id, member_id, role, now)).await?;
    Ok(HttpResponse::Ok().json(Member::from(member)))
}

/// Take a member out of a group
///
/// Its owner anybody, everybody themselves. When its owner leaves, the group ends.
#[utoipa::path(
    operation_id = "remove_group_member",
    tag = "people",
    params(
        ("id" = i64, Path, description = "The group"),
        ("user_id" = i64, Path, description = "The number of their account"),
    ),
    responses(
        (status = 204, description = "They are not in it"),
        (status = 403, description = "The caller is not its owner"),
    ),
)]
#[delete("/groups/{id}/members/{user_id}")]
pub async fn remove_member(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path((id, member_id)): Path<(i64, i64)>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    app.pool.write(move |db| groups::remove_member(db, user_id, id, member_id, now)).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Show the leaderboard of a group
///
/// XP of each member in a week from Monday to Sunday, each day on the member's own calendar. Members
/// of whom one blocks the other do not see each other here.
#[utoipa::path(
    operation_id = "get_group_leaderboard",
    tag = "people",
    params(("id" = i64, Path, description = "The group"), Week),
    responses((status = 200, description = "All members", body = Leaderboard)),
)]
#[get("/groups/{id}/leaderboard")]
pub async fn leaderboard(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Query(week): Query<Week>,
) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let today = caller.preferences.days.local_day(*app.clock.now());
    let day = week.day.map_or(today, NaiveDate::from);
    let places = app.pool.read(move |db| groups::leaderboard(db, user_id, id, day)).await?;
    let (from, to) = week_of(day);
    let items = places.into_iter().map(LeaderboardPlace::from).collect();
    Ok(HttpResponse::Ok().json(Leaderboard { from, to, items }))
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown => Self::not_found(),
            Refusal::NotTheOwner => Self::forbidden("only the owner of the group does that"),
            Refusal::OfTheOwner => Self::conflict(
                "group-owner",
                "The owner stays the owner",
                "nobody else can own the group",
            ),
            Refusal::TooManyGroups => Self::conflict(
                "too-many-groups",
                "There are too many groups",
                format!("nobody owns more than {GROUPS}, or is in more than {MEMBERSHIPS}"),
            ),
            Refusal::Full => Self::conflict(
                "group-full",
                "The group is full",
                format!("it has {MEMBERS} members, and no group has more"),
            ),
        }
    }
}
