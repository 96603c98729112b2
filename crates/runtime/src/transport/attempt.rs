//! One attempt at a call: sends it, reads the response, and classifies the outcome.
//!
//! [`AttemptOutcome`] lists the outcomes, and `idempotency.rs` decides which of them are retried.

use std::error::Error as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};

use tokio::time::Instant;

use super::exchange::{Exchange, NoResponse, NoResponseCause, ResponseHead, detached};
use super::held_calls::HeldCalls;
use super::request_body::{OutgoingBody, SendState};
use super::response_body::IncomingBody;
use crate::call::AddressedCall;
use crate::error::{Error, ErrorKind, service_message};
use crate::idempotency::{AttemptOutcome, Failure};
use crate::limiter::Permit;
use crate::redact::Secrets;
use crate::secret_string::SecretString;

/// Sends attempts.
pub(crate) struct HttpSender {
    pub(crate) http: reqwest::Client,
    /// Set for an HTTP client that may use one connection for all requests.
    pub(crate) held_calls: Option<Arc<HeldCalls>>,
    /// The secrets of all calls, redacted in each response: the authorization, and the proxy's.
    pub(crate) secrets: Vec<SecretString>,
    pub(crate) timeout: Duration,
    pub(crate) largest_response: usize,
}

/// A successful response.
pub(super) struct ReceivedResponse {
    pub(super) sent_at: SystemTime,
    pub(super) status: u16,
    pub(super) body: Bytes,
    pub(super) secrets: Secrets,
    pub(super) incoming: Option<Box<IncomingBody>>,
}

impl HttpSender {
    /// The timeout of an attempt. After it, the slot of the attempt is free for other calls.
    pub(super) fn longest_attempt(&self, call: &AddressedCall) -> Duration {
        call.timeout.unwrap_or(self.timeout).saturating_add(call.extra_time)
    }

    /// Sends a call once.
    pub(super) async fn attempt(
        &self,
        call: &AddressedCall,
        permit: Permit,
        deadline: Option<Instant>,
    ) -> Result<ReceivedResponse, Failure> {
        let (request, send_state) = self.request(call)?;
        // Other calls may soon wait for the end of this attempt, which must not depend on its caller being
        // polled.
        let is_crowded = permit.is_crowded();
        let in_a_task = send_state.clone();
        // A call without a scope is never held open.
        let held_calls = self.held_calls.as_ref().filter(|_| call.scope.is_some());
        let exchange = Exchange {
            http: self.http.clone(),
            request,
            send_state,
            // The default client follows no redirects.
            asked: self.held_calls.as_ref().map(|_| Box::new(call.url.clone())),
            permit,
            given: self.longest_attempt(call),
            longest_silence: call.longest_silence,
            deadline,
            largest_response: call
                .largest_response
                .map_or(self.largest_response, |most| most.min(self.largest_response)),
            reads_partially: call.created_id.is_some(),
            reads_events: call.reads_events,
            held_calls: held_calls.cloned(),
        };
        // Boxed, so that neither this future nor the caller's is large: both are moved and allocated.
        let arrived = match held_calls.filter(|_| call.is_held_open) {
            Some(held_calls) => Box::pin(exchange.run_in(held_calls)).await,
            None if is_crowded => {
                let arrived = Box::pin(detached(exchange.run())).await;
                arrived.unwrap_or_else(|| Err(NoResponse::shut_down(&in_a_task)))
            }
            None => Box::pin(exchange.run()).await,
        };
        let ResponseHead { sent_at, status, headers, retry_after, body, incoming, was_redirected } =
            arrived.map_err(|no_response| no_response.failure(call))?;
        if was_redirected {
            let what = "the custom HTTP client followed a redirect, which may have leaked the key to another host: build it with a redirect policy of `none()`";
            let error = Error::new(ErrorKind::Redirect, &call.attempted, what);
            return Err(Failure { outcome: AttemptOutcome::Final, error });
        }
        if !(200..300).contains(&status) {
            // The head suffices to classify a refusal. A partial body is dropped: it could hold a part of a
            // secret, which would not be found.
            let body = body.unwrap_or_default();
            return Err(self.refusal(call, status, &headers, retry_after, &body));
        }
        let secrets = self.secrets(call);
        match body {
            Ok(body) => Ok(ReceivedResponse { sent_at, status, body, secrets, incoming }),
            Err(partial) => Err(partial.failure(call, status)),
        }
    }

    fn request(&self, call: &AddressedCall) -> Result<(reqwest::Request, SendState), Failure> {
        let unusable = |error: Error| Failure { outcome: AttemptOutcome::Final, error };
        let mut url = call.url.clone();
        call.credential.add_to_url(&mut url);
        let mut request = reqwest::Request::new(call.operation.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if call.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        } else if matches!(call.operation.method, Method::POST | Method::PUT | Method::PATCH) {
            // Some gateways respond with 411 to a request without a length.
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        for (name, value) in &call.headers {
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                unusable(Error::refused(&call.attempted, *name, "is not allowed in a header"))
            })?;
            // Any header may hold a secret.
            value.set_sensitive(true);
            headers.insert(*name, value);
        }
        call.credential.add_to_headers(headers);
        // A custom HTTP client may retry a request without a body; the default client does not.
        if self.held_calls.is_none() && call.body.is_none() && call.operation.method.is_safe() {
            return Ok((request, SendState::UNKNOWN));
        }
        let (body, send_state) = OutgoingBody::new(call.body.clone().unwrap_or_default());
        *request.body_mut() = Some(reqwest::Body::wrap(body));
        Ok((request, send_state))
    }

    /// The secrets that the service could repeat.
    fn secrets(&self, call: &AddressedCall) -> Secrets {
        let all = call.secrets.iter().chain(call.credential.secrets()).chain(&self.secrets);
        Secrets::new(all.cloned().collect(), call.body.clone())
    }

    /// The final error of a call, with the service's message, redacted. Redaction costs too much for the error
    /// of an attempt that is retried.
    pub(super) fn told(&self, call: &AddressedCall, error: Error) -> Error {
        let body = error.unredacted_body().cloned();
        if body.is_none() && error.source().is_none() {
            return error;
        }
        let secrets = self.secrets(call).with_body_secrets();
        let redactor = secrets.redactor();
        let error = error.with_redacted_source(&redactor);
        let Some(body) = body else { return error };
        let said = service_message(&body, |text| redactor.redact(text));
        let message = said.map(|said| format!("{}; the service says: {said}", error.message()));
        let error = match message {
            Some(message) => error.with_message(message),
            None => error,
        };
        error.with_body(body, secrets)
    }

    /// The failure for a response that is not a success, classified by its status.
    fn refusal(
        &self,
        call: &AddressedCall,
        status: u16,
        headers: &HeaderMap,
        retry_after: Option<Duration>,
        body: &Bytes,
    ) -> Failure {
        let (kind, outcome, advice) = match status {
            ..200 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::ServerFailed,
                "an informational status, which is not a final response",
            ),
            300..400 => (
                ErrorKind::Redirect,
                AttemptOutcome::Final,
                "redirects are not followed: check the URL",
            ),
            400 => (
                ErrorKind::BadRequest,
                AttemptOutcome::Final,
                "the request is malformed or invalid",
            ),
            401 => (
                ErrorKind::Unauthorized,
                AttemptOutcome::Final,
                match call.credential.is_none() {
                    true => "the service requires authorization, and none was sent",
                    false => "the authorization (a key or a token) is wrong or lacks permission",
                },
            ),
            403 | 404 if is_page(headers, body) => (
                ErrorKind::Server,
                AttemptOutcome::Intercepted,
                "the response is a web page, which comes from a gateway and not from the service: if this persists, check the URL",
            ),
            404 => (ErrorKind::NotFound, AttemptOutcome::Final, "not found or no longer available"),
            407 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::Final,
                "a proxy requires other credentials (the builder's `proxy`)",
            ),
            408 | 425 => (
                ErrorKind::Server,
                AttemptOutcome::ServerFailed,
                "the service, or a gateway in front of it, did not accept the request in time",
            ),
            429 => (
                ErrorKind::RateLimited,
                AttemptOutcome::Throttled,
                "a rate or concurrency limit was exceeded",
            ),
            501 => (
                ErrorKind::Server,
                AttemptOutcome::Final,
                "the service does not support this operation",
            ),
            // Such as 503.
            500.. => (ErrorKind::Server, AttemptOutcome::ServerFailed, "the service failed"),
            _ => (ErrorKind::UnexpectedStatus, AttemptOutcome::Final, "an unexpected status"),
        };
        let mut message = format!("status {status}: {advice}");
        let secrets = self.secrets(call);
        if let Some(host) = redirect_host(call, headers).filter(|_| kind == ErrorKind::Redirect) {
            message.push_str(&format!(" (redirected to {})", secrets.redact(&host)));
        }
        let error = Error::new(kind, &call.attempted, message)
            .with_status(status)
            .with_retry_after(retry_after)
            .with_body(body.clone(), secrets);
        Failure { outcome, error }
    }
}

impl NoResponse {
    fn failure(self, call: &AddressedCall) -> Failure {
        let (outcome, kind, message) = match (&self.why, self.never_sent) {
            (NoResponseCause::Failed(error), _) if error.is_builder() => (
                AttemptOutcome::Final,
                ErrorKind::InvalidRequest,
                "the request could not be built".to_owned(),
            ),
            (NoResponseCause::Failed(error), true) if error.is_connect() => (
                AttemptOutcome::NeverSent,
                ErrorKind::Connect,
                "no connection could be made".to_owned(),
            ),
            (NoResponseCause::Failed(_), true) => {
                let what = "the connection closed before the request was sent";
                (AttemptOutcome::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (NoResponseCause::Refused(_), _) => {
                let what = "the service refused the request without processing it";
                (AttemptOutcome::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (NoResponseCause::TimedOut(late), true) => {
                (AttemptOutcome::NeverSent, ErrorKind::Connect, late.not_sent())
            }
            (NoResponseCause::NoHeldCallPermit, _) => {
                let what = "timed out before the request was sent: too many long-running calls share an HTTP/2 connection (the builder's `http_client`)";
                (AttemptOutcome::NeverSent, ErrorKind::Timeout, what.to_owned())
            }
            (NoResponseCause::Failed(error), false) if error.is_timeout() => (
                AttemptOutcome::NoAnswer,
                ErrorKind::Timeout,
                "timed out waiting for the response".to_owned(),
            ),
            (NoResponseCause::Failed(_), false) => {
                let what = "the connection broke before a response arrived";
                (AttemptOutcome::NoAnswer, ErrorKind::Network, what.to_owned())
            }
            (NoResponseCause::TimedOut(late), false) => {
                (AttemptOutcome::NoAnswer, ErrorKind::Timeout, late.no_answer())
            }
            (NoResponseCause::ShutDown, true) => {
                let what = "the runtime was shut down before the request was sent";
                (AttemptOutcome::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (NoResponseCause::ShutDown, false) => {
                let what = "the runtime was shut down before a response arrived";
                (AttemptOutcome::NoAnswer, ErrorKind::Network, what.to_owned())
            }
        };
        match self.why {
            NoResponseCause::Failed(source) | NoResponseCause::Refused(source) => {
                let place = call.url.host_str().unwrap_or_default();
                let port = call.url.port().map(|port| format!(":{port}")).unwrap_or_default();
                let message = format!("{message} ({place}{port})");
                let error = Error::new(kind, &call.attempted, message);
                Failure { outcome, error: error.with_source(source.without_url()) }
            }
            _ => Failure { outcome, error: Error::new(kind, &call.attempted, message) },
        }
    }
}

/// The host of a redirect, without its path and query, which may repeat secrets.
fn redirect_host(call: &AddressedCall, headers: &HeaderMap) -> Option<String> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let target = call.url.join(location).ok()?;
    target.host_str().map(str::to_owned)
}

/// Returns true if the response is an HTML page; the service's errors are JSON.
fn is_page(headers: &HeaderMap, body: &[u8]) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let is_html =
        content_type.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"text/html"));
    is_html || body.trim_ascii_start().starts_with(b"<")
}
