//! The tables of friends, blocks, groups and broadcasts.
#![expect(missing_docs, reason = "`table!` makes what is missing here")]

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Date, Integer, Nullable};
    use crate::db::instant::Instant;

    friend_pairs (id) {
        id -> BigInt,
        user1_id -> BigInt,
        user2_id -> BigInt,
        friends_since -> Nullable<Instant>,
        first_day -> Nullable<Date>,
        blocked_by1 -> Bool,
        blocked_by2 -> Bool,
        streak_days -> Integer,
        streak_last_day -> Nullable<Date>,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::db::instant::Instant;

    friend_requests (id) {
        id -> BigInt,
        requester_id -> BigInt,
        addressee_id -> BigInt,
        status -> Text,
        hidden -> Bool,
        created_at -> Instant,
        closed_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool};
    use crate::db::instant::Instant;

    blocks (id) {
        id -> BigInt,
        blocker_id -> BigInt,
        blocked_id -> BigInt,
        acquainted -> Bool,
        created_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Date};

    friend_streak_days (id) {
        id -> BigInt,
        user1_id -> BigInt,
        user2_id -> BigInt,
        day -> Date,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::db::instant::Instant;

    groups (id) {
        id -> BigInt,
        user_id -> BigInt,
        name -> Text,
        idempotency_key -> Nullable<Text>,
        fingerprint -> Nullable<Text>,
        created_at -> Instant,
        updated_at -> Instant,
        ended_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::db::instant::Instant;

    group_members (id) {
        id -> BigInt,
        group_id -> BigInt,
        user_id -> BigInt,
        role -> Text,
        created_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    broadcasts (id) {
        id -> BigInt,
        user_id -> BigInt,
        title -> Text,
        body -> Text,
        active_days -> Nullable<Integer>,
        active_since -> Nullable<Instant>,
        last_user_id -> BigInt,
        cursor_user_id -> BigInt,
        told -> BigInt,
        idempotency_key -> Nullable<Text>,
        fingerprint -> Nullable<Text>,
        created_at -> Instant,
        updated_at -> Instant,
        finished_at -> Nullable<Instant>,
    }
}

diesel::joinable!(group_members -> groups (group_id));
