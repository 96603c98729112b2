//! Reply to a call: a successful response.

use std::time::SystemTime;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

use super::response_body::IncomingBody;
use crate::call::AddressedCall;
use crate::error::{Attempted, Error, Result};
use crate::json::{decode_at, of_another_type, redacted};
use crate::lenient::{self, Lenient, Reading};
use crate::redact::Secrets;
use crate::response_headers::Headers;
use crate::retry::Idempotency;

/// A successful response, read completely unless it is a stream of events.
pub struct Reply {
    sent_at: SystemTime,
    status: u16,
    headers: Headers,
    body: Bytes,
    /// The body of a stream of events.
    incoming: Option<Box<IncomingBody>>,
    secrets: Secrets,
    attempted: Attempted,
    idempotency: Idempotency,
    after_unknown_outcome: bool,
}

impl Reply {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The body as it was received.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Decodes the body as JSON.
    ///
    /// # Errors
    ///
    /// [`Decode`](crate::ErrorKind::Decode) if it has another shape, and
    /// [`OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if that is the response to a call that
    /// must not be sent twice.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        self.decode().map_err(|error| self.classify_decode_error(error))
    }

    /// Returns true if an earlier attempt at the call may have taken effect, so that the response
    /// may be that of a second request.
    #[must_use]
    pub fn is_after_unknown_outcome(&self) -> bool {
        self.after_unknown_outcome
    }

    /// The time at which the request was sent. The response may have been received long before the
    /// caller was polled, so no time of it is known.
    #[must_use]
    pub fn sent_at(&self) -> SystemTime {
        self.sent_at
    }

    pub(super) fn new(
        call: &AddressedCall,
        sent_at: SystemTime,
        (status, headers): (u16, HeaderMap),
        body: Bytes,
        secrets: Secrets,
        incoming: Option<Box<IncomingBody>>,
    ) -> Self {
        Self {
            sent_at,
            status,
            headers: headers.into(),
            body,
            incoming,
            secrets,
            attempted: call.attempted.clone(),
            idempotency: call.operation.idempotency,
            after_unknown_outcome: false,
        }
    }

    /// Sets whether an earlier attempt may have taken effect.
    pub(super) fn after_unknown_outcome(mut self, is_after: bool) -> Self {
        self.after_unknown_outcome = is_after;
        self
    }

    /// The body of a stream of events, with the context of its errors.
    pub(crate) fn into_incoming(self) -> (Option<Box<IncomingBody>>, Attempted, Secrets) {
        (self.incoming, self.attempted, self.secrets)
    }

    pub(crate) fn incoming(&self) -> Option<&IncomingBody> {
        self.incoming.as_deref()
    }
}

/// Support for this crate and those built on it. Not public API: it changes without notice.
#[doc(hidden)]
impl Reply {
    pub fn attempted(&self) -> &Attempted {
        &self.attempted
    }

    /// The secrets to redact in the response.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Decodes the body, as [`json`](Self::json) does, regardless of the idempotency of the call.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T> {
        decode_at(&self.attempted, "", self.body()).map_err(|error| self.explain(error))
    }

    /// Reads the body as a type that is read leniently.
    pub(crate) fn decode_lenient<T: Lenient>(&self) -> Result<T> {
        let json = self.decode()?;
        lenient::value(&json, Reading::Lenient).map_err(|mismatch| {
            let (path, why) = (mismatch.path(), mismatch.reason());
            self.explain(of_another_type(&self.attempted, self.body(), path, why))
        })
    }

    /// Adds the response to an error about it.
    pub fn explain(&self, error: Error) -> Error {
        let secrets = self.secrets().clone().with_body_secrets();
        let error = redacted(error, &secrets.redactor());
        error.with_status(self.status()).with_body(self.body().clone(), secrets)
    }

    /// The error of reading this response: the outcome is unknown if the call must not be sent
    /// twice.
    pub fn classify_decode_error(&self, error: Error) -> Error {
        self.idempotency.classify_decode_error(error)
    }

    /// A response that was received elsewhere, such as by a fuzz target.
    pub fn received(attempted: Attempted, status: u16, body: Bytes, secrets: Secrets) -> Self {
        Self {
            sent_at: SystemTime::now(),
            status,
            headers: Headers::default(),
            body,
            incoming: None,
            secrets,
            attempted,
            idempotency: Idempotency::Idempotent,
            after_unknown_outcome: false,
        }
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply")
            .field("status", &self.status())
            .field("body_bytes", &self.body().len())
            .finish_non_exhaustive()
    }
}
