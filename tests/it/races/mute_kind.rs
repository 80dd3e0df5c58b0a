use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::notifications::guards::{keep_channel, mute_kind};
use traverse::notifications::model::{Channel, Kind};
use traverse::schema::channels;

fn mail(db: &mut Db, user: User) {
    keep_channel(db, user.id, Channel::Email, true, " ", rows::then()).unwrap();
}

fn mute(db: &mut Db, user: User, kind: Kind) -> bool {
    mute_kind(db, user.id, Channel::Email, kind, rows::then()).unwrap()
}

fn muted(db: &mut Db, user: User) -> Vec<String> {
    let text: String = channels::table
        .filter(channels::user_id.eq(user.id))
        .select(channels::muted)
        .first(db)
        .unwrap();
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    words.sort();
    words
}

on_both! {
    fn one_caller_takes_it_away(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            mail(&mut db, ada);
            let won = racers.race(|db, _| mute(db, ada, Kind::Digest));
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            assert_eq!(muted(&mut db, ada), ["digest"]);
        });
    }

    fn two_kinds_at_once_are_both_taken_away(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, _| {
            mail(&mut db, ada);
            racers.race(|db, caller| {
                mute(db, ada, if caller.is_multiple_of(2) { Kind::Digest } else { Kind::Broadcast })
            });
            assert_eq!(muted(&mut db, ada), ["broadcast", "digest"]);
        });
    }

    fn where_nothing_is_chosen_nothing_is_taken_away(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        mail(&mut db, bob);
        keep_channel(&mut db, ada.id, Channel::Push, true, " ", rows::then()).unwrap();
        assert!(!mute(&mut db, ada, Kind::Digest));
        for user in [ada, bob] {
            assert_eq!(muted(&mut db, user), Vec::<String>::new());
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let both = ["ada", "bob"].map(|name| User::add(&mut db, name));
        for user in both {
            mail(&mut db, user);
        }
        wins_only_after_a_rollback(&database, |db, pair| mute(db, both[pair], Kind::Digest));
    }
}
