//! HTTP for friends and their streaks.

use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::http::error::ApiError;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use crate::social::model::{PairRow, Person};
use crate::social::streaks::standing;
use crate::social::{friends, friendship, people};
use crate::xp;
use actix_web::{HttpResponse, delete, get, web};
use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

/// A friend, and what friends see of each other.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Friend {
    /// Who.
    user: Person,
    /// Since when.
    since: At,
    /// Their XP in all.
    xp: i64,
    /// The streak of both.
    friend_streak: FriendStreakDays,
}

/// How long two friends have both closed their rings, day after day.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FriendStreakDays {
    /// Days up to the last; 0 where that is before yesterday.
    #[schema(minimum = 0)]
    days: i32,
    /// The last local date that both closed as friends.
    #[schema(required = true)]
    last_day: Option<NaiveDate>,
}

impl FriendStreakDays {
    fn new(pair: &PairRow, today: NaiveDate) -> Self {
        let days = standing(pair.streak_days, pair.streak_last_day, today);
        Self { days, last_day: pair.streak_last_day }
    }
}

/// A friend streak.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FriendStreak {
    /// With whom.
    user: Person,
    /// Days up to the last; 0 where that is before yesterday.
    #[schema(minimum = 0)]
    days: i32,
    /// The last local date that both closed as friends.
    #[schema(required = true)]
    last_day: Option<NaiveDate>,
}

/// What a user sees of these friends; whoever was deleted meanwhile is left out.
fn shown(db: &mut Db, user_id: i64, pairs: &[PairRow], today: NaiveDate) -> Work<Vec<Friend>> {
    let ids: Vec<i64> = pairs.iter().map(|pair| pair.other_than(user_id)).collect();
    let mut people = people(db, &ids)?;
    let xp = xp::totals(db, &ids)?;
    let friends = pairs.iter().filter_map(|pair| {
        let user = people.remove(&pair.other_than(user_id))?;
        let xp = xp.get(&user.id).copied().unwrap_or(0);
        let friend_streak = FriendStreakDays::new(pair, today);
        Some(Friend { user, since: pair.friends_since?, xp, friend_streak })
    });
    Ok(friends.collect())
}

/// List friends
///
/// With what friends see of each other; the latest acquaintance first.
#[utoipa::path(
    operation_id = "list_friends",
    tag = "people",
    params(PageQuery),
    responses((status = 200, description = "A page of friends", body = Items<Friend>)),
)]
#[get("/friends")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("friends")?;
    let (user_id, today) = (caller.user.id, today(&caller, &app));
    let found: Work<_> = app
        .pool
        .read(move |db| {
            let pairs = friends::list(db, user_id, page.after, page.fetch())?;
            let Items { items, next_cursor } = page.items(pairs, |pair| pair.id);
            Ok(Items { items: shown(db, user_id, &items, today)?, next_cursor })
        })
        .await;
    Ok(HttpResponse::Ok().json(found?))
}

/// Show a friend
#[utoipa::path(
    operation_id = "get_friend",
    tag = "people",
    params(("user_id" = i64, Path, description = "The number of their account")),
    responses(
        (status = 200, description = "What friends see of each other", body = Friend),
        (status = 404, description = "No friend, or nobody"),
    ),
)]
#[get("/friends/{user_id}")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(friend_id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, today) = (caller.user.id, today(&caller, &app));
    let friend = app
        .pool
        .read(move |db| {
            let pair = friendship(db, user_id, friend_id)?.ok_or(Stopped::Because(NoFriend))?;
            let found: Work<Vec<Friend>> = shown(db, user_id, &[pair], today);
            match found {
                Ok(mut friends) => friends.pop().ok_or(Stopped::Because(NoFriend)),
                Err(Stopped::Because(never)) => match never {},
                Err(Stopped::Database(error)) => Err(Stopped::Database(error)),
                Err(Stopped::Pool(error)) => Err(Stopped::Pool(error)),
            }
        })
        .await?;
    Ok(HttpResponse::Ok().json(friend))
}

/// End a friendship
///
/// And the streak of both. The same answer where there is none.
#[utoipa::path(
    operation_id = "end_friendship",
    tag = "people",
    params(("user_id" = i64, Path, description = "The number of their account")),
    responses((status = 204, description = "They are no friends")),
)]
#[delete("/friends/{user_id}")]
pub async fn delete(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(friend_id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let ended: Work<_> =
        app.pool.write(move |db| Ok(friends::end(db, user_id, friend_id, now)?)).await;
    ended?;
    Ok(HttpResponse::NoContent().finish())
}

/// List friend streaks
///
/// With each friend, on how many local dates in a row both closed their rings; the latest acquaintance
/// first.
#[utoipa::path(
    operation_id = "list_friend_streaks",
    tag = "people",
    params(PageQuery),
    responses((status = 200, description = "A page of streaks", body = Items<FriendStreak>)),
)]
#[get("/friend-streaks")]
pub async fn streaks(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("friend-streaks")?;
    let (user_id, today) = (caller.user.id, today(&caller, &app));
    let found: Work<_> = app
        .pool
        .read(move |db| {
            let pairs = friends::list(db, user_id, page.after, page.fetch())?;
            let ids: Vec<i64> = pairs.iter().map(|pair| pair.other_than(user_id)).collect();
            Ok((people(db, &ids)?, pairs))
        })
        .await;
    let (mut people, pairs) = found?;
    let Items { items, next_cursor } = page.items(pairs, |pair| pair.id);
    let items = items.into_iter().filter_map(|pair| {
        let user = people.remove(&pair.other_than(user_id))?;
        let FriendStreakDays { days, last_day } = FriendStreakDays::new(&pair, today);
        Some(FriendStreak { user, days, last_day })
    });
    Ok(HttpResponse::Ok().json(Items { items: items.collect(), next_cursor }))
}

fn today<Scope>(caller: &Caller<Scope>, app: &App) -> NaiveDate {
    caller.preferences.days.local_day(*app.clock.now())
}

/// The caller has no such friend.
#[derive(Clone, Copy, Debug)]
pub struct NoFriend;

impl From<NoFriend> for ApiError {
    fn from(_: NoFriend) -> Self {
        Self::not_found()
    }
}
