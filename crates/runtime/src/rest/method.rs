//! HTTP methods, and their idempotency.

use reqwest::Method;

use crate::idempotency::Idempotency;

/// The method of this name, and what sending it a second time would do.
pub(super) fn method(name: &str) -> (Method, Idempotency) {
    match name {
        "GET" => (Method::GET, Idempotency::Idempotent),
        "HEAD" => (Method::HEAD, Idempotency::Idempotent),
        "OPTIONS" => (Method::OPTIONS, Idempotency::Idempotent),
        "TRACE" => (Method::TRACE, Idempotency::Idempotent),
        "PUT" => (Method::PUT, Idempotency::Idempotent),
        "DELETE" => (Method::DELETE, Idempotency::Idempotent),
        "QUERY" => (named(name), Idempotency::Idempotent),
        "PATCH" => (Method::PATCH, Idempotency::NonIdempotent),
        "POST" => (Method::POST, Idempotency::NonIdempotent),
        name => (named(name), Idempotency::NonIdempotent),
    }
}

/// A method that the HTTP client does not know.
fn named(name: &str) -> Method {
    // No description has a method with other characters.
    Method::from_bytes(name.as_bytes()).unwrap_or(Method::POST)
}
