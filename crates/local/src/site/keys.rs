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

/// All that lets a request in.
pub(crate) struct Keys {
    /// At least one.
    pub(crate) all: Vec<ApiKey>,
    /// The token of the page, where there is one: a key that the link to the page contains. Its script
    /// sends it in the header `authorization`, which no browser adds by itself, as it does a cookie.
    pub(crate) page: Option<String>,
}

impl Keys {
    /// Whether a request has a key of the service in any of the places, whatever that key allows.
    pub(super) fn are_known_to<B>(&self, request: &Request<B>) -> bool {
        let is_known = |key: Option<&str>| key.is_some_and(|key| self.user(key).is_some());
        let headers = request.headers();
        is_known(bearer(headers))
            || is_known(authorization(headers))
            || is_known(QueryParameters::of(request.uri()).get("api_key"))
    }

    /// The user of a key, which is its place among them. The page is the user of the first key that
    /// allows everything, whose limits it shares, or else its own.
    fn user(&self, key: &str) -> Option<usize> {
        if self.page.as_deref() == Some(key) {
            let full = self.all.iter().position(|key| key.allowed.is_none());
            return Some(full.unwrap_or(self.all.len()));
        }
        self.all.iter().position(|known| known.secret == key)
    }

    /// Checks that a request has a key of the service, in the place where its interface wants it.
    /// Returns which user that is.
    pub(super) fn authenticate<B>(
        &self,
        operation: Operation,
        request: &Request<B>,
    ) -> Result<usize, ErrorResponse> {
        let headers = request.headers();
        let parameters;
        let (key, place) = match operation {
            Operation::GraphQl => {
                parameters = QueryParameters::of(request.uri());
                (parameters.get("api_key"), "the query parameter api_key")
            }
            Operation::GetPod | Operation::GetTemplate => {
                (bearer(headers), "the header Authorization: Bearer <key>")
            }
            _ => {
                let key = bearer(headers).or_else(|| authorization(headers));
                (key, "the header authorization, bare or as Bearer <key>")
            }
        };
        let key = key.ok_or_else(|| {
            ErrorResponse::unauthorized(format!("missing API key: expected {place}"))
        })?;
        let user = self.user(key).ok_or_else(|| ErrorResponse::unauthorized("invalid API key"))?;
        let allowed = self.all.get(user).and_then(|key| key.allowed.as_ref());
        if allowed.is_none_or(|allowed| allowed.contains(&operation)) {
            Ok(user)
        } else {
            Err(ErrorResponse::unauthorized("the API key has no permission for this operation"))
        }
    }
}
