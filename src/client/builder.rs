//! Settings of a client.

use std::fmt;
use std::time::Duration;

use podqueue_runtime::__private::Settings;
#[cfg(feature = "shared-limits")]
use podqueue_runtime::SharedLimits;
use podqueue_runtime::graphql::GraphqlBody;
use podqueue_runtime::{RetryPolicy, SecretString};

use crate::error::{Error, Result};
use crate::observe::{Observation, Observer};
use crate::queue::{Polling, QueueAuth, Run, RunSync};
use crate::rate_limits::RateLimits;

/// The name of the settings in errors.
pub(super) const SETTINGS: &str = "client settings";

/// The settings of a [`Client`](crate::Client).
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder {
    pub(super) api_key: Option<SecretString>,
    pub(super) base_url: Option<String>,
    pub(super) rest_url: Option<String>,
    pub(super) is_rest_url_exact: bool,
    pub(super) graphql_url: Option<String>,
    pub(super) queue_auth: QueueAuth,
    pub(super) graphql_body: GraphqlBody,
    pub(super) rate_limits: RateLimits,
    pub(super) polling: Polling,
    pub(super) run_limit: usize,
    pub(super) run_sync_limit: usize,
    pub(super) observer: Observer,
    /// The settings that the client shares with any service.
    pub(super) settings: Settings,
}

impl ClientBuilder {
    pub(super) fn new() -> Self {
        Self {
            api_key: None,
            base_url: None,
            rest_url: None,
            is_rest_url_exact: false,
            graphql_url: None,
            queue_auth: QueueAuth::default(),
            graphql_body: GraphqlBody::default(),
            rate_limits: RateLimits::new(),
            polling: Polling::new(),
            run_limit: Run::MAX_BODY,
            run_sync_limit: RunSync::MAX_BODY,
            observer: Observer::default(),
            settings: Settings::new(concat!("podqueue/", env!("CARGO_PKG_VERSION"))),
        }
    }

    /// Reads the key and the URLs from the environment: `PODQUEUE_API_KEY`, `PODQUEUE_BASE_URL`,
    /// `PODQUEUE_REST_URL`, `PODQUEUE_GRAPHQL_URL`. Variables that are not set leave the builder
    /// unchanged.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if a value is not UTF-8.
    pub fn from_env(mut self) -> Result<Self> {
        if let Some(key) = variable("PODQUEUE_API_KEY")? {
            self = self.api_key(key);
        }
        if let Some(url) = variable("PODQUEUE_BASE_URL")? {
            self = self.base_url(url);
        }
        if let Some(url) = variable("PODQUEUE_REST_URL")? {
            self = self.rest_url(url);
        }
        if let Some(url) = variable("PODQUEUE_GRAPHQL_URL")? {
            self = self.graphql_url(url);
        }
        Ok(self)
    }

    /// The API key for all three interfaces. Required.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// The base URL of the queue interface: `{base_url}/v2/{endpoint_id}/…`. `/v2` is appended
    /// unless the URL already ends in it.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The base URL of the REST interface, version included: `{rest_url}/pods/{podId}`. If it has no
    /// path, the path of the description's first server is added, which is `/v1` for [`Rest`].
    ///
    /// [`exact_rest_url`](Self::exact_rest_url) adds nothing.
    ///
    /// [`Rest`]: crate::Rest
    pub fn rest_url(mut self, url: impl Into<String>) -> Self {
        self.rest_url = Some(url.into());
        self.is_rest_url_exact = false;
        self
    }

    /// The base URL of the REST interface as it is, in place of [`rest_url`](Self::rest_url): paths are
    /// appended to it, and nothing else, even if it has no path. It may be that of a fake or a proxy
    /// which serves the paths of the description at its root.
    pub fn exact_rest_url(mut self, url: impl Into<String>) -> Self {
        self.rest_url = Some(url.into());
        self.is_rest_url_exact = true;
        self
    }

    /// The full URL of the GraphQL interface, without the key.
    pub fn graphql_url(mut self, url: impl Into<String>) -> Self {
        self.graphql_url = Some(url.into());
        self
    }

    /// Allows plain http to hosts other than this machine. The API key is then sent unencrypted.
    pub fn allow_plain_http(mut self) -> Self {
        self.settings.plain_http = true;
        self
    }

    /// The form of the queue interface's `authorization` header; [`QueueAuth::Bearer`] by default.
    pub fn queue_auth(mut self, form: QueueAuth) -> Self {
        self.queue_auth = form;
        self
    }

    /// The form of a GraphQL request's body; [`GraphqlBody::QueryOnly`] by default.
    pub fn graphql_body(mut self, form: GraphqlBody) -> Self {
        self.graphql_body = form;
        self
    }

    /// How often, and after what delay, a failed call is retried.
    ///
    /// What may be retried does not depend on the policy and is the same for all three interfaces:
    ///
    /// | call | 429, or never sent | 408, 425, 500, 502 and above | sent, but no response | an unreadable success | a web page with 403 or 404 |
    /// |---|---|---|---|---|---|
    /// | `status`, `health`, REST reads, GraphQL queries | retried | retried | retried | error | retried |
    /// | stream | retried | retried | retried, with [a gap](crate::StreamChunk::after_gap) | retried, with a gap | retried |
    /// | run, runsync, openai | retried | [outcome unknown](crate::ErrorKind::OutcomeUnknown) | outcome unknown | outcome unknown | error |
    /// | run, runsync [at least once](crate::Run::at_least_once) | retried | retried | retried | outcome unknown | retried |
    /// | cancel | retried | retried | retried | error | retried |
    /// | retry | retried | settled by reading the job's status | the same | the same | error |
    /// | purge-queue | retried | outcome unknown | outcome unknown | outcome unknown | error |
    /// | changing a template | retried | retried | retried | error | retried |
    /// | deleting a template or a secret | retried | retried; a clear "not found" then counts as deleted, and after any other refusal the outcome is unknown | the same | outcome unknown | retried |
    /// | creating a template or a secret, any other mutation | retried | outcome unknown | outcome unknown | outcome unknown | error |
    ///
    /// Any other status is final, 501 included. A web page with 403 or 404 comes from a gateway: the
    /// service responds in JSON.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.settings.retry = policy;
        self
    }

    /// How the client stays within the service's rate limits; by default it enforces all documented
    /// ones.
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.rate_limits = limits;
        self
    }

    /// Keeps the rate limits together with the other processes that use the account: all of them
    /// with the same store, such as a file. Together they stay within the limits and use almost all
    /// of them, however the load is distributed, even if a process crashes. Without this setting, or with
    /// [`RateLimits::off`], a client knows nothing of the others. With
    /// [`requests_per_worker`](RateLimits::requests_per_worker), each client follows the responses
    /// to its own health calls.
    ///
    /// The client gets a thread, which ends with the client's last clone.
    ///
    /// See [`LimitStore`] for an example that runs.
    ///
    /// [`LimitStore`]: crate::LimitStore
    #[cfg(feature = "shared-limits")]
    pub fn shared_limits(mut self, limits: SharedLimits) -> Self {
        self.settings.shared_limits = Some(limits);
        self
    }

    /// How often waits poll the status of a job, and streams poll for new chunks.
    pub fn polling(mut self, polling: Polling) -> Self {
        self.polling = polling;
        self
    }

    /// The timeout of a single attempt, until its response has been read completely; 60 s by
    /// default. The `wait` of a synchronous job and the time it takes to send a large body come on
    /// top.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// The timeout of a whole call: waiting for the rate limiter, all attempts, and the pauses in
    /// between. The `wait` of a synchronous job and the time it takes to send a large body come on
    /// top. Unlimited by default: a call ends with its last attempt.
    ///
    /// A call that exceeds it fails with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout), or with
    /// the last failure if no time is left for another attempt; a submission that was already sent
    /// fails with [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown). It applies to
    /// each call, not to a wait, which has a [separate timeout](crate::Wait::timeout).
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.settings.call_timeout = Some(timeout);
        self
    }

    /// The timeout for establishing a connection; 10 s by default, and capped at three quarters of
    /// [`timeout`](Self::timeout) and of [`call_timeout`](Self::call_timeout), so that a failed
    /// connection can be distinguished from a request that was sent and got no response.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = timeout;
        self
    }

    /// The largest response body that is read, in bytes; 64 MiB by default. A larger one is an
    /// error: [`ErrorKind::ResponseTooLarge`](crate::ErrorKind::ResponseTooLarge), or
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if it is the success
    /// response to a call that must not be made twice.
    pub fn largest_response(mut self, bytes: usize) -> Self {
        self.settings.largest_response = bytes;
        self
    }

    /// The largest request bodies for `/run` and `/runsync`, in bytes; [`Run::MAX_BODY`] and
    /// [`RunSync::MAX_BODY`] by default. Larger ones are refused before sending.
    pub fn payload_limits(mut self, run: usize, run_sync: usize) -> Self {
        self.run_limit = run;
        self.run_sync_limit = run_sync;
        self
    }

    /// The `User-Agent` header; `podqueue/<version>` by default.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.settings.user_agent = name.into();
        self
    }

    /// The URL (`http` or `https`) of a proxy for all calls. It may carry a user name and a
    /// password, and is never logged. By default, the environment variables `HTTPS_PROXY`,
    /// `HTTP_PROXY` and `NO_PROXY` apply, unless all URLs of the client are of this machine.
    pub fn proxy(mut self, url: impl Into<SecretString>) -> Self {
        self.settings.proxy = Some(url.into());
        self
    }

    /// A custom HTTP client, for anything this builder has no setting for: a shared connection
    /// pool, certificates, name resolution. Set [`connect_timeout`](Self::connect_timeout),
    /// [`user_agent`](Self::user_agent) and [`proxy`](Self::proxy) on it; the builder's settings
    /// are then ignored.
    ///
    /// Build it as in the example below, with:
    ///
    /// - `http1_only`: over HTTP/2 all calls to a host share one connection. It carries only as
    ///   many concurrent requests as the service's gateway allows, often a hundred; the rest queue
    ///   inside the HTTP client. HTTP/1.1 has no such limit.
    /// - `retry(never())`: retries are left to the [`RetryPolicy`](Self::retry). (The HTTP client
    ///   cannot retry this crate's requests anyway.)
    /// - `redirect(none())` and `referer(false)`: otherwise both could leak the key to other hosts.
    ///   A call that was redirected fails with [`ErrorKind::Redirect`](crate::ErrorKind::Redirect),
    ///   whatever the response.
    /// - `connect_timeout`: shorter than [`timeout`](Self::timeout); otherwise a submission to an
    ///   unreachable host may be reported as one with an unknown outcome.
    /// - `pool_idle_timeout`: shorter than the service keeps idle connections open; otherwise calls
    ///   may pick a connection that is just being closed.
    ///
    /// An HTTP/2 client works correctly, but more slowly: at most eight synchronous jobs and OpenAI
    /// calls are in flight at a time, to leave room for all other calls. That also applies until
    /// the first response has shown which version is in use. A submission that the HTTP client
    /// never got to send counts as never sent ([`ErrorKind::Connect`](crate::ErrorKind::Connect))
    /// and is retried. With the feature `http2`, so does one that the service refused at the HTTP/2
    /// level (`REFUSED_STREAM`, or `GOAWAY` before it was processed); without the feature, its
    /// outcome is unknown. One limitation of HTTP/2 remains: a request without a body (such as
    /// `status()`) that is abandoned while the HTTP client still queues it may be sent later, and
    /// then counts against the service's rate limits.
    ///
    /// ```
    /// let http = reqwest::Client::builder()
    ///     .http1_only()
    ///     .retry(reqwest::retry::never())
    ///     .redirect(reqwest::redirect::Policy::none())
    ///     .referer(false)
    ///     .connect_timeout(std::time::Duration::from_secs(10))
    ///     .pool_idle_timeout(std::time::Duration::from_secs(25))
    ///     .build()?;
    /// let client = podqueue::Client::builder()
    ///     .api_key("the-key")
    ///     .base_url("https://queue.example")
    ///     .http_client(http)
    ///     .build()?;
    /// # let _ = client;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.settings.http_client = Some(client);
        self
    }

    /// Sets a function that is called for every call, retry, 429, poll and wait as it happens, for
    /// example to collect metrics. It runs inline, in the tasks that make the calls, and must
    /// neither block nor panic.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use podqueue::{Client, Observation};
    ///
    /// let calls = Arc::new(AtomicU64::new(0));
    /// let counted = Arc::clone(&calls);
    /// let client = Client::builder()
    ///     .api_key("the-key")
    ///     .base_url("https://queue.example")
    ///     .observe(move |observation| {
    ///         if let Observation::CallEnded { .. } = observation {
    ///             counted.fetch_add(1, Ordering::Relaxed);
    ///         }
    ///     })
    ///     .build()?;
    /// # let _ = client;
    /// # Ok::<(), podqueue::Error>(())
    /// ```
    pub fn observe(mut self, tell: impl Fn(&Observation<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(tell);
        self
    }
}

fn variable(name: &'static str) -> Result<Option<String>> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Error::refused("client settings from the environment", name, "is not UTF-8"))
        }
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("api_key", &self.api_key)
            .field("retry", &self.settings.retry)
            .field("rate_limits", &self.rate_limits)
            .field("polling", &self.polling)
            .field("timeout", &self.settings.timeout)
            .field("call_timeout", &self.settings.call_timeout)
            .finish_non_exhaustive()
    }
}
