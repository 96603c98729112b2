//! URLs of services: validation, and recognition of this machine's own.

use reqwest::Url;

use crate::error::{Error, Result};

/// A URL to which paths are appended unchanged.
pub fn base(attempted: &str, field: &str, text: &str, plain_http: bool) -> Result<Url> {
    let url = check(attempted, field, text, plain_http)?;
    if url.query().is_some() {
        return Err(Error::refused(attempted, field, "must not carry a query"));
    }
    Ok(url)
}

/// A URL to which requests can be sent, with or without a query.
pub fn check(attempted: &str, field: &str, text: &str, plain_http: bool) -> Result<Url> {
    let refuse = |rule: &str| Err(Error::refused(attempted, field, rule));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("is not a URL");
    };
    match url.scheme() {
        "https" => {}
        "http" if plain_http || is_loopback(&url) => {}
        "http" => {
            return refuse(
                "must be https: over plain http the key is sent unencrypted \
                 (the builder's `allow_plain_http` permits it)",
            );
        }
        _ => return refuse("must be an https URL"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("must not carry a user name or password");
    }
    if url.fragment().is_some() {
        return refuse("must not carry a fragment");
    }
    Ok(url)
}

/// Returns true if a URL names this machine.
pub fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    matches!(host, "localhost" | "localhost.")
        || address.parse::<std::net::IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback())
}
