//! Setting up a service.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;
use serde_json::Value;

use crate::catalog::{self, Catalog};
use crate::clock::Clock;
use crate::descriptions::Descriptions;
use crate::error::Error;
use crate::faults::Faults;
use crate::graphql;
use crate::http::{Hosts, Name, RequestLog, listener};
use crate::limits::{Limiter, RateLimits};
use crate::operation::Operation;
use crate::queue::{Endpoint, EndpointSettings, StreamShape, Workers};
use crate::service::LocalService;
use crate::site::{ApiKey, App};
use crate::sync::Tasks;
use crate::webhook::Webhooks;
use crate::worker::{Closure, Command, Handler, HandlerError, LocalJob, Streaming, builtins};

const DEFAULT_EXECUTION_TIMEOUT: Duration = Duration::from_secs(600);
/// Far more than a test queues. It bounds the number of jobs, not their size: with inputs of
/// several MiB, far fewer fill the memory.
const DEFAULT_MAX_QUEUED: usize = 100_000;
const MAX_RUN_PAYLOAD: usize = 10 * 1024 * 1024;
const MAX_RUNSYNC_PAYLOAD: usize = 20 * 1024 * 1024;
/// Far more than the limits of the interface allow requests at once.
const MAX_CONNECTIONS: usize = 4096;

/// Sets up a [`LocalService`]; made by [`LocalService::builder`].
#[must_use = "a builder does nothing until `start` is called"]
pub struct Builder {
    keys: Vec<ApiKey>,
    rate_limits: Option<RateLimits>,
    listen: SocketAddr,
    allowed_hosts: Vec<String>,
    max_connections: usize,
    clock: Clock,
    handlers: BTreeMap<String, Arc<dyn Handler>>,
    defaults: EndpointSettings,
    workers: BTreeMap<String, Workers>,
    execution_timeouts: BTreeMap<String, Duration>,
    builtins: bool,
    control_plane: bool,
    seeds: bool,
    pods: Vec<Value>,
    templates: Vec<Value>,
    stream_shape: StreamShape,
    max_run_payload: usize,
    max_runsync_payload: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            rate_limits: None,
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            allowed_hosts: Vec::new(),
            max_connections: MAX_CONNECTIONS,
            clock: Clock::real(),
            handlers: BTreeMap::new(),
            defaults: EndpointSettings {
                workers: Workers::default(),
                execution_timeout: DEFAULT_EXECUTION_TIMEOUT,
                max_queued: DEFAULT_MAX_QUEUED,
            },
            workers: BTreeMap::new(),
            execution_timeouts: BTreeMap::new(),
            builtins: true,
            control_plane: false,
            seeds: true,
            pods: Vec::new(),
            templates: Vec::new(),
            stream_shape: StreamShape::default(),
            max_run_payload: MAX_RUN_PAYLOAD,
            max_runsync_payload: MAX_RUNSYNC_PAYLOAD,
        }
    }
}

impl LocalService {
    /// Sets up a service.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// A key that a client must use, on all three interfaces. Called again, it adds another key,
    /// which is another user: rate limits count for each. Without any key, a random one is made:
    /// [`LocalService::api_key`] returns it.
    ///
    /// A key is printable ASCII without white space around it; any other fails the start.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.keys.push(ApiKey { secret: key.into(), allowed: None });
        self
    }

    /// Another key, with permission for some operations only: all others answer it 401. The
    /// control plane is one of them, [`Operation::Control`].
    pub fn restricted_api_key(
        mut self,
        key: impl Into<String>,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Self {
        let allowed = Some(operations.into_iter().collect());
        self.keys.push(ApiKey { secret: key.into(), allowed });
        self
    }

    /// Enforces rate limits. Without this call there are none.
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.rate_limits = Some(limits);
        self
    }

    /// Adds an endpoint whose jobs `handler` runs. What it returns is the job's output, or its
    /// error. A name that is there already, a built-in one included, is replaced.
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
        self.handler(name.into(), Arc::new(Closure(handler)))
    }

    /// Adds an endpoint whose handler returns a stream: each item is a chunk for `/stream`, the
    /// list of all is the job's output, and an error ends the job as failed.
    ///
    /// A handler that needs more than that (chunks of one kind and an output of another) is an
    /// [`endpoint`](Self::endpoint) that calls [`LocalJob::emit`].
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
        self.handler(name.into(), Arc::new(Streaming(handler)))
    }

    /// Adds an endpoint whose workers are processes of a shell command. A job comes as one line
    /// of JSON on the standard input, `{"id": …, "input": …}` with `policy` and `s3Config` where
    /// the job has them. The process answers in lines of JSON on its standard output: any number
    /// of `{"stream": …}` and `{"progress": …}`, then `{"output": …}` or `{"error": "…"}`. One
    /// that dies or writes anything else fails its job, and the worker that takes its place has
    /// to start first.
    ///
    /// One that ends after its answer fails no other job. A line behind the answer is dropped, and
    /// said on standard error, where it comes before the process reads its next job.
    pub fn command_endpoint(self, name: impl Into<String>, command: impl Into<String>) -> Self {
        self.handler(name.into(), Arc::new(Command::new(command.into())))
    }

    fn handler(mut self, name: String, handler: Arc<dyn Handler>) -> Self {
        self.handlers.insert(name, handler);
        self
    }

    /// Leaves out the endpoints `echo`, `count`, `sleep` and `fail`.
    pub fn without_builtin_endpoints(mut self) -> Self {
        self.builtins = false;
        self
    }

    /// How many workers each endpoint has: one that is always there and up to three, if not
    /// said otherwise. With `workers(0, 0)` every job stays in the queue.
    pub fn workers(mut self, min: usize, max: usize) -> Self {
        self.defaults.workers = Workers::between(min, max);
        self
    }

    /// The workers of one endpoint.
    pub fn workers_of(mut self, endpoint: impl Into<String>, workers: Workers) -> Self {
        self.workers.insert(endpoint.into(), workers);
        self
    }

    /// How long the jobs of one endpoint may run, unless their policy says otherwise: 10 minutes
    /// by default.
    pub fn execution_timeout_of(mut self, endpoint: impl Into<String>, timeout: Duration) -> Self {
        self.execution_timeouts.insert(endpoint.into(), timeout);
        self
    }

    /// How many jobs, of whatever size, can wait in the queue of each endpoint: 100,000 by
    /// default. The service's own protection, which the interface does not name: a submission
    /// above it answers 429.
    pub fn max_queued(mut self, jobs: usize) -> Self {
        self.defaults.max_queued = jobs;
        self
    }

    /// The address to listen on: 127.0.0.1 and a free port by default.
    ///
    /// On any other address than a loopback one, whoever reaches this machine reaches the service,
    /// and only its key protects it. Requests must be for that address, or for a name that
    /// [`allow_host`](Self::allow_host) adds.
    pub fn listen(mut self, address: impl Into<SocketAddr>) -> Self {
        self.listen = address.into();
        self
    }

    /// Another name or IP address, without a port, by which the service may be called: as other
    /// machines and containers know this one, say. May be called several times. Upper and lower
    /// case, a trailing dot and the spelling of an IPv6 address, with or without brackets, make no
    /// difference; what can be no request's host fails the start.
    ///
    /// A request whose `Host` is anything but this machine's loopback addresses, `localhost`, the
    /// address at which it arrived or one of these names is refused with 421, so that no web page
    /// can reach the service by a name of its own that leads to this machine.
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.allowed_hosts.push(name.into());
        self
    }

    /// How many connections may be open at once: 4,096 by default. One more closes the oldest of
    /// those that wait for their client, and is itself reset where there is none.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Lets time stand still until `local.clock().advance(…)` is called.
    pub fn manual_clock(mut self) -> Self {
        self.clock = Clock::manual();
        self
    }

    /// Adds a Pod in the shape in which REST reads it, all optional parts included. Only `id` is
    /// required; what is left out is as for a plain Pod that runs. With an `endpointId` it is a
    /// worker of that endpoint.
    pub fn pod(mut self, pod: Value) -> Self {
        self.pods.push(pod);
        self
    }

    /// Adds a template in the shape in which REST reads it, `id` and `name` at least. An
    /// `endpointId` beside them binds it to that endpoint; no reader sees that field.
    pub fn template(mut self, template: Value) -> Self {
        self.templates.push(template);
        self
    }

    /// Leaves out the Pods and templates that are there by default.
    pub fn without_seeds(mut self) -> Self {
        self.seeds = false;
        self
    }

    /// How `/stream` answers: an array by default, as the interface documents it.
    pub fn stream_shape(mut self, shape: StreamShape) -> Self {
        self.stream_shape = shape;
        self
    }

    /// Offers over HTTP, under `/_local`, what this crate offers in Rust: see the crate's
    /// documentation. Off by default; the program has it on.
    pub fn control_plane(mut self) -> Self {
        self.control_plane = true;
        self
    }

    /// The largest bodies in bytes that `/run` and `/runsync` take: 10 and 20 MiB by default.
    pub fn max_payloads(mut self, run: usize, runsync: usize) -> Self {
        self.max_run_payload = run;
        self.max_runsync_payload = runsync;
        self
    }

    /// Starts the service on the current Tokio runtime.
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on, a key or the name of a host is none that a request
    /// could carry (see [`Error::setting`]), a Pod or template cannot be used, or the system has
    /// no random numbers for a key.
    pub async fn start(self) -> Result<LocalService, Error> {
        if let Some(flaw) = self.keys.iter().find_map(ApiKey::flaw) {
            return Err(Error::invalid("api_key", flaw));
        }
        let allowed_hosts = self.allowed_hosts.iter().map(|name| {
            Name::allowed(name).map_err(|why| {
                Error::invalid("allow_host", format_args!("{name:?} matches no request: {why}"))
            })
        });
        let allowed_hosts = allowed_hosts.collect::<Result<_, _>>()?;
        let catalog = Arc::new(self.catalog()?);
        let listener = listener(self.listen).map_err(|e| Error::listen(self.listen, e))?;
        let address = listener.local_addr().map_err(|e| Error::listen(self.listen, e))?;
        let tasks = Tasks::new(tokio::runtime::Handle::current());
        let webhooks = Webhooks::new(self.clock.clone(), tasks.clone()).map_err(Error::webhooks)?;

        let mut handlers = BTreeMap::new();
        if self.builtins {
            handlers.extend(builtins().map(|(name, handler)| (name.to_owned(), handler)));
        }
        handlers.extend(self.handlers);
        let start = |(name, handler): (String, Arc<dyn Handler>)| {
            let settings = EndpointSettings {
                workers: self.workers.get(&name).copied().unwrap_or(self.defaults.workers),
                execution_timeout: self
                    .execution_timeouts
                    .get(&name)
                    .copied()
                    .unwrap_or(self.defaults.execution_timeout),
                ..self.defaults
            };
            let endpoint = Endpoint::start(
                &name,
                settings,
                handler,
                self.clock.clone(),
                tasks.clone(),
                webhooks.clone(),
            );
            (name, endpoint)
        };
        let mut keys = self.keys;
        if keys.is_empty() {
            keys.push(ApiKey::random().map_err(Error::random_key)?);
        }
        let app = Arc::new(App {
            keys,
            hosts: Hosts { address: address.ip(), allowed: allowed_hosts },
            clock: self.clock.clone(),
            faults: Faults::default(),
            door: Arc::default(),
            stopping: tasks.stopping().clone(),
            limiter: self.rate_limits.map(|limits| Limiter::new(limits, self.clock.clone())),
            endpoints: handlers.into_iter().map(start).collect(),
            schema: graphql::schema(catalog.clone()),
            descriptions: Descriptions::default(),
            catalog,
            requests: RequestLog::default(),
            webhooks,
            control_plane: self.control_plane,
            stream_shape: self.stream_shape,
            max_run_payload: self.max_run_payload,
            max_runsync_payload: self.max_runsync_payload,
        });
        Ok(LocalService::serve(listener, address, self.max_connections, app, tasks))
    }

    fn catalog(&self) -> Result<Catalog, Error> {
        let catalog = Catalog::new(self.clock.clone());
        let (templates, pods) = if self.seeds {
            (catalog::templates().to_vec(), catalog::pods().to_vec())
        } else {
            (Vec::new(), Vec::new())
        };
        for template in templates.into_iter().chain(self.templates.iter().cloned()) {
            catalog.add_template(template).map_err(Error::seed)?;
        }
        for pod in pods.into_iter().chain(self.pods.iter().cloned()) {
            catalog.add_pod(pod).map_err(Error::seed)?;
        }
        Ok(catalog)
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("listen", &self.listen)
            .field("endpoints", &self.handlers.keys())
            .finish_non_exhaustive()
    }
}
