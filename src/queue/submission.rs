//! Submission of a job, by `/run` or `/runsync`: its body, serialized once into the buffer that is
//! sent, and the storage settings in it.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Url;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::operations::{RUN, RUN_SYNC};
use super::{Endpoint, Job, JobRecord, Policy};
use crate::error::{Error, Result};
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::json::{not_decodable, not_serializable, text_in_truncated};
use podqueue_runtime::__private::redact::credentials_in_url;
use podqueue_runtime::SecretString;
use podqueue_runtime::{Call, Idempotency, Operation, Reply, RetryPolicy};

/// The beginning of every body, before the input.
const BEFORE_INPUT: &str = r#"{"input":"#;

const WAIT: RangeInclusive<Duration> =
    Duration::from_millis(1_000)..=Duration::from_millis(300_000);
const DEFAULT_WAIT: Duration = Duration::from_millis(90_000);

/// The time for a response beyond the requested wait.
const WAIT_MARGIN: Duration = Duration::from_secs(10);

/// An asynchronous submission; returned by [`Endpoint::run`], sent when awaited. Resolves to the
/// job's handle.
///
/// # Errors
///
/// - [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), before anything is sent: a
///   policy value is out of range, a webhook or storage URL is invalid, the body is above the
///   limit, or the input cannot be serialized or is not a JSON object;
/// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if it was sent and no readable
///   response arrived: the job may have been accepted, so the submission is not retried, unless
///   [`at_least_once`](Self::at_least_once) is set. If the job's id arrived before the response
///   broke off, timed out or grew too large, continue with [`Error::job_id`](crate::Error::job_id);
/// - the kinds for the service's error responses.
///
/// Nothing in a response ties it to its submission: behind a proxy that mixes up responses, the
/// handle may belong to another job. If that is a concern, put a unique value into each input and
/// compare it with the record's ([`record.other("input")`](crate::JobRecord::other), present in
/// practice).
#[derive(Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct Run {
    submission: Submission,
}

/// A synchronous submission; returned by [`Endpoint::run_sync`], sent when awaited. Resolves to the
/// record at the end of the wait.
///
/// # Errors
///
/// The errors of [`Run`]; a `wait` out of range is also refused. In addition,
/// [`ErrorKind::JobFailed`](crate::ErrorKind::JobFailed),
/// [`ErrorKind::JobCancelled`](crate::ErrorKind::JobCancelled) or
/// [`ErrorKind::JobTimedOut`](crate::ErrorKind::JobTimedOut) for a job that ended so, with its
/// record and the handler's message.
#[derive(Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct RunSync {
    submission: Submission,
    wait: Option<Duration>,
}

impl Endpoint {
    /// Submits a job and returns its handle at once: `POST /run`, with bodies of at most
    /// [`Run::MAX_BODY`] bytes.
    ///
    /// The input is any value that serde serializes as a JSON object, as the interface requires, or
    /// a reference to one. Its contents are up to the worker's handler and arrive unchanged.
    ///
    /// ```no_run
    /// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
    /// let job = endpoint.run(serde_json::json!({"prompt": "a lighthouse"})).await?;
    /// let record = job.wait().await?;
    /// let answer: String = record.output()?;
    /// # let _ = answer;
    /// # Ok(())
    /// # }
    /// ```
    pub fn run(&self, input: impl Serialize) -> Run {
        Run::new(self.clone(), &input)
    }

    /// Submits a job and lets the service wait for it: `POST /runsync`, with bodies of at most
    /// [`RunSync::MAX_BODY`] bytes.
    ///
    /// Resolves to the record at the end of the wait. If the job has not finished by then, it
    /// continues, and you can pick it up with [`JobRecord::job`](crate::JobRecord::job).
    pub fn run_sync(&self, input: impl Serialize) -> RunSync {
        RunSync::new(self.clone(), &input)
    }
}

/// The common part of both kinds of submission.
struct Submission {
    endpoint: Endpoint,
    /// The body up to and including the input, which is serialized once, into the buffer that is
    /// sent.
    body: Body,
    failed: Option<serde_json::Error>,
    webhook: Option<SecretString>,
    policy: Option<Policy>,
    s3_config: Option<S3Config>,
    at_least_once: bool,
    retry: Option<RetryPolicy>,
    timeout: Option<Duration>,
}

impl Submission {
    fn new(endpoint: Endpoint, input: &impl Serialize) -> Self {
        let mut body = Body::new();
        body.push(BEFORE_INPUT);
        let failed = serde_json::to_writer(&mut body, input).err();
        Self {
            endpoint,
            body,
            failed,
            webhook: None,
            policy: None,
            s3_config: None,
            at_least_once: false,
            retry: None,
            timeout: None,
        }
    }

    fn into_call(self, operation: &Operation, limit: usize) -> Result<Call> {
        let attempted = self.endpoint.attempted(operation);
        if let Some(error) = self.failed {
            return Err(not_serializable(attempted, "input", error).into());
        }
        let mut body = self.body;
        let input = &body.as_bytes()[BEFORE_INPUT.len()..];
        if !input.trim_ascii_start().starts_with(b"{") {
            let rule = "must be a JSON object, as the interface requires: wrap the value in one";
            return Err(Error::refused(attempted, "input", rule));
        }
        if let Some(webhook) = &self.webhook {
            check_webhook(&attempted, webhook.expose())?;
            append(&attempted, &mut body, "webhook", webhook.expose())?;
        }
        if let Some(policy) = &self.policy {
            policy.check(&attempted)?;
            append(&attempted, &mut body, "policy", policy)?;
        }
        if let Some(s3_config) = &self.s3_config {
            s3_config.check(&attempted)?;
            append(&attempted, &mut body, "s3Config", &s3_config.0)?;
        }
        body.push("}");
        if body.len() > limit {
            let rule = format_args!(
                "is {} bytes long, above the limit of {limit} bytes for this operation \
                 (the builder's `payload_limits`)",
                body.len()
            );
            return Err(Error::refused(attempted, "body", rule));
        }
        let url = match operation.name() == RUN.name() {
            true => self.endpoint.run_url(&attempted)?,
            false => {
                let path = self.endpoint.path("/").literal(operation.name());
                self.endpoint.url(&attempted, path)?
            }
        };
        let call = self.endpoint.call(operation, attempted, url);
        let mut call = call.body(body).timeout(self.timeout).created_id("id").retry(self.retry);
        if self.at_least_once {
            call = call.idempotency(Idempotency::AtLeastOnce);
        }
        let of_s3_config = self.s3_config.iter().flat_map(S3Config::secrets);
        // The service can put the URL that a job ends with into an error.
        let of_webhook = self.webhook.iter().flat_map(secrets_of_webhook);
        Ok(call.secrets(of_s3_config.chain(of_webhook)))
    }

    /// The job's ttl as the policy sets it.
    fn ttl(&self) -> Option<Duration> {
        self.policy.as_ref().and_then(Policy::ttl_that_is_set)
    }
}

fn append(
    attempted: &Attempted,
    body: &mut Body,
    field: &str,
    value: &(impl Serialize + ?Sized),
) -> Result<()> {
    body.push(&format!(r#","{field}":"#));
    let written = serde_json::to_writer(body, value);
    Ok(written.map_err(|error| not_serializable(attempted, field, error))?)
}

fn check_webhook(attempted: &Attempted, webhook: &str) -> Result<()> {
    if is_http_url(webhook) {
        return Ok(());
    }
    let rule = "must be an http or https URL, without white space";
    Err(Error::refused(attempted, "webhook", rule))
}

/// A webhook's URL, and those parts of it that are credentials, or long enough to be a token.
fn secrets_of_webhook(url: &SecretString) -> Vec<SecretString> {
    let parts = url.expose().split(['/', '?', '#', '&', '=']);
    let tokens = parts.filter(|part| part.len() >= 32).map(SecretString::from);
    let login = credentials_in_url(url.expose());
    std::iter::once(url.clone()).chain(tokens).chain(login).collect()
}

/// Reads the record of a new job, whose id is only known from the reply.
pub(super) fn read_new(
    endpoint: &Endpoint,
    operation: &Operation,
    reply: &Reply,
    secrets: &[SecretString],
) -> Result<JobRecord> {
    let attempted = endpoint.attempted(operation);
    let record = JobRecord::read(&attempted, reply, |id, _| match id {
        Some(id) if !id.is_empty() => Ok(Job::from_id(endpoint.clone(), &id).with_secrets(secrets)),
        _ => {
            let missing = <serde_json::Error as serde::de::Error>::missing_field("id");
            Err(not_decodable(&attempted, "id", missing).into())
        }
    });
    record.map_err(|error| {
        let error = error.classify_decode_error(operation.idempotency());
        match text_in_truncated(reply.body(), "id") {
            Some(id) => error.with_job_id(&id),
            None => error,
        }
    })
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("endpoint", &self.endpoint.id())
            .field("body_bytes", &self.body.len())
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// The largest body that `/run` accepts, in bytes: 10 MiB, the upper reading of the interface's
    /// 10 MB. A larger body is refused before it is sent, unless
    /// [`ClientBuilder::payload_limits`](crate::ClientBuilder::payload_limits) sets another limit.
    pub const MAX_BODY: usize = 10 * 1024 * 1024;

    fn new(endpoint: Endpoint, input: &impl Serialize) -> Self {
        Self { submission: Submission::new(endpoint, input) }
    }

    /// Checks the submission as it would be before it is sent, and sends nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), as for the submission
    /// itself.
    pub fn check(self) -> Result<()> {
        let limit = self.submission.endpoint.context().run_limit;
        self.submission.into_call(&RUN, limit).map(drop)
    }

    /// The future contains the call and not the submission, so that it is small.
    pub(super) fn send(self) -> impl Future<Output = Result<Job>> + Send {
        let (endpoint, ttl) = (self.submission.endpoint.clone(), self.submission.ttl());
        let call = self.submission.into_call(&RUN, endpoint.context().run_limit);
        async move {
            let call = call?;
            let secrets = call.known_secrets().to_vec();
            let reply = endpoint.send(call).await?;
            let record = read_new(&endpoint, &RUN, &reply, &secrets)?;
            record.job().lifespan().accepted(reply.sent_at(), ttl);
            record.record_observation(reply.sent_at());
            Ok(record.into_job())
        }
    }
}

impl RunSync {
    /// The largest body that `/runsync` accepts, in bytes: 20 MiB, the upper reading of the
    /// interface's 20 MB. A larger body is refused before it is sent, unless
    /// [`ClientBuilder::payload_limits`](crate::ClientBuilder::payload_limits) sets another limit.
    pub const MAX_BODY: usize = 20 * 1024 * 1024;

    fn new(endpoint: Endpoint, input: &impl Serialize) -> Self {
        Self { submission: Submission::new(endpoint, input), wait: None }
    }

    /// Sets the time that the service waits for the job before it responds: 1 to 300 seconds, in
    /// whole milliseconds; 90 seconds by default. It is not how long the result is kept.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Submits the job, waits as long as it takes, and decodes its output as a `T`.
    ///
    /// If the service's wait ends first, it continues to wait as [`Job::wait`] does.
    ///
    /// # Errors
    ///
    /// The errors of the submission itself, of [`Wait`](crate::Wait), and of [`JobRecord::output`].
    pub async fn output<T: DeserializeOwned>(self) -> Result<T> {
        let record = self.await?;
        if record.status().is_terminal() {
            return record.output();
        }
        record.job().wait().await?.output()
    }

    /// The future contains the call and not the submission, so that it is small.
    fn send(self) -> impl Future<Output = Result<JobRecord>> + Send {
        let (endpoint, ttl) = (self.submission.endpoint.clone(), self.submission.ttl());
        let wait = self.wait.unwrap_or(DEFAULT_WAIT);
        let call = self.into_call();
        async move {
            let call = call?;
            let secrets = call.known_secrets().to_vec();
            let reply = endpoint.send(call).await?;
            let record = read_new(&endpoint, &RUN_SYNC, &reply, &secrets)?;
            let lifespan = record.job().lifespan();
            lifespan.accepted(reply.sent_at(), ttl);
            lifespan.waited_for(wait);
            record.record_observation(reply.sent_at());
            record.into_result()
        }
    }

    fn into_call(self) -> Result<Call> {
        let endpoint = &self.submission.endpoint;
        if let Some(wait) = self.wait.filter(|wait| !WAIT.contains(wait)) {
            let rule = format_args!("must be from 1 to 300 seconds, not {wait:?}");
            return Err(Error::refused(endpoint.attempted(&RUN_SYNC), "wait", rule));
        }
        let limit = endpoint.context().run_sync_limit;
        let call = self.submission.into_call(&RUN_SYNC, limit)?.held_open();
        let call = call.extra_time(self.wait.unwrap_or(DEFAULT_WAIT) + WAIT_MARGIN);
        Ok(match self.wait {
            Some(wait) => call.query("wait", &wait.as_millis().to_string()),
            None => call,
        })
    }
}

/// The settings that both kinds of submission share.
macro_rules! submission_settings {
    ($request:ty, $output:ty) => {
        impl $request {
            /// The http or https URL that the service calls when the job has ended. The receiver
            /// must respond with 200; the service makes up to three attempts, ten seconds apart.
            ///
            /// Knowledge of the URL suffices to call it, so it is treated as a secret and never
            /// appears in errors, logs or `Debug` output. The feature `webhook` provides a
            /// receiver.
            pub fn webhook(mut self, url: impl Into<SecretString>) -> Self {
                self.submission.webhook = Some(url.into());
                self
            }

            /// The execution policy of this job.
            pub fn policy(mut self, policy: Policy) -> Self {
                self.submission.policy = Some(policy);
                self
            }

            /// The timeout of a single attempt at this call, until its response has been read;
            /// overrides the client's [`timeout`](crate::ClientBuilder::timeout). Synchronous jobs
            /// get their `wait` on top, large bodies the time it takes to send them. A shorter
            /// [`call_timeout`](crate::ClientBuilder::call_timeout) is raised to it.
            pub fn timeout(mut self, timeout: Duration) -> Self {
                self.submission.timeout = Some(timeout);
                self
            }

            /// Retries the submission even if it is not known whether the job was accepted:
            /// at-least-once delivery. Off by default.
            ///
            /// By default, a submission that was sent but got no response is not retried and fails
            /// with [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown). With this, it
            /// is retried according to the client's [`RetryPolicy`](crate::RetryPolicy), at the
            /// price that the job may run more than once: each run is billed, calls its webhook,
            /// and has its side effects. Only the job of the last response has a handle; the other
            /// jobs run to their end unseen. Use it for jobs that are cheap and idempotent.
            ///
            /// The error is still [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown)
            /// if all attempts are used up and one of them may have been accepted; and also,
            /// without another attempt, if the service accepted the job but its response is
            /// unreadable, is larger than the client's limit, or broke off after the job's id.
            pub fn at_least_once(mut self) -> Self {
                self.submission.at_least_once = true;
                self
            }

            /// Sets the number and the delays of retries of this submission, if retrying is safe;
            /// overrides the client's [`retry`](crate::ClientBuilder::retry).
            pub fn retry(mut self, policy: RetryPolicy) -> Self {
                self.submission.retry = Some(policy);
                self
            }

            /// Object-storage settings that are passed on to the worker.
            pub fn s3_config(mut self, settings: S3Config) -> Self {
                self.submission.s3_config = Some(settings);
                self
            }
        }

        impl IntoFuture for $request {
            type Output = Result<$output>;
            type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.send())
            }
        }
    };
}

submission_settings!(Run, Job);
submission_settings!(RunSync, JobRecord);

/// Object-storage settings that are passed on to the worker ([s3Config
/// object](crate#the-interface)). The worker must implement their use itself; any S3-compatible
/// storage works.
///
/// The credentials are never shown:
///
/// ```
/// use podqueue::S3Config;
///
/// let storage = S3Config::new("id", "s3cret", "results", "https://storage.example");
/// assert!(!format!("{storage:?}").contains("s3cret"));
/// ```
///
/// `S3Config` does not implement [`Serialize`](serde::Serialize): only a submission writes them.
#[derive(Clone, PartialEq, Eq)]
pub struct S3Config(SentS3Config);

/// The settings as they are sent.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct SentS3Config {
    #[serde(serialize_with = "SecretString::serialize_exposed")]
    access_id: SecretString,
    #[serde(serialize_with = "SecretString::serialize_exposed")]
    access_secret: SecretString,
    bucket_name: String,
    endpoint_url: String,
}

impl S3Config {
    /// Creates the settings from the credentials, the bucket's name and the storage's http or https
    /// URL. A submission with any other URL is refused, such as a URL without a scheme
    /// (`minio:9000`).
    pub fn new(
        access_id: impl Into<SecretString>,
        access_secret: impl Into<SecretString>,
        bucket_name: impl Into<String>,
        endpoint_url: impl Into<String>,
    ) -> Self {
        Self(SentS3Config {
            access_id: access_id.into(),
            access_secret: access_secret.into(),
            bucket_name: bucket_name.into(),
            endpoint_url: endpoint_url.into(),
        })
    }

    fn check(&self, attempted: &Attempted) -> Result<()> {
        if is_http_url(&self.0.endpoint_url) {
            return Ok(());
        }
        let rule =
            "must be an http or https URL, with its scheme and host, and without white space";
        Err(Error::refused(attempted, "s3Config.endpointUrl", rule))
    }

    fn secrets(&self) -> impl Iterator<Item = SecretString> {
        let given = [self.0.access_id.clone(), self.0.access_secret.clone()];
        given.into_iter().chain(credentials_in_url(&self.0.endpoint_url))
    }
}

impl fmt::Debug for S3Config {
    /// Shows the URL without what may authorize a request to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SentS3Config { access_id, access_secret, bucket_name, endpoint_url } = &self.0;
        let host = Url::parse(endpoint_url).ok();
        let host = host.as_ref().and_then(Url::host_str);
        f.debug_struct("S3Config")
            .field("access_id", access_id)
            .field("access_secret", access_secret)
            .field("bucket_name", bucket_name)
            .field("endpoint_host", &host)
            .finish()
    }
}

/// From this size on, a body grows by a sixteenth instead of doubling, so that a large body takes
/// its length in memory and not twice that.
const SLOW_GROWTH_SIZE: usize = 1024 * 1024;

/// The initial capacity in bytes: most bodies need no more, and are not reallocated.
const INITIAL_CAPACITY: usize = 256;

/// JSON under construction.
struct Body(Vec<u8>);

impl Body {
    fn new() -> Self {
        Self(Vec::with_capacity(INITIAL_CAPACITY))
    }

    fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, text: &str) {
        self.reserve(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn reserve(&mut self, more: usize) {
        let needed = self.0.len() + more;
        if needed > self.0.capacity() && needed >= SLOW_GROWTH_SIZE {
            self.0.reserve_exact(more + needed / 16);
        }
    }
}

impl Write for Body {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reserve(bytes.len());
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl From<Body> for Bytes {
    fn from(body: Body) -> Self {
        body.0.into()
    }
}

/// Returns true if the text is an http or https URL as written, because it is sent as written. The
/// parser accepts more: surrounding white space, missing slashes, backslashes.
pub(crate) fn is_http_url(text: &str) -> bool {
    let after_scheme = text.split_once("://").filter(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    after_scheme.is_some_and(|(_, rest)| !rest.starts_with(['/', '\\']))
        && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
        && Url::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_body_takes_little_more_than_its_length() {
        let mut body = Body::new();
        for _ in 0..20_000 {
            body.write_all(&[b'x'; 1_000]).expect("memory takes it");
        }
        assert_eq!(body.len(), 20_000_000);
        assert!(body.0.capacity() < 22_000_000, "{}", body.0.capacity());
    }

    #[test]
    fn text_after_a_large_piece_does_not_reallocate() {
        let mut body = Body::new();
        body.push(r#"{"input":"#);
        body.write_all(&vec![b'x'; 20_000_000]).expect("memory takes it");
        let capacity = body.0.capacity();
        body.push(r#","webhook":"https://me.example/hook"}"#);
        assert_eq!(body.0.capacity(), capacity);
        assert!(capacity < 22_000_000, "{capacity}");
    }
}
