//! One file a race class, of the name of its guard function. Each shows: of N callers at once one
//! wins; the constraint alone stops a plain insert; a true duplicate collapses; records that differ
//! in any one dimension do not; whoever waited for a winner that rolled back wins.

mod advance_import;
mod advance_verdict;
mod award_all;
mod award_once;
mod claim_instance;
mod complete_revision;
mod confirm_password;
mod create_account;
mod create_custom_problem;
mod create_custom_problems;
mod create_feed;
mod create_import;
mod create_problem;
mod create_problems;
mod create_token;
mod finish_import;
mod first_solve;
mod first_solves;
mod hold_solves;
mod keep_secrets;
mod keep_settings;
mod move_revision;
mod open_log;
mod publish_edition;
mod record_review;
mod record_reviews;
mod record_submission;
mod record_submissions;
mod restart_import;
mod rotate_feed;
mod schedule_revision;
mod schedule_revisions;
mod set_difficulty_once;
mod set_title_once;
mod set_topic_once;
mod triage_once;
mod undo_review;
