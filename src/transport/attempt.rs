//! One attempt at a call: send it, read the answer, and say what became of it.

use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER,
};

use tokio::time::Instant;

use super::hiding::hide_all;
use super::limit::Pass;
use super::repeat::Fate;
use super::time::Time;
use super::unread::{Cause, Unread};
use super::{Auth, Call, Reply, Transport};
use crate::error::{Error, ErrorKind, service_message};
use crate::secret_string::SecretString;

/// Why an attempt did not bring a successful reply.
pub(crate) struct Failure {
    pub(crate) fate: Fate,
    pub(crate) error: Error,
}

impl Transport {
    pub(super) async fn attempt(
        &self,
        call: &Call,
        pass: Pass,
        deadline: Option<Instant>,
    ) -> Result<Reply, Failure> {
        let left = deadline.map_or(Duration::MAX, |deadline| deadline - Instant::now());
        let given = left.min(self.timeout.saturating_add(call.extra_time));
        let time = Time::of(given, call.longest_silence);
        self.exchange(call, pass, time).await.map_err(|failure| match call.attempted.job_id() {
            Some(job_id) => Failure { error: failure.error.with_job_id(job_id), ..failure },
            None => failure,
        })
    }

    async fn exchange(&self, call: &Call, mut pass: Pass, time: Time) -> Result<Reply, Failure> {
        let request = self.request(call)?;
        pass.sent();
        let mut response = match time.limit(self.http.execute(request)).await {
            Ok(Ok(response)) => response,
            Err(late) => {
                let error = Error::new(ErrorKind::Timeout, &call.attempted, late.no_answer());
                return Err(Failure { fate: Fate::NoAnswer, error });
            }
            Ok(Err(error)) => {
                let failure = not_sent_or_not_answered(call, error);
                if failure.fate == Fate::NeverSent {
                    pass.not_sent();
                }
                return Err(failure);
            }
        };
        pass.answered();
        if was_redirected(call, &response) {
            let what = "the HTTP client that was set has followed a redirect, and may have carried \
                        the key to another host: build it with a policy that follows none";
            let error = Error::new(ErrorKind::Redirect, &call.attempted, what);
            return Err(Failure { fate: Fate::Final, error });
        }
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let retry_after = retry_after(&headers);
        if status == 429 {
            pass.refused(retry_after);
        }
        let body = self.read_body(call, &mut response, time).await;
        if body.is_ok() {
            pass.finished();
        }
        if !(200..300).contains(&status) {
            // The head decides. What is left of a body that breaks off could hold a part of a
            // secret, which could not be found in it any more.
            let body = body.unwrap_or_default();
            return Err(self.refusal(call, status, &headers, retry_after, &body));
        }
        let secrets = self.secrets(call);
        match body {
            Ok(body) => Ok(Reply { status, body, after_unknown_outcome: false, secrets }),
            Err(unread) => Err(unread.failure(call, status)),
        }
    }

    fn request(&self, call: &Call) -> Result<reqwest::Request, Failure> {
        let unusable = |error: Error| Failure { fate: Fate::Final, error };
        let mut url = call.url.clone();
        if call.auth == Auth::QueryKey {
            url.query_pairs_mut().append_pair("api_key", self.key.secret().expose());
        }
        let mut request = reqwest::Request::new(call.operation.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if call.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in &call.headers {
            let value = HeaderValue::from_str(value).map_err(|_| {
                unusable(Error::refused(&call.attempted, *name, "cannot stand in a header"))
            })?;
            headers.insert(*name, value);
        }
        if let Some(authorization) = self.key.header(call.auth) {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        *request.body_mut() = call.body.clone().map(reqwest::Body::from);
        Ok(request)
    }

    /// Reads the body into one buffer, sized in advance where its length is known.
    async fn read_body(
        &self,
        call: &Call,
        response: &mut reqwest::Response,
        time: Time,
    ) -> Result<Bytes, Unread> {
        let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
        // The id of a new job is worth reading out of an answer that is too large.
        let worth_reading = call.answers_new_job && response.status().is_success();
        if announced.is_some_and(|length| length > self.largest_reply) && !worth_reading {
            return Err(Unread::new(Cause::TooLarge(self.largest_reply), BytesMut::new()));
        }
        let mut body = BytesMut::with_capacity(announced.unwrap_or(0).min(self.largest_reply));
        let cause = loop {
            match time.limit(response.chunk()).await {
                Ok(Ok(Some(mut chunk))) => {
                    let room = self.largest_reply - body.len();
                    let is_too_large = chunk.len() > room;
                    chunk.truncate(room);
                    body.extend_from_slice(&chunk);
                    if is_too_large {
                        break Cause::TooLarge(self.largest_reply);
                    }
                }
                Ok(Ok(None)) => return Ok(body.freeze()),
                Ok(Err(error)) => break Cause::Broken(error.without_url()),
                Err(late) => break Cause::Late(late),
            }
        };
        Err(Unread::new(cause, body))
    }

    /// What the service could repeat and must not be shown.
    fn secrets(&self, call: &Call) -> Vec<SecretString> {
        call.secrets.iter().chain([self.key.secret()]).cloned().collect()
    }

    /// The failure for a reply that is not a success.
    fn refusal(
        &self,
        call: &Call,
        status: u16,
        headers: &HeaderMap,
        retry_after: Option<Duration>,
        body: &[u8],
    ) -> Failure {
        let (kind, fate, advice) = match status {
            300..400 => {
                (ErrorKind::Redirect, Fate::Final, "redirects are not followed: check the URL")
            }
            400 => {
                (ErrorKind::BadRequest, Fate::Final, "the request was found malformed or invalid")
            }
            401 => (
                ErrorKind::Unauthorized,
                Fate::Final,
                "the API key is missing, wrong or without permission",
            ),
            404 => (ErrorKind::NotFound, Fate::Final, "not found, or not there any more"),
            429 => (
                ErrorKind::RateLimited,
                Fate::Throttled,
                "a rate or concurrency limit was exceeded",
            ),
            501 => (ErrorKind::Server, Fate::Final, "the service cannot do that"),
            500.. => (ErrorKind::Server, Fate::ServerFailed, "the service failed"),
            _ => (ErrorKind::UnexpectedStatus, Fate::Final, "an unexpected status"),
        };
        let mut message = format!("answered {status}: {advice}");
        if let Some(host) = redirect_host(call, headers).filter(|_| kind == ErrorKind::Redirect) {
            message.push_str(&format!(" (it points to {host})"));
        }
        let secrets = self.secrets(call);
        if let Some(said) = service_message(body, |text| hide_all(text, &secrets)) {
            message.push_str(&format!("; the service says: {said}"));
        }
        let body = hide_all(String::from_utf8_lossy(body).into_owned(), &secrets);
        let error = Error::new(kind, &call.attempted, hide_all(message, &secrets))
            .with_status(status)
            .with_retry_after(retry_after)
            .with_body(Bytes::from(body));
        Failure { fate, error }
    }
}

fn not_sent_or_not_answered(call: &Call, error: reqwest::Error) -> Failure {
    let (fate, kind, message) = if error.is_builder() {
        (Fate::Final, ErrorKind::InvalidRequest, "the request cannot be built")
    } else if error.is_connect() {
        (Fate::NeverSent, ErrorKind::Connect, "no connection could be made")
    } else if error.is_timeout() {
        (Fate::NoAnswer, ErrorKind::Timeout, "no answer in time")
    } else {
        (Fate::NoAnswer, ErrorKind::Network, "the connection broke before an answer came")
    };
    let place = call.url.host_str().unwrap_or_default();
    let port = call.url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let message = format!("{message} ({place}{port})");
    let error = Error::new(kind, &call.attempted, message).with_source(error.without_url());
    Failure { fate, error }
}

/// Whether the answer is another place's than the one that was asked.
fn was_redirected(call: &Call, response: &reqwest::Response) -> bool {
    let (asked, answered) = (&call.url, response.url());
    asked.path() != answered.path()
        || asked.host_str() != answered.host_str()
        || asked.port() != answered.port()
        || asked.scheme() != answered.scheme()
}

/// The host that a redirect points to; its path and query may repeat what must not be shown.
fn redirect_host(call: &Call, headers: &HeaderMap) -> Option<String> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let target = call.url.join(location).ok()?;
    target.host_str().map(str::to_owned)
}

/// `Retry-After`: seconds, or an HTTP date.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(text).expect("a header value"));
        retry_after(&headers)
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        assert_eq!(parsed("7"), Some(Duration::from_secs(7)));
        assert_eq!(parsed(" 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(parsed("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(60));
        let left = parsed(&later).expect("a date");
        assert!(left > Duration::from_secs(50) && left <= Duration::from_secs(60), "{left:?}");
        for nonsense in ["-1", "soon", "inf", "NaN", "1e400"] {
            assert_eq!(parsed(nonsense), None, "{nonsense}");
        }
    }
}
