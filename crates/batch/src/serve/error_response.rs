//! Error responses, in the shape that clients of the interface expect.

use std::io;

use axum::Json;
use axum::body::to_bytes;
use axum::http::StatusCode;
use axum::http::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};

use super::api::types::{Refusal, Refused};
use crate::error::Error;

/// The type of an error that the request has.
const INVALID_REQUEST: &str = "invalid_request_error";

/// Tells clients whether to send the request again.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// A request that is refused, or cannot be responded to.
#[derive(Debug)]
pub(super) struct ErrorResponse {
    status: StatusCode,
    kind: &'static str,
    message: String,
    param: Option<&'static str>,
    code: Option<&'static str>,
    problem: Option<Problem>,
}

/// The cause of a failed response, for the operator of the server.
#[derive(Clone, Debug)]
pub(super) struct Problem(pub(super) String);

impl ErrorResponse {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            kind: INVALID_REQUEST,
            message: message.into(),
            param: None,
            code: None,
            problem: None,
        }
    }

    /// The request is invalid: 400.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// A member is missing: 400.
    pub(super) fn missing(param: &'static str) -> Self {
        Self::invalid(format!("The parameter '{param}' is required."))
            .param(param)
            .code("missing_required_parameter")
    }

    pub(super) fn no_file(id: &str) -> Self {
        let message = format!("There is no file '{}'.", shown(id));
        Self::new(StatusCode::NOT_FOUND, message).param("id")
    }

    pub(super) fn no_batch(id: &str) -> Self {
        let message = format!("There is no batch '{}'.", shown(id));
        Self::new(StatusCode::NOT_FOUND, message).param("id")
    }

    pub(super) fn unauthorized() -> Self {
        let message =
            "The API key is missing or incorrect: send it as 'Authorization: Bearer KEY'.";
        Self::new(StatusCode::UNAUTHORIZED, message).code("invalid_api_key")
    }

    pub(super) fn param(self, param: &'static str) -> Self {
        Self { param: Some(param), ..self }
    }

    pub(super) fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    fn of_server(message: String) -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self { kind: "server_error", ..Self::new(status, message) }
    }

    /// Adds what the operator is told.
    fn problem(self, problem: impl ToString) -> Self {
        Self { problem: Some(Problem(problem.to_string())), ..self }
    }
}

/// The limit of the text of an error that the router found, in bytes.
const MAX_TEXT: usize = 4 * 1024;

/// Gives the errors that the router itself finds, such as a path that is no UTF-8, the shape of all
/// others.
pub(super) async fn into_json(response: Response) -> Response {
    let status = response.status();
    let json = HeaderValue::from_static("application/json");
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.headers().get(CONTENT_TYPE) == Some(&json) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let text = to_bytes(body, MAX_TEXT).await.unwrap_or_default();
    let message = match String::from_utf8_lossy(&text) {
        text if text.is_empty() => status.to_string(),
        text => text.into_owned(),
    };
    let error = match status.is_server_error() {
        true => ErrorResponse::of_server(message),
        false => ErrorResponse::new(status, message),
    };
    let mut response = error.into_response();
    if let Some(allowed) = parts.headers.get(ALLOW) {
        response.headers_mut().insert(ALLOW, allowed.clone());
    }
    response
}

/// The beginning of a text of the client.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(100).collect()
}

impl From<io::Error> for ErrorResponse {
    fn from(error: io::Error) -> Self {
        // The message may contain a path.
        let response = match error.kind() {
            // That lasts until an operator makes room: clients do not send it again by themselves.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self {
                status: StatusCode::INSUFFICIENT_STORAGE,
                ..Self::of_server("The disk of the server is full.".to_owned())
            },
            kind => {
                Self::of_server(format!("The server could not read or write its files: {kind}."))
            }
        };
        response.problem(format_args!("could not read or write a file: {error}"))
    }
}

impl From<Error> for ErrorResponse {
    fn from(error: Error) -> Self {
        let message = format!("The server could not read its journal ({:?}).", error.kind());
        Self::of_server(message).problem(error)
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let Self { status, kind, message, param, code, problem } = self;
        let refusal = Refusal {
            message: Some(message),
            type_: Some(kind.to_owned()),
            param: param.map(str::to_owned),
            code: code.map(str::to_owned),
        };
        let mut response = (status, Json(Refused { error: Some(refusal) })).into_response();
        match status {
            StatusCode::UNAUTHORIZED => {
                let bearer = HeaderValue::from_static("Bearer");
                response.headers_mut().insert(WWW_AUTHENTICATE, bearer);
            }
            // Clients retry these by default, which here last.
            StatusCode::CONFLICT | StatusCode::INSUFFICIENT_STORAGE => {
                response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
            }
            _ => {}
        }
        if let Some(problem) = problem {
            response.extensions_mut().insert(problem);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_to_the_operator_and_not_retried_by_clients() {
        let error = io::Error::new(io::ErrorKind::StorageFull, "/secret/path");
        let response = ErrorResponse::from(error).into_response();
        assert_eq!(response.status(), StatusCode::INSUFFICIENT_STORAGE);
        assert_eq!(response.headers()[SHOULD_RETRY], "false");
        let problem = response.extensions().get::<Problem>().map(|it| it.0.clone());
        assert_eq!(problem.as_deref(), Some("could not read or write a file: /secret/path"));
        let response = ErrorResponse::from(io::Error::other("x")).into_response();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!response.headers().contains_key(SHOULD_RETRY));
    }
}
