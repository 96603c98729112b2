//! One attempt at a call: send it, read the response, and say what became of it.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};

use tokio::time::Instant;

use super::body::{Departure, Outgoing};
use super::credential::Credential;
use super::driven::driven;
use super::exchange::{Arrived, Exchange, NotArrived, Why};
use super::key::Key;
use super::lane::Lane;
use super::limit::Pass;
use super::repeat::{Failure, Fate};
use super::{Auth, Call, Reply};
use crate::error::{Error, ErrorKind, service_message};
use crate::hiding::Secrets;
use crate::secret_string::SecretString;

/// What an attempt takes.
pub(crate) struct Wire {
    pub(crate) http: reqwest::Client,
    /// For an HTTP client that may put all requests on one connection.
    pub(crate) lane: Option<Arc<Lane>>,
    pub(crate) key: Key,
    /// What authorizes requests at a proxy, which may repeat it.
    pub(crate) at_proxies: Vec<SecretString>,
    pub(crate) timeout: Duration,
    pub(crate) largest_response: usize,
}

impl Wire {
    /// How long an attempt may take. After that, its place within the limits is given to others.
    pub(super) fn longest_attempt(&self, call: &Call) -> Duration {
        call.timeout.unwrap_or(self.timeout).saturating_add(call.extra_time)
    }

    /// Sends a call once. The job that it is about is not in the failure's error yet.
    pub(super) async fn attempt(
        &self,
        call: &Call,
        pass: Pass,
        deadline: Option<Instant>,
    ) -> Result<Reply, Failure> {
        let (request, departure) = self.request(call)?;
        // Others may soon have to wait for its end, and not for a caller who is not polled.
        let is_crowded = pass.is_crowded();
        let in_a_task = departure.clone();
        // Only the queue interface has calls that are held open.
        let lane = self.lane.as_ref().filter(|_| call.attempted.endpoint_id().is_some());
        let exchange = Exchange {
            http: self.http.clone(),
            request,
            departure,
            // Ours follows none.
            asked: self.lane.as_ref().map(|_| call.url.clone()),
            pass,
            given: self.longest_attempt(call),
            longest_silence: call.longest_silence,
            deadline,
            largest_response: call
                .largest_response
                .map_or(self.largest_response, |most| most.min(self.largest_response)),
            answers_new_job: call.answers_new_job,
            reads_events: call.reads_events,
            lane: lane.cloned(),
        };
        // The rarer futures are boxed: the one of every call has no room for them.
        let arrived = match lane.filter(|_| call.is_held_open) {
            Some(lane) => Box::pin(exchange.run_in(lane)).await,
            None if is_crowded => {
                let arrived = Box::pin(driven(exchange.run())).await;
                arrived.unwrap_or_else(|| Err(NotArrived::shut_down(&in_a_task)))
            }
            None => exchange.run().await,
        };
        let Arrived { sent_at, status, headers, retry_after, body, incoming, was_redirected } =
            arrived.map_err(|not_arrived| not_arrived.failure(call))?;
        if was_redirected {
            let what = "the custom HTTP client followed a redirect, which may have leaked the key to another host: build it with a redirect policy of `none()`";
            let error = Error::new(ErrorKind::Redirect, &call.attempted, what);
            return Err(Failure { fate: Fate::Final, error });
        }
        if !(200..300).contains(&status) {
            // The head decides. What is left of a body that breaks off could hold a part of a
            // secret, which could not be found in it any more.
            let body = body.unwrap_or_default();
            return Err(self.refusal(call, status, &headers, retry_after, &body));
        }
        let secrets = self.secrets(call);
        match body {
            Ok(body) => {
                Ok(Reply { sent_at, status, body, after_unknown_outcome: false, secrets, incoming })
            }
            Err(unread) => Err(unread.failure(call, status)),
        }
    }

    fn request(&self, call: &Call) -> Result<(reqwest::Request, Departure), Failure> {
        let unusable = |error: Error| Failure { fate: Fate::Final, error };
        let mut url = call.url.clone();
        if matches!(call.auth, Auth::QueryKey) {
            url.query_pairs_mut().append_pair("api_key", self.key.secret().expose());
        }
        if let Auth::Other(Some(credential)) = &call.auth
            && let Credential::Query { name, value } = &**credential
        {
            url.query_pairs_mut().append_pair(name, value.expose());
        }
        let mut request = reqwest::Request::new(call.operation.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if call.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        } else if matches!(call.operation.method, Method::POST | Method::PUT | Method::PATCH) {
            // Some gateways answer 411 where they are not told that there is none.
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        for (name, value) in &call.headers {
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                unusable(Error::refused(&call.attempted, *name, "is not allowed in a header"))
            })?;
            // Which of them are secrets, nobody says for certain.
            value.set_sensitive(true);
            headers.insert(*name, value);
        }
        self.key.authorize(&call.auth, headers);
        // A client that is brought may retry what has no body. Ours does not.
        if self.lane.is_none() && call.body.is_none() && call.operation.method.is_safe() {
            return Ok((request, Departure::UNKNOWN));
        }
        let (body, departure) = Outgoing::new(call.body.clone().unwrap_or_default());
        *request.body_mut() = Some(reqwest::Body::wrap(body));
        Ok((request, departure))
    }

    /// What is sent with all calls and must not be shown of any response.
    pub(crate) fn secrets_of_all_calls(&self) -> impl Iterator<Item = &SecretString> {
        self.at_proxies.iter().chain([self.key.secret()])
    }

    /// What the service could repeat and must not be shown.
    fn secrets(&self, call: &Call) -> Secrets {
        let known = call.secrets.iter().chain(self.secrets_of_all_calls()).cloned().collect();
        Secrets::new(known, call.body.clone())
    }

    /// An error that is handed out, with what the service says, and without what must not be shown:
    /// to look for that costs too much for an attempt that another one follows.
    pub(super) fn told(&self, call: &Call, error: Error) -> Error {
        let body = error.unredacted_body().cloned();
        if body.is_none() && error.source().is_none() {
            return error;
        }
        let secrets = self.secrets(call).looked_up();
        let redactor = secrets.redactor();
        let error = error.with_redacted_source(&redactor);
        let Some(body) = body else { return error };
        let said = service_message(&body, |text| redactor.hide(text));
        let message = said.map(|said| format!("{}; the service says: {said}", error.message()));
        let error = match message {
            Some(message) => error.with_message(message),
            None => error,
        };
        error.with_body(body, secrets)
    }

    /// The failure for a reply that is not a success.
    fn refusal(
        &self,
        call: &Call,
        status: u16,
        headers: &HeaderMap,
        retry_after: Option<Duration>,
        body: &Bytes,
    ) -> Failure {
        let (kind, fate, advice) = match status {
            ..200 => (
                ErrorKind::UnexpectedStatus,
                Fate::ServerFailed,
                "an informational status, which is not a final response",
            ),
            300..400 => {
                (ErrorKind::Redirect, Fate::Final, "redirects are not followed: check the URL")
            }
            400 => (ErrorKind::BadRequest, Fate::Final, "the request is malformed or invalid"),
            401 => (
                ErrorKind::Unauthorized,
                Fate::Final,
                match &call.auth {
                    Auth::Other(None) => {
                        "the service requires authorization, and none was sent (Authorization)"
                    }
                    Auth::Other(Some(_)) => {
                        "the authorization is wrong or lacks permission (Authorization)"
                    }
                    _ => "the API key is missing, wrong or lacks permission",
                },
            ),
            403 | 404 if is_page(headers, body) => (
                ErrorKind::Server,
                Fate::Intercepted,
                "the response is a web page, which comes from a gateway and not from the service: if this persists, check the URL",
            ),
            404 => (ErrorKind::NotFound, Fate::Final, "not found or no longer available"),
            407 => (
                ErrorKind::UnexpectedStatus,
                Fate::Final,
                "a proxy requires other credentials (ClientBuilder::proxy)",
            ),
            408 | 425 => (
                ErrorKind::Server,
                Fate::ServerFailed,
                "the service, or a gateway in front of it, did not accept the request in time",
            ),
            429 => (
                ErrorKind::RateLimited,
                Fate::Throttled,
                "a rate or concurrency limit was exceeded",
            ),
            501 => (ErrorKind::Server, Fate::Final, "the service does not support this operation"),
            500.. => (ErrorKind::Server, Fate::ServerFailed, "the service failed"),
            _ => (ErrorKind::UnexpectedStatus, Fate::Final, "an unexpected status"),
        };
        let mut message = format!("status {status}: {advice}");
        let secrets = self.secrets(call);
        if let Some(host) = redirect_host(call, headers).filter(|_| kind == ErrorKind::Redirect) {
            message.push_str(&format!(" (redirected to {})", secrets.hide(&host)));
        }
        let error = Error::new(kind, &call.attempted, message)
            .with_status(status)
            .with_retry_after(retry_after)
            .with_body(body.clone(), secrets);
        Failure { fate, error }
    }
}

impl NotArrived {
    fn failure(self, call: &Call) -> Failure {
        let (fate, kind, message) = match (&self.why, self.never_sent) {
            (Why::Failed(error), _) if error.is_builder() => (
                Fate::Final,
                ErrorKind::InvalidRequest,
                "the request could not be built".to_owned(),
            ),
            (Why::Failed(error), true) if error.is_connect() => {
                (Fate::NeverSent, ErrorKind::Connect, "no connection could be made".to_owned())
            }
            (Why::Failed(_), true) => {
                let what = "the connection closed before the request was sent";
                (Fate::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (Why::Refused(_), _) => {
                let what = "the service refused the request without processing it";
                (Fate::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (Why::Late(late), true) => (Fate::NeverSent, ErrorKind::Connect, late.not_sent()),
            (Why::Crowded, _) => {
                let what = "timed out before the request was sent: too many long-running calls share an HTTP/2 connection (ClientBuilder::http_client)";
                (Fate::NeverSent, ErrorKind::Timeout, what.to_owned())
            }
            (Why::Failed(error), false) if error.is_timeout() => (
                Fate::NoAnswer,
                ErrorKind::Timeout,
                "timed out waiting for the response".to_owned(),
            ),
            (Why::Failed(_), false) => {
                let what = "the connection broke before a response arrived";
                (Fate::NoAnswer, ErrorKind::Network, what.to_owned())
            }
            (Why::Late(late), false) => (Fate::NoAnswer, ErrorKind::Timeout, late.no_answer()),
            (Why::ShutDown, true) => {
                let what = "the runtime was shut down before the request was sent";
                (Fate::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (Why::ShutDown, false) => {
                let what = "the runtime was shut down before a response arrived";
                (Fate::NoAnswer, ErrorKind::Network, what.to_owned())
            }
        };
        match self.why {
            Why::Failed(source) | Why::Refused(source) => {
                let place = call.url.host_str().unwrap_or_default();
                let port = call.url.port().map(|port| format!(":{port}")).unwrap_or_default();
                let message = format!("{message} ({place}{port})");
                let error = Error::new(kind, &call.attempted, message);
                Failure { fate, error: error.with_source(source.without_url()) }
            }
            _ => Failure { fate, error: Error::new(kind, &call.attempted, message) },
        }
    }
}

/// The host that a redirect points to; its path and query may repeat what must not be shown.
fn redirect_host(call: &Call, headers: &HeaderMap) -> Option<String> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let target = call.url.join(location).ok()?;
    target.host_str().map(str::to_owned)
}

/// Whether a refusal is a page for people to read: the service says its own in JSON.
fn is_page(headers: &HeaderMap, body: &[u8]) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let is_html =
        content_type.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"text/html"));
    is_html || body.trim_ascii_start().starts_with(b"<")
}
