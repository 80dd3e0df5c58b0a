-- The core: accounts, problems, submissions, solves, revisions, XP, imports, calendar feeds.
-- A unique index that settles a race is named <table>_<its columns>, the same on both databases,
-- and is listed in docs/race-classes.md.

create table instance (
    id               smallint primary key,
    secret           text not null,
    calendar_uid_key text not null,
    admin_claimed_at timestamptz,
    constraint instance_id check (id = 1)
);

create table users (
    id                     bigint generated always as identity primary key,
    email                  text not null,
    handle                 text not null,
    display_name           text,
    password_hash          text not null,
    role                   text not null,
    time_zone              text not null,
    day_starts_at          text not null,
    past_day_rules         text,
    scheduler              text not null,
    settings_id            bigint,
    goal_solves            integer not null,
    goal_revisions         integer not null,
    daily_cap              integer not null,
    digest_hour            integer not null,
    quiet_from             text,
    quiet_until            text,
    calendar_time          text,
    calendar_changes       integer not null default 0,
    calendar_changed_at    timestamptz,
    created_at             timestamptz not null,
    updated_at             timestamptz not null,
    constraint users_role_known check (role in ('user', 'admin')),
    constraint users_scheduler_known check (scheduler in ('adaptive', 'ladder', 'both'))
);
create unique index users_email on users (email);
create unique index users_handle on users (handle);

-- A row goes with its user and never before, and so does all that names it: every `settings_id`. None
-- of them is a foreign key, which would need an index on each table for a deletion that never comes.
create table scheduler_settings (
    id      bigint generated always as identity primary key,
    user_id bigint not null references users (id) on delete cascade,
    content text not null
);
create unique index scheduler_settings_user_id_content on scheduler_settings (user_id, content);

create table tokens (
    id              bigint generated always as identity primary key,
    user_id         bigint not null references users (id) on delete cascade,
    kind            text not null,
    name            text not null,
    scopes          text not null,
    token_hash      text not null,
    idempotency_key text,
    fingerprint     text,
    created_at      timestamptz not null,
    expires_at      timestamptz,
    last_used_at    timestamptz,
    revoked_at      timestamptz,
    constraint tokens_kind_known check (kind in ('session', 'api'))
);
create unique index tokens_token_hash on tokens (token_hash);
create unique index tokens_user_id_idempotency_key on tokens (user_id, idempotency_key)
    where idempotency_key is not null;
create index tokens_user_id_id on tokens (user_id, id);
create index tokens_expired on tokens (expires_at) where kind = 'session';

create table login_throttles (
    subject    text not null,
    failures   integer not null,
    free_at    timestamptz not null,
    updated_at timestamptz not null
);
create unique index login_throttles_subject on login_throttles (subject);
create index login_throttles_updated_at on login_throttles (updated_at);

create table problems (
    id              bigint generated always as identity primary key,
    owner_id        bigint references users (id) on delete cascade,
    platform        text not null,
    slug            text not null,
    title           text,
    difficulty      text,
    topic           text,
    alias_of        bigint references problems (id),
    changes         integer not null default 0,
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    constraint problems_slug_length check (length(slug) between 1 and 255),
    constraint problems_alias_of_another check (alias_of <> id)
);
create unique index problems_platform_slug on problems (platform, slug)
    where owner_id is null;
create unique index problems_owner_id_platform_slug on problems (owner_id, platform, slug)
    where owner_id is not null;
create index problems_alias_of on problems (alias_of) where alias_of is not null;
create index problems_title on problems (title) where title is not null;

-- The keys of requests for problems of one's own: also of those that found one which was there.
create table problem_keys (
    owner_id        bigint not null references users (id) on delete cascade,
    idempotency_key text not null,
    problem_id      bigint not null references problems (id) on delete cascade,
    fingerprint     text not null
);
create unique index problem_keys_owner_id_idempotency_key
    on problem_keys (owner_id, idempotency_key);
create index problem_keys_problem_id on problem_keys (problem_id);

create table solves (
    id              bigint generated always as identity primary key,
    user_id         bigint not null references users (id) on delete cascade,
    problem_id      bigint not null references problems (id),
    first_solved_at timestamptz,
    first_day       date not null,
    time_precision  text not null,
    rating          text not null,
    rating_source   text not null,
    settings_id     bigint not null,
    title           text,
    difficulty      text,
    tags            text,
    notes           text,
    lapses          integer not null default 0,
    leech           boolean not null default false,
    suspended       boolean not null default false,
    version         bigint not null default 0,
    import_id       bigint,
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    constraint solves_lapses_positive check (lapses >= 0)
);
create unique index solves_user_id_problem_id on solves (user_id, problem_id);
create index solves_user_id_id on solves (user_id, id);
create index solves_problem_id on solves (problem_id);

create table submissions (
    id                    bigint generated always as identity primary key,
    user_id               bigint not null references users (id) on delete cascade,
    problem_id            bigint references problems (id),
    solve_id              bigint references solves (id) on delete set null,
    judge                 text not null,
    external_id           text,
    idempotency_key       text,
    fingerprint           text not null,
    verdict               text,
    language              text,
    runtime_ms            bigint,
    memory_kb             bigint,
    happened_at           timestamptz,
    local_day             date,
    time_precision        text,
    rating                text,
    attempts              integer,
    minutes               double precision,
    hint_used             boolean,
    solution_viewed       boolean,
    source                text,
    notes                 text,
    possible_duplicate_of bigint,
    effects               text,
    triaged_at            timestamptz,
    triage                text,
    received_at           timestamptz not null,
    updated_at            timestamptz not null,
    deleted_at            timestamptz,
    -- Of a further key of another submission: which one. Such a row has nothing else to say.
    key_of                bigint references submissions (id) on delete cascade,
    constraint submissions_key_of_another check (key_of <> id)
);
create unique index submissions_user_id_idempotency_key on submissions (user_id, idempotency_key)
    where idempotency_key is not null;
create unique index submissions_user_id_judge_external_id
    on submissions (user_id, judge, external_id) where external_id is not null;
create index submissions_user_id_id on submissions (user_id, id) where deleted_at is null;
create index submissions_untriaged on submissions (user_id, id)
    where triaged_at is null and deleted_at is null;
create index submissions_problem_id_user_id on submissions (problem_id, user_id, happened_at);
create index submissions_user_id_updated_at on submissions (user_id, updated_at);
create index submissions_solve_id on submissions (solve_id);
create index submissions_key_of on submissions (key_of) where key_of is not null;

create table revisions (
    id              bigint generated always as identity primary key,
    user_id         bigint not null references users (id) on delete cascade,
    solve_id        bigint not null references solves (id) on delete cascade,
    revision_number integer not null,
    kind            text not null,
    state           text not null,
    scheduled_on    date not null,
    due_on          date not null,
    interval_days   integer not null,
    ladder_step     integer,
    stability       double precision,
    difficulty      double precision,
    settings_id     bigint not null,
    rating          text,
    completed_on    date,
    sequence        integer not null default 0,
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    constraint revisions_kind_known check (kind in ('ladder', 'adaptive')),
    constraint revisions_interval_positive check (interval_days >= 1)
);
create unique index revisions_solve_id_revision_number_kind
    on revisions (solve_id, revision_number, kind);
create index revisions_pending on revisions (user_id, due_on, id) where state = 'pending';
create index revisions_pending_solves on revisions (user_id, solve_id) where state = 'pending';
create index revisions_completed on revisions (user_id, completed_on, id)
    where state = 'completed';
-- Holds all that the state of a calendar feed is read from, so that no row is touched for it.
create index revisions_user_id_updated_at on revisions (user_id, updated_at, sequence, id);
create index revisions_user_id_due_on on revisions (user_id, due_on, id);

create table reviews (
    id             bigint generated always as identity primary key,
    user_id        bigint not null references users (id) on delete cascade,
    solve_id       bigint not null references solves (id) on delete cascade,
    revision_id    bigint references revisions (id) on delete cascade,
    submission_id  bigint references submissions (id) on delete set null,
    kind           text not null,
    rating         text not null,
    rating_source  text not null,
    happened_at    timestamptz not null,
    local_day      date not null,
    cause          text not null,
    moves_schedule boolean not null,
    settings_id    bigint not null,
    undone_at      timestamptz,
    seq            bigint not null,
    created_at     timestamptz not null,
    updated_at     timestamptz not null,
    constraint reviews_kind_known check (kind in ('ladder', 'adaptive')),
    constraint reviews_cause_known check (cause in ('completed', 'solved', 'imported')),
    constraint reviews_rating_known check (rating in ('again', 'hard', 'good', 'easy'))
);
create unique index reviews_solve_id_kind_local_day on reviews (solve_id, kind, local_day)
    where moves_schedule and undone_at is null;
create index reviews_user_id_local_day on reviews (user_id, local_day);
create index reviews_submission_id on reviews (submission_id);
create index reviews_revision_id on reviews (revision_id);
create index reviews_solve_id on reviews (solve_id);

create table schedule_entries (
    id          bigint generated always as identity primary key,
    user_id     bigint not null references users (id) on delete cascade,
    solve_id    bigint not null references solves (id) on delete cascade,
    kind        text not null,
    event       text not null,
    step        integer,
    due_on      date,
    local_day   date not null,
    happened_at timestamptz not null,
    settings_id bigint not null,
    review_id   bigint references reviews (id) on delete cascade,
    seq         bigint not null,
    created_at  timestamptz not null,
    constraint schedule_entries_kind_known check (kind in ('ladder', 'adaptive'))
);
create index schedule_entries_user_id on schedule_entries (user_id);
create index schedule_entries_solve_id on schedule_entries (solve_id, kind, id);
create index schedule_entries_review_id on schedule_entries (review_id)
    where review_id is not null;

create table xp_entries (
    id         bigint generated always as identity primary key,
    user_id    bigint not null references users (id) on delete cascade,
    reason     text not null,
    subject_id bigint not null,
    turn       integer not null default 0,
    amount     integer not null,
    solve_id   bigint,
    local_day  date not null,
    created_at timestamptz not null
);
create unique index xp_entries_user_id_reason_subject_id
    on xp_entries (user_id, reason, subject_id) where turn = 0;
-- A review that ceases to count, and counts again.
create unique index xp_entries_user_id_reason_subject_id_turn
    on xp_entries (user_id, reason, subject_id, turn) where turn > 0;
create index xp_entries_user_id_solve_id on xp_entries (user_id, solve_id);
create index xp_entries_user_id_id on xp_entries (user_id, id);

create table imports (
    id                  bigint generated always as identity primary key,
    user_id             bigint not null references users (id) on delete cascade,
    idempotency_key     text,
    fingerprint         text,
    status              text not null,
    format              text not null,
    detected            text,
    zone_assumed        text,
    remarks             text not null,
    total               bigint not null,
    received            bigint not null,
    imported            bigint not null,
    skipped_existing    bigint not null,
    duplicates_in_batch bigint not null,
    ignored             bigint not null,
    ambiguous           bigint not null,
    rejected            bigint not null,
    attempt             bigint not null,
    created_at          timestamptz not null,
    touched_at          timestamptz not null,
    finished_at         timestamptz,
    constraint imports_status_known check (status in ('queued', 'running', 'completed', 'failed'))
);
create unique index imports_user_id_idempotency_key on imports (user_id, idempotency_key)
    where idempotency_key is not null;
create index imports_user_id on imports (user_id, id);

create table import_rows (
    import_id  bigint not null references imports (id) on delete cascade,
    row_number bigint not null,
    line       bigint,
    verdict    text not null,
    reason     text,
    note       text,
    problem_id bigint,
    primary key (import_id, row_number)
);
create index import_rows_verdict on import_rows (import_id, verdict, row_number);

create table calendar_feeds (
    id              bigint generated always as identity primary key,
    user_id         bigint not null references users (id) on delete cascade,
    nonce           text not null,
    generation      bigint not null default 1,
    revoked_at      timestamptz,
    last_fetched_at timestamptz,
    edition         bigint not null default 0,
    basis           text,
    etag            text,
    modified_at     timestamptz,
    created_at      timestamptz not null
);
create unique index calendar_feeds_user_id on calendar_feeds (user_id);

create table calendar_retired_tokens (
    feed_id    bigint not null references calendar_feeds (id) on delete cascade,
    token_hash text not null,
    primary key (feed_id, token_hash)
);
