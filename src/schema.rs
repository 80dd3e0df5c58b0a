//! The tables, as Diesel sees them. By hand, since no tool prints one schema for two databases;
//! a test selects every column of every table on both.
#![expect(missing_docs, reason = "`table!` makes what is missing here")]

mod people;
mod rings;

pub use people::{
    blocks, broadcasts, friend_pairs, friend_requests, friend_streak_days, group_members, groups,
};
pub use rings::{paused_days, pauses, ring_days, streak_freezes};

diesel::table! {
    use diesel::sql_types::{Nullable, SmallInt, Text};
    use crate::db::instant::Instant;

    instance (id) {
        id -> SmallInt,
        secret -> Text,
        calendar_uid_key -> Text,
        admin_claimed_at -> Nullable<Instant>,
        vapid_key -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    users (id) {
        id -> BigInt,
        email -> Text,
        handle -> Text,
        display_name -> Nullable<Text>,
        password_hash -> Text,
        role -> Text,
        time_zone -> Text,
        day_starts_at -> Text,
        past_day_rules -> Nullable<Text>,
        scheduler -> Text,
        settings_id -> Nullable<BigInt>,
        goal_solves -> Integer,
        goal_revisions -> Integer,
        daily_cap -> Integer,
        digest_hour -> Integer,
        quiet_from -> Nullable<Text>,
        quiet_until -> Nullable<Text>,
        calendar_time -> Nullable<Text>,
        calendar_changes -> Integer,
        calendar_changed_at -> Nullable<Instant>,
        created_at -> Instant,
        updated_at -> Instant,
        digest_due_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::db::instant::Instant;

    password_resets (id) {
        id -> BigInt,
        user_id -> BigInt,
        token_hash -> Text,
        created_at -> Instant,
        expires_at -> Instant,
    }
}

diesel::table! {
    scheduler_settings (id) {
        id -> BigInt,
        user_id -> BigInt,
        content -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::db::instant::Instant;

    tokens (id) {
        id -> BigInt,
        user_id -> BigInt,
        kind -> Text,
        name -> Text,
        scopes -> Text,
        token_hash -> Text,
        idempotency_key -> Nullable<Text>,
        fingerprint -> Nullable<Text>,
        created_at -> Instant,
        expires_at -> Nullable<Instant>,
        last_used_at -> Nullable<Instant>,
        revoked_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{Integer, Text};
    use crate::db::instant::Instant;

    login_throttles (subject) {
        subject -> Text,
        failures -> Integer,
        free_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    problems (id) {
        id -> BigInt,
        owner_id -> Nullable<BigInt>,
        platform -> Text,
        slug -> Text,
        title -> Nullable<Text>,
        difficulty -> Nullable<Text>,
        topic -> Nullable<Text>,
        alias_of -> Nullable<BigInt>,
        changes -> Integer,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    problem_keys (owner_id, idempotency_key) {
        owner_id -> BigInt,
        idempotency_key -> Text,
        problem_id -> BigInt,
        fingerprint -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Date, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    solves (id) {
        id -> BigInt,
        user_id -> BigInt,
        problem_id -> BigInt,
        first_solved_at -> Nullable<Instant>,
        first_day -> Date,
        time_precision -> Text,
        rating -> Text,
        rating_source -> Text,
        settings_id -> BigInt,
        title -> Nullable<Text>,
        difficulty -> Nullable<Text>,
        tags -> Nullable<Text>,
        notes -> Nullable<Text>,
        lapses -> Integer,
        leech -> Bool,
        suspended -> Bool,
        version -> BigInt,
        import_id -> Nullable<BigInt>,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Date, Double, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    submissions (id) {
        id -> BigInt,
        user_id -> BigInt,
        problem_id -> Nullable<BigInt>,
        solve_id -> Nullable<BigInt>,
        judge -> Text,
        external_id -> Nullable<Text>,
        idempotency_key -> Nullable<Text>,
        fingerprint -> Text,
        verdict -> Nullable<Text>,
        language -> Nullable<Text>,
        runtime_ms -> Nullable<BigInt>,
        memory_kb -> Nullable<BigInt>,
        happened_at -> Nullable<Instant>,
        local_day -> Nullable<Date>,
        time_precision -> Nullable<Text>,
        rating -> Nullable<Text>,
        attempts -> Nullable<Integer>,
        minutes -> Nullable<Double>,
        hint_used -> Nullable<Bool>,
        solution_viewed -> Nullable<Bool>,
        source -> Nullable<Text>,
        notes -> Nullable<Text>,
        possible_duplicate_of -> Nullable<BigInt>,
        effects -> Nullable<Text>,
        triaged_at -> Nullable<Instant>,
        triage -> Nullable<Text>,
        received_at -> Instant,
        updated_at -> Instant,
        deleted_at -> Nullable<Instant>,
        key_of -> Nullable<BigInt>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Date, Double, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    revisions (id) {
        id -> BigInt,
        user_id -> BigInt,
        solve_id -> BigInt,
        revision_number -> Integer,
        kind -> Text,
        state -> Text,
        scheduled_on -> Date,
        due_on -> Date,
        interval_days -> Integer,
        ladder_step -> Nullable<Integer>,
        stability -> Nullable<Double>,
        difficulty -> Nullable<Double>,
        settings_id -> BigInt,
        rating -> Nullable<Text>,
        completed_on -> Nullable<Date>,
        sequence -> Integer,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Date, Nullable, Text};
    use crate::db::instant::Instant;

    reviews (id) {
        id -> BigInt,
        user_id -> BigInt,
        solve_id -> BigInt,
        revision_id -> Nullable<BigInt>,
        submission_id -> Nullable<BigInt>,
        kind -> Text,
        rating -> Text,
        rating_source -> Text,
        happened_at -> Instant,
        local_day -> Date,
        cause -> Text,
        moves_schedule -> Bool,
        settings_id -> BigInt,
        undone_at -> Nullable<Instant>,
        seq -> BigInt,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Date, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    schedule_entries (id) {
        id -> BigInt,
        user_id -> BigInt,
        solve_id -> BigInt,
        kind -> Text,
        event -> Text,
        step -> Nullable<Integer>,
        due_on -> Nullable<Date>,
        local_day -> Date,
        happened_at -> Instant,
        settings_id -> BigInt,
        review_id -> Nullable<BigInt>,
        seq -> BigInt,
        created_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Date, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    xp_entries (id) {
        id -> BigInt,
        user_id -> BigInt,
        reason -> Text,
        subject_id -> BigInt,
        turn -> Integer,
        amount -> Integer,
        solve_id -> Nullable<BigInt>,
        local_day -> Date,
        created_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::db::instant::Instant;

    imports (id) {
        id -> BigInt,
        user_id -> BigInt,
        idempotency_key -> Nullable<Text>,
        fingerprint -> Nullable<Text>,
        status -> Text,
        format -> Text,
        detected -> Nullable<Text>,
        zone_assumed -> Nullable<Text>,
        remarks -> Text,
        total -> BigInt,
        received -> BigInt,
        imported -> BigInt,
        skipped_existing -> BigInt,
        duplicates_in_batch -> BigInt,
        ignored -> BigInt,
        ambiguous -> BigInt,
        rejected -> BigInt,
        attempt -> BigInt,
        created_at -> Instant,
        touched_at -> Instant,
        finished_at -> Nullable<Instant>,
        file_id -> Nullable<BigInt>,
        failure -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::db::instant::Instant;

    import_files (id) {
        id -> BigInt,
        user_id -> BigInt,
        options -> Text,
        size -> BigInt,
        created_at -> Instant,
        touched_at -> Instant,
    }
}

diesel::table! {
    import_chunks (file_id, number) {
        file_id -> BigInt,
        number -> BigInt,
        content -> Binary,
    }
}

diesel::table! {
    import_rows (import_id, row_number) {
        import_id -> BigInt,
        row_number -> BigInt,
        line -> Nullable<BigInt>,
        verdict -> Text,
        reason -> Nullable<Text>,
        note -> Nullable<Text>,
        problem_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::db::instant::Instant;

    calendar_feeds (id) {
        id -> BigInt,
        user_id -> BigInt,
        nonce -> Text,
        generation -> BigInt,
        revoked_at -> Nullable<Instant>,
        last_fetched_at -> Nullable<Instant>,
        edition -> BigInt,
        basis -> Nullable<Text>,
        etag -> Nullable<Text>,
        modified_at -> Nullable<Instant>,
        created_at -> Instant,
    }
}

diesel::table! {
    calendar_retired_tokens (feed_id, token_hash) {
        feed_id -> BigInt,
        token_hash -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    jobs (id) {
        id -> BigInt,
        job_id -> Text,
        kind -> Text,
        payload -> Text,
        mode -> Text,
        fresh -> Bool,
        state -> Text,
        priority -> Integer,
        attempts -> Integer,
        max_attempts -> Integer,
        run_at -> Instant,
        lease_token -> Nullable<Text>,
        lease_until -> Nullable<Instant>,
        last_error -> Nullable<Text>,
        created_at -> Instant,
        finished_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::db::instant::Instant;

    job_ledger (id) {
        id -> BigInt,
        job_id -> Text,
        created_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::db::instant::Instant;

    job_ticks (id) {
        id -> BigInt,
        schedule -> Text,
        tick_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::db::instant::Instant;

    notifications (id) {
        id -> BigInt,
        user_id -> BigInt,
        kind -> Text,
        dedup_key -> Text,
        title -> Text,
        body -> Text,
        link -> Nullable<Text>,
        created_at -> Instant,
        read_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Text};
    use crate::db::instant::Instant;

    channels (id) {
        id -> BigInt,
        user_id -> BigInt,
        channel -> Text,
        enabled -> Bool,
        muted -> Text,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::db::instant::Instant;

    deliveries (id) {
        id -> BigInt,
        notification_id -> BigInt,
        channel -> Text,
        state -> Text,
        attempts -> Integer,
        due_at -> Instant,
        lease_token -> Nullable<Text>,
        last_error -> Nullable<Text>,
        finished_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::db::instant::Instant;

    push_subscriptions (id) {
        id -> BigInt,
        user_id -> BigInt,
        endpoint -> Text,
        p256dh -> Text,
        auth -> Text,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::BigInt;
    use crate::db::instant::Instant;

    push_receipts (id) {
        id -> BigInt,
        delivery_id -> BigInt,
        push_subscription_id -> BigInt,
        sent_at -> Instant,
    }
}

diesel::joinable!(tokens -> users (user_id));
diesel::joinable!(solves -> problems (problem_id));
diesel::joinable!(submissions -> problems (problem_id));
diesel::joinable!(problem_keys -> problems (problem_id));
diesel::joinable!(revisions -> solves (solve_id));
diesel::joinable!(revisions -> scheduler_settings (settings_id));
diesel::joinable!(reviews -> solves (solve_id));
diesel::joinable!(import_chunks -> import_files (file_id));
diesel::joinable!(import_rows -> imports (import_id));
diesel::joinable!(deliveries -> notifications (notification_id));
diesel::joinable!(notifications -> users (user_id));
diesel::joinable!(push_receipts -> deliveries (delivery_id));

diesel::allow_tables_to_appear_in_same_query!(
    blocks,
    broadcasts,
    calendar_feeds,
    calendar_retired_tokens,
    channels,
    deliveries,
    friend_pairs,
    friend_requests,
    friend_streak_days,
    group_members,
    groups,
    import_chunks,
    import_files,
    import_rows,
    imports,
    instance,
    job_ledger,
    job_ticks,
    jobs,
    login_throttles,
    notifications,
    paused_days,
    password_resets,
    pauses,
    problem_keys,
    problems,
    push_receipts,
    push_subscriptions,
    reviews,
    revisions,
    ring_days,
    schedule_entries,
    scheduler_settings,
    solves,
    streak_freezes,
    submissions,
    tokens,
    users,
    xp_entries,
);
diesel::allow_columns_to_appear_in_same_group_by_clause!(
    problems::platform,
    problems::topic,
    problems::difficulty,
    solves::difficulty,
);
