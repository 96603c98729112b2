//! The keys of the service, and what each of them allows (interface: "Authentication").

use std::collections::BTreeSet;

use axum::http::Request;

use crate::http::{ErrorResponse, QueryParameters, authorization, bearer};
use crate::operation::Operation;

/// A key, and with it a user.
pub(crate) struct ApiKey {
    pub(crate) secret: String,
    /// What the key allows; none for everything.
    pub(crate) allowed: Option<BTreeSet<Operation>>,
}

impl ApiKey {
    /// Why no request could carry the key, or every request does. It does not show the key.
    pub(crate) fn flaw(&self) -> Option<&'static str> {
        let key = &self.secret;
        if key.trim().is_empty() {
            Some("a key must not be blank")
        } else if key.trim() != key {
            Some("a key must not have surrounding white space, which HTTP removes from headers")
        } else if !key.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            Some("a key must be printable ASCII, to fit into a header")
        } else {
            None
        }
    }

    /// A key that nobody can guess.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let secret = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { secret, allowed: None })
    }
}

/// Whether a request has a key of the service in any of the places, whatever that key allows.
pub(super) fn has_key<B>(keys: &[ApiKey], request: &Request<B>) -> bool {
    let is_known = |key: Option<&str>| key.is_some_and(|key| known(keys, key).is_some());
    let headers = request.headers();
    is_known(bearer(headers))
        || is_known(authorization(headers))
        || is_known(QueryParameters::of(request.uri()).get("api_key"))
}

fn known(keys: &[ApiKey], key: &str) -> Option<usize> {
    keys.iter().position(|known| known.secret == key)
}

/// Checks that a request has a key of the service, in the place where its interface wants it.
/// Returns which of the keys it is: each is a user of its own.
pub(super) fn authenticate<B>(
    keys: &[ApiKey],
    operation: Operation,
    request: &Request<B>,
) -> Result<usize, ErrorResponse> {
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
) -> Result<usize, ErrorResponse> {
    let key = key
        .ok_or_else(|| ErrorResponse::unauthorized(format!("missing API key: expected {place}")))?;
    let user = known(keys, key).ok_or_else(|| ErrorResponse::unauthorized("invalid API key"))?;
    let allowed = keys[user].allowed.as_ref().is_none_or(|allowed| allowed.contains(&operation));
    if allowed {
        Ok(user)
    } else {
        Err(ErrorResponse::unauthorized("the API key has no permission for this operation"))
    }
}
