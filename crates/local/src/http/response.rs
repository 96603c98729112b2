//! Responses: a value as JSON, or an error.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::{Refusal, RefusalKind};

/// An error response: an HTTP status, and a sentence that describes the mistake in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErrorResponse {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// Time until a retry, in seconds.
    pub(crate) retry_after: Option<u64>,
}

impl ErrorResponse {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), retry_after: None }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// For a path that exists, but not with this method.
    pub(crate) fn wrong_method(request: &Request) -> Self {
        let message = format!("{} does not allow {}", request.uri().path(), request.method());
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// For a request that is still waiting when the service stops.
    pub(crate) fn stopping() -> Self {
        Self::internal("the service is stopping")
    }
}

/// A response of 200 with a value. It is serialized into one buffer, unlike `axum::Json`, which for
/// the small responses of the queue is a good part of their cost.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => {
            let mut response = Response::new(Body::from(body));
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(CONTENT_TYPE, json);
            response
        }
        // The service's values have nothing that JSON could not express.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        #[derive(Serialize)]
        struct Error {
            error: String,
        }
        let mut response = json(&Error { error: self.message });
        *response.status_mut() = self.status;
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<Refusal> for ErrorResponse {
    fn from(Refusal { kind, message }: Refusal) -> Self {
        let (status, retry_after) = match kind {
            RefusalKind::Invalid => (StatusCode::BAD_REQUEST, None),
            RefusalKind::NotFound => (StatusCode::NOT_FOUND, None),
            RefusalKind::TooManyRequests { retry_after } => {
                (StatusCode::TOO_MANY_REQUESTS, retry_after)
            }
            RefusalKind::Failed => (StatusCode::INTERNAL_SERVER_ERROR, None),
        };
        Self { status, message, retry_after }
    }
}
