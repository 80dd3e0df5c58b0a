//! The promise behind a 304: whatever happens to a schedule, a client that is told that nothing has
//! changed has exactly the bytes that it would get.

use crate::harness::{Database, on_both, seed};
use chrono::{DateTime, Days, TimeDelta, Utc};
use diesel::prelude::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::collections::BTreeMap;
use traverse::auth::model::{NewUser, Role};
use traverse::auth::{Secrets, guards::create_account};
use traverse::calendar::validators::{Conditions, Validators};
use traverse::calendar::{self, Document, Refused, Request, token};
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::tx::{self, Stopped, Work};
use traverse::pauses::model::Span;
use traverse::pauses::{self, Overlaps};
use traverse::schema::{revisions, solves, users};

/// What can happen. The numbers choose among what there is.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A problem is solved for the first time.
    Solve,
    /// A revision is set to a state: completed, skipped, suspended, undone or pending.
    Become(usize, &'static str),
    /// A solve gets its next revision.
    Next(usize),
    /// A revision is moved.
    Postpone(usize),
    /// A solve gets a title.
    Rename(usize),
    /// A solve is deleted, with its revisions.
    Delete(usize),
    /// Time passes, in hours.
    Wait(i64),
    /// The user chooses another time of day for events.
    Time(Option<&'static str>),
    /// The user moves.
    Zone(&'static str),
    /// The user pauses some days, beginning so many days from now.
    Pause(u64, u64),
    /// The user ends a pause.
    Resume(usize),
}

fn happening() -> impl Strategy<Value = Happening> {
    let which = || 0_usize..8;
    let states = vec!["completed", "skipped", "suspended", "undone", "pending"];
    prop_oneof![
        3 => Just(Happening::Solve),
        6 => (which(), proptest::sample::select(states)).prop_map(|(n, s)| Happening::Become(n, s)),
        3 => which().prop_map(Happening::Next),
        2 => which().prop_map(Happening::Postpone),
        2 => which().prop_map(Happening::Rename),
        2 => which().prop_map(Happening::Delete),
        1 => (0_i64..4000).prop_map(Happening::Wait),
        1 => proptest::sample::select(vec![None, Some("07:30"), Some("22:00")])
            .prop_map(Happening::Time),
        1 => proptest::sample::select(vec!["UTC", "Asia/Tokyo"]).prop_map(Happening::Zone),
        3 => (0_u64..12, 0_u64..4).prop_map(|(ahead, days)| Happening::Pause(ahead, days)),
        1 => which().prop_map(Happening::Resume),
    ]
}

/// A user, their feed, and all that a client was ever given.
struct World {
    db: Db,
    user_id: i64,
    feed_id: i64,
    now: At,
    problems: usize,
    /// The bytes of each tag, and of each date.
    tags: BTreeMap<String, String>,
    dates: BTreeMap<String, String>,
    /// The tag given last: the one that a basis which missed a change would let hold.
    latest: Option<String>,
}

fn secrets() -> Secrets {
    Secrets { signing: b"signing".to_vec(), calendar_uids: b"uids".to_vec() }
}

fn at(text: &str) -> At {
    text.parse::<DateTime<Utc>>().unwrap().into()
}

impl World {
    fn new(database: &Database, name: &str) -> Self {
        let mut db = database.connect();
        let now = at("2026-09-01T12:00:00Z");
        let email = format!("{name}@example.org");
        let account = NewUser {
            email: &email,
            handle: name,
            display_name: None,
            password_hash: "",
            role: Role::User,
            time_zone: "UTC",
            day_starts_at: "04:00",
            scheduler: "adaptive",
            goal_solves: 1,
            goal_revisions: 3,
            daily_cap: 20,
            digest_hour: 8,
            created_at: now,
            updated_at: now,
        };
        let user_id = create_account(&mut db, &account).unwrap().unwrap();
        traverse::preferences::begin(&mut db, user_id, now).unwrap();
        let begun: Work<_, _> = tx::write(&mut db, |db| calendar::begin(db, user_id, now));
        begun.unwrap();
        let feed_id = calendar::of_user(&mut db, user_id).unwrap().unwrap().id;
        let (tags, dates) = (BTreeMap::new(), BTreeMap::new());
        Self { db, user_id, feed_id, now, problems: 0, tags, latest: None, dates }
    }

    fn revision(&mut self, which: usize) -> Option<i64> {
        let ids: Vec<i64> = revisions::table
            .filter(revisions::user_id.eq(self.user_id))
            .order(revisions::id.desc())
            .select(revisions::id)
            .load(&mut self.db)
            .unwrap();
        ids.get(which).copied()
    }

    fn solve(&mut self, which: usize) -> Option<i64> {
        let ids: Vec<i64> = solves::table
            .filter(solves::user_id.eq(self.user_id))
            .order(solves::id.desc())
            .select(solves::id)
            .load(&mut self.db)
            .unwrap();
        ids.get(which).copied()
    }

    /// Does what the schedule would do. The clock stands still, so that the sequence alone tells.
    fn happen(&mut self, happening: Happening) {
        let now = self.now;
        match happening {
            Happening::Solve => {
                self.problems += 1;
                let slug = format!("u{}-p{}", self.user_id, self.problems);
                let id = seed::pending(&mut self.db, self.user_id, &slug, "2026-09-10");
                diesel::update(revisions::table.find(id))
                    .set(revisions::updated_at.eq(now))
                    .execute(&mut self.db)
                    .unwrap();
            }
            Happening::Become(which, state) => {
                if let Some(id) = self.revision(which) {
                    let done = state == "completed";
                    diesel::update(revisions::table.find(id))
                        .set((
                            revisions::state.eq(state),
                            revisions::completed_on.eq(done.then(|| seed::day("2026-09-01"))),
                            revisions::rating.eq(done.then_some("good")),
                            revisions::sequence.eq(revisions::sequence + 1),
                            revisions::updated_at.eq(now),
                        ))
                        .execute(&mut self.db)
                        .unwrap();
                }
            }
            Happening::Next(which) => {
                if let Some(solve_id) = self.solve(which) {
                    let highest: Option<i32> = revisions::table
                        .filter(revisions::solve_id.eq(solve_id))
                        .select(diesel::dsl::max(revisions::revision_number))
                        .first(&mut self.db)
                        .unwrap();
                    let number = highest.unwrap_or(0) + 1;
                    seed::Revision { number, updated_at: now, ..seed::Revision::default() }.insert(
                        &mut self.db,
                        self.user_id,
                        solve_id,
                    );
                }
            }
            Happening::Postpone(which) => {
                if let Some(id) = self.revision(which) {
                    let due_on: chrono::NaiveDate = revisions::table
                        .find(id)
                        .select(revisions::due_on)
                        .first(&mut self.db)
                        .unwrap();
                    diesel::update(revisions::table.find(id))
                        .set((
                            revisions::due_on.eq(due_on + TimeDelta::days(1)),
                            revisions::sequence.eq(revisions::sequence + 1),
                            revisions::updated_at.eq(now),
                        ))
                        .execute(&mut self.db)
                        .unwrap();
                }
            }
            Happening::Rename(which) => {
                if let Some(id) = self.solve(which) {
                    let length: usize = self.tags.len();
                    diesel::update(solves::table.find(id))
                        .set(solves::title.eq(format!("Title {length}")))
                        .execute(&mut self.db)
                        .unwrap();
                    traverse::revisions::solve_changed(&mut self.db, id, now).unwrap();
                }
            }
            Happening::Delete(which) => {
                if let Some(id) = self.solve(which) {
                    diesel::delete(solves::table.find(id)).execute(&mut self.db).unwrap();
                }
            }
            Happening::Wait(hours) => self.now = At::from(*now + TimeDelta::hours(hours)),
            Happening::Time(time) => {
                diesel::update(users::table.find(self.user_id))
                    .set(users::calendar_time.eq(time))
                    .execute(&mut self.db)
                    .unwrap();
            }
            Happening::Zone(zone) => {
                diesel::update(users::table.find(self.user_id))
                    .set(users::time_zone.eq(zone))
                    .execute(&mut self.db)
                    .unwrap();
            }
            Happening::Pause(ahead, days) => {
                let from = now.date_naive() + Days::new(ahead);
                let span = Span::new(from, from + Days::new(days), now.date_naive()).unwrap();
                // One that overlaps another is none.
                let begun: Work<_, Overlaps> =
                    tx::write(&mut self.db, |db| pauses::begin(db, self.user_id, span, now));
                assert!(!matches!(begun, Err(Stopped::Database(_))), "{begun:?}");
            }
            Happening::Resume(which) => {
                let all = pauses::list(&mut self.db, self.user_id, None, 8).unwrap();
                if let Some(pause) = all.get(which) {
                    pauses::end(&mut self.db, self.user_id, pause.id, now.date_naive()).unwrap();
                }
            }
        }
    }

    /// What a client gets: nothing new, or bytes with their validators.
    fn fetch(&mut self, conditions: Conditions) -> (Validators, Option<String>) {
        let feed = calendar::of_user(&mut self.db, self.user_id).unwrap().unwrap();
        let token = token::of_feed(&secrets(), feed.id, &feed.nonce);
        let request = Request { feed_id: self.feed_id, token, conditions };
        let fetched: Work<_, Refused> =
            calendar::fetch(&mut self.db, &secrets(), &request, self.now);
        let fetched = fetched.unwrap();
        match fetched.document {
            Document::Known(validators) => (validators, None),
            Document::Rendered(body, edition) => {
                let now = self.now;
                let published: Work<_> = tx::write(&mut self.db, |db| {
                    calendar::publish(db, &fetched.feed, &edition, now)
                });
                (published.unwrap().unwrap(), Some(body))
            }
        }
    }

    /// Fetches without conditions, then as every client that ever was given something.
    fn check(&mut self) {
        // A client first, so that a basis which missed a change is not put right before it matters.
        let early =
            self.latest.take().map(|tag| (tag.clone(), self.fetch(Conditions::Tags(vec![tag]))));
        let (validators, body) = self.fetch(Conditions::Nothing);
        let body = body.unwrap();
        if let Some((tag, (_, None))) = early {
            assert_eq!(self.tags[&tag], body, "told that nothing has changed");
        }
        let date = validators.modified_at.to_rfc3339();
        for (key, known) in [(&validators.etag, &mut self.tags), (&date, &mut self.dates)] {
            let of_old = known.insert(key.clone(), body.clone());
            assert!(of_old.is_none_or(|old| old == body), "two documents of one {key}");
        }
        assert_eq!(self.dates.keys().next_back(), Some(&date), "the date goes back");
        for (tag, bytes) in self.tags.clone() {
            let (_, rendered) = self.fetch(Conditions::Tags(vec![tag]));
            assert_eq!(rendered.unwrap_or(bytes), body);
        }
        for (date, bytes) in self.dates.clone() {
            let (_, rendered) = self.fetch(Conditions::Since(*at(&date)));
            assert_eq!(rendered.unwrap_or(bytes), body);
        }
        self.latest = Some(validators.etag.clone());
        // And the one that has it is never sent it again.
        let known = Conditions::Tags(vec![validators.etag]);
        assert_eq!(self.fetch(known).1, None, "sent again");
    }
}

on_both! {
    /// What only one part of the tally tells: paused days, the count, the highest number, the sequences.
    fn each_part_of_the_tally_counts(database: Database) {
        use Happening::{Become, Delete, Pause, Resume, Solve};
        let cases: [(&[Happening], &[Happening]); 5] = [
            (&[Solve], &[Pause(9, 0)]),
            (&[Solve, Pause(8, 3)], &[Resume(0)]),
            (&[Solve, Solve], &[Delete(1)]),
            (&[Solve, Solve], &[Delete(1), Solve]),
            (&[Solve, Solve, Become(1, "suspended")], &[Become(0, "skipped"), Become(1, "pending")]),
        ];
        for (number, (before, between)) in cases.into_iter().enumerate() {
            let mut world = World::new(&database, &format!("user{number}"));
            for happenings in [before, between] {
                for happening in happenings {
                    world.happen(*happening);
                }
                world.check();
            }
            assert_eq!(world.tags.len(), 2, "{between:?} must be seen");
        }
    }

    fn no_304_is_a_lie(database: Database) {
        let config = Config { failure_persistence: None, ..Config::with_cases(64) };
        let case = Cell::new(0);
        TestRunner::new(config)
            .run(&vec(vec(happening(), 1..5), 1..12), |between_fetches| {
                case.set(case.get() + 1);
                let mut world = World::new(&database, &format!("u{}", case.get()));
                for happenings in between_fetches {
                    for happening in happenings {
                        world.happen(happening);
                    }
                    world.check();
                }
                Ok(())
            })
            .unwrap();
    }
}
