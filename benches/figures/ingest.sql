-- The rows that one new submission becomes, in one statement: the fewest that PostgreSQL can do.
-- pgbench takes `:name` for a variable, also in a text: hence the spaces in the JSON.
-- Run by the benchmark `ingest-postgres` as
--   pgbench --no-vacuum --protocol=prepared --client=16 --jobs=2 --file=benches/figures/ingest.sql
\set user random(1, 10000)
\set problem random(1, 3000)
\set key random(1, 9223372036854775806)
with solve as (
  insert into solves (user_id, problem_id, first_solved_at, first_day, time_precision, rating,
    rating_source, settings_id, created_at, updated_at)
  values (:user, :problem, now(), current_date, 'exact', 'good', 'rule-1', :user, now(), now())
  on conflict (user_id, problem_id) do nothing
  returning id
), award as (
  insert into xp_entries (user_id, reason, subject_id, amount, solve_id, local_day, created_at)
  select :user, 'first_solve', :problem, 20, id, current_date, now() from solve
  on conflict (user_id, reason, subject_id) where turn = 0 do nothing
), revision as (
  insert into revisions (user_id, solve_id, revision_number, kind, state, scheduled_on, due_on,
    interval_days, stability, difficulty, settings_id, created_at, updated_at)
  select :user, id, 1, 'adaptive', 'pending', current_date, current_date + 2, 2, 2.3065,
    2.11810397, :user, now(), now()
  from solve
  on conflict (solve_id, revision_number, kind) do nothing
), ring as (
  insert into ring_days (user_id, day, goal_solves, goal_revisions, solves, revisions, closed_at)
  values (:user, current_date, 1, 0, 1, 0, now())
  on conflict (user_id, day) do update set solves = ring_days.solves + 1
  returning id, xmax = 0 as is_new
), closing as (
  insert into xp_entries (user_id, reason, subject_id, amount, local_day, created_at)
  select :user, 'ring_closed', id, 15, current_date, now() from ring where is_new
  on conflict do nothing
), notice as (
  insert into notifications (user_id, kind, dedup_key, title, body, link, created_at)
  select :user, 'rings-closed', 'rings-closed:' || current_date, 'Rings closed',
    'You did what you had set out to do on ' || current_date || ' for 15 XP.',
    '/rings/' || current_date, now()
  from ring where is_new
  on conflict (user_id, dedup_key) do nothing
  returning id
), delivery as (
  insert into deliveries (notification_id, channel, state, due_at, finished_at)
  select id, 'in_app', 'sent', now(), now() from notice
  on conflict do nothing
)
insert into submissions (user_id, problem_id, solve_id, judge, idempotency_key, fingerprint,
  verdict, language, runtime_ms, memory_kb, happened_at, local_day, time_precision, attempts,
  minutes, source, effects, received_at, updated_at)
select :user, :problem, (select id from solve), 'leetcode',
  'the-key-of-the-reference-' || :key,
  '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  'accepted', 'rust', 12, 2048, now(), current_date, 'exact', 1, 14.5, 'extension',
  '{"first_solve": true,"became_first": false,"xp_awarded":20,"revisions_completed":[],"next_revisions":[{"id":1234567,"solve_id":1234567,"revision_number":1,"kind":"adaptive","state":"pending","scheduled_on":"2026-09-01","due_on":"2026-09-03","interval_days":2,"ladder_step": null,"stability":2.3065,"difficulty":2.11810397,"rating": null,"completed_on": null,"created_at":"2026-09-01T12:00:00.123456Z","updated_at":"2026-09-01T12:00:00.123456Z"}]}',
  now(), now()
on conflict do nothing
returning id;
