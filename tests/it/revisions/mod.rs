//! The schedule as a pure function of its log.

mod adaptive;
mod diary;
mod fuzz;
mod ladder;
mod rating;
mod schedule;
mod schedule_laws;
mod schedule_order;
mod schedule_settings;
mod settings;
mod spread;
