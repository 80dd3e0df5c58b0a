//! The figures that the project states, each in a file of its own: `scripts/bench` runs them and
//! writes docs/benchmarks.md.
//!
//! Always true here: a ratio is taken within one run, its two sides in turn, and what is stated is
//! the median of at least five rounds; only the memory of the largest import and the size of the
//! feed are taken once. Every answer is checked: one that is not as expected ends the run.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a figure that cannot be taken is no figure"
)]

#[path = "figures/fanout.rs"]
mod fanout;
#[path = "figures/feed.rs"]
mod feed;
#[path = "figures/import.rs"]
mod import;
#[path = "figures/inbox.rs"]
mod inbox;
#[path = "figures/ingest_postgres.rs"]
mod ingest_postgres;
#[path = "figures/ingest_sqlite.rs"]
mod ingest_sqlite;
#[path = "figures/load.rs"]
mod load;
#[path = "figures/queue.rs"]
mod queue;
#[path = "figures/replay.rs"]
mod replay;
#[path = "figures/report.rs"]
mod report;
#[path = "figures/scale.rs"]
mod scale;
#[path = "figures/seed.rs"]
mod seed;
#[path = "figures/server.rs"]
mod server;
#[path = "figures/start.rs"]
mod start;
#[path = "figures/submission.rs"]
mod submission;

use report::Row;

/// Takes a figure, which may have several rows.
type Take = fn() -> Vec<Row>;

const FIGURES: &[(&str, Take)] = &[
    ("ingest-postgres", ingest_postgres::take),
    ("ingest-sqlite", ingest_sqlite::take),
    ("replay", replay::take),
    ("inbox", inbox::take),
    ("feed", feed::take),
    ("import", import::take),
    ("queue", queue::take),
    ("start", start::take),
    ("fanout", fanout::take),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let known = |name: &String| FIGURES.iter().any(|(figure, _)| figure == name);
    if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
        let names: Vec<_> = FIGURES.iter().map(|(name, _)| *name).collect();
        panic!("there is no figure {unknown:?}; there are: {}", names.join(", "));
    }
    for (name, take) in FIGURES {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            println!("== {name}");
            let rows = take();
            for row in &rows {
                println!("{row}");
            }
            if !scale::is_rehearsal() {
                // At once, so that a later figure that fails costs none of the earlier.
                report::keep(name, rows);
            }
        }
    }
}
