//! Account response: that of an operation of the account interface, before it is HTTP.

use axum::http::StatusCode;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use serde::Serialize;
use serde_json::{Value, json};

use super::problem::Problem;

/// The response of an operation.
pub(crate) enum AccountResponse {
    Json(StatusCode, Value),
    /// A status of 204.
    Empty,
    /// Server-sent events.
    Events(BoxStream<'static, Bytes>),
}

/// The result of an operation.
pub(crate) type Outcome = Result<AccountResponse, Problem>;

/// 200 with a value.
pub(super) fn ok(value: impl Serialize) -> Outcome {
    Ok(AccountResponse::Json(StatusCode::OK, json!(value)))
}

/// 201 with the object that was created.
pub(super) fn created(value: impl Serialize) -> Outcome {
    Ok(AccountResponse::Json(StatusCode::CREATED, json!(value)))
}

/// 204.
pub(super) fn empty() -> Outcome {
    Ok(AccountResponse::Empty)
}
