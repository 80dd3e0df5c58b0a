//! What no route answers: 404, or, where the path is one of ours, 405 and the methods it knows.
//!
//! The paths and their methods come from the OpenAPI document, which is made of the routes. Where
//! GET is, HEAD is too. OPTIONS is a method like any other: nobody else's page may use the API.

use super::docs;
use super::error::ApiError;
use super::openapi;
use actix_web::dev::ResourceDef;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use std::sync::OnceLock;
use utoipa::openapi::path::PathItem;

/// Answers a request that no route has answered.
pub async fn answer(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let Some(methods) = allowed(request.path()) else {
        return Err(ApiError::not_found());
    };
    let error = ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method-not-allowed",
        "The path does not know this method",
        format!("it knows {methods}"),
    );
    Err(ApiError { allow: Some(methods), ..error })
}

/// The methods that a path knows, as `Allow` lists them; nothing where the path is not ours. A path
/// that is named as it is, is that one, and nothing that stands in another's place.
fn allowed(path: &str) -> Option<String> {
    let fits = |(pattern, _): &&(ResourceDef, _)| pattern.is_match(path);
    let is_named = |(pattern, _): &&(ResourceDef, _)| pattern.pattern() == Some(path);
    let named = table().iter().any(|entry| is_named(&entry));
    let mut methods: Vec<&str> = table()
        .iter()
        .filter(|entry| if named { is_named(entry) } else { fits(entry) })
        .flat_map(|(_, methods)| methods)
        .copied()
        .collect();
    if methods.is_empty() {
        return None;
    }
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.dedup();
    Some(methods.join(", "))
}

fn table() -> &'static [(ResourceDef, Vec<&'static str>)] {
    static TABLE: OnceLock<Vec<(ResourceDef, Vec<&'static str>)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let documented = openapi::document().paths.paths.iter();
        let documented =
            documented.map(|(path, item)| (ResourceDef::new(path.as_str()), methods(item)));
        let pages = docs::PATHS.iter().map(|path| (ResourceDef::new(*path), vec!["GET"]));
        documented.chain(pages).collect()
    })
}

fn methods(item: &PathItem) -> Vec<&'static str> {
    [
        ("GET", &item.get),
        ("HEAD", &item.head),
        ("POST", &item.post),
        ("PUT", &item.put),
        ("PATCH", &item.patch),
        ("DELETE", &item.delete),
    ]
    .into_iter()
    .filter(|(_, operation)| operation.is_some())
    .map(|(method, _)| method)
    .collect()
}
