//! One file a part of the API, over real HTTP.

mod accounts;
mod revisions;
mod stats;
mod submissions;
