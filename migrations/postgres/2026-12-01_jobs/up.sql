create table jobs (
    id           bigint generated always as identity primary key,
    job_id       text not null,
    kind         text not null,
    payload      text not null,
    mode         text not null,
    -- Never claimed so far. It goes false at the first claim and never comes back: on the state
    -- alone, a retry would collide with its newer sibling.
    fresh        boolean not null default true,
    state        text not null default 'pending',
    priority     integer not null,
    attempts     integer not null default 0,
    max_attempts integer not null,
    run_at       timestamptz not null,
    lease_token  text,
    lease_until  timestamptz,
    last_error   text,
    created_at   timestamptz not null default now(),
    finished_at  timestamptz,
    constraint jobs_mode check (mode in ('once', 'coalesce')),
    constraint jobs_state check (state in ('pending', 'running', 'done', 'dead', 'cancelled', 'absorbed')),
    constraint jobs_lease check ((state = 'running') = (lease_until is not null)),
    constraint jobs_finished check ((state in ('pending', 'running')) = (finished_at is null)),
    constraint jobs_attempts check (attempts between 0 and max_attempts)
);

-- One waiting run of an id.
create unique index jobs_job_id on jobs (job_id) where fresh;
-- What is claimed next.
create index jobs_ready on jobs (priority desc, run_at, id) where state = 'pending';
-- What runs. Not by the end of the lease: then a heartbeat would write the index too.
create index jobs_running on jobs (job_id) where state = 'running';
-- What is purged next.
create index jobs_finished_at on jobs (finished_at) where finished_at is not null;
-- What an admin must look at.
create index jobs_dead on jobs (id) where state = 'dead';

-- The ids that have had their one run; it outlives the purge of `jobs`.
create table job_ledger (
    id         bigint generated always as identity primary key,
    job_id     text not null,
    created_at timestamptz not null default now()
);
create unique index job_ledger_job_id on job_ledger (job_id);

-- The ticks of each schedule that have had their job.
create table job_ticks (
    id       bigint generated always as identity primary key,
    schedule text not null,
    tick_at  timestamptz not null
);
create unique index job_ticks_schedule_tick_at on job_ticks (schedule, tick_at);
