//! The settings of a client.

use std::fmt;
use std::time::Duration;

use crate::context::{GraphqlBody, Polling, QueueAuth};
use crate::error::{Error, Result};
use crate::observe::{Observation, Observer};
use crate::queue::{Run, RunSync};
use crate::secret_string::SecretString;
use crate::transport::{RateLimits, RetryPolicy};

const MIB: usize = 1024 * 1024;

/// What errors about the settings name.
pub(super) const SETTINGS: &str = "client settings";

/// The settings of a [`Client`](crate::Client).
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder {
    pub(super) api_key: Option<SecretString>,
    pub(super) base_url: Option<String>,
    pub(super) rest_url: Option<String>,
    pub(super) graphql_url: Option<String>,
    pub(super) plain_http: bool,
    pub(super) queue_auth: QueueAuth,
    pub(super) graphql_body: GraphqlBody,
    pub(super) retry: RetryPolicy,
    pub(super) rate_limits: RateLimits,
    pub(super) polling: Polling,
    pub(super) timeout: Duration,
    pub(super) call_timeout: Option<Duration>,
    pub(super) connect_timeout: Duration,
    pub(super) largest_reply: usize,
    pub(super) run_limit: usize,
    pub(super) run_sync_limit: usize,
    pub(super) user_agent: String,
    pub(super) proxy: Option<SecretString>,
    pub(super) http_client: Option<reqwest::Client>,
    pub(super) observer: Observer,
}

impl ClientBuilder {
    pub(super) fn new() -> Self {
        Self {
            api_key: None,
            base_url: None,
            rest_url: None,
            graphql_url: None,
            plain_http: false,
            queue_auth: QueueAuth::default(),
            graphql_body: GraphqlBody::default(),
            retry: RetryPolicy::new(),
            rate_limits: RateLimits::new(),
            polling: Polling::new(),
            timeout: Duration::from_secs(60),
            call_timeout: None,
            connect_timeout: Duration::from_secs(10),
            largest_reply: 64 * MIB,
            run_limit: Run::MAX_BODY,
            run_sync_limit: RunSync::MAX_BODY,
            user_agent: concat!("podqueue/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy: None,
            http_client: None,
            observer: Observer::default(),
        }
    }

    /// Takes the key and the URLs that the environment holds: `PODQUEUE_API_KEY`,
    /// `PODQUEUE_BASE_URL`, `PODQUEUE_REST_URL`, `PODQUEUE_GRAPHQL_URL`. What it does not hold stays
    /// as it was.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) where a value is not UTF-8.
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

    /// The API key, for all three interfaces. Required.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Where the queue interface is: `{base_url}/v2/{endpoint_id}/…`. A URL that ends in `/v2`
    /// already is taken as it is.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Where the REST interface is, with its version: `{rest_url}/pods/{podId}`. If the URL has no
    /// path, the path of the description's first server is added, which is `/v1` for [`Rest`].
    ///
    /// [`Rest`]: ::podqueue::Rest
    pub fn rest_url(mut self, url: impl Into<String>) -> Self {
        self.rest_url = Some(url.into());
        self
    }

    /// Where the GraphQL interface is: the whole URL, without the key.
    pub fn graphql_url(mut self, url: impl Into<String>) -> Self {
        self.graphql_url = Some(url.into());
        self
    }

    /// Permits plain http to hosts other than this machine. The key then travels readable.
    pub fn allow_plain_http(mut self) -> Self {
        self.plain_http = true;
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

    /// When a call is sent again.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How the client keeps to the service's rate limits: all of the documented ones by default.
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.rate_limits = limits;
        self
    }

    /// How often the status of a job is asked for while waiting, and new chunks while streaming.
    pub fn polling(mut self, polling: Polling) -> Self {
        self.polling = polling;
        self
    }

    /// How long one attempt at a call may take until its answer is read whole; 60 s by default. A
    /// synchronous job gets its `wait` on top, a large body the time to be sent.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long a call may take in all: its turn at the rate limits, every attempt and the pauses in
    /// between. A synchronous job gets its `wait` on top, a large body the time to be sent. No limit
    /// by default: a call ends when its attempts do.
    ///
    /// A call that runs out of it fails with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout), or
    /// with the last failure where no time is left for another attempt; a submission that was sent
    /// with [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown). It holds for each call,
    /// not for a wait, which has [its own](crate::Wait::timeout).
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = Some(timeout);
        self
    }

    /// How long a connection may take to be made; 10 s by default, and never more than three
    /// quarters of [`timeout`](Self::timeout) and of [`call_timeout`](Self::call_timeout): so a call
    /// that found no connection is told from one that was sent and not answered.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// The largest reply that is read, in bytes; 64 MiB by default. A larger one is an error:
    /// [`ErrorKind::ReplyTooLarge`](crate::ErrorKind::ReplyTooLarge), or
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) for a success of what must not
    /// be done twice.
    pub fn largest_reply(mut self, bytes: usize) -> Self {
        self.largest_reply = bytes;
        self
    }

    /// The largest bodies that are sent to `/run` and `/runsync`, in bytes;
    /// [`Run::MAX_BODY`] and [`RunSync::MAX_BODY`] by default. A larger one is refused.
    pub fn payload_limits(mut self, run: usize, run_sync: usize) -> Self {
        self.run_limit = run;
        self.run_sync_limit = run_sync;
        self
    }

    /// What the client calls itself; `podqueue/<version>` by default.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// The proxy that all calls go through, as a URL (`http`, `https`), which may carry a user name
    /// and a password and is not shown. Without it, the environment's `HTTPS_PROXY`, `HTTP_PROXY`
    /// and `NO_PROXY` hold.
    pub fn proxy(mut self, url: impl Into<SecretString>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// The HTTP client to send with, for what this builder has no setting for: a shared connection
    /// pool, certificates, name resolution. [`connect_timeout`](Self::connect_timeout),
    /// [`user_agent`](Self::user_agent) and [`proxy`](Self::proxy) are then set on it, not here.
    ///
    /// Build it as in the example below:
    ///
    /// - `http1_only`: over HTTP/2 all calls to a host share one connection, which takes only as many
    ///   at a time as the service's gateway admits, often a hundred, and the rest wait inside the HTTP
    ///   client. Over HTTP/1.1 there is no such bound.
    /// - `retry(never())`: the [`RetryPolicy`](Self::retry) knows what may be retried. (What this
    ///   crate sends cannot be retried by the HTTP client anyway.)
    /// - `redirect(none())` and `referer(false)`: both would carry the key to other hosts. A call that
    ///   was redirected is an error of the kind
    ///   [`ErrorKind::Redirect`](crate::ErrorKind::Redirect), whatever came back.
    /// - `connect_timeout`: less than [`timeout`](Self::timeout), or a submission to a host that is out
    ///   of reach may count as one with an unknown outcome.
    /// - `pool_idle_timeout`: less than the service keeps idle connections, or calls run into
    ///   connections that are just being closed.
    ///
    /// If it speaks HTTP/2 all the same, nothing goes wrong, but much gets slower: at most eight
    /// synchronous jobs and OpenAI calls are in flight at a time, so that there is room for all other
    /// calls. That also holds until the first response has shown which version it speaks. A submission
    /// that the HTTP client did not get to send counts as never sent
    /// ([`ErrorKind::Connect`](crate::ErrorKind::Connect)) and is retried; with the feature `http2` so
    /// does one that the service refused in the words of HTTP/2 (`REFUSED_STREAM`, or `GOAWAY` before
    /// it was processed), whose outcome is unknown without. One thing cannot be had over HTTP/2: a
    /// request without a body (a `status()`, say) that is given up while the HTTP client still queues
    /// it may leave later, and the service counts it then.
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
        self.http_client = Some(client);
        self
    }

    /// Tells a function of calls, retries, 429s, polls and waits as they happen, to count them.
    /// It is called in between, on the tasks that make the calls: it must neither block nor panic.
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
            .field("retry", &self.retry)
            .field("rate_limits", &self.rate_limits)
            .field("polling", &self.polling)
            .field("timeout", &self.timeout)
            .field("call_timeout", &self.call_timeout)
            .finish_non_exhaustive()
    }
}
