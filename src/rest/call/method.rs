//! The methods of HTTP, and whether a call with one may be retried.

use reqwest::Method;

use crate::transport::Repeat;

/// The method of this name, and what sending it a second time would do.
pub(super) fn method(name: &str) -> (Method, Repeat) {
    match name {
        "GET" => (Method::GET, Repeat::Safe),
        "HEAD" => (Method::HEAD, Repeat::Safe),
        "OPTIONS" => (Method::OPTIONS, Repeat::Safe),
        "TRACE" => (Method::TRACE, Repeat::Safe),
        "PUT" => (Method::PUT, Repeat::Safe),
        "DELETE" => (Method::DELETE, Repeat::Safe),
        "QUERY" => (named(name), Repeat::Safe),
        "PATCH" => (Method::PATCH, Repeat::Once),
        "POST" => (Method::POST, Repeat::Once),
        name => (named(name), Repeat::Once),
    }
}

/// A method that the HTTP client does not know.
fn named(name: &str) -> Method {
    // What is no method at all has no description, so nobody gets here.
    Method::from_bytes(name.as_bytes()).unwrap_or(Method::POST)
}
