//! Path and query parameters. A path that cannot name anything is 404; a query parameter with a
//! wrong value is 422; an unknown one is ignored.

use super::error::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use chrono::{Datelike, NaiveDate};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
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
            ApiError::invalid_at(pointer, error.into_inner().to_string())
        }))
    }
}

/// A local day from a client: `YYYY-MM-DD`, as the API says. Chrono reads years of six digits and
/// below 0 too: PostgreSQL does not know all of them, and SQLite, which compares texts, puts them
/// before all others.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(try_from = "NaiveDate")]
pub struct Day(pub NaiveDate);

impl TryFrom<NaiveDate> for Day {
    type Error = &'static str;

    fn try_from(day: NaiveDate) -> Result<Self, &'static str> {
        if (0..=9999).contains(&day.year()) {
            Ok(Self(day))
        } else {
            Err("a day such as 2026-09-01 is expected")
        }
    }
}

/// A parameter that is a [`Day`], where it is there.
///
/// # Errors
/// When the text is no such day.
pub fn optional_day<'de, D: Deserializer<'de>>(input: D) -> Result<Option<NaiveDate>, D::Error> {
    Ok(Option::<Day>::deserialize(input)?.map(|Day(day)| day))
}
