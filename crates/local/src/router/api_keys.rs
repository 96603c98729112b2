//! API keys of the service and their permissions (interface: "Authentication").

use std::collections::BTreeSet;

use axum::http::{Request, StatusCode};

use crate::http::{ErrorResponse, QueryParameters, authorization, bearer};
use crate::operation::Operation;

/// An API key. Each key is a user.
pub(crate) struct ApiKey {
    pub(crate) secret: String,
    /// The permitted operations; none for all.
    pub(crate) allowed: Option<BTreeSet<Operation>>,
}

impl ApiKey {
    /// Reason for which the key is invalid, without the key itself: no request could carry it, or
    /// every request would.
    pub(crate) fn invalid_reason(&self) -> Option<&'static str> {
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

    /// A random key of 128 bits.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let secret = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { secret, allowed: None })
    }
}

/// The keys of the service.
pub(crate) struct ApiKeys {
    /// The keys: at least one.
    all: Vec<ApiKey>,
    /// The token of the page, if any: a key in the link to the page. Its script sends it in the
    /// header `authorization`, which no browser adds by itself, unlike a cookie.
    page: Option<String>,
}

impl ApiKeys {
    /// The keys, of which there must be one, and the token of the page.
    pub(crate) fn new(all: Vec<ApiKey>, page: Option<String>) -> Self {
        Self { all, page }
    }

    /// The first key.
    pub(crate) fn first(&self) -> &str {
        self.all.first().map_or("", |key| &key.secret)
    }

    /// The token of the page, if there is a page.
    pub(crate) fn page_token(&self) -> Option<&str> {
        self.page.as_deref()
    }

    /// Returns true if a request has a key of the service, in any place and with any permissions.
    pub(super) fn is_any_key_in<B>(&self, request: &Request<B>) -> bool {
        let is_known = |key: Option<&str>| key.is_some_and(|key| self.user(key).is_some());
        let headers = request.headers();
        is_known(bearer(headers))
            || is_known(authorization(headers))
            || is_known(QueryParameters::of(request.uri()).get("api_key"))
    }

    /// The user of a key, which is its index. The page is the user of the first key without
    /// restrictions, whose rate limits it shares, or else a user of its own.
    fn user(&self, key: &str) -> Option<usize> {
        if self.page.as_deref() == Some(key) {
            let full = self.all.iter().position(|key| key.allowed.is_none());
            return Some(full.unwrap_or(self.all.len()));
        }
        self.all.iter().position(|known| known.secret == key)
    }

    /// Checks that a request has a key of the service, in the place that its interface requires,
    /// with permission for the operation. Returns the user.
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
            Operation::GetPod | Operation::GetTemplate | Operation::Account => {
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
        } else if operation == Operation::Account {
            let message = "the API key has no permission for the account interface";
            Err(ErrorResponse::new(StatusCode::FORBIDDEN, message))
        } else {
            Err(ErrorResponse::unauthorized("the API key has no permission for this operation"))
        }
    }
}
