//! Service builder: the settings of a service (timeouts, retries, rate limits, the HTTP client) and
//! their validation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;

use crate::authorization::{Authorization, Credential};
use crate::error::{Error, Result};
#[cfg(feature = "shared-limits")]
use crate::limiter::SharedLimits;
use crate::limiter::{Limiter, RateLimits};
use crate::observe::{Observation, Observer};
use crate::redact::proxy_credentials;
use crate::retry::{Budget, RetryPolicy};
use crate::secret_string::SecretString;
use crate::service::Service;
use crate::transport::{HeldCalls, HttpSender, Transport};
use crate::url::{base_url, is_loopback};

const MIB: usize = 1024 * 1024;

/// The time that an idle connection is kept: less than servers keep theirs, because a connection
/// that the server is closing would break the next call.
const IDLE_TIMEOUT: Duration = Duration::from_secs(25);

/// The name of the settings in errors.
const SETTINGS: &str = "service settings";

/// The settings of a [`Service`].
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ServiceBuilder {
    url: String,
    authorization: Authorization,
    settings: Settings,
}

impl Service {
    /// A builder for the service at `url`, to which the paths of calls are appended.
    pub fn builder(url: impl Into<String>) -> ServiceBuilder {
        ServiceBuilder::new(url.into())
    }
}

impl ServiceBuilder {
    fn new(url: String) -> Self {
        let user_agent = concat!("podqueue-runtime/", env!("CARGO_PKG_VERSION"));
        Self { url, authorization: Authorization::none(), settings: Settings::new(user_agent) }
    }

    /// Sets the authorization of calls; none by default.
    pub fn authorization(mut self, authorization: Authorization) -> Self {
        self.authorization = authorization;
        self
    }

    /// Allows plain http to hosts other than this machine. The authorization is then sent
    /// unencrypted.
    pub fn allow_plain_http(mut self) -> Self {
        self.settings.plain_http = true;
        self
    }

    /// Sets the number and the delays of retries of a failed call.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.settings.retry = policy;
        self
    }

    /// Sets how calls stay within the rate limits of their operations.
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.settings.rate_limits = limits;
        self
    }

    /// Shares the rate limits with the other processes that use the account, through a store such
    /// as a file. Together they stay within the limits and use almost all of them, however the load
    /// is distributed, even if a process crashes. [`RateLimits::off`] turns this off, too.
    ///
    /// The service gets a thread, which ends with the last clone of the service.
    #[cfg(feature = "shared-limits")]
    pub fn shared_limits(mut self, limits: SharedLimits) -> Self {
        self.settings.shared_limits = Some(limits);
        self
    }

    /// The timeout of a single attempt, until its response has been read completely; 60 s by
    /// default. The time it takes to send a large body comes on top.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// The timeout of a whole call: waiting for the rate limiter, all attempts, and the pauses in
    /// between. The time it takes to send a large body comes on top. Unlimited by default: a call
    /// ends with its last attempt.
    ///
    /// A call that exceeds it fails with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout), or with
    /// the last failure if no time is left for another attempt; a call that was already sent and
    /// must not be sent twice fails with
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown).
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

    /// The largest response body that is read, in bytes; 64 MiB by default. A larger body is an
    /// error: [`ErrorKind::ResponseTooLarge`](crate::ErrorKind::ResponseTooLarge), or
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if it is the success
    /// response to a call that must not be made twice.
    pub fn largest_response(mut self, bytes: usize) -> Self {
        self.settings.largest_response = bytes;
        self
    }

    /// The `User-Agent` header; `podqueue-runtime/<version>` by default.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.settings.user_agent = name.into();
        self
    }

    /// The URL (`http` or `https`) of a proxy for all calls. It may carry a user name and a
    /// password, and is never logged. By default, the environment variables `HTTPS_PROXY`,
    /// `HTTP_PROXY` and `NO_PROXY` apply, unless the service is on this machine.
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
    ///   many concurrent requests as the service's gateway allows, often a hundred; further
    ///   requests queue inside the HTTP client. HTTP/1.1 has no such limit.
    /// - `retry(never())`: retries are left to the [`RetryPolicy`](Self::retry). (The HTTP client
    ///   cannot retry this crate's requests anyway.)
    /// - `redirect(none())` and `referer(false)`: otherwise both could leak the authorization to
    ///   other hosts. A call that was redirected fails with
    ///   [`ErrorKind::Redirect`](crate::ErrorKind::Redirect), whatever the response.
    /// - `connect_timeout`: shorter than [`timeout`](Self::timeout); otherwise a call to an
    ///   unreachable host may be reported as a call with an unknown outcome.
    /// - `pool_idle_timeout`: shorter than the service keeps idle connections open; otherwise calls
    ///   may pick a connection that is just being closed.
    ///
    /// Over HTTP/2, at most eight calls that the service holds open are in flight at a time. A call
    /// that the HTTP client never got to send counts as never sent
    /// ([`ErrorKind::Connect`](crate::ErrorKind::Connect)) and is retried. With the feature
    /// `http2`, so does a call that the service refused at the HTTP/2 level (`REFUSED_STREAM`, or
    /// `GOAWAY` before it was processed); without the feature, its outcome is unknown. One
    /// limitation of HTTP/2 remains: a request without a body that is abandoned while the HTTP
    /// client still queues it may be sent later, and then counts against the service's rate limits.
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
    /// let service = podqueue_runtime::Service::builder("https://api.example")
    ///     .http_client(http)
    ///     .build()?;
    /// # let _ = service;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.settings.http_client = Some(client);
        self
    }

    /// Sets a function that is called for every call, retry and 429 as it happens, for example to
    /// collect metrics. It runs inline, in the tasks that make the calls, and must neither block
    /// nor panic.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use podqueue_runtime::{Observation, Service};
    ///
    /// let calls = Arc::new(AtomicU64::new(0));
    /// let counted = Arc::clone(&calls);
    /// let service = Service::builder("https://api.example")
    ///     .observe(move |observation| {
    ///         if let Observation::CallEnded { .. } = observation {
    ///             counted.fetch_add(1, Ordering::Relaxed);
    ///         }
    ///     })
    ///     .build()?;
    /// # let _ = service;
    /// # Ok::<(), podqueue_runtime::Error>(())
    /// ```
    pub fn observe(mut self, report: impl Fn(&Observation<'_>) + Send + Sync + 'static) -> Self {
        self.settings.observer = Observer::new(report);
        self
    }

    /// Builds the service. Sends nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), with the setting's name as
    /// the field: the URL is invalid, carries credentials or a query, or is plain http to another
    /// host; the authorization is empty or cannot be sent; the proxy's URL is invalid; the user
    /// agent is not allowed in a header; a timeout or the largest response is zero; the share of
    /// the rate limits is out of range.
    pub fn build(self) -> Result<Service> {
        let url = base_url(SETTINGS, "url", &self.url, self.settings.plain_http)?;
        let mut credential = Credential::new(SETTINGS, self.authorization)?;
        let secrets = credential.take_secrets();
        let transport = self.settings.build(SETTINGS, &[&url], secrets)?;
        Ok(Service::new(Arc::new(transport), credential).at_url(url))
    }
}

impl fmt::Debug for ServiceBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceBuilder")
            .field("url", &self.url.split('?').next().unwrap_or_default())
            .field("retry", &self.settings.retry)
            .field("rate_limits", &self.settings.rate_limits)
            .field("timeout", &self.settings.timeout)
            .field("call_timeout", &self.settings.call_timeout)
            .finish_non_exhaustive()
    }
}

/// The settings that do not depend on the service. Not public API: it changes without notice.
#[derive(Clone)]
#[doc(hidden)]
pub struct Settings {
    pub plain_http: bool,
    pub retry: RetryPolicy,
    pub rate_limits: RateLimits,
    #[cfg(feature = "shared-limits")]
    pub shared_limits: Option<SharedLimits>,
    pub timeout: Duration,
    pub call_timeout: Option<Duration>,
    pub connect_timeout: Duration,
    pub largest_response: usize,
    pub user_agent: String,
    pub proxy: Option<SecretString>,
    pub http_client: Option<reqwest::Client>,
    pub observer: Observer,
}

impl Settings {
    pub fn new(user_agent: &str) -> Self {
        Self {
            plain_http: false,
            retry: RetryPolicy::new(),
            rate_limits: RateLimits::new(),
            #[cfg(feature = "shared-limits")]
            shared_limits: None,
            timeout: Duration::from_secs(60),
            call_timeout: None,
            connect_timeout: Duration::from_secs(10),
            largest_response: 64 * MIB,
            user_agent: user_agent.to_owned(),
            proxy: None,
            http_client: None,
            observer: Observer::default(),
        }
    }

    /// The transport for services at `urls`, whose responses must not show `secrets`. Limits are
    /// shared by transports with the same first URL and first secret.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](crate::ErrorKind::InvalidRequest) for an invalid setting, which
    /// `attempted` introduces.
    pub fn build(
        self,
        attempted: &str,
        urls: &[&Url],
        secrets: Vec<SecretString>,
    ) -> Result<Transport> {
        let refuse = |field: &str, rule: &str| Error::refused(attempted, field, rule);
        if !self.rate_limits.share_is_usable() {
            return Err(refuse("rate_limits.share", "must be above 0 and at most 1"));
        }
        // With any of these at zero, every call would fail, and some only after they were sent.
        for (field, is_zero) in [
            ("timeout", self.timeout.is_zero()),
            ("call_timeout", self.call_timeout.is_some_and(|time| time.is_zero())),
            ("connect_timeout", self.connect_timeout.is_zero()),
            ("largest_response", self.largest_response == 0),
        ] {
            if is_zero {
                return Err(refuse(field, "must be above zero"));
            }
        }
        let connect_timeout = self.time_to_connect();
        let is_local = !urls.is_empty() && urls.iter().all(|url| is_loopback(url));
        let http = match &self.http_client {
            Some(http) => http.clone(),
            None => self.http(attempted, is_local)?,
        };
        #[cfg_attr(not(feature = "shared-limits"), expect(unused_mut))]
        let mut limiter = Limiter::new(self.rate_limits);
        #[cfg(feature = "shared-limits")]
        if let Some(limits) = self.shared_limits {
            let url = urls.first().map_or("", |url| url.as_str());
            let key = secrets.first().map_or("", SecretString::expose);
            limiter.share(limits, url, key).map_err(|error| {
                refuse("shared_limits", "need a thread, which could not be started")
                    .with_source(error)
            })?;
        }
        let environment = |name| std::env::var(name).ok();
        let at_proxies = proxy_credentials(self.proxy.as_ref(), environment);
        Ok(Transport {
            sender: HttpSender {
                http,
                held_calls: self.http_client.map(|_| Arc::new(HeldCalls::new())),
                secrets: at_proxies.into_iter().chain(secrets).collect(),
                timeout: self.timeout,
                largest_response: self.largest_response,
            },
            retry: self.retry,
            budget: Budget::new(),
            limiter,
            call_timeout: self.call_timeout,
            connect_timeout,
            observer: self.observer,
            plain_http: self.plain_http,
        })
    }

    /// The timeout of a connection: always shorter than an attempt. A connection that is still
    /// being made at the end of the attempt would look like a request that was sent and not
    /// answered.
    fn time_to_connect(&self) -> Duration {
        let attempt = self.call_timeout.unwrap_or(Duration::MAX).min(self.timeout);
        self.connect_timeout.min(attempt - attempt / 4)
    }

    /// The default HTTP client. Calls to this machine do not go through a proxy of the environment,
    /// which cannot reach this machine and would get the authorization over plain http.
    fn http(&self, attempted: &str, is_local: bool) -> Result<reqwest::Client> {
        let user_agent = HeaderValue::from_str(&self.user_agent)
            .map_err(|_| Error::refused(attempted, "user_agent", "is not allowed in a header"))?;
        let mut http = reqwest::Client::builder()
            .user_agent(user_agent)
            .connect_timeout(self.time_to_connect())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .http1_only()
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        if let Some(url) = &self.proxy {
            // The error has no details: the URL may contain a password.
            let refused =
                || Error::refused(attempted, "proxy", "must be the URL of an http or https proxy");
            // The HTTP client would fail with another scheme only at the first call.
            if url.expose().split_once("://").is_some_and(|(scheme, _)| !is_http(scheme)) {
                return Err(refused());
            }
            http = http.proxy(reqwest::Proxy::all(url.expose()).map_err(|_| refused())?);
        } else if is_local {
            http = http.no_proxy();
        }
        http.build().map_err(|error| {
            Error::refused(attempted, "http client", "cannot be set up: see the source")
                .with_source(error)
        })
    }
}

fn is_http(scheme: &str) -> bool {
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}
