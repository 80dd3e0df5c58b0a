//! One file a part of the API, over real HTTP.

mod accounts;
mod calendar;
mod calendar_schedule;
mod cookies;
mod deletion;
mod far_values;
mod health;
mod logins;
mod mail;
mod manners;
mod pauses;
mod preferences;
mod problems;
mod revisions;
mod rings;
mod sessions;
mod social;
mod stats;
mod submissions;
mod tokens;
