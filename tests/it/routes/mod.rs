//! One file a part of the API, over real HTTP.

mod accounts;
mod calendar;
