//! Path and query parameters. A path that cannot name anything is 404; a query parameter with a
//! wrong value is 422; an unknown one is ignored.

use super::error::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;
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
