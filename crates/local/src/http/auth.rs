//! Where a request carries a key.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

/// The header `authorization`, unless it is there twice: then it is anybody's guess which one counts.
pub(crate) fn authorization(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let value = value.to_str().ok()?.trim();
    (!value.is_empty()).then_some(value)
}

/// The key in the header `authorization: Bearer <key>`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    const SCHEME: &str = "bearer ";
    let (scheme, key) = authorization(headers)?.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| key.trim())
}
