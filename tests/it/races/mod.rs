//! One file a race class, of the name of its guard function. Each shows four things: of N callers
//! at once one wins; the constraint alone stops a plain insert; a true duplicate collapses; records
//! that differ in any one dimension do not.

mod claim_instance;
mod confirm_password;
mod create_account;
mod create_feed;
mod create_token;
mod keep_secrets;
mod keep_settings;
mod publish_edition;
mod rotate_feed;
