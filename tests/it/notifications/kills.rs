//! A process that dies at any call of the database: in the end the message is sent, and twice only
//! where it died between sending and marking.

use super::{Stage, pass_time, tell, work};
use crate::harness::faults;
use crate::harness::on_both;
use diesel::prelude::*;
use std::collections::{HashMap, HashSet};
use traverse::app::App;
use traverse::db::Db;
use traverse::db::pool::Pool;
use traverse::notifications::model::{Channel, State};
use traverse::schema::{deliveries, push_receipts};

/// More calls than a worker makes for one message, until it looks for the next.
const CALLS: i64 = 40;

/// As [`faults::live`], with our worker, until the message is sent.
fn live(stage: &Stage, db: &mut Db, call: i64) -> bool {
    let start = |pool: Pool| work(&App { pool, ..stage.server.app.clone() });
    faults::live(&stage.server.database, call, start, || is_done(db))
}

fn is_done(db: &mut Db) -> bool {
    let open: i64 =
        deliveries::table.filter(deliveries::finished_at.is_null()).count().get_result(db).unwrap();
    open == 0
}

on_both! {
    fn at_any_call_the_message_is_sent_in_the_end(stage: Stage) {
        for path in ["/phone", "/laptop"] {
            stage.device(path);
        }
        // It is open before anybody watches.
        let mut db = stage.db();
        let mut struck = HashSet::new();
        for call in 1..=CALLS {
            // It has the number of the call, since nobody else is told anything.
            tell(&mut db, stage.ada_id, &call.to_string());
            if live(&stage, &mut db, call) {
                struck.insert(call);
            }
            pass_time(&mut db);
            live(&stage, &mut db, 0);
        }
        assert!(struck.len() >= 10, "only {} of {CALLS} kills struck", struck.len());
        let sent: i64 = deliveries::table
            .filter(deliveries::channel.eq(Channel::Push))
            .filter(deliveries::state.eq(State::Sent))
            .count()
            .get_result(&mut db)
            .unwrap();
        let receipts: i64 = push_receipts::table.count().get_result(&mut db).unwrap();
        assert_eq!((sent, receipts), (CALLS, 2 * CALLS));
        let mut times: HashMap<(i64, String), i64> = HashMap::new();
        for one in stage.service.received() {
            *times.entry((one.notification(), one.path)).or_default() += 1;
        }
        assert_eq!(times.len(), 80, "each device had each message");
        // A message is sent again only where a kill fell between sending and marking: once more, and
        // only one whose sender was killed.
        let again: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
        assert!(times.values().all(|times| *times <= 2), "{times:?}");
        assert!(again.iter().all(|((id, _), _)| struck.contains(id)), "{again:?}, {struck:?}");
        eprintln!("{} kills struck, {} messages were sent twice", struck.len(), again.len());
    }
}
