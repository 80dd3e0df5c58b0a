//! The refusals that routes of one kind share, and how every refusal looks.
//!
//! | an operation below `/api/v1` | may be refused with |
//! |---|---|
//! | any | 503 |
//! | that wants a caller | 401, 403 |
//! | with a parameter in its path | 404 |
//! | with a query parameter | 422 |
//! | with an `Idempotency-Key` | 400 |
//! | with a body | 400, 408, 413, 415, 422 |
//!
//! What a route says itself is kept. An operation that says nothing of `security` wants a caller
//! with the scope `read` for GET, and `write` for any other method.

use utoipa::openapi::path::{HttpMethod, Operation, ParameterIn, PathItem};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{
    Content, Header, ObjectBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder, Type,
};

/// The media type of every refusal.
const PROBLEM: &str = "application/problem+json";

/// The shared refusals: the status, its name among the components, what it means.
const SHARED: [(&str, &str, &str); 9] = [
    ("400", "Malformed", "The request cannot be read"),
    ("401", "Unauthorized", "No token, or one that is not valid or has ended"),
    ("403", "Forbidden", "The token does not allow this, or the caller may not do it"),
    ("404", "NotFound", "Absent, or somebody else's"),
    ("408", "TooSlow", "The body did not come in time"),
    ("413", "TooLarge", "The body is too large"),
    ("415", "UnsupportedMediaType", "The body is not of a media type that is read here"),
    ("422", "Invalid", "Understood, and a value is not acceptable; `errors` says which"),
    ("503", "Unavailable", "Not available now"),
];

/// Adds the shared refusals to each operation, and the body to each refusal.
pub(super) fn complete(api: &mut OpenApi) {
    let components = api.components.get_or_insert_default();
    for (status, name, description) in SHARED {
        let response = ResponseBuilder::new().description(description).build();
        let response = RefOr::T(as_problem(status, response));
        components.responses.insert(name.to_owned(), response);
    }
    for (path, item) in &mut api.paths.paths {
        let below_base = path.starts_with("/api/v1/");
        for (method, operation) in operations(item) {
            if below_base {
                add_security(&method, operation);
                for status in shared_by(operation) {
                    add(operation, status);
                }
            }
            for (status, response) in &mut operation.responses.responses {
                if let RefOr::T(response) = response
                    && status.starts_with(['4', '5'])
                {
                    *response = as_problem(status, std::mem::take(response));
                }
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (HttpMethod, &mut Operation)> {
    [
        (HttpMethod::Get, &mut item.get),
        (HttpMethod::Head, &mut item.head),
        (HttpMethod::Post, &mut item.post),
        (HttpMethod::Put, &mut item.put),
        (HttpMethod::Patch, &mut item.patch),
        (HttpMethod::Delete, &mut item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| operation.as_mut().map(|operation| (method, operation)))
}

fn add_security(method: &HttpMethod, operation: &mut Operation) {
    if operation.security.is_none() {
        let scope = if matches!(method, HttpMethod::Get) { "read" } else { "write" };
        operation.security = Some(vec![
            SecurityRequirement::new("bearer", [scope]),
            SecurityRequirement::new("cookie", [scope]),
        ]);
    }
}

fn shared_by(operation: &Operation) -> Vec<&'static str> {
    let anybody = SecurityRequirement::default();
    let wants_caller =
        operation.security.as_ref().is_some_and(|security| !security.contains(&anybody));
    let has = |place: ParameterIn| {
        operation.parameters.iter().flatten().any(
            |parameter| matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == place),
        )
    };
    let mut statuses = vec!["503"];
    if wants_caller {
        statuses.extend(["401", "403"]);
    }
    if has(ParameterIn::Path) {
        statuses.push("404");
    }
    if has(ParameterIn::Query) {
        statuses.push("422");
    }
    if has(ParameterIn::Header) {
        statuses.push("400");
    }
    if operation.request_body.is_some() {
        statuses.extend(["400", "408", "413", "415", "422"]);
    }
    statuses
}

fn add(operation: &mut Operation, status: &str) {
    let shared = SHARED.iter().find(|(shared, ..)| *shared == status);
    if let Some((_, name, _)) = shared {
        operation
            .responses
            .responses
            .entry(status.to_owned())
            .or_insert_with(|| RefOr::Ref(Ref::new(format!("#/components/responses/{name}"))));
    }
}

/// Gives a refusal the body that all have, and the headers that its status has.
fn as_problem(status: &str, mut response: Response) -> Response {
    let body = Content::new(Some(Ref::from_schema_name("ApiError")));
    response.content.clear();
    response.content.insert(PROBLEM.to_owned(), RefOr::T(body));
    let header = |kind: Type, description: &str| {
        let schema = ObjectBuilder::new().schema_type(kind).build();
        let mut header = Header::new(schema);
        header.description = Some(description.to_owned());
        RefOr::T(header)
    };
    if status == "401" {
        let header = header(Type::String, "`Bearer`");
        response.headers.insert("WWW-Authenticate".to_owned(), header);
    }
    if matches!(status, "429" | "503") {
        let header = header(Type::Integer, "Try again after so many seconds");
        response.headers.insert("Retry-After".to_owned(), header);
    }
    response
}
