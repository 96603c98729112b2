//! The page for a browser: its files, and the headers that keep other pages out.

mod files;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::app::App;
use crate::http::ErrorResponse;

/// Where the page is.
pub(super) const ROOT: &str = "/";
/// Where its other files are.
const FILES: &str = "/_local/page/";

/// What every response says, refusals included: nothing of another host is loaded, and no other page
/// can show it, learn its address or keep a copy.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (X_FRAME_OPTIONS, "DENY"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
];

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route(ROOT, get(respond)).route(&format!("{FILES}{{name}}"), get(respond))
}

/// Serves a file. Everyone may have it: what the page shows, its script requests with the token of the
/// link, which is not part of any file.
async fn respond(uri: Uri) -> Response {
    let path = uri.path();
    match files::named(path.strip_prefix(FILES).unwrap_or(files::INDEX)) {
        Some((kind, content)) => ([(CONTENT_TYPE, kind)], Body::from(content)).into_response(),
        None => ErrorResponse::not_found("the page has no such file").into_response(),
    }
}

/// Says so, on any response of the page or of the control plane beside it.
pub(super) fn guard(response: &mut Response) {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}
