//! What the tests stand on: fresh databases of both kinds, real servers, callers at once.
//!
//! Every test but the purely pure runs twice, by [`on_both!`]: as `<name>::sqlite` and as
//! `<name>::postgres`.

pub mod acquaintance;
pub mod client;
pub mod closings;
pub mod cluster;
pub mod database;
pub mod devices;
pub mod faults;
pub mod invariants;
pub mod mail_server;
pub mod overlap;
pub mod people;
pub mod process;
pub mod push_service;
pub mod race;
pub mod rows;
pub mod seed;
pub mod server;
pub mod site;
pub mod working;

pub use client::{Answer, Client};
pub use database::{Backend, Database};
pub use process::Process;
pub use push_service::PushService;
pub use server::Server;
pub use site::Site;
pub use working::Working;

/// Makes two tests of one: the body runs on a fresh database of each kind.
///
/// ```ignore
/// on_both! {
///     fn a_token_is_shown_once(server: Server) { … }
///     fn one_caller_wins(database: Database) { … }
/// }
/// ```
macro_rules! on_both {
    ($($(#[$meta:meta])* fn $name:ident($subject:ident: $kind:ty) $body:block)+) => {$(
        $(#[$meta])*
        mod $name {
            use super::*;

            fn body($subject: $kind) $body

            #[test]
            fn sqlite() {
                body(<$kind>::fresh($crate::harness::Backend::Sqlite));
            }

            #[test]
            fn postgres() {
                body(<$kind>::fresh($crate::harness::Backend::Postgres));
            }
        }
    )+};
}
pub(crate) use on_both;
