//! Which key a request carries, and what that key allows (interface: "Authentication").

use std::collections::BTreeSet;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Request};

use super::{QueryParameters, Refusal};
use crate::operation::Operation;

/// A key, and with it a user.
pub(crate) struct ApiKey {
    pub(crate) secret: String,
    /// What the key allows; none for everything.
    pub(crate) allowed: Option<BTreeSet<Operation>>,
}

/// Checks that a request has a key of the service, in the place where its interface wants it.
/// Says which of the keys it is: each is a user of its own.
pub(crate) fn authenticate<B>(
    keys: &[ApiKey],
    operation: Operation,
    request: &Request<B>,
) -> Result<usize, Refusal> {
    match operation {
        Operation::GraphQl => {
            let parameters = QueryParameters::of(request.uri());
            user_of(parameters.get("api_key"), "the query parameter api_key", keys, operation)
        }
        Operation::GetPod | Operation::GetTemplate => {
            let place = "the header Authorization: Bearer <key>";
            user_of(bearer(request.headers()), place, keys, operation)
        }
        _ => {
            let key = bearer(request.headers()).or_else(|| authorization(request.headers()));
            user_of(key, "the header authorization, bare or as Bearer <key>", keys, operation)
        }
    }
}

fn user_of(
    key: Option<&str>,
    place: &str,
    keys: &[ApiKey],
    operation: Operation,
) -> Result<usize, Refusal> {
    let key =
        key.ok_or_else(|| Refusal::unauthorized(format!("no API key: it is expected in {place}")))?;
    let user = keys
        .iter()
        .position(|known| known.secret == key)
        .ok_or_else(|| Refusal::unauthorized("the API key is wrong"))?;
    let allowed = keys[user].allowed.as_ref().is_none_or(|allowed| allowed.contains(&operation));
    if allowed {
        Ok(user)
    } else {
        Err(Refusal::unauthorized("the API key has no permission for this operation"))
    }
}

fn authorization(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?.trim();
    (!value.is_empty()).then_some(value)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    const SCHEME: &str = "bearer ";
    let (scheme, key) = authorization(headers)?.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| key.trim())
}
