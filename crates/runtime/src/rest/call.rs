//! REST call under construction: method, path, query and headers.

use std::fmt::Display;
use std::time::Duration;

use reqwest::Method;
use serde::Serialize;
use serde_json::{Value, json};

use super::parameters::{PathStyle, Style, expanded, write};
use crate::call::{Call, Operation};
use crate::error::{Attempted, Error};
use crate::idempotency::Idempotency;
use crate::path::Path;
use crate::redact::{secrets_in, secrets_named};

/// A call under construction, piece by piece.
pub struct RestCall {
    pub(super) call: Call,
    pub(super) path: Path,
    /// Reads only responses of these statuses.
    pub(super) only: Option<fn(u16) -> bool>,
    pub(super) failed: Option<Error>,
}

impl RestCall {
    /// Creates a call named `operation` with the HTTP `method`, which determines whether it may be
    /// retried.
    pub fn new(operation: &'static str, method: &'static str) -> Self {
        let (method, idempotency) = self::method(method);
        let attempted = Attempted::new(operation).on_interface("REST");
        let call = Call::to_service(&Operation::new(operation, method, idempotency), attempted);
        Self { call, path: Path::new(""), only: None, failed: None }
    }

    /// Appends a literal piece of the path.
    pub fn literal(mut self, text: &'static str) -> Self {
        self.path = self.path.literal(text);
        self
    }

    /// Appends a path parameter.
    pub fn parameter(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.call.0.secrets.extend(secrets_named(name, &value));
        self.path = self.path.parameter(name, &value);
        self
    }

    /// Appends a path parameter that is more than plain text.
    pub fn parameter_styled(
        self,
        name: &'static str,
        value: &impl Serialize,
        style: PathStyle,
    ) -> Self {
        self.expanded_value(name, serde_json::to_value(value), style)
    }

    fn expanded_value(
        mut self,
        name: &'static str,
        value: serde_json::Result<Value>,
        style: PathStyle,
    ) -> Self {
        match value {
            Ok(value) => {
                self.path = self.path.escaped_parameter(name, &expanded(name, &value, style));
                self.call.0.secrets.extend(secrets_in(json!({ name: value })));
            }
            Err(error) => self.fail(name, format_args!("cannot be written: {error}")),
        }
        self
    }

    /// Adds a query parameter: omitted for `None`, repeated for a list.
    pub fn query(self, name: &'static str, value: &impl Serialize) -> Self {
        self.query_value(name, serde_json::to_value(value), None)
    }

    /// Adds a query parameter that is encoded like a field of a form; omitted for `None`.
    pub fn query_styled(self, name: &'static str, value: &impl Serialize, style: Style) -> Self {
        self.query_value(name, serde_json::to_value(value), Some(style))
    }

    fn query_value(
        mut self,
        name: &'static str,
        value: serde_json::Result<Value>,
        style: Option<Style>,
    ) -> Self {
        match value {
            Ok(value) => {
                if let Err(rule) = write(&mut self.call.0.query, name, &value, style) {
                    self.fail(name, rule);
                }
                self.call.0.secrets.extend(secrets_in(json!({ name: value })));
            }
            Err(error) => self.fail(name, format_args!("cannot be written: {error}")),
        }
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.call.0.secrets.extend(secrets_named(name, &value));
        self.call.0.headers.push((name, value));
        self
    }

    /// Adds a header if there is a value.
    pub fn optional_header(self, name: &'static str, value: &Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }

    /// Reads only responses of these statuses of success; a response of another status is an error.
    pub fn only(mut self, statuses: fn(u16) -> bool) -> Self {
        self.only = Some(statuses);
        self
    }

    /// Sets the media types that the response may have, if not only JSON.
    pub fn accept(mut self, media: &'static str) -> Self {
        self.call.0.headers.retain(|(name, _)| *name != "accept");
        self.call.0.headers.push(("accept", media.to_owned()));
        self
    }

    /// Sets the timeout of an attempt, if there is one.
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.call.0.timeout = timeout;
        self
    }

    pub(super) fn attempted(&self) -> &Attempted {
        self.call.attempted()
    }

    pub(super) fn fail(&mut self, field: &str, rule: impl Display) {
        self.failed = Some(Error::refused(self.attempted(), field, rule));
    }
}

/// The method of this name, and its idempotency.
fn method(name: &str) -> (Method, Idempotency) {
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
