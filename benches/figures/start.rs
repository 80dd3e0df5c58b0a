//! From the start of the process to its first answer, and what it has in memory then.

use super::report::Row;
use super::scale::size;
use super::server::{Backend, Database, Server};
use std::time::Duration;

fn rounds() -> usize {
    size(7, 1)
}

pub fn take() -> Vec<Row> {
    Backend::BOTH.into_iter().flat_map(on).collect()
}

fn on(backend: Backend) -> Vec<Row> {
    let (mut empty, mut migrated, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds() {
        let database = Database::empty(backend);
        let milliseconds = |server: &Server| server.started_in.as_secs_f64() * 1e3;
        empty.push(milliseconds(&Server::start(&database)));
        let server = Server::start(&database);
        migrated.push(milliseconds(&server));
        // Whatever a start leaves to be done behind its first answer.
        std::thread::sleep(Duration::from_secs(2));
        memory.push(server.memory("VmRSS") / 1024.0 / 1024.0);
    }
    let name = backend.name();
    vec![
        Row::plain(format!("Start to first answer on {name}"), "ms", migrated, "tables are there"),
        Row::plain(
            format!("Start to first answer on {name}"),
            "ms",
            empty,
            "an empty database, migrated first",
        ),
        Row::plain(
            format!("Resident memory, idle, on {name}"),
            "MiB",
            memory,
            "`VmRSS` 2 s after the start",
        ),
    ]
}
