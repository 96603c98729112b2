//! Which key a request carries, and what that key allows (interface: "Authentication").

use std::collections::BTreeSet;

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

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
pub(crate) fn authenticate(
    keys: &[ApiKey],
    operation: Operation,
    request: &Parts,
) -> Result<usize, Refusal> {
    let (key, place) = match operation {
        Operation::GraphQl => {
            let parameters = QueryParameters::of(&request.uri);
            (parameters.get("api_key").map(str::to_owned), "the query parameter api_key")
        }
        Operation::GetPod | Operation::GetTemplate => {
            (bearer(request).map(str::to_owned), "the header Authorization: Bearer <key>")
        }
        _ => (
            bearer(request).or_else(|| authorization(request)).map(str::to_owned),
            "the header authorization, bare or as Bearer <key>",
        ),
    };
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

fn authorization(request: &Parts) -> Option<&str> {
    let value = request.headers.get(AUTHORIZATION)?.to_str().ok()?.trim();
    (!value.is_empty()).then_some(value)
}

fn bearer(request: &Parts) -> Option<&str> {
    let (scheme, key) = authorization(request)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}
