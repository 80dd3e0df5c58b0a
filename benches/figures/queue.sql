-- What the queue does for sixteen jobs, in the fewest statements that PostgreSQL can do: one claims,
-- one completes.
-- Run by the benchmark `queue` as
--   pgbench --no-vacuum --protocol=prepared --client=4 --jobs=2 --file=benches/figures/queue.sql
with next as materialized (
  select id as next_id from jobs
  where state = 'pending' and run_at <= now() and kind in ('nothing')
    and (mode = 'once' or not exists (
      select 1 from jobs as other where other.job_id = jobs.job_id and other.state = 'running'))
  order by priority desc, run_at, id limit 16 for update of jobs skip locked
)
update jobs set state = 'running', fresh = false, attempts = attempts + 1,
  lease_token = :client_id || '-' || id, lease_until = now() + interval '2 minutes'
from next where id = next_id
returning id, job_id, kind, payload, attempts, max_attempts, lease_token, priority, run_at;
update jobs set state = 'done', lease_until = null, finished_at = now()
where state = 'running' and split_part(lease_token, '-', 1) = :client_id::text
returning id;
