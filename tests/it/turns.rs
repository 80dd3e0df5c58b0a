//! Turns at something of which there are only so many.

use std::time::Duration;
use traverse::turns::{NoTurn, Turns};

#[actix_web::test]
async fn so_many_have_a_turn_and_so_many_wait() {
    let turns = Turns::new(1, 1, Duration::from_mins(1));
    let first = turns.take().await.unwrap();
    let waiter = actix_web::rt::spawn({
        let turns = turns.clone();
        async move { turns.take().await.map(drop) }
    });
    while turns.load() != (1, 1) {
        tokio::task::yield_now().await;
    }
    assert_eq!(turns.take().await.unwrap_err(), NoTurn::Busy);
    drop(first);
    waiter.await.unwrap().unwrap();
    assert_eq!(turns.load(), (0, 0));
}

#[actix_web::test]
async fn who_goes_away_gives_the_place_back() {
    let turns = Turns::new(1, 1, Duration::from_millis(1));
    let _first = turns.take().await.unwrap();
    for _ in 0..3 {
        assert_eq!(turns.take().await.unwrap_err(), NoTurn::TimedOut);
    }
    drop(tokio::time::timeout(Duration::ZERO, turns.take()).await);
    assert_eq!(turns.load(), (0, 1));
}
