//! Configuration and start of a service.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;
use serde_json::Value;

use crate::account::{Account, AccountContext, QuotaLimiter};
use crate::clock::Clock;
use crate::error::Error;
use crate::faults::FaultInjector;
use crate::graphql;
use crate::http::{HostCheck, HostName, RequestLog, listen};
use crate::operation::Operation;
use crate::queue::{
    EndpointFactory, EndpointRegistry, EndpointSettings, EndpointWorkers, StreamShape, WorkerKind,
    Workers,
};
use crate::rate_limits::{RateLimiter, RateLimits};
use crate::resources::{Resources, seeded_pods, seeded_templates};
use crate::retired::RetiredInterface;
use crate::router::{ApiKey, ApiKeys, App, OpenApiDescriptions, Session};
use crate::scenarios::{Scenario, Scenarios};
use crate::service::{LocalService, reachable};
use crate::tasks::Tasks;
use crate::webhook::Webhooks;
use crate::worker::{
    ClosureHandler, Handler, HandlerError, LocalJob, LogListener, StreamHandler, WorkerEnvironment,
    WorkerLogLine, builtins,
};

const DEFAULT_EXECUTION_TIMEOUT: Duration = Duration::from_secs(600);
/// Far more than a test queues. It bounds the number of jobs, not their size: fewer jobs with
/// inputs of several MiB can fill the memory.
const DEFAULT_MAX_QUEUED: usize = 100_000;
const MAX_RUN_PAYLOAD: usize = 10 * 1024 * 1024;
const MAX_RUNSYNC_PAYLOAD: usize = 20 * 1024 * 1024;
/// Far more than the concurrent requests that the rate limits allow.
const DEFAULT_MAX_CONNECTIONS: usize = 4096;

/// Configures a [`LocalService`]; created by [`LocalService::builder`].
#[must_use = "a builder does nothing until `start` is called"]
pub struct Builder {
    keys: Vec<ApiKey>,
    rate_limits: Option<RateLimits>,
    listen: SocketAddr,
    allowed_hosts: Vec<String>,
    max_connections: usize,
    clock: Clock,
    endpoints: BTreeMap<String, EndpointWorkers>,
    worker_env_prefix: String,
    log_listener: Option<LogListener>,
    defaults: EndpointSettings,
    workers: BTreeMap<String, Workers>,
    execution_timeouts: BTreeMap<String, Duration>,
    builtins: bool,
    control_plane: bool,
    page: bool,
    seeds: bool,
    pods: Vec<Value>,
    templates: Vec<Value>,
    scenarios: Vec<Scenario>,
    session: Option<Session>,
    stream_shape: StreamShape,
    retired: BTreeSet<RetiredInterface>,
    strict: bool,
    max_run_payload: usize,
    max_runsync_payload: usize,
}

impl Builder {
    fn new() -> Self {
        Self {
            keys: Vec::new(),
            rate_limits: None,
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            allowed_hosts: Vec::new(),
            max_connections: DEFAULT_MAX_CONNECTIONS,
            clock: Clock::real(),
            endpoints: BTreeMap::new(),
            worker_env_prefix: String::new(),
            log_listener: None,
            defaults: EndpointSettings {
                kind: WorkerKind::Closure,
                workers: Workers::default(),
                execution_timeout: DEFAULT_EXECUTION_TIMEOUT,
                max_queued: DEFAULT_MAX_QUEUED,
                keeps_history: false,
            },
            workers: BTreeMap::new(),
            execution_timeouts: BTreeMap::new(),
            builtins: true,
            control_plane: false,
            page: false,
            seeds: true,
            pods: Vec::new(),
            templates: Vec::new(),
            scenarios: Vec::new(),
            session: None,
            stream_shape: StreamShape::default(),
            retired: BTreeSet::new(),
            strict: false,
            max_run_payload: MAX_RUN_PAYLOAD,
            max_runsync_payload: MAX_RUNSYNC_PAYLOAD,
        }
    }
}

impl LocalService {
    /// Returns a builder with the default configuration.
    pub fn builder() -> Builder {
        Builder::new()
    }
}

impl Builder {
    /// Adds an API key, valid on all interfaces. Each key is a separate user with separate
    /// rate limits. Without any key, a random key is generated, which [`LocalService::api_key`]
    /// returns.
    ///
    /// A key must be printable ASCII without surrounding white space; otherwise
    /// [`start`](Self::start) fails.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.keys.push(ApiKey { secret: key.into(), allowed: None });
        self
    }

    /// Adds an API key with permission for some operations only; all other operations respond with
    /// 401. The account interface, which responds with 403, and the control plane count as one
    /// operation each, [`Operation::Account`] and [`Operation::Control`].
    pub fn restricted_api_key(
        mut self,
        key: impl Into<String>,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Self {
        let allowed = Some(operations.into_iter().collect());
        self.keys.push(ApiKey { secret: key.into(), allowed });
        self
    }

    /// Enforces rate limits. By default there are none.
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.rate_limits = Some(limits);
        self
    }

    /// Adds an endpoint whose jobs `handler` runs. The handler returns the job's output or its
    /// error. An existing endpoint of that name is replaced, including a built-in endpoint.
    ///
    /// ```
    /// # use podqueue_local::{LocalJob, LocalService};
    /// # use serde_json::json;
    /// let builder = LocalService::builder().endpoint("double", |job: LocalJob| async move {
    ///     let n = job.input["n"].as_i64().ok_or("input.n must be an integer")?;
    ///     Ok(json!({ "n": 2 * n }))
    /// });
    /// ```
    pub fn endpoint<F, Fut>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(LocalJob) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, HandlerError>> + Send + 'static,
    {
        self.handler(name.into(), WorkerKind::Closure, Arc::new(ClosureHandler(handler)))
    }

    /// Adds an endpoint whose handler returns a stream: each item becomes a chunk for `/stream`,
    /// the list of all items the job's output, and an error fails the job.
    ///
    /// If the output should differ from the chunks, use [`endpoint`](Self::endpoint) and
    /// [`LocalJob::emit`].
    ///
    /// ```
    /// # use futures_util::stream;
    /// # use podqueue_local::{LocalJob, LocalService};
    /// # use serde_json::json;
    /// let builder = LocalService::builder().streaming_endpoint("words", |job: LocalJob| {
    ///     let text = job.input["text"].as_str().unwrap_or_default().to_owned();
    ///     let words: Vec<_> = text.split(' ').map(|word| Ok(json!({ "word": word }))).collect();
    ///     stream::iter(words)
    /// });
    /// ```
    pub fn streaming_endpoint<F, S>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(LocalJob) -> S + Send + Sync + 'static,
        S: Stream<Item = Result<Value, HandlerError>> + Send + 'static,
    {
        self.handler(name.into(), WorkerKind::Closure, Arc::new(StreamHandler(handler)))
    }

    /// Adds an endpoint whose workers are processes that run a shell command. A job arrives as one
    /// line of JSON on standard input: `{"id": …, "input": …}`, with `policy` and `s3Config` if the
    /// job has them. The process responds with lines of JSON on standard output: any number of
    /// `{"stream": …}` and `{"progress": …}`, then one `{"output": …}` or `{"error": "…"}`. A
    /// process that exits or writes anything else before that fails its job, and its replacement
    /// starts cold.
    ///
    /// A process may exit after its response without failing another job. A line that it writes
    /// between its response and reading the next job is dropped, which its logs say. What it writes
    /// to standard error is kept: see [`worker_logs`](LocalService::worker_logs).
    pub fn command_endpoint(mut self, name: impl Into<String>, command: impl Into<String>) -> Self {
        self.endpoints.insert(name.into(), EndpointWorkers::Command(command.into()));
        self
    }

    /// Adds an endpoint with these workers.
    #[cfg(feature = "program")]
    pub(crate) fn endpoint_with(mut self, name: &str, workers: EndpointWorkers) -> Self {
        self.endpoints.insert(name.to_owned(), workers);
        self
    }

    fn handler(mut self, name: String, kind: WorkerKind, handler: Arc<dyn Handler>) -> Self {
        self.endpoints.insert(name, EndpointWorkers::Handler(kind, handler));
        self
    }

    /// Adds an endpoint whose workers attach to the service over HTTP and take its jobs: programs
    /// that are started elsewhere, with the environment that
    /// [`worker_environment`](LocalService::worker_environment) returns.
    ///
    /// The service neither starts nor stops these workers, so of [`Workers`] only
    /// [`ping_interval`](Workers::ping_interval) applies to them. See [the crate's
    /// documentation](crate#workers-that-attach).
    pub fn endpoint_for_workers(mut self, name: impl Into<String>) -> Self {
        self.endpoints.insert(name.into(), EndpointWorkers::Attached(None));
        self
    }

    /// Adds an endpoint whose workers are programs that attach to the service over HTTP, started
    /// with a shell command when they are needed, with the environment that tells them how. A
    /// worker is starting until it first takes a job; if it ends by itself, its jobs run once more
    /// on another worker. Its output is kept: see [`worker_logs`](LocalService::worker_logs).
    ///
    /// See [the crate's documentation](crate#workers-that-attach).
    pub fn worker_endpoint(mut self, name: impl Into<String>, command: impl Into<String>) -> Self {
        self.endpoints.insert(name.into(), EndpointWorkers::Attached(Some(command.into())));
        self
    }

    /// Sets the prefix of the names of the environment variables of attached workers: empty by
    /// default. It must consist of ASCII letters, digits and `_`, without a digit at its beginning;
    /// otherwise [`start`](Self::start) fails.
    pub fn worker_env_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.worker_env_prefix = prefix.into();
        self
    }

    /// Sets a function that is called with each line that a worker process prints, except for the
    /// standard output of a [`command_endpoint`](Self::command_endpoint), and with each message of
    /// the service about a worker. It must return soon: the service waits for it.
    pub fn on_worker_log(
        mut self,
        listener: impl Fn(&WorkerLogLine) + Send + Sync + 'static,
    ) -> Self {
        self.log_listener = Some(Arc::new(listener));
        self
    }

    /// Omits the built-in endpoints `echo`, `count`, `sleep` and `fail`.
    pub fn without_builtin_endpoints(mut self) -> Self {
        self.builtins = false;
        self
    }

    /// Sets the number of workers of each endpoint: at least 1 and at most 3 by default. With
    /// `workers(0, 0)` every job stays in the queue.
    pub fn workers(mut self, min: usize, max: usize) -> Self {
        self.defaults.workers = Workers::between(min, max);
        self
    }

    /// Sets the workers of one endpoint.
    pub fn workers_of(mut self, endpoint: impl Into<String>, workers: Workers) -> Self {
        self.workers.insert(endpoint.into(), workers);
        self
    }

    /// Sets the execution timeout of jobs of an endpoint without one in their policy: 10 minutes by
    /// default.
    pub fn execution_timeout_of(mut self, endpoint: impl Into<String>, timeout: Duration) -> Self {
        self.execution_timeouts.insert(endpoint.into(), timeout);
        self
    }

    /// Sets the number of jobs, of any size, that can wait in the queue of each endpoint: 100,000
    /// by default. Beyond that, a submission gets 429. The interface has no such limit; it protects
    /// the memory of the process.
    pub fn max_queued(mut self, jobs: usize) -> Self {
        self.defaults.max_queued = jobs;
        self
    }

    /// Sets the address to listen on: 127.0.0.1 and a free port by default.
    ///
    /// On an address other than loopback, every client that can reach this machine can reach the
    /// service, and only the API key protects it. The `Host` of a request must be that address, or
    /// a name added with [`allow_host`](Self::allow_host).
    pub fn listen(mut self, address: impl Into<SocketAddr>) -> Self {
        self.listen = address.into();
        self
    }

    /// Allows another host name or IP address, without a port, in the `Host` of requests: for
    /// example the name by which containers or other machines know this machine. Can be called
    /// several times. Case, a trailing dot and the spelling of an IPv6 address, with or without
    /// brackets, do not matter; a name that no request could carry makes [`start`](Self::start)
    /// fail.
    ///
    /// A request whose `Host` is not a loopback address, `localhost`, the address at which it
    /// arrived or an allowed name gets 421. This keeps web pages from reaching the service through
    /// a domain name that resolves to this machine (DNS rebinding).
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.allowed_hosts.push(name.into());
        self
    }

    /// Sets the number of connections that may be open at once: 4,096 by default. A further
    /// connection closes the oldest connection that is waiting for its client, without a key first;
    /// if no connection is waiting, the new connection is reset.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Stops the clock: time only moves with `local.clock().advance(…)`.
    pub fn manual_clock(mut self) -> Self {
        self.clock = Clock::manual();
        self
    }

    /// Adds a Pod in the shape that REST returns, including all optional parts. Only `id` is
    /// required; omitted fields are those of a plain running Pod. With an `endpointId` it is a
    /// worker of that endpoint.
    pub fn pod(mut self, pod: Value) -> Self {
        self.pods.push(pod);
        self
    }

    /// Adds a template in the shape that REST returns; `id` and `name` are required. An additional
    /// `endpointId` binds it to that endpoint and is never returned.
    pub fn template(mut self, template: Value) -> Self {
        self.templates.push(template);
        self
    }

    /// Omits the default Pods and templates.
    pub fn without_seeds(mut self) -> Self {
        self.seeds = false;
        self
    }

    /// Adds a scenario of faults, in effect from the start.
    #[cfg(feature = "program")]
    pub(crate) fn scenario(mut self, scenario: Scenario) -> Self {
        self.scenarios.push(scenario);
        self
    }

    /// Shows a recorded session on the page, and runs nothing.
    #[cfg(feature = "program")]
    pub(crate) fn replay(mut self, session: Session) -> Self {
        self.session = Some(session);
        self.builtins = false;
        self.page()
    }

    /// Sets the shape of the response of `/stream`: an array by default, as documented.
    pub fn stream_shape(mut self, shape: StreamShape) -> Self {
        self.stream_shape = shape;
        self
    }

    /// Refuses requests that the interface does not document, but existing clients send: POST to
    /// `/status` and `/stream` gets 405, and `/status-sync` 404. By default the first two are
    /// answered like their GET, and `/status-sync/{job_id}` waits for the job as `/runsync` does,
    /// for as long as its query parameter `wait` says.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Retires interfaces: they respond with 410, as the hosted service does once the account
    /// interface has replaced them.
    pub fn retired(mut self, interfaces: impl IntoIterator<Item = RetiredInterface>) -> Self {
        self.retired.extend(interfaces);
        self
    }

    /// Enables the control plane, which offers over HTTP under `/_local` what [`LocalService`]
    /// offers in Rust: see [the crate's documentation](crate#the-control-plane). Off by default.
    pub fn control_plane(mut self) -> Self {
        self.control_plane = true;
        self
    }

    /// Serves a page for a browser, which shows the endpoints, jobs, workers and requests, and
    /// changes them: it submits jobs, advances the clock and adds faults. Off by default.
    /// [`LocalService::page_url`] returns the link to it. The page uses the
    /// [control plane](Self::control_plane), which this enables, too.
    pub fn page(mut self) -> Self {
        self.page = true;
        self.control_plane()
    }

    /// Sets the largest request bodies of `/run` and `/runsync`, in bytes: 10 MiB and 20 MiB by
    /// default.
    pub fn max_payloads(mut self, run: usize, runsync: usize) -> Self {
        self.max_run_payload = run;
        self.max_runsync_payload = runsync;
        self
    }

    /// Starts the service on the current Tokio runtime.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound, a key, an allowed host or an endpoint's name is invalid (see
    /// [`Error::setting`]), a Pod or template is invalid, or the system cannot provide random
    /// numbers for a key.
    pub async fn start(self) -> Result<LocalService, Error> {
        let allowed_hosts = self.check()?;
        let resources = Arc::new(self.resources()?);
        let socket = listen(self.listen).map_err(|e| Error::listen(self.listen, e))?;
        let address = socket.local_addr().map_err(|e| Error::listen(self.listen, e))?;
        let tasks = Tasks::new(tokio::runtime::Handle::current());
        let webhooks = Webhooks::new(self.clock.clone(), tasks.clone());

        let worker_key = ApiKey::random().map_err(Error::random_key)?;
        let worker_key = ApiKey { allowed: Some(Operation::OF_WORKERS.into()), ..worker_key };
        // Worker processes inherit the environment, so they may print a key. A shorter one could be
        // a word.
        let secrets = self.keys.iter().map(|key| &key.secret).filter(|key| key.len() >= 12);
        let mut secrets: Vec<String> = secrets.cloned().collect();
        secrets.push(worker_key.secret.clone());
        let handled = |(name, handler): (&str, _)| {
            (name.to_owned(), EndpointWorkers::Handler(WorkerKind::Builtin, handler))
        };
        let builtins: BTreeMap<_, _> = builtins().map(handled).into();
        let first = builtins.keys().filter(|_| self.builtins).chain(self.endpoints.keys());
        let first: BTreeSet<String> = first.cloned().collect();
        let factory = EndpointFactory {
            clock: self.clock.clone(),
            tasks: tasks.clone(),
            webhooks: webhooks.clone(),
            log_listener: self.log_listener.clone(),
            secrets,
            environment: WorkerEnvironment {
                prefix: self.worker_env_prefix.clone(),
                base_url: format!("http://{}", reachable(address)),
                endpoint: String::new(),
                key: worker_key.secret.clone(),
                ping_interval: self.defaults.workers.ping_timeout(),
            },
            defaults: EndpointSettings { keeps_history: self.page, ..self.defaults },
            // An endpoint that is created later may have the built-in workers in any case.
            workers: builtins.into_iter().chain(self.endpoints).collect(),
        };
        let endpoints = Arc::new(EndpointRegistry::default());
        for name in first {
            let settings = EndpointSettings {
                workers: self.workers.get(&name).copied().unwrap_or(self.defaults.workers),
                execution_timeout: self
                    .execution_timeouts
                    .get(&name)
                    .copied()
                    .unwrap_or(self.defaults.execution_timeout),
                ..factory.defaults
            };
            if let Some(endpoint) = factory.start(&name, &name, settings) {
                endpoints.insert(endpoint);
            }
        }
        let account = Account::new(AccountContext {
            clock: self.clock.clone(),
            stopping: tasks.stopping().clone(),
            base_url: format!("http://{}", reachable(address)),
            factory,
            endpoints: endpoints.clone(),
            resources: resources.clone(),
            is_seeded: self.seeds,
        });
        let quota = self.rate_limits.as_ref().and_then(RateLimits::account_quota);
        let quota = quota.map(|quota| QuotaLimiter::new(quota, self.clock.clone()));
        let mut keys = self.keys;
        if keys.is_empty() {
            keys.push(ApiKey::random().map_err(Error::random_key)?);
        }
        keys.push(worker_key);
        let page = self.page.then(ApiKey::random).transpose().map_err(Error::random_key)?;
        let page = page.map(|key| key.secret);
        let faults = FaultInjector::new(self.clock.changes().clone());
        let scenarios = Scenarios::default();
        for scenario in self.scenarios {
            scenarios.define(scenario, &faults);
        }
        let app = Arc::new(App {
            keys: ApiKeys::new(keys, page),
            host_check: HostCheck::new(address.ip(), allowed_hosts),
            clock: self.clock.clone(),
            faults,
            scenarios,
            listener: Arc::default(),
            stopping: tasks.stopping().clone(),
            rate_limiter: self
                .rate_limits
                .map(|limits| RateLimiter::new(limits, self.clock.clone())),
            endpoints,
            schema: graphql::schema(resources.clone()),
            openapi: OpenApiDescriptions::default(),
            resources,
            account,
            quota,
            requests: RequestLog::new(self.clock.clone()),
            webhooks,
            control_plane: self.control_plane,
            session: self.session,
            search_lock: Arc::default(),
            stream_shape: self.stream_shape,
            retired: self.retired,
            is_strict: self.strict,
            max_run_payload: self.max_run_payload,
            max_runsync_payload: self.max_runsync_payload,
        });
        Ok(LocalService::serve(socket, address, self.max_connections, app, tasks))
    }

    /// Refuses invalid settings; returns the hosts that are allowed.
    fn check(&self) -> Result<Vec<HostName>, Error> {
        if let Some(reason) = self.keys.iter().find_map(ApiKey::invalid_reason) {
            return Err(Error::invalid("api_key", reason));
        }
        if !is_variable_prefix(&self.worker_env_prefix) {
            let why = "must consist of ASCII letters, digits and _, and not begin with a digit";
            return Err(Error::invalid("worker_env_prefix", why));
        }
        // Clients normalize these segments away, so that none could call the endpoint.
        let is_dot_segment = |name: &&String| matches!(name.as_str(), "" | "." | "..");
        if let Some(name) = self.endpoints.keys().find(is_dot_segment) {
            let why = format_args!("no URL can contain the name {name:?}");
            return Err(Error::invalid("endpoint", why));
        }
        let allowed_hosts = self.allowed_hosts.iter().map(|name| {
            HostName::allowed(name).map_err(|why| {
                Error::invalid("allow_host", format_args!("invalid host name {name:?}: {why}"))
            })
        });
        allowed_hosts.collect()
    }

    fn resources(&self) -> Result<Resources, Error> {
        let resources = Resources::new(self.clock.clone());
        let (templates, pods) = if self.seeds {
            (seeded_templates().to_vec(), seeded_pods().to_vec())
        } else {
            (Vec::new(), Vec::new())
        };
        for template in templates.into_iter().chain(self.templates.iter().cloned()) {
            resources.add_template(template).map_err(Error::seed)?;
        }
        for pod in pods.into_iter().chain(self.pods.iter().cloned()) {
            resources.add_pod(pod).map_err(Error::seed)?;
        }
        Ok(resources)
    }
}

/// Returns true if the name of an environment variable can begin with this prefix.
fn is_variable_prefix(prefix: &str) -> bool {
    prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !prefix.starts_with(|first: char| first.is_ascii_digit())
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("listen", &self.listen)
            .field("endpoints", &self.endpoints.keys())
            .finish_non_exhaustive()
    }
}
