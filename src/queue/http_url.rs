//! What counts as an http URL in a submission, and what as one of this machine.

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

/// Whether it leads to this machine, and so past every proxy.
pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    matches!(host, "localhost" | "localhost.")
        || address.parse::<std::net::IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback())
}
