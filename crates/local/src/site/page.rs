//! The page for a browser: how it is entered, and its files.

mod files;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::app::App;
use super::session::{Session, refuse_frames};
use crate::http::{ErrorResponse, QueryParameters};

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

const OPEN_THE_LINK: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>podqueue: open the link</title>
<h1>Open the link that the service printed</h1>
<p>This page needs the link that the local service printed when it started, after
<code># The page:</code>. A service that was restarted has printed another one.</p>
</html>
";

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route(ROOT, get(respond)).route(&format!("{FILES}{{name}}"), get(respond))
}

async fn respond(State(app): State<Arc<App>>, request: Request) -> Response {
    let response = app.keys.session.as_ref().map(|session| enter(session, &request));
    response.unwrap_or_else(open_the_link)
}

/// Says so, on any response of the page or of the control plane beside it.
pub(super) fn guard(response: &mut Response) {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}

/// Begins the session for who has the link, and serves the files to who has the cookie.
fn enter(session: &Session, request: &Request) -> Response {
    let (headers, path) = (request.headers(), request.uri().path());
    if let Err(refused) = refuse_frames(headers) {
        return refused.into_response();
    }
    if path == ROOT
        && let Some(token) = QueryParameters::of(request.uri()).get("token")
    {
        if !session.is_begun_by(token) {
            return open_the_link();
        }
        let to_the_page = [(SET_COOKIE, session.set_cookie()), (LOCATION, ROOT.to_owned())];
        return (StatusCode::SEE_OTHER, to_the_page).into_response();
    }
    if !session.is_of(headers) {
        return open_the_link();
    }
    match files::named(path.strip_prefix(FILES).unwrap_or(files::INDEX)) {
        Some((kind, content)) => ([(CONTENT_TYPE, kind)], Body::from(content)).into_response(),
        None => ErrorResponse::not_found("the page has no such file").into_response(),
    }
}

fn open_the_link() -> Response {
    let html = [(CONTENT_TYPE, "text/html; charset=utf-8")];
    (StatusCode::UNAUTHORIZED, html, OPEN_THE_LINK).into_response()
}
