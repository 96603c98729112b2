//! What a refusal is in HTTP.

use axum::http::StatusCode;

use crate::http::ErrorResponse;
use crate::refusal::{Refusal, RefusalKind};

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
