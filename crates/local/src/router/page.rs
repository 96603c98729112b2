//! Page for a browser: its files, which are part of the program, and its security headers.

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

/// The path of the page.
pub(super) const ROOT: &str = "/";
/// The path of its other files.
const FILES_PREFIX: &str = "/_local/page/";

/// The headers of every response, refusals included: nothing of another origin is loaded, and no
/// other page can embed it, learn its address or keep a copy.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
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
    Router::new().route(ROOT, get(respond)).route(&format!("{FILES_PREFIX}{{name}}"), get(respond))
}

/// Serves a file, without a key: the script of the page requests the data with the token of the
/// link, which is not part of any file.
async fn respond(uri: Uri) -> Response {
    let path = uri.path();
    match file(path.strip_prefix(FILES_PREFIX).unwrap_or(INDEX)) {
        Some((kind, content)) => ([(CONTENT_TYPE, kind)], Body::from(content)).into_response(),
        None => ErrorResponse::not_found("the page has no such file").into_response(),
    }
}

/// Sets the security headers on a response of the page or of the control plane.
pub(super) fn set_security_headers(response: &mut Response) {
    for (name, value) in SECURITY_HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}

/// The file of the page itself.
const INDEX: &str = "index.html";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../page/", $name)).as_slice())),*]
    };
}

const FILES: &[(&str, &[u8])] = &files![
    "api.js",
    "chart.js",
    "clock.js",
    "curl.js",
    "dom.js",
    "endpoints.js",
    "events.js",
    "faults.js",
    "icon.svg",
    "index.html",
    "job.js",
    "jobs.js",
    "json.js",
    "keys.js",
    "limits.js",
    "list.js",
    "logs.js",
    "main.js",
    "notice.js",
    "rooms.js",
    "route.js",
    "style.css",
    "submit.js",
    "traffic.js",
    "words.js",
    "workers.js",
];

/// The content type and the content of a file.
fn file(name: &str) -> Option<(&'static str, &'static [u8])> {
    let (name, content) = FILES.iter().find(|(known, _)| *known == name)?;
    let kind = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => return None,
    };
    Some((kind, content))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// The size of all files in bytes, which a browser loads and the program contains.
    const MAX: usize = 80 * 1024;

    #[test]
    fn every_file_of_the_folder_is_served_and_all_are_small() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let names = folder.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        assert_eq!(names, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert!(names.iter().all(|name| file(name).is_some()));
        let size: usize = FILES.iter().map(|(_, content)| content.len()).sum();
        assert!(size <= MAX, "{size}");
    }
}
