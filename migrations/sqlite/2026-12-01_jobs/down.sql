drop table job_ticks;
drop table job_ledger;
drop table jobs;
