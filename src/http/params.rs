//! Path and query parameters. A path that cannot name anything is 404; a query parameter with a
//! wrong value is 422; an unknown one is ignored.

use super::error::ApiError;
use super::misread::Misread;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use chrono::{Datelike, NaiveDate};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::future::{Ready, ready};

/// The parameters in the path.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Path<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let read = actix_web::web::Path::<T>::extract(request).into_inner();
        ready(read.map(|path| Self(path.into_inner())).map_err(|_| ApiError::not_found()))
    }
}

/// The parameters after the question mark.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let input = serde_urlencoded::Deserializer::new(url::form_urlencoded::parse(
            request.query_string().as_bytes(),
        ));
        let read = serde_path_to_error::deserialize(input);
        ready(read.map(Self).map_err(|error| {
            let pointer = error.path().to_string();
            let Misread { member, detail } = Misread::of(&error.into_inner().to_string());
            ApiError::invalid_at(member.unwrap_or(pointer), detail)
        }))
    }
}

/// A day, `YYYY-MM-DD`, of the years 0 to 9999: a farther one is no day to PostgreSQL, or sorts wrongly
/// as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "NaiveDate")]
pub struct Day(NaiveDate);

/// A text that is no day, or one of no year with four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a day such as 2026-09-01 is expected")]
pub struct BadDay;

impl TryFrom<String> for Day {
    type Error = BadDay;

    fn try_from(text: String) -> Result<Self, BadDay> {
        let day: NaiveDate = text.parse().map_err(|_| BadDay)?;
        (0..=9999).contains(&day.year()).then_some(Self(day)).ok_or(BadDay)
    }
}

impl From<Day> for NaiveDate {
    fn from(day: Day) -> Self {
        day.0
    }
}
