//! The tables of rings, freezes and pauses.
#![expect(missing_docs, reason = "`table!` makes what is missing here")]

diesel::table! {
    use diesel::sql_types::{BigInt, Date, Integer, Nullable};
    use crate::db::instant::Instant;

    ring_days (id) {
        id -> BigInt,
        user_id -> BigInt,
        day -> Date,
        goal_solves -> Integer,
        goal_revisions -> Integer,
        solves -> Integer,
        revisions -> Integer,
        closed_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Date, Integer};
    use crate::db::instant::Instant;

    streak_freezes (id) {
        id -> BigInt,
        user_id -> BigInt,
        day -> Date,
        month -> Date,
        slot -> Integer,
        created_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Date, Integer, Nullable};
    use crate::db::instant::Instant;

    pauses (id) {
        id -> BigInt,
        user_id -> BigInt,
        from_day -> Date,
        until_day -> Date,
        created_at -> Instant,
        passes -> Integer,
        spread_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Date};

    paused_days (id) {
        id -> BigInt,
        user_id -> BigInt,
        day -> Date,
        pause_id -> BigInt,
    }
}

diesel::joinable!(paused_days -> pauses (pause_id));
