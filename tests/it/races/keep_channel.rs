use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::notifications::guards::{CHOICE, keep_channel};
use traverse::notifications::model::Channel;
use traverse::schema::channels;

fn keep(db: &mut Db, user: User, channel: Channel, enabled: bool, muted: &str) {
    keep_channel(db, user.id, channel, enabled, muted, rows::then()).unwrap();
}

fn kept(db: &mut Db) -> Vec<(i64, Channel, bool, String)> {
    channels::table
        .order((channels::user_id, channels::channel))
        .select((channels::user_id, channels::channel, channels::enabled, channels::muted))
        .load(db)
        .unwrap()
}

on_both! {
    /// Not half of one choice and half of another.
    fn one_choice_is_kept_whole(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            racers.race(|db, caller| {
                let muted = format!(" {round} {caller} ");
                keep(db, ada, Channel::Push, caller.is_multiple_of(2), &muted);
            });
            let all = kept(&mut db);
            let [(_, _, enabled, muted)] = all.as_slice() else { panic!("{all:?}") };
            let mut words = muted.split_whitespace();
            assert_eq!(words.next(), Some(round.to_string().as_str()));
            let caller: usize = words.next().unwrap().parse().unwrap();
            assert_eq!(*enabled, caller.is_multiple_of(2), "{all:?}");
        });
    }

    fn two_channels_and_two_users_stay_apart(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        keep(&mut db, ada, Channel::Push, false, " ");
        keep(&mut db, ada, Channel::InApp, true, " digest ");
        keep(&mut db, bob, Channel::Push, true, " ");
        let all = kept(&mut db);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(all.contains(&(ada.id, Channel::Push, false, " ".to_owned())));
        assert!(all.contains(&(bob.id, Channel::Push, true, " ".to_owned())));
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        keep(&mut db, ada, Channel::Push, false, " ");
        let again = diesel::insert_into(channels::table).values((
            channels::user_id.eq(ada.id),
            channels::channel.eq(Channel::Push),
            channels::enabled.eq(true),
            channels::muted.eq(" "),
            channels::updated_at.eq(rows::then()),
        ));
        let error = again.execute(&mut db).unwrap_err();
        assert!(CHOICE.stopped(&error), "{error:?}");
    }

    fn the_second_waits_and_is_kept(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for (ending, rows) in [(Ending::Rollback, 1), (Ending::Commit, 1)] {
            overlap(&database, ending, |db| keep(db, ada, Channel::Email, true, " "));
            assert_eq!(kept(&mut db).len(), rows, "{ending:?}");
        }
    }
}
