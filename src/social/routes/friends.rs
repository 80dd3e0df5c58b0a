//! HTTP for friends and their streaks.

use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use crate::preferences;
use crate::rings;
use crate::rings::model::{Count, Goals, Rings};
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
    shared_streak: FriendStreakDays,
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

/// A friend by themselves, with what friends see of each other.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FriendShown {
    /// Who.
    user: Person,
    /// Since when.
    since: At,
    /// Their XP in all.
    xp: i64,
    /// The streak of both.
    shared_streak: FriendStreakDays,
    /// Their own streak.
    streak: StreakShown,
    /// The rings of their present day.
    rings: RingsShown,
}

/// The streak of a friend.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct StreakShown {
    /// Days kept one after the other up to their today.
    #[schema(minimum = 0)]
    current: u32,
    /// The most that `current` ever was.
    #[schema(minimum = 0)]
    longest: u32,
}

/// The rings of a friend.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct RingsShown {
    /// Their local day.
    day: NaiveDate,
    /// What it wants.
    goals: Goals,
    /// What was done.
    progress: Count,
    /// When the goals were reached.
    #[schema(required = true)]
    closed_at: Option<At>,
}

impl From<Rings> for RingsShown {
    /// Whether a friend is away, or freezes a day, is theirs.
    fn from(rings: Rings) -> Self {
        let Rings { day, goals, progress, closed_at, .. } = rings;
        Self { day, goals, progress, closed_at }
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
        let shared_streak = FriendStreakDays::new(pair, today);
        Some(Friend { user, since: pair.friends_since?, xp, shared_streak })
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
///
/// With their streak and the rings of their present day.
#[utoipa::path(
    operation_id = "get_friend",
    tag = "people",
    params(("user_id" = i64, Path, description = "The number of their account")),
    responses(
        (status = 200, description = "What friends see of each other", body = FriendShown),
        (status = 404, description = "No friend, or nobody"),
    ),
)]
#[get("/friends/{user_id}")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(friend_id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, today, now) = (caller.user.id, today(&caller, &app), app.clock.now());
    let found: Work<_> = app
        .pool
        .read(move |db| {
            let Some(pair) = friendship(db, user_id, friend_id)? else { return Ok(None) };
            let Some(friend) = shown(db, user_id, &[pair], today)?.pop() else { return Ok(None) };
            let Some(learner) = preferences::learner_of(db, friend_id)? else { return Ok(None) };
            let streak = rings::streak(db, &learner, now)?;
            let rings = rings::of_day(db, &learner, streak.day)?;
            Ok(Some((friend, streak, rings)))
        })
        .await;
    let (friend, streak, rings) = found?.ok_or_else(ApiError::not_found)?;
    let Friend { user, since, xp, shared_streak } = friend;
    let streak = StreakShown { current: streak.current, longest: streak.longest };
    let rings = RingsShown::from(rings);
    let friend = FriendShown { user, since, xp, shared_streak, streak, rings };
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
