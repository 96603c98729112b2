//! Validation of http URLs in a submission.

/// Whether it is an http or https URL as it stands, for it is sent as it stands. A parser mends much that other
/// readers do not: the line end of a file that it was read from, slashes that are missing, or turned.
pub(crate) fn is_http_url(text: &str) -> bool {
    let after_scheme = text.split_once("://").filter(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    after_scheme.is_some_and(|(_, rest)| !rest.starts_with(['/', '\\']))
        && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
        && reqwest::Url::parse(text).is_ok()
}
