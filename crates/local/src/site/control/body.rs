//! The bodies of requests to the control plane.

use axum::extract::Request;
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::http::{ErrorResponse, read_body, require_json};

const MAX_BODY: usize = 10 * 1024 * 1024;

pub(super) async fn body(request: Request) -> Result<Bytes, ErrorResponse> {
    Ok(read_body(request.into_body(), MAX_BODY).await?)
}

pub(super) async fn parsed<T: DeserializeOwned>(request: Request) -> Result<T, ErrorResponse> {
    require_json(&request)?;
    serde_json::from_slice(&body(request).await?)
        .map_err(|error| ErrorResponse::bad_request(format!("invalid body: {error}")))
}
