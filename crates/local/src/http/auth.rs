//! Which key a request carries, and whether it is one of ours (interface: "Authentication").

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::{QueryParameters, Refusal};
use crate::operation::Operation;

/// Checks that a request has a key of the service, in the place where its interface wants it.
pub(crate) fn authenticate(
    keys: &[String],
    operation: Operation,
    request: &Parts,
) -> Result<(), Refusal> {
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
    match key {
        None => Err(Refusal::unauthorized(format!("no API key: it is expected in {place}"))),
        Some(key) if keys.contains(&key) => Ok(()),
        Some(_) => Err(Refusal::unauthorized("the API key is wrong")),
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
