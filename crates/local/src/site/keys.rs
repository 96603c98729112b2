//! The keys of the service, and what each of them allows (interface: "Authentication").

use std::collections::BTreeSet;

use axum::http::Request;

use super::session::{Session, random_text};
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
        Ok(Self { secret: random_text()?, allowed: None })
    }
}

/// All that lets a request in.
pub(crate) struct Keys {
    /// At least one.
    pub(crate) all: Vec<ApiKey>,
    /// The session of the page, where there is one.
    pub(crate) session: Option<Session>,
}

impl Keys {
    /// Whether a request has a key of the service in any of the places, whatever that key allows, or
    /// is the page's.
    pub(super) fn are_known_to<B>(&self, request: &Request<B>) -> bool {
        let is_known = |key: Option<&str>| key.is_some_and(|key| self.position(key).is_some());
        let headers = request.headers();
        is_known(bearer(headers))
            || is_known(authorization(headers))
            || is_known(QueryParameters::of(request.uri()).get("api_key"))
            || self.session.as_ref().is_some_and(|session| session.is_of(headers))
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.all.iter().position(|known| known.secret == key)
    }

    /// Checks that a request has a key of the service, in the place where its interface wants it, or
    /// else is the page's. Returns which of the keys it is: each is a user of its own.
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
        match (key, &self.session) {
            (None, Some(session)) if session.is_of(headers) => {
                session.check(operation, request)?;
                Ok(self.user_of_the_page())
            }
            (None, _) => {
                let message = format!("missing API key: expected {place}");
                Err(ErrorResponse::unauthorized(message))
            }
            (Some(key), _) => self.user_of(key, operation),
        }
    }

    fn user_of(&self, key: &str, operation: Operation) -> Result<usize, ErrorResponse> {
        let user =
            self.position(key).ok_or_else(|| ErrorResponse::unauthorized("invalid API key"))?;
        let allowed = self.all[user].allowed.as_ref();
        if allowed.is_none_or(|allowed| allowed.contains(&operation)) {
            Ok(user)
        } else {
            Err(ErrorResponse::unauthorized("the API key has no permission for this operation"))
        }
    }

    /// The page shares the limits of the first key that allows everything, or has its own.
    fn user_of_the_page(&self) -> usize {
        self.all.iter().position(|key| key.allowed.is_none()).unwrap_or(self.all.len())
    }
}
