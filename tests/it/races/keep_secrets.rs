use crate::harness::overlap::{Ending, overlap};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::connection::SimpleConnection;
use traverse::auth::guards::keep_secrets;
use traverse::auth::secrets;
use traverse::db::tx::write;

on_both! {
    fn one_caller_keeps_its_secrets(database: Database) {
        race_rounds(&database, |racers, _| {
            database.connect().batch_execute("delete from instance").unwrap();
            let won = racers.race(|db, caller| keep_secrets(db, &caller.to_string(), "u").unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1);
        });
    }

    fn all_callers_end_with_the_same_secrets(database: Database) {
        race_rounds(&database, |racers, _| {
            database.connect().batch_execute("delete from instance").unwrap();
            let read = racers.race(|db, _| {
                let secrets = write(db, |db| secrets(db, None)).unwrap();
                (secrets.signing, secrets.calendar_uids)
            });
            assert!(read.windows(2).all(|pair| pair[0] == pair[1]));
        });
    }

    fn the_constraint_stops_a_second_row(database: Database) {
        let mut db = database.connect();
        db.batch_execute("delete from instance").unwrap();
        let insert = |id: i32| {
            format!("insert into instance (id, secret, calendar_uid_key) values ({id}, 's', 'u')")
        };
        db.batch_execute(&insert(1)).unwrap();
        assert!(db.batch_execute(&insert(1)).is_err());
        assert!(db.batch_execute(&insert(2)).is_err());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let keep = |db: &mut _| keep_secrets(db, "s", "u").unwrap();
        let empty = || database.connect().batch_execute("delete from instance").unwrap();
        empty();
        assert_eq!(overlap(&database, Ending::Rollback, keep), (true, true));
        empty();
        assert_eq!(overlap(&database, Ending::Commit, keep), (true, false));
    }
}
