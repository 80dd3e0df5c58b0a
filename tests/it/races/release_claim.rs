use super::claim_jobs::{claim, new};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::jobs::guards::{complete_jobs, enqueue_once, release_claim};
use traverse::jobs::model::{Held, State};
use traverse::jobs::store::find;

fn enqueue(db: &mut Db, names: &[String]) {
    for name in names {
        assert!(enqueue_once(db, &new(name), None).unwrap());
    }
}

on_both! {
    fn a_claim_is_given_back_once_and_whole(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            enqueue(&mut db, &[format!("{round}-a"), format!("{round}-b")]);
            let name = format!("claim-{round}");
            assert_eq!(claim(&mut db, &name, 5).len(), 2);
            let given = racers.race(|db, _| release_claim(db, &name).unwrap());
            assert_eq!(given.iter().sum::<usize>(), 2, "round {round}");
            let again = claim(&mut db, &format!("kept-{round}"), 5);
            assert!(again.iter().all(|row| row.attempts == 1), "no attempt was counted");
            assert_eq!(release_claim(&mut db, &name).unwrap(), 0, "another claim holds them");
        });
    }

    fn what_has_ended_stays_so(database: Database) {
        let mut db = database.connect();
        enqueue(&mut db, &["job".to_owned()]);
        let row = claim(&mut db, "claim", 5).remove(0);
        let held = Held { id: row.id, token: row.lease_token };
        assert_eq!(complete_jobs(&mut db, std::slice::from_ref(&held)).unwrap(), [held.id]);
        assert_eq!(release_claim(&mut db, "claim"), Ok(0));
        assert_eq!(find(&mut db, held.id).unwrap().unwrap().state, State::Done);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        for pair in 0..2 {
            enqueue(&mut db, &[format!("job-{pair}")]);
            assert_eq!(claim(&mut db, &format!("pair-{pair}"), 5).len(), 1);
        }
        wins_only_after_a_rollback(&database, |db, pair| {
            release_claim(db, &format!("pair-{pair}")).unwrap() == 1
        });
    }
}
