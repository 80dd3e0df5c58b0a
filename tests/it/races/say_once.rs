use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::problems::difficulty::Difficulty;
use traverse::schema::{revisions, solves};
use traverse::solves::Said;
use traverse::solves::guards::say_once;
use traverse::solves::imported;

fn all(title: &str) -> Said {
    Said {
        title: Some(title.to_owned()),
        difficulty: Some(Difficulty::Easy),
        tags: Some(vec![title.to_owned()]),
    }
}

/// Each word alone, so that each point is a race of its own.
fn points(title: &str) -> [Said; 3] {
    let Said { title, difficulty, tags } = all(title);
    [
        Said { title, ..Said::default() },
        Said { difficulty, ..Said::default() },
        Said { tags, ..Said::default() },
    ]
}

fn stored(db: &mut Db, id: i64) -> (Option<String>, Option<Difficulty>, Option<String>) {
    let columns = (solves::title, solves::difficulty, solves::tags);
    solves::table.find(id).select(columns).first(db).unwrap()
}

on_both! {
    fn one_caller_is_heard_on_each_point(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = rows::add_solve(&mut db, ada, &format!("p{round}"));
            for point in 0..3 {
                let won = racers.race(|db, caller| {
                    let said = &points(&format!("said by {caller}"))[point];
                    say_once(db, id, said, rows::then()).unwrap()
                });
                assert_eq!(won.iter().sum::<usize>(), 1, "round {round}, point {point}");
                if point == 0 {
                    let winner = won.iter().position(|won| *won == 1).unwrap();
                    assert_eq!(stored(&mut db, id).0, Some(format!("said by {winner}")));
                }
            }
        });
    }

    fn what_was_said_stays(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let (id, other) = (rows::add_solve(&mut db, ada, "1"), rows::add_solve(&mut db, ada, "2"));
        assert_eq!(say_once(&mut db, id, &all("Two Sum"), rows::then()).unwrap(), 3);
        assert_eq!(say_once(&mut db, id, &all("3Sum"), rows::then()).unwrap(), 0);
        assert_eq!(say_once(&mut db, id, &Said::default(), rows::then()).unwrap(), 0);
        let said = (Some("Two Sum".to_owned()), Some(Difficulty::Easy), Some("[\"Two Sum\"]".to_owned()));
        assert_eq!(stored(&mut db, id), said);
        assert_eq!(stored(&mut db, other), (None, None, None));
        assert_eq!(say_once(&mut db, 999, &all("Two Sum"), rows::then()).unwrap(), 0);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for (point, said) in points("Two Sum").into_iter().enumerate() {
            let ids = [1, 2].map(|pair| rows::add_solve(&mut db, ada, &format!("{point}-{pair}")));
            wins_only_after_a_rollback(&database, |db, pair| {
                say_once(db, ids[pair], &said, rows::then()).unwrap() == 1
            });
        }
    }

    fn whoever_is_not_heard_changes_no_calendar(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let revision = rows::add_revision(&mut db, ada, solve, 1).id;
        let mut say = |title: Option<&str>, tags: &[&str]| -> i32 {
            let said = Said {
                title: title.map(str::to_owned),
                difficulty: None,
                tags: Some(tags.iter().map(|tag| (*tag).to_owned()).collect()),
            };
            imported::say(&mut db, solve, &said, rows::then()).unwrap();
            let sequence = revisions::table.find(revision).select(revisions::sequence);
            sequence.first(&mut db).unwrap()
        };
        let before = say(None, &["array"]);
        assert_eq!(say(Some("Two Sum"), &[]), before + 1);
        assert_eq!(say(Some("3Sum"), &[]), before + 1, "nobody heard it");
    }
}
