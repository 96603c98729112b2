//! Problem: a refusal in the form of RFC 9457.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::error::{Refusal, RefusalKind};

/// A refusal of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) detail: String,
    /// Each fault of the request, if its body breaks rules of its schema.
    pub(crate) errors: Vec<String>,
    /// The methods of the path, if the method of the request is none of them.
    pub(crate) allow: Option<String>,
    /// Seconds until a retry, if there are too many requests.
    pub(crate) retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), errors: Vec::new(), allow: None, retry_after: None }
    }

    /// For a request that is malformed, or one of whose values is invalid.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    pub(crate) fn not_found(what: &str, id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no {what} with the id {id:?}"))
    }

    /// For an object whose state does not allow the request.
    pub(crate) fn conflict(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, detail)
    }

    /// For a body that breaks rules of its schema.
    pub(crate) fn unprocessable(errors: Vec<String>) -> Self {
        let detail = match errors.as_slice() {
            [error] => error.clone(),
            errors => format!("the body breaks {} rules of its schema", errors.len()),
        };
        Self { errors, ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail) }
    }

    /// The body of the response.
    pub(crate) fn body(&self) -> Value {
        let mut body = json!({
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if !self.errors.is_empty() {
            body["errors"] = json!(self.errors);
        }
        body
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.kind {
            RefusalKind::Invalid => StatusCode::BAD_REQUEST,
            RefusalKind::NotFound => StatusCode::NOT_FOUND,
            RefusalKind::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
            RefusalKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, refusal.message)
    }
}
