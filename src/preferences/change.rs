//! A change of preferences: each value is checked, and all that is wrong is said at once.

use super::model::{DailyGoal, QuietHours, Scheduler};
use super::{Preferences, store};
use crate::days::{self, DayHistory};
use crate::db::instant::At;
use crate::revisions::settings::Settings;
use serde::Deserialize;
use utoipa::ToSchema;

/// What `PATCH /me` may change. What is absent stays.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Patch {
    /// An IANA name. It counts from the start of the next day.
    #[schema(example = "Europe/Berlin")]
    pub time_zone: Option<String>,
    /// `HH:MM`, when a new day starts. It counts from the start of the next day.
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "04:00")]
    pub day_starts_at: Option<String>,
    /// Which schedules a new solve gets.
    pub scheduler: Option<Scheduler>,
    /// Days between the reviews of a ladder: 1 to 30 entries of 1 to 36500, none below the one
    /// before it.
    #[schema(min_items = 1, max_items = 30)]
    pub ladder_days: Option<Vec<u32>>,
    /// The probability of recall at which an adaptive review falls due.
    #[schema(minimum = 0.7, maximum = 0.99)]
    pub desired_retention: Option<f64>,
    /// No interval is longer, in days.
    #[schema(minimum = 1, maximum = 36500)]
    pub maximum_interval: Option<u32>,
    /// Whether adaptive intervals are spread a little.
    pub fuzz: Option<bool>,
    /// Whether the least loaded day inside the fuzz window is taken.
    pub load_balance: Option<bool>,
    /// How much of the load each weekday takes, Monday first: 0 to 1, not all 0.
    #[schema(min_items = 7, max_items = 7)]
    pub weekday_weights: Option<[f64; 7]>,
    /// What closes the ring of a day.
    pub daily_goal: Option<DailyGoal>,
    /// Revisions a day beyond which `today` flags.
    #[schema(minimum = 1, maximum = 1000)]
    pub daily_cap: Option<i32>,
    /// The local hour of the digest.
    #[schema(minimum = 0, maximum = 23)]
    pub digest_hour: Option<i32>,
    /// When nothing is sent; null for never.
    #[serde(deserialize_with = "crate::http::json::given")]
    #[schema(value_type = Option<QuietHours>)]
    pub quiet_hours: Option<Option<QuietHours>>,
    /// `HH:MM` of calendar events; null for all-day events.
    #[serde(deserialize_with = "crate::http::json::given")]
    #[schema(value_type = Option<String>, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    pub calendar_time: Option<Option<String>>,
    /// What is shown instead of the handle; null for the handle.
    #[serde(deserialize_with = "crate::http::json::given")]
    #[schema(value_type = Option<String>, max_length = 100)]
    pub display_name: Option<Option<String>>,
}

/// One value that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as a JSON pointer into the patch.
    pub pointer: String,
    /// What is wrong, and what was expected.
    pub detail: String,
}

/// A patch that was checked against the preferences it changes.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The columns, without the settings.
    pub change: store::Change,
    /// The settings, where the patch changes any.
    pub settings: Option<Settings>,
}

impl Patch {
    /// Checks the patch.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn check(self, now: At, current: &Preferences) -> Result<Checked, Vec<Fault>> {
        let mut faults = Faults::default();
        let settings = self.settings(current, &mut faults);
        let days = self.days(now, current, &mut faults);
        if let Some(goal) = self.daily_goal {
            faults.range("/daily_goal/solves", goal.solves, 0, 100);
            faults.range("/daily_goal/revisions", goal.revisions, 0, 1000);
            if goal.solves == 0 && goal.revisions == 0 {
                faults.add("/daily_goal", "at least one of the two must be above 0");
            }
        }
        if let Some(cap) = self.daily_cap {
            faults.range("/daily_cap", cap, 1, 1000);
        }
        if let Some(hour) = self.digest_hour {
            faults.range("/digest_hour", hour, 0, 23);
        }
        if let Some(Some(hours)) = &self.quiet_hours {
            faults.time("/quiet_hours/from", &hours.from);
            faults.time("/quiet_hours/until", &hours.until);
        }
        if let Some(Some(time)) = &self.calendar_time {
            faults.time("/calendar_time", time);
        }
        let display_name = self
            .display_name
            .map(|name| name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        if let Some(Some(name)) = &display_name
            && (name.chars().count() > 100 || name.contains(char::is_control))
        {
            let detail = "at most 100 characters, none of them a control character";
            faults.add("/display_name", detail);
        }
        if !faults.0.is_empty() {
            return Err(faults.0);
        }
        let quiet = self.quiet_hours.map(|hours| hours.map(|h| (h.from, h.until)).unzip());
        let (quiet_from, quiet_until) = quiet.unzip();
        let change = store::Change {
            scheduler: self.scheduler,
            goal_solves: self.daily_goal.map(|goal| goal.solves),
            goal_revisions: self.daily_goal.map(|goal| goal.revisions),
            daily_cap: self.daily_cap,
            // The digest follows the clock of the user as it is now.
            digest_due_at: (self.digest_hour.is_some() || days.is_some()).then_some(None),
            digest_hour: self.digest_hour,
            quiet_from,
            quiet_until,
            calendar_time: self.calendar_time,
            display_name,
            ..days.as_ref().map(columns).unwrap_or_default()
        };
        Ok(Checked { change, settings })
    }

    fn settings(&self, current: &Preferences, faults: &mut Faults) -> Option<Settings> {
        let old = current.settings.settings();
        let new = Settings {
            ladder_days: self.ladder_days.clone().unwrap_or_else(|| old.ladder_days.clone()),
            desired_retention: self.desired_retention.unwrap_or(old.desired_retention),
            maximum_interval: self.maximum_interval.unwrap_or(old.maximum_interval),
            fuzz: self.fuzz.unwrap_or(old.fuzz),
            load_balance: self.load_balance.unwrap_or(old.load_balance),
            weekday_weights: self.weekday_weights.unwrap_or(old.weekday_weights),
            ..old.clone()
        };
        for fault in new.validate() {
            faults.add(&fault.pointer, &format!("{}, expected {}", fault.found, fault.expected));
        }
        (new != *old).then_some(new)
    }

    fn days(&self, now: At, current: &Preferences, faults: &mut Faults) -> Option<DayHistory> {
        let mut rule = current.days.current();
        if let Some(name) = &self.time_zone {
            match days::zone(name) {
                Ok(zone) => rule.zone = zone,
                Err(error) => faults.add("/time_zone", &error.to_string()),
            }
        }
        if let Some(text) = &self.day_starts_at {
            match days::day_start(text) {
                Ok(start) => rule.day_starts_at = start,
                Err(error) => faults.add("/day_starts_at", &error.to_string()),
            }
        }
        (rule != current.days.current()).then(|| current.days.change(rule, *now))
    }
}

fn columns(days: &DayHistory) -> store::Change {
    let (zone, start) = super::texts(days.current());
    store::Change {
        time_zone: Some(zone),
        day_starts_at: Some(start),
        past_day_rules: Some(super::stored_rules(days.past())),
        ..store::Change::default()
    }
}

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, pointer: &str, detail: &str) {
        self.0.push(Fault { pointer: pointer.to_owned(), detail: detail.to_owned() });
    }

    fn range(&mut self, pointer: &str, value: i32, least: i32, most: i32) {
        if !(least..=most).contains(&value) {
            self.add(pointer, &format!("{value}, expected {least} to {most}"));
        }
    }

    fn time(&mut self, pointer: &str, text: &str) {
        if days::day_start(text).is_err() {
            self.add(pointer, "HH:MM from 00:00 to 23:59 is expected");
        }
    }
}
