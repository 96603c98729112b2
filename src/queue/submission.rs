//! Submitting a job: `/run` and `/runsync`.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::body::Body;
use super::body::is_http_url;
use super::operations::{RUN, RUN_SYNC};
use super::{Endpoint, Job, JobRecord, Policy, S3Config};
use crate::error::{Error, Result};
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::json::{not_decodable, not_serializable, text_in_flawed};
use podqueue_runtime::__private::redact::credentials;
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
/// As for [`Run`]; a `wait` out of range is also refused. In addition,
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
    /// The body up to and including the input, which is serialized once, into the buffer that is sent.
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
            append(&attempted, &mut body, "s3Config", s3_config.sent())?;
        }
        body.push("}");
        if body.len() > limit {
            let rule = format_args!(
                "is {} bytes long, above the limit of {limit} bytes for this operation \
                 (ClientBuilder::payload_limits)",
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
    let login = credentials::in_url(url.expose());
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
        let error = error.unreadable(operation.idempotency());
        match text_in_flawed(reply.body(), "id") {
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

    /// Sets the time that the service waits for the job before it responds: 1 to 300 seconds, in whole
    /// milliseconds; 90 seconds by default. It is not how long the result is kept.
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
    /// Those of the submission itself, of [`Wait`](crate::Wait), and of [`JobRecord::output`].
    pub async fn output<T: DeserializeOwned>(self) -> Result<T> {
        let record = self.send().await?;
        if record.status().is_terminal() {
            return record.output();
        }
        record.job().wait().await?.output()
    }

    async fn send(self) -> Result<JobRecord> {
        let endpoint = self.submission.endpoint.clone();
        if let Some(wait) = self.wait.filter(|wait| !WAIT.contains(wait)) {
            let rule = format_args!("must be from 1 to 300 seconds, not {wait:?}");
            return Err(Error::refused(endpoint.attempted(&RUN_SYNC), "wait", rule));
        }
        let (ttl, wait) = (self.submission.ttl(), self.wait.unwrap_or(DEFAULT_WAIT));
        let mut call = self.submission.into_call(&RUN_SYNC, endpoint.context().run_sync_limit)?;
        call = call.extra_time(wait + WAIT_MARGIN).held_open();
        if let Some(wait) = self.wait {
            call = call.query("wait", &wait.as_millis().to_string());
        }
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

/// The settings that both kinds of submission share.
macro_rules! submission_settings {
    ($request:ty, $output:ty) => {
        impl $request {
            /// The http or https URL that the service calls when the job has ended. The receiver
            /// must respond with 200; the service makes up to three attempts, ten seconds apart.
            ///
            /// Anyone who knows the URL can call it, so it is treated as a secret and never appears
            /// in errors, logs or `Debug` output. The feature `webhook` provides a receiver.
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

            /// Sets the number and the delays of retries of this submission, if retrying is safe; overrides
            /// the client's [`retry`](crate::ClientBuilder::retry).
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
