//! World of a simulation: the service, the store, the links, and the processes of one batch.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::fs;
use std::future::{pending, poll_fn};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::task::noop_waker;
use podqueue::{Client, Endpoint, JobRecord, JobStatus, Policy, RateLimits, SharedLimits};
use podqueue_batch::{Batch, ErrorKind, Inputs, OnUnknown, Open, Report, State};
use podqueue_local::{
    LocalJob, LocalService, Operation, RateLimit, RateLimits as LocalLimits, WebhookDelivery,
};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::limits::{Exchanges, LimitsInMemory, Records};
use crate::link::{self, LinkSettings};
use crate::plan::{Event, Plan, Unknown};
use crate::store::{Database, Opener, ProcessFaults, Row};
use crate::trace::Trace;
use crate::virtual_time;

/// The part of the documented limits that service and clients keep, so that they matter.
const SHARE: f64 = 0.02;

/// Number of keys. Each process that starts has its own, and so its own limits, unless those are
/// shared: the next one with the same key starts long after.
const KEYS: usize = 64;

/// Number of keys after those, of the clients of calls beside the runs. The one after them is that
/// of the account with shared limits.
const OTHER_KEYS: usize = 192;

/// Retention of a result.
const RETENTION: Duration = Duration::from_secs(30 * 60);

/// Most calls of a webhook, and the pause between them.
const WEBHOOK_ATTEMPTS: usize = 3;
const WEBHOOK_PAUSE: Duration = Duration::from_secs(10);

/// Longest time until a webhook call has ended, or is repeated.
const LONGEST_WEBHOOK: Duration = Duration::from_secs(120);

/// Latest end of a simulation.
const DEADLINE: Duration = Duration::from_secs(5 * 24 * 3_600);

/// Longest time of a call beside the run, while the store and the service are unreachable for a
/// time, and processes are stopped.
const LONGEST_CALL: Duration = Duration::from_secs(6 * 3_600);

/// The time for which calls wait for a store of shared limits, and for which it may be slow.
const LIMITS_STORE_TIMEOUT: Duration = Duration::from_secs(30 + 5);

/// Part of the error of a call that has waited so long.
const LIMITS_UNREACHABLE: &str = "the store of the shared rate limits";

/// The operations that need a permit.
const LIMITED: [&str; 6] = ["run", "runsync", "status", "stream", "cancel", "requests"];

/// Above all inputs of a batch: submissions beside it.
const OTHERS: u64 = 1_000_000;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Job, as the service knows it.
#[derive(Clone, Copy)]
struct Job {
    accepted: Instant,
    /// When it ended, and whether it completed. `None` again once it is retried.
    ended: Option<(Instant, bool)>,
    is_cancelled: bool,
    retries: usize,
}

impl Job {
    fn new() -> Self {
        Self { accepted: Instant::now(), ended: None, is_cancelled: false, retries: 0 }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "accepted {:?} ago, ", self.accepted.elapsed())?;
        match self.ended {
            Some((at, completed)) => {
                let how = if completed { "completed" } else { "failed" };
                write!(f, "{how} {:?} ago", at.elapsed())
            }
            None if self.is_cancelled => f.write_str("cancelled"),
            None => f.write_str("not ended"),
        }
    }
}

/// Facts, as the service and the links know them.
#[derive(Default)]
struct Facts {
    jobs: BTreeMap<String, Job>,
    /// The jobs of each input.
    accepted: BTreeMap<u64, Vec<String>>,
    /// The number of executions of each input.
    executions: BTreeMap<u64, u32>,
    /// Number of times each input was made pending again, on request.
    resubmissions: BTreeMap<u64, usize>,
    service_down_until: Option<Instant>,
    /// The processes that have started, by their key.
    lives: BTreeMap<String, ProcessFaults>,
    started: usize,
    /// The clients that were built for calls beside the runs.
    clients: usize,
    /// The number of submissions beside the batch.
    others: u64,
    /// The webhook calls that receivers accepted, by their job.
    accepted_calls: BTreeMap<String, u64>,
}

/// A process of the batch, while it runs.
struct ProcessSlot {
    life: Mutex<ProcessFaults>,
    batch: Mutex<Option<Batch>>,
    orders: watch::Sender<Option<Event>>,
    webhook: Mutex<String>,
}

struct World {
    plan: Plan,
    trace: Trace,
    service: LocalService,
    database: Database,
    limits: Records,
    exchanges: Exchanges,
    facts: Arc<Mutex<Facts>>,
    slots: Vec<Arc<ProcessSlot>>,
    folder: PathBuf,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a simulation to its end.
pub(crate) async fn run(plan: Plan, trace: Trace, folder: &Path) -> Outcome {
    trace.note(format_args!(
        "plan: {} processes, {} jobs, {:?}, {} limits, link faults {}, {} events, quiet after {:?}",
        plan.processes,
        plan.jobs.len(),
        plan.unknown,
        if plan.shares_limits { "shared" } else { "own" },
        plan.link_faults,
        plan.events.len(),
        plan.quiet_after
    ));
    let world = Arc::new(World::build(plan, trace.clone(), folder).await?);
    for slot in &world.slots {
        let address = world.open_webhook_link(Arc::clone(slot)).await?;
        *locked(&slot.webhook) = format!("http://{address}/hook");
    }
    let url = format!("http://{}", world.open_link().await?);
    let play_events = tokio::spawn(Arc::clone(&world).play_events());
    let mut processes = tokio::task::JoinSet::new();
    for number in 0..world.plan.processes {
        processes.spawn(Arc::clone(&world).process(number, url.clone()));
    }
    let all = async {
        while let Some(ended) = processes.join_next().await {
            match ended {
                Ok(Ok(())) => {}
                Ok(Err(error)) => trace.violated(format_args!("a process fails: {error}")),
                Err(error) => trace.violated(format_args!("a process panics: {error}")),
            }
        }
    };
    if timeout(DEADLINE, all).await.is_err() {
        let last = trace.last_lines();
        trace.violated(format_args!("the processes do not end; the last lines: {last}"));
    }
    play_events.abort();
    world.check_end()
}

impl World {
    async fn build(plan: Plan, trace: Trace, folder: &Path) -> Outcome<Self> {
        let facts = Arc::new(Mutex::new(Facts::default()));
        let limit = |requests, concurrent| RateLimit { requests, concurrent };
        let limits = LocalLimits::documented()
            .limit(Operation::Run, limit(20, Some(4)))
            .limit(Operation::RunSync, limit(40, Some(8)))
            .limit(Operation::Status, limit(40, Some(8)))
            .limit(Operation::Stream, limit(40, Some(8)))
            .limit(Operation::Cancel, limit(2, Some(1)));
        let (of_jobs, of_handler) = (Arc::clone(&facts), trace.clone());
        let may_resubmit = plan.unknown == Unknown::Resubmit;
        let handler = move |job: LocalJob| {
            let (facts, of_handler) = (Arc::clone(&of_jobs), of_handler.clone());
            async move {
                let takes = job.input["ms"].as_u64().unwrap_or_default();
                job.sleep(Duration::from_millis(takes)).await;
                let mut facts = locked(&facts);
                let index = job.input["n"].as_u64().unwrap_or(u64::MAX);
                let executions = facts.executions.entry(index).or_default();
                *executions += 1;
                let completed = u64::from(*executions) > job.input["fails"].as_u64().unwrap_or(0);
                // The link may not have read the response yet, or its caller has been dropped.
                let ended = Some((Instant::now(), completed));
                facts.jobs.entry(job.id.clone()).or_insert_with(Job::new).ended = ended;
                accepted(&mut facts, index, &job.id, may_resubmit, &of_handler);
                if completed {
                    Ok(json!({ "n": job.input["n"] }))
                } else {
                    Err("as planned".into())
                }
            }
        };
        let mut builder = LocalService::builder()
            .without_builtin_endpoints()
            .without_seeds()
            .rate_limits(limits)
            .endpoint("sim", handler)
            .workers_of("sim", plan.workers);
        for number in 0..=KEYS + OTHER_KEYS {
            builder = builder.api_key(key(number));
        }
        let service = builder.start().await?;
        let (of_judge, of_trace, ttl) = (Arc::clone(&facts), trace.clone(), plan.ttl);
        let database = Database::new(trace.clone(), move |input, state| {
            judge(&mut locked(&of_judge), input, state, ttl, &of_trace);
        });
        let slot = |_| {
            let (orders, _) = watch::channel(None);
            let (life, batch, webhook) = Default::default();
            Arc::new(ProcessSlot { life, batch, orders, webhook })
        };
        let slots = (0..plan.processes).map(slot).collect();
        let lines = plan.jobs.iter().enumerate().map(|(n, job)| {
            let ms = u64::try_from(job.takes.as_millis()).unwrap_or(u64::MAX);
            format!("{}\n", json!({ "n": n, "ms": ms, "fails": job.fails }))
        });
        fs::write(folder.join("inputs.jsonl"), lines.collect::<String>())?;
        let folder = folder.to_owned();
        let (limits, exchanges) = Default::default();
        Ok(Self { plan, trace, service, database, limits, exchanges, facts, slots, folder })
    }

    /// The link from the service to the webhook receiver of a process.
    async fn open_webhook_link(&self, slot: Arc<ProcessSlot>) -> Outcome<std::net::SocketAddr> {
        let (of_server, facts) = (Arc::clone(&slot), Arc::clone(&self.facts));
        let (of_calls, has_drops) = (self.trace.clone(), self.plan.has_drops);
        let server = link::serve(move |path, body| {
            let batch = locked(&of_server.batch).clone();
            // Some deliveries are dropped at an await.
            let polls = of_calls.random(|random| match random.u32(..8) {
                0 if has_drops => random.u32(1..4),
                _ => u32::MAX,
            });
            async move {
                let Some(batch) = batch else { return 503 };
                match polled(polls, batch.deliver(&path, &body)).await {
                    Some(Ok(_)) => 200,
                    Some(Err(_)) | None => 500,
                }
            }
        });
        let server = server.await?;
        let settings = LinkSettings {
            name: "webhook".to_owned(),
            faults: self.plan.link_faults * 2,
            account: None,
            to: Arc::new(move || Some(server)),
            // The service repeats every call after its own pause.
            respects_retry_after: |_| false,
            arrives: Arc::new(|_, _| ()),
            is_cut: Arc::new(move |_| is_cut(&locked(&slot.life))),
            delivered: Arc::new(move |_, body, status, _| {
                let body: Value = serde_json::from_slice(body).unwrap_or_default();
                if status == Some(200)
                    && let Some(job) = body["id"].as_str()
                {
                    *locked(&facts).accepted_calls.entry(job.to_owned()).or_default() += 1;
                }
            }),
        };
        Ok(link::open(settings, self.trace.clone()).await?)
    }

    /// The link from all processes to the service: a batch knows the service by its URL.
    async fn open_link(&self) -> Outcome<std::net::SocketAddr> {
        let (service, facts) = (self.service.address(), Arc::clone(&self.facts));
        let (of_facts, trace) = (Arc::clone(&self.facts), self.trace.clone());
        let (exchanges, of_permits) = (self.exchanges.clone(), self.trace.clone());
        let (shares_limits, database) = (self.plan.shares_limits, self.database.clone());
        let may_resubmit = self.plan.unknown == Unknown::Resubmit;
        let settings = LinkSettings {
            name: "service".to_owned(),
            faults: self.plan.link_faults,
            account: self.plan.shares_limits.then(|| key(KEYS + OTHER_KEYS)),
            to: Arc::new(move || Some(service)),
            // A run that has lost its lease begins anew, and so polls at once.
            respects_retry_after: |key| !(0..KEYS).any(|number| self::key(number) == key),
            arrives: Arc::new(move |key, path| {
                let operation = operation(path);
                if shares_limits
                    && LIMITED.contains(&operation)
                    && !exchanges.permit(key, operation)
                {
                    of_permits.violated(format_args!("{key} sends {path} without a lease"));
                }
            }),
            is_cut: Arc::new(move |key| {
                let facts = locked(&facts);
                let is_down = facts.service_down_until.is_some_and(|until| until > Instant::now());
                is_down || facts.lives.get(key).is_none_or(is_cut)
            }),
            delivered: Arc::new(move |path, body, status, response| {
                if status == Some(429) {
                    trace.violated(format_args!("{path} exceeds a limit"));
                }
                if status == Some(200) {
                    check_retry(&database, path, &trace);
                    let mut facts = locked(&of_facts);
                    responded(&mut facts, path, body, response, may_resubmit, &trace);
                }
            }),
        };
        Ok(link::open(settings, self.trace.clone()).await?)
    }

    /// Plays the events.
    async fn play_events(self: Arc<Self>) {
        let start = Instant::now();
        for (at, event) in self.plan.events.iter().copied() {
            sleep_until(start + at).await;
            self.trace.note(format_args!("event: {event:?}"));
            match event {
                Event::Stop(process, time) => locked(&self.slots[process].life).stop(time),
                Event::CutOff(process, time) => locked(&self.slots[process].life).cut_off(time),
                Event::LoseResponse(process) => locked(&self.slots[process].life).lose_response(),
                Event::StoreDown(time) => self.database.down(time),
                Event::ServiceDown(time) => {
                    locked(&self.facts).service_down_until = Some(Instant::now() + time);
                }
                Event::Kill(process, _) | Event::Exit(process, _) | Event::Drop(process, _) => {
                    self.slots[process].orders.send_replace(Some(event));
                }
            }
        }
    }

    /// A process, which is started again until the batch has ended.
    async fn process(self: Arc<Self>, number: usize, url: String) -> Outcome {
        let slot = Arc::clone(&self.slots[number]);
        let mut orders = slot.orders.subscribe();
        let mut failures = 0;
        loop {
            let life = ProcessFaults::default();
            *locked(&slot.life) = life.clone();
            let client = self.client(&url, &life, true)?;
            let batch = self.open(number, &life).await?;
            self.trace.note(format_args!("process {number} is open"));
            orders.mark_unchanged();
            *locked(&slot.batch) = Some(batch.clone());
            self.operations(&client, &batch, orders.clone()).await;
            let policy = Policy::new().ttl(self.plan.ttl).execution_timeout(self.plan.ttl);
            let mut run = Box::pin(
                batch
                    .run(client.endpoint("sim"))
                    .policy(policy)
                    .await_webhooks(Duration::from_secs(600)),
            );
            let stopper = run.stopper();
            let polls = self.polls_of_run();
            let order = tokio::select! {
                biased;
                never = self.calls(&client, &batch, &url, &life) => match never {},
                _ = orders.changed() => *orders.borrow_and_update(),
                ended = polled(polls, &mut run) => match ended {
                    None => Some(Event::Drop(number, Duration::from_secs(1))),
                    Some(ended) => {
                    match ended {
                        Ok(report) if report.stopped.is_none() => {
                            *locked(&slot.batch) = None;
                            self.trace.note(format_args!("process {number} has ended"));
                            return self.check_report(number, &report);
                        }
                        Ok(report) => {
                            let stopped = report.stopped;
                            self.trace.violated(format_args!("process {number} stops: {stopped:?}"));
                        }
                        Err(error) => {
                            failures += 1;
                            self.trace.note(format_args!("process {number} fails: {error}"));
                            self.check_permits(&error.to_string(), &life);
                            if error.kind() != ErrorKind::Unreachable || failures > 200 {
                                let kind = error.kind();
                                self.trace.violated(format_args!("process {number}: {kind:?}: {error}"));
                                if failures > 200 {
                                    return Err(error.into());
                                }
                            }
                        }
                    }
                    None
                    }
                }
            };
            *locked(&slot.batch) = None;
            let pause = match order {
                Some(Event::Kill(_, pause)) => {
                    life.kill();
                    self.trace.count(|figures| figures.drops += 1);
                    drop(run);
                    pause
                }
                Some(Event::Exit(_, pause)) => {
                    stopper.exit();
                    // A process that cannot reach the store is killed in the end.
                    let ended = timeout(Duration::from_secs(20 * 60), &mut run).await;
                    match ended {
                        Ok(ended) => {
                            let is_ok = ended.is_ok();
                            self.trace.note(format_args!("process {number} exits: {is_ok}"));
                        }
                        Err(_) => {
                            self.trace.violated(format_args!("process {number} does not exit"));
                        }
                    }
                    drop(run);
                    pause
                }
                Some(Event::Drop(_, pause)) => {
                    self.trace.count(|figures| figures.drops += 1);
                    drop(run);
                    pause
                }
                _ => {
                    drop(run);
                    Duration::from_secs(1)
                }
            };
            drop(batch);
            sleep(pause).await;
        }
    }

    /// A client of a process, with a key of its own: for its run, or for a call beside it.
    fn client(&self, url: &str, life: &ProcessFaults, is_of_run: bool) -> Outcome<Client> {
        let mut facts = locked(&self.facts);
        let key = if is_of_run {
            facts.started += 1;
            key(facts.started % KEYS)
        } else {
            facts.clients += 1;
            key(KEYS + facts.clients % OTHER_KEYS)
        };
        facts.lives.insert(key.clone(), life.clone());
        let limits = RateLimits::new().share(SHARE);
        let mut builder = Client::builder().api_key(key.clone()).base_url(url).rate_limits(limits);
        if self.plan.shares_limits {
            let (records, database) = (Arc::clone(&self.limits), self.database.clone());
            let (exchanges, life) = (self.exchanges.clone(), life.clone());
            let store = LimitsInMemory { records, exchanges, client: key.clone(), database, life };
            builder = builder.shared_limits(SharedLimits::new(store).account("simulation"));
        }
        Ok(builder.build()?)
    }

    /// The polls after which the caller drops a run: anywhere in its first moments, or later, or
    /// never.
    fn polls_of_run(&self) -> u32 {
        if self.is_quiet() {
            return u32::MAX;
        }
        self.trace.random(|random| match random.u32(..4) {
            0 => polls(random, 16),
            _ => u32::MAX,
        })
    }

    /// Returns true if nothing is dropped.
    fn is_quiet(&self) -> bool {
        !self.plan.has_drops || virtual_time::now() >= self.plan.quiet_after
    }

    /// Makes calls besides the run, and drops each at one of its awaits; some of them together with
    /// their client.
    async fn calls(
        &self,
        client: &Client,
        batch: &Batch,
        url: &str,
        life: &ProcessFaults,
    ) -> Infallible {
        if !self.plan.has_drops {
            return pending().await;
        }
        loop {
            let seconds = self.trace.random(|random| random.u64(2..60));
            sleep(Duration::from_secs(seconds)).await;
            let (call, polls) = self.trace.random(|random| (random.u32(..14), polls(random, 8)));
            let own = self.trace.random(fastrand::Rng::bool).then(|| self.client(url, life, false));
            let client = own.and_then(Result::ok).unwrap_or_else(|| client.clone());
            let endpoint = client.endpoint("sim");
            drop(client);
            let call_of = async {
                match call {
                    0 => batch.status().await.map(drop).map_err(Into::into),
                    1 => batch.unknown().await.map(drop).map_err(Into::into),
                    2 => batch.refused(5).await.map(drop).map_err(Into::into),
                    3 => endpoint.health().await.map(drop).map_err(Into::into),
                    4 => endpoint.requests().await.map(drop).map_err(Into::into),
                    5 => self.run_sync(&endpoint).await,
                    6 => self.run_all(&endpoint).await,
                    _ => self.job(&endpoint, call).await,
                }
            };
            let Ok(done) = timeout(LONGEST_CALL, polled(polls, call_of)).await else {
                self.trace.violated(format_args!("call {call} does not end"));
                continue;
            };
            drop(endpoint);
            if let Some(Err(error)) = &done {
                self.check_permits(&error.to_string(), life);
            }
            let is_ok = done.map(|done| done.is_ok());
            self.trace.note(format_args!("call {call}, for {polls} polls: {is_ok:?}"));
            self.trace.count(|figures| figures.drops += u64::from(is_ok.is_none()));
        }
    }

    /// Checks that an error does not blame the store of the shared limits, if that can be reached.
    fn check_permits(&self, error: &str, life: &ProcessFaults) {
        if error.contains(LIMITS_UNREACHABLE)
            && self.database.was_reached_by(life, LIMITS_STORE_TIMEOUT)
        {
            self.trace.violated(format_args!("a call gets no permit: {error}"));
        }
    }

    /// The input of a job beside the batch, and its index.
    fn other_input(&self, fails: u32) -> (u64, Value) {
        let mut facts = locked(&self.facts);
        facts.others += 1;
        let index = OTHERS + facts.others;
        let ms = self.trace.random(|random| random.u64(5..20_000));
        (index, json!({ "n": index, "ms": ms, "fails": fails }))
    }

    fn check_output(&self, index: u64, record: &JobRecord) -> Outcome {
        let output: Value = record.output()?;
        if output["n"] != json!(index) {
            self.trace.violated(format_args!("the output of {index} is another's"));
        }
        Ok(())
    }

    /// Submits a job beside the batch, and lets the service wait for it.
    async fn run_sync(&self, endpoint: &Endpoint) -> Outcome {
        let (index, input) = self.other_input(0);
        let record = endpoint.run_sync(&input).wait(Duration::from_secs(30)).await?;
        if record.status() == JobStatus::Completed {
            self.check_output(index, &record)?;
        }
        Ok(())
    }

    /// Submits some jobs beside the batch, and waits for all of them.
    async fn run_all(&self, endpoint: &Endpoint) -> Outcome {
        let (indexes, inputs): (Vec<_>, Vec<_>) = (0..3).map(|_| self.other_input(0)).unzip();
        let mut results = endpoint.run_all(inputs).concurrency(2);
        let mut count = 0;
        while let Some(done) = results.next().await {
            count += 1;
            if let Ok(record) = done.result {
                self.check_output(indexes[done.index], &record)?;
            }
        }
        if count != indexes.len() {
            self.trace.violated(format_args!("of {indexes:?}, {count} are reported"));
        }
        Ok(())
    }

    /// Submits a job beside the batch, and makes a call about it.
    async fn job(&self, endpoint: &Endpoint, call: u32) -> Outcome {
        let (index, input) = self.other_input(u32::from(call == 12));
        let job = endpoint.run(&input).await?;
        if !locked(&self.facts)
            .accepted
            .get(&index)
            .is_some_and(|it| it.iter().any(|it| it == job.id()))
        {
            self.trace.violated(format_args!("the job of {index} is another's: {}", job.id()));
        }
        match call {
            7 => drop(job.status().await?),
            8 => drop(job.cancel().await?),
            9 | 10 => {
                let wait = job.wait().timeout(Duration::from_secs(300)).cancel_on_timeout();
                self.check_output(index, &wait.await?)?;
            }
            12 => {
                // It fails at first.
                drop(job.wait().await);
                job.retry().await?;
                self.check_output(index, &job.wait().await?)?;
            }
            11 => {
                let mut chunks = job.stream::<Value>();
                while let Some(chunk) = chunks.next().await {
                    drop(chunk?);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes operations on the batch before its run, and drops some at one of their awaits.
    async fn operations(
        &self,
        client: &Client,
        batch: &Batch,
        mut orders: watch::Receiver<Option<Event>>,
    ) {
        if self.is_quiet() {
            return;
        }
        let count = self.trace.random(|random| random.u32(..4));
        for _ in 0..count {
            let name = match self.trace.random(|random| random.u32(..8)) {
                // Most cancelled inputs are retried, so that there is work.
                0 if self.plan.cancels => {
                    self.operation("cancel", client, batch, &mut orders).await;
                    "retry"
                }
                0 | 1 => "check",
                2..=4 => "retry",
                _ => "retry_jobs",
            };
            self.operation(name, client, batch, &mut orders).await;
        }
    }

    async fn operation(
        &self,
        name: &str,
        client: &Client,
        batch: &Batch,
        orders: &mut watch::Receiver<Option<Event>>,
    ) {
        if orders.has_changed().unwrap_or(true) {
            return;
        }
        let polls = self.trace.random(|random| match random.u32(..3) {
            0 => u32::MAX,
            _ => polls(random, 5),
        });
        let endpoint = client.endpoint("sim");
        let failures: Vec<_> = State::ALL.into_iter().filter(|it| it.is_failure()).collect();
        let changes = match name {
            "cancel" => &[State::Pending, State::Submitted][..],
            "retry" => &failures,
            "retry_jobs" => &[State::Failed, State::TimedOut],
            _ => &[],
        };
        let before = self.database.rows();
        let operation = async {
            match name {
                "cancel" => batch.cancel(&endpoint).await.map(drop),
                "retry" => batch.retry(&failures).await.map(drop),
                "retry_jobs" => batch.retry_jobs(&endpoint).await.map(drop),
                _ => batch.check().await.map(drop),
            }
        };
        let done = tokio::select! {
            biased;
            _ = orders.changed() => {
                // The run is given the order, too.
                orders.mark_changed();
                None
            }
            done = timeout(LONGEST_CALL, polled(polls, operation)) => match done {
                Ok(done) => done,
                Err(_) => {
                    self.trace.violated(format_args!("{name} does not end"));
                    None
                }
            },
        };
        let is_ok = done.as_ref().map(Result::is_ok);
        self.trace.note(format_args!("{name}, for {polls} polls: {is_ok:?}"));
        self.trace.count(|figures| figures.drops += u64::from(is_ok.is_none()));
        match done {
            // Another process may begin a run meanwhile.
            Some(Ok(())) if self.plan.processes == 1 => {
                self.check_operation(name, changes, &before)
            }
            Some(Ok(())) | None => {}
            Some(Err(error)) => {
                let is_expected = matches!(
                    error.kind(),
                    ErrorKind::InUse
                        | ErrorKind::Unreachable
                        | ErrorKind::Interrupted
                        | ErrorKind::Service
                );
                if !is_expected {
                    self.trace.violated(format_args!("{name}: {:?}: {error}", error.kind()));
                }
            }
        }
    }

    /// Checks that an operation has changed all inputs in these states.
    fn check_operation(&self, name: &str, changes: &[State], before: &[Row]) {
        let facts = locked(&self.facts);
        for (row, before) in self.database.rows().iter().zip(before) {
            let (index, state) = (row.input.index, row.input.state);
            let job = row.input.job_id.as_ref().and_then(|id| facts.jobs.get(id));
            // A job that has ended is collected, and one that is gone is not retried.
            let has_ended = job.is_none_or(|job| job.ended.is_some());
            let is_gone =
                job.is_none_or(|it| it.ended.is_none_or(|(at, _)| at.elapsed() >= RETENTION));
            let may_stay = match name {
                "cancel" => state == State::Submitted && has_ended,
                "retry_jobs" => is_gone,
                _ => false,
            };
            if state == before.input.state && changes.contains(&state) && !may_stay {
                self.trace.violated(format_args!("after {name}, input {index} is {state}"));
            }
        }
    }

    /// Opens the batch, once the process before has let go of its results.
    async fn open(&self, number: usize, life: &ProcessFaults) -> Outcome<Batch> {
        let begun = Instant::now();
        loop {
            if !self.is_quiet() && self.trace.random(|random| random.u32(..6)) == 0 {
                // Opening has one await, for a thread. That thread ends before the drop, so that
                // two runs of a seed are equal.
                let mut opening = self.opening(number, life).into_future();
                let opened = polled(1, &mut opening).await;
                at_once(tokio::task::spawn_blocking(|| ()))?;
                drop((opened, opening));
                self.trace.note(format_args!("process {number} drops the opening"));
                self.trace.count(|figures| figures.drops += 1);
            }
            match at_once(self.opening(number, life).into_future()) {
                Ok(batch) => return Ok(batch),
                Err(error) => {
                    self.trace
                        .note(format_args!("process {number} cannot open: {:?}", error.kind()));
                    let is_transient = matches!(
                        error.kind(),
                        ErrorKind::Unreachable | ErrorKind::InUse | ErrorKind::Interrupted
                    );
                    if !is_transient || begun.elapsed() > Duration::from_secs(2 * 3_600) {
                        return Err(error.into());
                    }
                    sleep(Duration::from_millis(2_500)).await;
                }
            }
        }
    }

    fn opening(&self, number: usize, life: &ProcessFaults) -> Open {
        let unknown = match self.plan.unknown {
            Unknown::Hold => OnUnknown::Hold,
            Unknown::Resubmit => OnUnknown::Resubmit,
            Unknown::ByWebhook => {
                OnUnknown::ByWebhook(locked(&self.slots[number].webhook).clone().into())
            }
        };
        let store = Opener { database: self.database.clone(), life: life.clone() };
        Batch::open(store)
            .inputs(Inputs::jsonl(self.folder.join("inputs.jsonl")))
            .results(self.results(number))
            .on_unknown(unknown)
    }

    fn results(&self, number: usize) -> PathBuf {
        self.folder.join(format!("results-{number}.jsonl"))
    }

    fn check_report(&self, number: usize, report: &Report) -> Outcome {
        let open = report.counts.open();
        if open > 0 {
            self.trace.violated(format_args!("process {number} ends, and {open} inputs have not"));
        }
        Ok(())
    }

    /// Checks that the service has called the webhook of each job that has ended.
    fn check_webhooks(&self, facts: &Facts) {
        let mut calls = BTreeMap::<String, Vec<WebhookDelivery>>::new();
        for call in self.service.webhook_deliveries() {
            calls.entry(call.job_id.clone()).or_default().push(call);
        }
        for (job, attempts) in &calls {
            let accepted = facts.accepted_calls.get(job).copied().unwrap_or_default();
            // A job that is retried ends again.
            let ends = attempts.chunk_by(|_, next| next.attempt > 1);
            let most = 1 + facts.jobs.get(job).map_or(0, |job| job.retries);
            if ends.clone().count() > most {
                self.trace.violated(format_args!("the webhook of {job} is called too often"));
            }
            for attempts in ends {
                check_attempts(job, attempts, accepted, &self.trace);
            }
        }
        if self.plan.unknown != Unknown::ByWebhook {
            return;
        }
        for job in facts.accepted.range(..OTHERS).flat_map(|(_, jobs)| jobs) {
            let ended = facts.jobs.get(job).and_then(|job| job.ended);
            let is_due = ended.is_some_and(|(at, _)| at.elapsed() > LONGEST_WEBHOOK);
            if is_due && !calls.contains_key(job) {
                self.trace.violated(format_args!("the webhook of {job} was not called"));
            }
        }
    }

    /// Checks that the failures file lists the failures, if they are those of one process.
    fn check_failures(&self) -> Outcome {
        if self.plan.processes > 1 {
            return Ok(());
        }
        let text = fs::read_to_string(self.folder.join("results-0.jsonl.failed.jsonl"))
            .unwrap_or_default();
        let mut listed = Vec::new();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line)?;
            listed.push(line["index"].as_u64().unwrap_or(u64::MAX));
        }
        let rows = self.database.rows();
        let failures = rows.iter().filter(|row| row.input.state.is_failure());
        let failures: Vec<_> = failures.map(|row| row.input.index).collect();
        if listed != failures {
            self.trace.violated(format_args!("{failures:?} failed, and {listed:?} are listed"));
        }
        Ok(())
    }

    /// Checks what is left in the end.
    fn check_end(&self) -> Outcome {
        let mut lines = BTreeMap::<u64, Vec<String>>::new();
        for number in 0..self.plan.processes {
            let text = fs::read_to_string(self.results(number)).unwrap_or_default();
            for line in text.lines() {
                let line: Value = serde_json::from_str(line)?;
                let index = line["index"].as_u64().unwrap_or(u64::MAX);
                if line["output"]["n"].as_u64() != Some(index) {
                    self.trace.violated(format_args!("the result of input {index} is another's"));
                }
                let job = line["job_id"].as_str().unwrap_or_default();
                lines.entry(index).or_default().push(job.to_owned());
            }
        }
        let facts = locked(&self.facts);
        let mut states = BTreeMap::<&str, u64>::new();
        for row in self.database.rows() {
            let (index, state) = (row.input.index, row.input.state);
            *states.entry(state.key()).or_default() += 1;
            if !state.is_final() && state != State::Unknown {
                self.trace.violated(format_args!("input {index} has not ended: {state}"));
            }
            let written = lines.remove(&index).unwrap_or_default();
            if written.len() != usize::from(state == State::Completed) {
                let count = written.len();
                self.trace.violated(format_args!("input {index} is {state}, with {count} results"));
            }
            let jobs = facts.accepted.get(&index).map_or(&[][..], Vec::as_slice);
            if state == State::Refused && !jobs.is_empty() {
                self.trace.violated(format_args!("input {index} is refused, and has a job"));
            }
            let job = row.input.job_id.as_ref().filter(|_| state != State::Unknown);
            if let Some(job) = job
                && !jobs.contains(job)
            {
                self.trace.violated(format_args!("input {index} has the job {job} of another"));
            }
            // A retry that was dropped has not let the job of a failure run again.
            if let Some(job) = job.and_then(|id| facts.jobs.get(id))
                && state == State::Failed
                && !matches!(job.ended, Some((_, false)))
            {
                self.trace.violated(format_args!("input {index} is {state} in the end: {job}"));
            }
        }
        for (index, _) in lines {
            self.trace.violated(format_args!("there are results of input {index}"));
        }
        self.check_failures()?;
        self.check_webhooks(&facts);
        self.trace.note(format_args!("end: {states:?}"));
        Ok(())
    }
}

/// Checks the attempts for a job: at most two more until one is accepted, 10 s apart.
fn check_attempts(job: &str, attempts: &[WebhookDelivery], accepted: u64, trace: &Trace) {
    // Ports differ between two runs of a seed.
    let seen: Vec<_> = attempts.iter().map(|it| (it.attempt, it.status, it.at)).collect();
    let is_numbered = attempts.iter().zip(1..).all(|(it, number)| it.attempt == number);
    let (last, before) = match attempts.split_last() {
        Some((last, before)) if is_numbered && attempts.len() <= WEBHOOK_ATTEMPTS => (last, before),
        _ => return trace.violated(format_args!("the webhook calls of {job}: {seen:?}")),
    };
    let is_apart = attempts.windows(2).all(|pair| pair[1].at - pair[0].at >= WEBHOOK_PAUSE);
    if !is_apart || before.iter().any(WebhookDelivery::is_accepted) {
        trace.violated(format_args!("a webhook call of {job} comes too early: {seen:?}"));
    }
    if last.is_accepted() && accepted == 0 {
        trace.violated(format_args!("no receiver has accepted the webhook call of {job}"));
    }
    // The service's clock began with the simulation.
    let now = virtual_time::now();
    if !last.is_accepted() && attempts.len() < WEBHOOK_ATTEMPTS && now > last.at + LONGEST_WEBHOOK {
        trace.violated(format_args!("a webhook call of {job} is not retried: {seen:?}"));
    }
}

fn key(number: usize) -> String {
    format!("key-{number}")
}

fn is_cut(life: &ProcessFaults) -> bool {
    life.is_dead() || life.stopped_until().is_some()
}

/// The name of the operation that a path is about.
fn operation(path: &str) -> &str {
    let (_, operation) = path.split_once("/sim/").unwrap_or_default();
    operation.split(['/', '?']).next().unwrap_or_default()
}

/// Checks that a job of the batch is outstanding once the service has accepted its retry: that is
/// durable before the request is sent, so that the next run collects the job.
fn check_retry(database: &Database, path: &str, trace: &Trace) {
    let Some((_, job)) = path.split_once("/retry/") else { return };
    let rows = database.rows();
    let retried = rows.iter().find(|row| row.input.job_id.as_deref() == Some(job));
    if let Some(Row { input, .. }) = retried
        && input.state.is_failure()
    {
        let (index, state) = (input.index, input.state);
        trace.violated(format_args!("{job} is retried while input {index} is {state}"));
    }
}

/// Records a response of the service: an acceptance, a cancellation or a retry.
fn responded(
    facts: &mut Facts,
    path: &str,
    body: &[u8],
    response: &[u8],
    may_resubmit: bool,
    trace: &Trace,
) {
    let json = |text| serde_json::from_slice::<Value>(text).unwrap_or_default();
    let response = json(response);
    let id = response["id"].as_str().unwrap_or_default();
    let operation = operation(path);
    match operation {
        "run" | "runsync" => {
            facts.jobs.entry(id.to_owned()).or_insert_with(Job::new);
            let index = json(body)["input"]["n"].as_u64().unwrap_or(u64::MAX);
            accepted(facts, index, id, may_resubmit, trace);
        }
        "cancel" | "retry" => {
            let Some(job) = facts.jobs.get_mut(id) else { return };
            if operation == "cancel" {
                job.is_cancelled = response["status"] == "CANCELLED";
            } else {
                (job.ended, job.retries) = (None, job.retries + 1);
            }
        }
        _ => {}
    }
}

/// Records an acceptance: no input is submitted twice, unless that was chosen.
fn accepted(facts: &mut Facts, index: u64, job: &str, may_resubmit: bool, trace: &Trace) {
    let jobs = facts.accepted.entry(index).or_default();
    if jobs.iter().any(|it| it == job) {
        return;
    }
    jobs.push(job.to_owned());
    let most = 1 + facts.resubmissions.get(&index).copied().unwrap_or_default();
    if jobs.len() > most && (index > OTHERS || !may_resubmit) {
        trace.violated(format_args!("input {index} is submitted again: {jobs:?}"));
    }
}

/// Judges the end of a job that is being recorded, and counts inputs that become pending again.
fn judge(
    facts: &mut Facts,
    input: &podqueue_batch::store::Input,
    state: State,
    ttl: Duration,
    trace: &Trace,
) {
    let index = input.index;
    if state == State::Pending {
        *facts.resubmissions.entry(index).or_default() += 1;
        return;
    }
    let Some(job) = input.job_id.as_ref().and_then(|id| facts.jobs.get(id)) else {
        return;
    };
    let is_kept = match job.ended {
        Some((ended, _)) => ended.elapsed() < RETENTION,
        None => true,
    };
    let is_there = is_kept && job.accepted.elapsed() < ttl;
    if matches!(state, State::Expired | State::Lost) && is_there {
        trace.violated(format_args!("input {index} is recorded as {state}: {job}"));
    }
    let is_right = match state {
        State::Completed => matches!(job.ended, Some((_, true))),
        State::Failed => matches!(job.ended, Some((_, false))),
        State::Cancelled => job.is_cancelled,
        State::Expired | State::Lost => true,
        _ => false,
    };
    if !is_right {
        trace.violated(format_args!("input {index} is recorded as {state}: {job}"));
    }
}

/// A number of polls, in which each power of two up to this exponent is as likely as the others.
fn polls(random: &mut fastrand::Rng, exponent: u32) -> u32 {
    let most = 2 << random.u32(..exponent);
    random.u32(1..most)
}

/// Polls a future for at most so many times. Returns `None` if it was not ready.
async fn polled<F: Future>(polls: u32, future: F) -> Option<F::Output> {
    let (mut future, mut left) = (pin!(future), polls);
    poll_fn(|context| {
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Completes a future whose work is done by another thread, without returning to the runtime: so
/// nothing else happens meanwhile, and the order of events does not depend on the thread.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(tokio::task::unconstrained(future));
    let waker = noop_waker();
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return done;
        }
        std::thread::yield_now();
    }
}
