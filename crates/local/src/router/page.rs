//! Page for a browser: its files, which are part of the program, and its security headers.

use std::sync::{Arc, LazyLock};

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
        [$(($name, served($name, include_str!(concat!("../../page/", $name))))),*]
    };
}

/// The files as they are served, by their names.
static FILES: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    files![
        "api.js",
        "chart.js",
        "clock.js",
        "curl.js",
        "dom.js",
        "endpoints.js",
        "events.js",
        "faults.js",
        "format.js",
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
        "route.js",
        "style.css",
        "submit.js",
        "traffic.js",
        "views.js",
        "workers.js",
    ]
    .into()
});

/// A script or a style without the indentation, blank lines and lines of comments, which only
/// readers of the source need; any other file as it is. The lines of a template literal stay.
fn served(name: &str, source: &str) -> String {
    if !name.ends_with(".js") && !name.ends_with(".css") {
        return source.to_owned();
    }
    let (mut is_comment, mut is_template) = (false, false);
    let kept = source.lines().filter_map(|line| {
        let code = line.trim_start();
        let begins_in_template = is_template;
        if !is_template {
            let is_block = is_comment || code.starts_with("/*");
            is_comment = is_block && !code.ends_with("*/");
            if is_block || code.is_empty() || code.starts_with("//") {
                return None;
            }
        }
        is_template ^= code.matches('`').count() % 2 == 1;
        Some(if begins_in_template { line } else { code })
    });
    kept.collect::<Vec<_>>().join("\n") + "\n"
}

/// The content type and the content of a file.
fn file(name: &str) -> Option<(&'static str, &'static str)> {
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

    /// The size of all files as they are served, in bytes.
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

    #[test]
    fn scripts_and_styles_are_served_without_comments_and_indentation() {
        let script = "// Head.\n\n/**\n * Of `a` function.\n */\nf(() => {\n\t/** Once. */\n\tg(`a\n\t// b\n\n\t\tc`); // Stays.\n\th(\"https://a\");\n});\n";
        let expected = "f(() => {\ng(`a\n\t// b\n\n\t\tc`); // Stays.\nh(\"https://a\");\n});\n";
        assert_eq!(served("a.js", script), expected);
        let style = "/* Head. */\na {\n\tcolor: red;\n}\n";
        assert_eq!(served("a.css", style), "a {\ncolor: red;\n}\n");
        assert_eq!(served("a.svg", style), style);
    }
}
