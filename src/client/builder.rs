//! Client builder: the settings of a client, and their validation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use podqueue_runtime::__private::{
    Credential, InterfaceDetails, Settings, Transport, base_url, check_url,
};
#[cfg(feature = "shared-limits")]
use podqueue_runtime::SharedLimits;
use podqueue_runtime::graphql::GraphqlBody;
use podqueue_runtime::{Authorization, RetryPolicy, SecretString, Service};
use reqwest::Url;

use super::queue_auth::QueueAuth;
use super::successors::successor;
use super::{Client, Interfaces};
use crate::error::{Error, Result};
use crate::observe::{Observation, Observer};
use crate::queue::{Context, PollRates, Polling, RetryListeners, Run, RunSync};
use crate::rate_limits::RateLimits;

/// The name of the settings in errors.
const SETTINGS: &str = "client settings";

/// The settings of a [`Client`](crate::Client).
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder {
    api_key: Option<SecretString>,
    base_url: Option<String>,
    rest_url: Option<String>,
    is_rest_url_exact: bool,
    graphql_url: Option<String>,
    account_url: Option<String>,
    queue_auth: QueueAuth,
    graphql_body: GraphqlBody,
    rate_limits: RateLimits,
    polling: Polling,
    run_limit: usize,
    run_sync_limit: usize,
    observer: Observer,
    /// The settings that the client shares with any service.
    settings: Settings,
}

impl Client {
    /// Returns a builder with the default settings.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Creates a client from the environment: `PODQUEUE_API_KEY`, plus `PODQUEUE_BASE_URL`,
    /// `PODQUEUE_REST_URL`, `PODQUEUE_GRAPHQL_URL` and, with the feature `account`,
    /// `PODQUEUE_ACCOUNT_URL` for the interfaces you use.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if the key is missing or a
    /// value is invalid.
    pub fn from_env() -> Result<Self> {
        Self::builder().from_env()?.build()
    }
}

impl ClientBuilder {
    fn new() -> Self {
        Self {
            api_key: None,
            base_url: None,
            rest_url: None,
            is_rest_url_exact: false,
            graphql_url: None,
            account_url: None,
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
    /// `PODQUEUE_REST_URL`, `PODQUEUE_GRAPHQL_URL` and, with the feature `account`,
    /// `PODQUEUE_ACCOUNT_URL`. Variables that are not set leave the builder unchanged.
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
        #[cfg(feature = "account")]
        if let Some(url) = variable("PODQUEUE_ACCOUNT_URL")? {
            self = self.account_url(url);
        }
        Ok(self)
    }

    /// The API key for all interfaces. Required.
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

    /// The base URL of the REST interface, version included: `{rest_url}/pods/{podId}`. If it has
    /// no path, the path of the description's first server is added, which is `/v1` for [`Rest`].
    ///
    /// [`exact_rest_url`](Self::exact_rest_url) adds nothing.
    ///
    /// [`Rest`]: crate::rest::Rest
    pub fn rest_url(mut self, url: impl Into<String>) -> Self {
        self.rest_url = Some(url.into());
        self.is_rest_url_exact = false;
        self
    }

    /// The base URL of the REST interface as it is, in place of [`rest_url`](Self::rest_url): paths
    /// are appended to it, and nothing else, even if it has no path. Meant for a fake or a proxy
    /// that serves the paths of the description at its root.
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

    /// The root of the account interface, to which the paths of its description are appended:
    /// `{account_url}/v2/pods`. There is no default.
    #[cfg(feature = "account")]
    pub fn account_url(mut self, url: impl Into<String>) -> Self {
        self.account_url = Some(url.into());
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

    /// Sets the number and the delays of retries of a failed call.
    ///
    /// Which calls may be retried does not depend on the policy and is the same for all interfaces:
    ///
    /// | call | 429, or never sent | 408, 425, 500, 502 and above (such as 503) | sent, but no response | an unreadable success | a web page with 403 or 404 |
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
    /// | `PUT` and `DELETE` of the account interface | retried | retried | retried | error | retried |
    /// | `POST` and `PATCH` of the account interface | retried | outcome unknown | outcome unknown | outcome unknown | error |
    /// | creating a template or a secret, any other mutation | retried | outcome unknown | outcome unknown | outcome unknown | error |
    ///
    /// Any other status is final, 501 included. A web page with 403 or 404 comes from a gateway:
    /// the service responds in JSON.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.settings.retry = policy;
        self
    }

    /// Sets how the client stays within the service's rate limits; by default it enforces all
    /// documented limits.
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.rate_limits = limits;
        self
    }

    /// Shares the rate limits with the other processes that use the account; by default, a client
    /// ignores those processes. See
    /// [`ServiceBuilder::shared_limits`](podqueue_runtime::ServiceBuilder::shared_limits), and
    /// [`LimitStore`] for an example that runs.
    ///
    /// With [`requests_per_worker`](RateLimits::requests_per_worker), each client follows the
    /// responses to its own health calls.
    ///
    /// [`LimitStore`]: crate::LimitStore
    #[cfg(feature = "shared-limits")]
    pub fn shared_limits(mut self, limits: SharedLimits) -> Self {
        self.settings.shared_limits = Some(limits);
        self
    }

    /// The intervals at which waits poll the status of a job, and streams poll for new chunks.
    pub fn polling(mut self, polling: Polling) -> Self {
        self.polling = polling;
        self
    }

    /// The timeout of a single attempt; 60 s by default. The `wait` of a synchronous job comes on
    /// top. See [`ServiceBuilder::timeout`](podqueue_runtime::ServiceBuilder::timeout).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// The timeout of a whole call; unlimited by default. The `wait` of a synchronous job comes on
    /// top. It applies to each call, not to a wait, which has a
    /// [separate timeout](crate::Wait::timeout). See
    /// [`ServiceBuilder::call_timeout`](podqueue_runtime::ServiceBuilder::call_timeout).
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.settings.call_timeout = Some(timeout);
        self
    }

    /// The timeout for establishing a connection; 10 s by default. See
    /// [`ServiceBuilder::connect_timeout`](podqueue_runtime::ServiceBuilder::connect_timeout).
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = timeout;
        self
    }

    /// The largest response body that is read, in bytes; 64 MiB by default. See
    /// [`ServiceBuilder::largest_response`](podqueue_runtime::ServiceBuilder::largest_response).
    pub fn largest_response(mut self, bytes: usize) -> Self {
        self.settings.largest_response = bytes;
        self
    }

    /// The largest request bodies for `/run` and `/runsync`, in bytes; [`Run::MAX_BODY`] and
    /// [`RunSync::MAX_BODY`] by default. Larger bodies are refused before sending.
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

    /// The URL of a proxy for all calls; by default, that of the environment, unless all URLs of
    /// the client are of this machine. See
    /// [`ServiceBuilder::proxy`](podqueue_runtime::ServiceBuilder::proxy).
    pub fn proxy(mut self, url: impl Into<SecretString>) -> Self {
        self.settings.proxy = Some(url.into());
        self
    }

    /// A custom HTTP client, for anything this builder has no setting for. See
    /// [`ServiceBuilder::http_client`](podqueue_runtime::ServiceBuilder::http_client) for the
    /// settings it requires.
    ///
    /// An HTTP/2 client works correctly, but more slowly: at most eight synchronous jobs and OpenAI
    /// calls are in flight at a time, to leave room for all other calls. That also applies until
    /// the first response has shown which version is in use.
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.settings.http_client = Some(client);
        self
    }

    /// Sets a function that is called for every call, retry, 429, poll and wait as it happens; see
    /// [`ServiceBuilder::observe`](podqueue_runtime::ServiceBuilder::observe).
    pub fn observe(mut self, report: impl Fn(&Observation<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(report);
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), with the setting's name as
    /// the field, if the key is missing or not allowed in a header; a URL is invalid, carries
    /// credentials, or is plain http to another host; the proxy's URL is invalid; the user agent is
    /// not allowed in a header; a timeout or the largest response is zero; the share of the rate
    /// limits is out of range.
    pub fn build(self) -> Result<Client> {
        let refuse = |field: &str, rule: &str| Error::refused(SETTINGS, field, rule);
        let key = self.api_key.clone().ok_or_else(|| {
            refuse("api_key", "is not set: pass it to the builder or set PODQUEUE_API_KEY")
        })?;
        if key.expose().is_empty() {
            return Err(refuse("api_key", "must not be empty"));
        }
        if !key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refuse(
                "api_key",
                "must consist of visible ASCII characters, without spaces or line breaks",
            ));
        }
        let mut settings = self.settings;
        let plain_http = settings.plain_http;
        let url = |interface, text: Option<String>| {
            text.map(|text| interface_url(interface, &text, plain_http)).transpose()
        };
        let base_url = url(Interface::Queue, self.base_url)?;
        let rest_url = url(Interface::Rest, self.rest_url)?;
        let graphql_url = url(Interface::Graphql, self.graphql_url)?;
        let account_url = url(Interface::Account, self.account_url)?;
        let urls = [&base_url, &rest_url, &graphql_url, &account_url];
        let urls: Vec<_> = urls.into_iter().flatten().collect();
        settings.rate_limits = self.rate_limits.limits().clone();
        settings.observer = self.observer.of_calls();
        let transport = Arc::new(settings.build(SETTINGS, &urls, vec![key.clone()])?);
        let service = |authorization| service(&transport, authorization);
        let retired = InterfaceDetails { successor, ..InterfaceDetails::default() };
        let rest = service(Authorization::bearer(key.clone()))?
            .at_setting("rest_url", rest_url)
            .of_interface(retired);
        #[cfg(feature = "account")]
        let account = service(Authorization::bearer(key.clone()))?
            .at_setting("account_url", account_url)
            .of_interface(crate::account::DETAILS);
        let queue = Context {
            service: service(self.queue_auth.of_calls(&key))?.at_setting("base_url", base_url),
            rate_limits: self.rate_limits,
            poll_rates: PollRates::new(self.polling.spacing()),
            polling: self.polling,
            retry_listeners: RetryListeners::default(),
            run_limit: self.run_limit,
            run_sync_limit: self.run_sync_limit,
            observer: self.observer,
        };
        Ok(Client {
            interfaces: Arc::new(Interfaces {
                queue: Arc::new(queue),
                rest: if self.is_rest_url_exact { rest } else { rest.taking_base_path() },
                graphql: service(Authorization::query("api_key", key.clone()))?
                    .at_setting("graphql_url", graphql_url)
                    .of_interface(retired),
                graphql_body: self.graphql_body,
                #[cfg(feature = "account")]
                account,
            }),
        })
    }
}

/// A service of the client, whose key the transport already knows as a secret.
fn service(transport: &Arc<Transport>, authorization: Authorization) -> Result<Service> {
    let mut credential = Credential::new(SETTINGS, authorization)?;
    credential.take_secrets();
    Ok(Service::new(Arc::clone(transport), credential))
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

/// Interface that a URL is for.
#[derive(Clone, Copy)]
enum Interface {
    Queue,
    Rest,
    Graphql,
    Account,
}

impl Interface {
    fn field(self) -> &'static str {
        match self {
            Self::Queue => "base_url",
            Self::Rest => "rest_url",
            Self::Graphql => "graphql_url",
            Self::Account => "account_url",
        }
    }

    /// The version at the end of the path, which is added if it is missing.
    fn version(self) -> Option<&'static str> {
        match self {
            Self::Queue => Some("/v2"),
            Self::Rest | Self::Graphql | Self::Account => None,
        }
    }
}

/// The URL of an interface. That of the queue has its version, without a slash at the end.
fn interface_url(interface: Interface, text: &str, plain_http: bool) -> Result<Url> {
    if matches!(interface, Interface::Graphql) {
        return Ok(check_url(SETTINGS, interface.field(), text, plain_http)?);
    }
    let mut url = base_url(SETTINGS, interface.field(), text, plain_http)?;
    if let Some(version) = interface.version() {
        let path = url.path().trim_end_matches('/').to_owned();
        let versioned = if path.ends_with(version) { path } else { format!("{path}{version}") };
        url.set_path(&versioned);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(interface: Interface, text: &str) -> String {
        interface_url(interface, text, false).expect("a usable URL").into()
    }

    #[test]
    fn the_version_is_added_where_it_is_missing() {
        for text in ["https://q.example", "https://q.example/", "https://q.example/v2/"] {
            assert_eq!(normal(Interface::Queue, text), "https://q.example/v2");
        }
        for text in ["https://r.example/", "https://r.example/a", "https://r.example/a/v1"] {
            assert_eq!(normal(Interface::Rest, text), text);
        }
        assert_eq!(
            normal(Interface::Graphql, "https://g.example/graphql"),
            "https://g.example/graphql"
        );
    }

    #[test]
    fn plain_http_is_for_loopback_unless_allowed() {
        for text in [
            "http://127.0.0.1:80",
            "http://localhost:1",
            "http://LocalHost.:1",
            "http://[::1]:1",
            "http://[::ffff:127.0.0.1]",
            "http://127.9.9.9",
        ] {
            assert!(interface_url(Interface::Queue, text, false).is_ok(), "{text}");
        }
        for text in [
            "http://q.example",
            "http://localhost.example",
            "http://localhost..",
            "http://10.0.0.1",
            "http://[::ffff:10.0.0.1]",
        ] {
            assert!(interface_url(Interface::Queue, text, false).is_err(), "{text}");
            assert!(interface_url(Interface::Queue, text, true).is_ok(), "{text}");
        }
    }

    #[test]
    fn an_unusable_url_is_refused_with_its_setting() {
        for text in [
            "",
            "queue.example",
            "ftp://q.example",
            "https://me@q.example",
            "https://q.example/#a",
            "https://q.example/?a=b",
            "https://",
        ] {
            let error = interface_url(Interface::Queue, text, true).expect_err(text);
            assert_eq!(error.field(), Some("base_url"), "{text}");
        }
    }
}
