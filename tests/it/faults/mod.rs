//! What may happen to workers while a load runs: real processes are killed, frozen, stopped, and
//! lose their database. A fault counts only where the log of the process and the row of the job
//! together say that it was at that job at that instant. `docs/reliability.md` has the figures.

mod freezes;
mod kills;
mod outages;
mod poison;
mod report;
mod stage;
mod stops;
mod worker;

/// How often each fault happens: `TRAVERSE_FAULTS` says more.
fn times() -> usize {
    std::env::var("TRAVERSE_FAULTS").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}
