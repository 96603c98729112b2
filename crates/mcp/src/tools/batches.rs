//! Batch tools: `batch_run`, `batch_status`, `batch_unknown`, `batch_retry` and `batch_cancel`.
//!
//! The file of results identifies a batch, whose own journal is next to it: the same call again is
//! the same batch, and continues it if its server was killed. A run is a task of the server, which
//! no caller needs to wait for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use podqueue::{Endpoint, ErrorKind as ServiceKind, Policy};
use podqueue_batch::{
    Batch, Budget as BatchBudget, Cost, Counts, Ending, ErrorKind, Inputs, LiveProgress,
    MaxFailures, Reader, Sqlite, State as InputState, Stopped, UnknownInput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::arguments::{key_of, other_arguments, wait_of};
use crate::batch_runs::Phase;
use crate::call_journal::batches::{BatchBound, BatchRecord, Register};
use crate::call_journal::{Begin, Call, Permit};
use crate::files::sibling;
use crate::permissions::{Action, Budget};
use crate::reply::{Failure, Next, ToolResult, Window, cut, fit_items, item, success};
use crate::service::{Service, ServiceName};
use crate::state::State;

/// Interval at which the journal of a batch is read while a call waits.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Time for the check of the key and the endpoint before a batch begins.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest time that a call waits for a cancellation or a retry.
const CHANGE_WAIT: Duration = Duration::from_secs(20);

/// Default of `wait_s` of `batch_run`, in seconds.
const DEFAULT_WAIT_S: f64 = 5.0;

/// Limit of a message, in bytes.
const MAX_TEXT: usize = 800;

/// A share of a bound that makes up for rounding, when it is converted to money and back.
const ROUNDING: f64 = 1e-9;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchRunArguments {
    /// The endpoint's id.
    endpoint: String,
    /// The file of inputs, with a JSON object per line, each the input of a job. A relative path is
    /// relative to the first permitted folder.
    inputs: String,
    /// The file of results, with a line per input that completes. It identifies the batch: the same
    /// file again is the same batch.
    out: String,
    /// Submit this member of each line, instead of the whole line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_field: Option<String>,
    /// Copy this member of each line into the results; its values must be unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_field: Option<String>,
    /// The longest execution of a job, in seconds, after which the service stops it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    execution_timeout_s: Option<u32>,
    /// The most that the batch may cost, with what it has cost before. By default, all inputs are
    /// paid for as far as the server's maximum permits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_cost: Option<f64>,
    /// Stop submitting when more inputs than this have failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_failures: Option<u64>,
    /// Time to wait for the end of the batch, in seconds: 5 by default, 25 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait_s: Option<f64>,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchStatusArguments {
    /// The name of the batch, as `batch_run` returns it.
    batch: String,
    /// Time to wait for the end of the batch, in seconds: none by default, 25 at most.
    #[serde(default)]
    wait_s: Option<f64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchUnknownArguments {
    /// The name of the batch, as `batch_run` returns it.
    batch: String,
    /// The number of the first input to return, in the list of those that are unknown.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchRetryArguments {
    /// The name of the batch, as `batch_run` returns it.
    batch: String,
    /// The inputs to retry: by default all that failed in some way, except those that were refused
    /// and those whose outcome is unknown.
    #[serde(default)]
    statuses: Vec<Retryable>,
    /// Identity of this call: the same key never retries twice. By default it is derived from the
    /// other arguments.
    #[serde(default)]
    key: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchCancelArguments {
    /// The name of the batch, as `batch_run` returns it.
    batch: String,
}

/// State of an input that can be retried.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Retryable {
    Failed,
    Cancelled,
    TimedOut,
    Expired,
    Lost,
    /// Refused by the service, or an invalid line.
    Refused,
    /// It may have been accepted before, and then runs twice.
    Unknown,
}

impl Retryable {
    const DEFAULT: [Self; 5] =
        [Self::Failed, Self::Cancelled, Self::TimedOut, Self::Expired, Self::Lost];

    fn state(self) -> InputState {
        match self {
            Self::Failed => InputState::Failed,
            Self::Cancelled => InputState::Cancelled,
            Self::TimedOut => InputState::TimedOut,
            Self::Expired => InputState::Expired,
            Self::Lost => InputState::Lost,
            Self::Refused => InputState::Refused,
            Self::Unknown => InputState::Unknown,
        }
    }
}

/// A batch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BatchReply {
    /// The state in a sentence, and the next step.
    message: String,
    /// The name of the batch.
    batch: String,
    service: ServiceName,
    endpoint: String,
    /// True if a process runs the batch.
    running: bool,
    /// True if no input is left to submit, and no job to wait for.
    finished: bool,
    /// Numbers of inputs by state, and their `total`.
    counts: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<CostReply>,
    /// Inputs that ended per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_per_s: Option<f64>,
    /// Time that the rest takes at this rate, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    eta_s: Option<u64>,
    /// Why the last run ended before all inputs did.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    /// The error that ended the last run, or that persists.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The file of results.
    results: String,
    /// True if the batch was begun by an earlier call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    /// The tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

/// Cost of a batch, in the currency of the server's price.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CostReply {
    /// Of the executions whose time is known.
    spent: f64,
    /// With the longest execution of each job whose time is not known.
    at_most: f64,
    /// The expected cost of the whole batch, once it can be estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
}

/// Inputs whose submission has an unknown outcome.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchUnknownReply {
    /// What to check.
    message: String,
    batch: String,
    /// Each with `index`, `line`, `attempt`, `reason`, and `key` if the batch has keys.
    unknown: Vec<Value>,
    window: Window,
    /// The tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

/// Outcome of a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RetryOutcome {
    /// The inputs are pending.
    Done,
    /// The inputs are being made pending.
    Retrying,
    /// The inputs may be pending; they are not retried again.
    Unknown,
}

/// Inputs that are pending again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchRetryReply {
    /// The outcome in a sentence, and the next step.
    message: String,
    batch: String,
    outcome: RetryOutcome,
    /// The number of inputs that became pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    retried: Option<u64>,
    /// The key of the call.
    key: String,
    /// True if an earlier call with this key retried them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    /// The tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

/// A batch that a call may use.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    name: String,
    /// The arguments of a run, with absolute paths.
    arguments: BatchRunArguments,
    results: PathBuf,
}

impl Plan {
    /// The batch with these arguments.
    fn new(state: &State, mut arguments: BatchRunArguments) -> Result<Self, Failure> {
        let inputs = state.files.input(&arguments.inputs)?;
        let results = state.files.output(&arguments.out)?;
        arguments.inputs = inputs.display().to_string();
        arguments.out = results.display().to_string();
        arguments.wait_s = None;
        Ok(Self { name: name_of(&results), arguments, results })
    }

    /// The batch with this name, if it may be used.
    pub(crate) async fn find(state: &State, name: &str) -> Result<Self, Failure> {
        let found = state.journal.batch(name).await;
        let found = found.map_err(|error| Failure::new(error.to_string()))?;
        let Some(record) = found else {
            let latest = state.journal.batches(0, 5).await.unwrap_or_default();
            let latest: Vec<_> = latest.into_iter().map(|batch| batch.name).collect();
            let known = match latest.is_empty() {
                true => String::new(),
                false => format!("; the latest are {}", latest.join(", ")),
            };
            let name = cut(name, 100);
            return Err(Failure::new(format!("there is no batch \"{name}\"{known}")));
        };
        let arguments: BatchRunArguments = serde_json::from_str(&record.arguments)
            .map_err(|error| Failure::new(format!("failed to read the batch: {error}")))?;
        state.permissions.check_endpoint(&arguments.endpoint, arguments.service)?;
        let results = state.files.output(&arguments.out)?;
        Ok(Self { name: record.name, arguments, results })
    }

    fn journal(&self) -> Sqlite {
        Sqlite::file(sibling(&self.results, ".journal"))
    }

    /// The file of failures.
    pub(crate) fn failures(&self) -> PathBuf {
        sibling(&self.results, ".failed.jsonl")
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The call that runs the batch.
    fn run_again(&self) -> Next {
        let mut arguments = json!(self.arguments);
        arguments["service"] = json!(self.arguments.service.argument());
        Next::new("batch_run", arguments)
    }

    fn status_call(&self, wait_s: Option<u32>) -> Next {
        Next::new("batch_status", json!({ "batch": self.name, "wait_s": wait_s }))
    }

    fn record(&self, service: &Service) -> BatchRecord {
        let BatchRunArguments { endpoint, inputs, input_field, key_field, .. } = &self.arguments;
        let identity = json!([endpoint, inputs, input_field, key_field]);
        BatchRecord {
            name: self.name.clone(),
            service: service.identity.clone(),
            identity: blake3::hash(identity.to_string().as_bytes()).to_hex().to_string(),
            arguments: json!(self.arguments).to_string(),
        }
    }

    /// The budget of the batch: what is free needs none.
    fn budget(&self, state: &State) -> Option<Budget> {
        state.permissions.budget.filter(|_| self.arguments.service == ServiceName::Hosted)
    }

    /// The longest execution of a job, if it is bounded.
    fn timeout(&self, state: &State) -> Option<Duration> {
        let given = self.arguments.execution_timeout_s;
        let given = given.map(|seconds| Duration::from_secs(seconds.into()));
        given.or(self.budget(state).map(|_| Policy::DEFAULT_EXECUTION_TIMEOUT))
    }

    fn policy(&self, state: &State) -> Policy {
        match self.timeout(state) {
            Some(timeout) => Policy::new().execution_timeout(timeout),
            None => Policy::new(),
        }
    }

    /// The longest execution of a job, in milliseconds.
    fn job_ms(&self, state: &State) -> f64 {
        self.timeout(state).unwrap_or(Policy::DEFAULT_EXECUTION_TIMEOUT).as_secs_f64() * 1_000.0
    }

    /// Registers the batch before anything is created. Returns true if it was known.
    async fn register(&self, state: &State, service: &Service) -> Result<bool, Failure> {
        let budget = self.budget(state);
        let most = self.arguments.max_cost;
        if let Some(most) = most {
            if !(most.is_finite() && most >= 0.0) {
                return Err(Failure::new("max_cost must be 0 or more"));
            }
            if budget.is_none() && self.arguments.service == ServiceName::Hosted {
                return Err(Failure::new(
                    "max_cost needs a price: the user who starts this server sets it with --price \
                     and --max-cost",
                ));
            }
        }
        let has_begun = || {
            let journal = self.journal();
            blocking(move || !journal.is_new())
        };
        let mut exists = has_begun().await?;
        if !exists {
            self.check_service(state, service).await?;
            // Another call may have begun the batch meanwhile: then its charge is that of its journal.
            exists = has_begun().await?;
        }
        let job_ms = self.job_ms(state);
        if let (Some(budget), Some(most)) = (budget, most)
            && !exists
            && most < budget.cost(job_ms)
        {
            return Err(Failure::new(format!(
                "max_cost pays for no job: each could cost {:.4} (its execution timeout at {} per \
                 second); pass a shorter execution_timeout_s",
                budget.cost(job_ms),
                budget.price,
            )));
        }
        let bound = budget.map(|budget| BatchBound { max_ms: budget.max_ms(), job_ms });
        let registered = state.journal.register_batch(self.record(service), bound, exists).await;
        match registered.map_err(|error| Failure::new(error.to_string()))? {
            Register::New => Ok(false),
            Register::Known => Ok(true),
            Register::Other => {
                let mut message =
                    "these results are of another batch, with other inputs, endpoint \
                                   or service: choose another `out`"
                        .to_owned();
                if self.arguments.service == ServiceName::Local {
                    message.push_str("; a service on this machine ends with its server");
                }
                Err(Failure::new(message))
            }
            Register::Unbounded => Err(Failure::new(
                "this batch was begun without --max-cost, so that its cost is not known: choose \
                 another `out`, or leave it to the user",
            )),
            Register::OverBudget(charges) => {
                let Some(budget) = budget else { return Ok(false) };
                Err(Failure::new(format!(
                    "not even one job can be paid for: it could cost {:.4} (its execution timeout \
                     at {} per second); the maximum of all jobs is {} (--max-cost): {:.4} are \
                     spent and {:.4} reserved. Pass a shorter execution_timeout_s, or wait for \
                     jobs and batches that are open",
                    budget.cost(job_ms),
                    budget.price,
                    budget.max_cost,
                    budget.cost(charges.spent_ms),
                    budget.cost(charges.reserved_ms),
                )))
            }
        }
    }

    /// Refuses a key or an endpoint that the service does not know, before a file is created.
    async fn check_service(&self, state: &State, service: &Service) -> Result<(), Failure> {
        let endpoint = service.endpoint(&self.arguments.endpoint);
        let health = async { endpoint.health().await };
        match timeout(CHECK_TIMEOUT, health).await {
            Ok(Err(error))
                if matches!(error.kind(), ServiceKind::Unauthorized | ServiceKind::NotFound) =>
            {
                Err(state.failure_of(&error, service.name, endpoint.id()))
            }
            // The run waits for an unreachable service.
            _ => Ok(()),
        }
    }

    /// Runs the batch until its end, or until the server ends.
    async fn drive(self, state: Arc<State>, endpoint: Endpoint) -> Result<(), Failure> {
        let mut closing = state.batch_runs.closing();
        let failed = |error: podqueue_batch::Error| self.failure(&state, &error);
        let (policy, budget) = (self.policy(&state), self.budget(&state));
        let mut inputs = Inputs::jsonl(&self.arguments.inputs);
        if let Some(name) = &self.arguments.input_field {
            inputs = inputs.input_field(name);
        }
        if let Some(name) = &self.arguments.key_field {
            inputs = inputs.key_field(name);
        }
        let opening = Batch::open(self.journal())
            .inputs(inputs)
            .results(&self.results)
            .check_run(&endpoint, &policy);
        let batch = match opening.await {
            Ok(batch) => batch,
            // Another process runs it, which is no failure.
            Err(error) if error.kind() == ErrorKind::InUse => return Ok(()),
            Err(error) => {
                if self.journal().is_new() {
                    let _ = state.journal.forget_batch(&self.name).await;
                }
                return Err(failed(error));
            }
        };
        let mut run = batch.run(endpoint).policy(policy);
        if let Some(most) = self.arguments.max_failures {
            run = run.max_failures(MaxFailures::Count(most));
        }
        if let Some(budget) = budget {
            let pending = batch.status().await.map_err(failed)?.counts.of(InputState::Pending);
            let further_ms = pending as f64 * self.job_ms(&state);
            let most_ms = self.arguments.max_cost.map(|most| budget.ms(most));
            let max_ms = budget.max_ms();
            let reserved = state.journal.reserve_batch(&self.name, further_ms, most_ms, max_ms);
            let reserved = reserved.await.map_err(|error| Failure::new(error.to_string()))?;
            let most = budget.cost(reserved) * (1.0 + ROUNDING);
            run = run.budget(BatchBudget::new(budget.price).max_cost(most));
        }
        let stopper = run.stopper();
        let closed = async {
            let _ = closing.wait_for(|closing| *closing).await;
        };
        let mut run = std::pin::pin!(run);
        let ended = tokio::select! {
            ended = &mut run => ended,
            () = closed => {
                stopper.exit();
                run.await
            }
        };
        self.settle(&state, &batch).await;
        ended.map(|_| ()).map_err(failed)
    }

    /// Charges what the batch has cost, while its journal is open. The reservation stays if this
    /// fails, until the batch is run again.
    async fn settle(&self, state: &State, batch: &Batch) {
        let Some(budget) = self.budget(state) else { return };
        let cost = batch.status().await.ok().and_then(|status| status.cost);
        if let Some(cost) = cost {
            let _ = state.journal.settle_batch(&self.name, budget.ms(cost.at_most)).await;
        }
    }

    /// Refuses options that a run which has begun would not have.
    async fn check_options(&self, state: &State) -> Result<(), Failure> {
        let earlier = state.journal.batch(&self.name).await;
        let earlier = earlier.map_err(|error| Failure::new(error.to_string()))?;
        let options = |it: &BatchRunArguments| {
            (it.execution_timeout_s, it.max_cost.map(f64::to_bits), it.max_failures)
        };
        let earlier = earlier.and_then(|it| serde_json::from_str(&it.arguments).ok());
        if earlier.is_none_or(|earlier| options(&earlier) == options(&self.arguments))
            || !self.snapshot(state).await?.is_running
        {
            return Ok(());
        }
        Err(Failure::new(
            "this batch runs with other options, which cannot change until its run ends: wait for \
             that, or call batch_cancel",
        )
        .next(self.status_call(Some(25))))
    }

    /// The failure of a call of the batch.
    fn failure(&self, state: &State, error: &podqueue_batch::Error) -> Failure {
        let BatchRunArguments { endpoint, service, .. } = &self.arguments;
        match error.service() {
            Some(cause) => {
                let failure = state.failure_of(cause, *service, endpoint);
                Failure { message: error.to_string(), ..failure }
            }
            None if error.kind() == ErrorKind::InUse => {
                Failure::new("a process runs this batch").next(self.status_call(Some(25)))
            }
            None => Failure::new(error.to_string()),
        }
    }

    /// The batch as its journal has it.
    async fn snapshot(&self, state: &State) -> Result<Snapshot, Failure> {
        let is_running = matches!(state.batch_runs.phase(&self.name), Some(Phase::Running));
        let journal = self.journal();
        let read = blocking(move || Snapshot::read(&journal)).await?;
        match read {
            Ok(snapshot) => {
                Ok(Snapshot { is_running: is_running || snapshot.is_running, ..snapshot })
            }
            // It is being opened for the first time.
            Err(_) if is_running => Ok(Snapshot { is_running, ..Snapshot::default() }),
            Err(error) => Err(self.failure(state, &error)),
        }
    }

    /// The reply about the batch as it is now.
    pub(crate) async fn reply(&self, state: &State) -> Result<BatchReply, Failure> {
        Ok(self.reply_of(state, self.snapshot(state).await?))
    }

    fn reply_of(&self, state: &State, snapshot: Snapshot) -> BatchReply {
        let Snapshot { counts, cost, is_running, live, ending } = snapshot;
        let of = |state: InputState| counts.of(state);
        let mut by_state: BTreeMap<String, u64> = InputState::ALL
            .into_iter()
            .filter(|state| of(*state) > 0)
            .map(|state| (state.key().to_owned(), of(state)))
            .collect();
        by_state.insert("total".to_owned(), counts.total());
        let finished = !is_running && counts.total() > 0 && counts.open() == 0;
        let live = live.filter(|_| is_running);
        let mut stopped = None;
        let mut error = live.as_ref().and_then(|live| live.error.clone());
        if !is_running {
            match ending {
                Some(Ending::Stopped(reason)) => stopped = Some(describe_stop(reason).to_owned()),
                Some(Ending::Failed(message)) => error = Some(message),
                _ => {}
            }
            // A failure to open the batch is not in its journal.
            if let Some(Phase::Ended(Some(failure))) = state.batch_runs.phase(&self.name)
                && error.is_none()
                && !finished
            {
                error = Some(failure.message);
            }
        }
        let (message, next) = self.describe(&counts, is_running, stopped.as_deref());
        BatchReply {
            message,
            batch: self.name.clone(),
            service: self.arguments.service,
            endpoint: self.arguments.endpoint.clone(),
            running: is_running,
            finished,
            counts: by_state,
            cost: cost.map(|cost| CostReply {
                spent: cost.spent,
                at_most: cost.at_most,
                expected: cost.estimate.map(|estimate| estimate.expected),
            }),
            rate_per_s: live.as_ref().and_then(|live| live.rate),
            eta_s: live.and_then(|live| live.eta(&counts)).map(|eta| eta.as_secs()),
            stopped,
            error: error.map(|error| cut(&error, MAX_TEXT)),
            results: self.arguments.out.clone(),
            repeated: false,
            next,
        }
    }

    fn describe(
        &self,
        counts: &Counts,
        is_running: bool,
        stopped: Option<&str>,
    ) -> (String, Option<Next>) {
        let (total, completed) = (counts.total(), counts.of(InputState::Completed));
        if is_running {
            let message = match total {
                0 => "the inputs are being read".to_owned(),
                _ => format!("{} of {total} inputs have ended", counts.ended()),
            };
            let message = format!("{message}; call batch_status to wait for the others");
            return (message, Some(self.status_call(Some(25))));
        }
        if total == 0 || counts.open() > 0 {
            let why = stopped.map(|stopped| format!(" ({stopped})")).unwrap_or_default();
            if stopped == Some(describe_stop(Stopped::OutOfBudget)) {
                let message = format!(
                    "{} of {total} inputs are left{why}: a higher max_cost, if the batch has one, or \
                     a shorter execution_timeout_s pays for more of them with batch_run; beyond that, \
                     the user who starts this server raises --max-cost",
                    counts.open()
                );
                return (message, None);
            }
            let message = format!(
                "{} of {total} inputs are left, and no process runs the batch{why}: call batch_run \
                 to continue",
                counts.open()
            );
            return (message, Some(self.run_again()));
        }
        let mut message = format!("{completed} of {total} inputs completed");
        if counts.failures() > 0 {
            message.push_str(&format!(
                "; {} did not: the resource batch://{}/failures says why, and batch_retry makes \
                 them pending again",
                counts.failures(),
                self.name
            ));
        }
        let unknown = counts.of(InputState::Unknown);
        let next = (unknown > 0).then(|| {
            message.push_str(&format!("; {unknown} may have been accepted: call batch_unknown"));
            Next::new("batch_unknown", json!({ "batch": self.name }))
        });
        (message, next)
    }
}

/// A batch as its journal has it.
#[derive(Default)]
struct Snapshot {
    counts: Counts,
    cost: Option<Cost>,
    is_running: bool,
    live: Option<LiveProgress>,
    ending: Option<Ending>,
}

impl Snapshot {
    fn read(journal: &Sqlite) -> podqueue_batch::Result<Self> {
        if journal.is_new() {
            return Ok(Self::default());
        }
        // First, so that the counts of a batch that no process runs are its last.
        let is_running = journal.is_open();
        let mut reader = Reader::open(journal)?;
        let status = reader.status()?;
        let (live, ending) = (reader.live_progress()?, reader.ending()?);
        Ok(Self { counts: status.counts, cost: status.cost, is_running, live, ending })
    }
}

fn describe_stop(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::OnRequest => "its server ended",
        Stopped::Cancelled => "it was cancelled",
        Stopped::TooManyFailures => "more inputs than max_failures have failed",
        Stopped::OutOfBudget => {
            "another job could exceed the maximum cost: that of the server, or the batch's max_cost"
        }
        _ => "it was stopped",
    }
}

/// The name of the batch with these results: the same for the same file.
fn name_of(results: &Path) -> String {
    let stem = results.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let stem: String = stem.chars().take(40).map(plain).collect();
    let hash = blake3::hash(results.as_os_str().as_encoded_bytes()).to_hex();
    format!("{stem}-{}", &hash[..8])
}

/// Runs file operations on a thread for blocking work.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let done = spawn_blocking(work).await;
    done.map_err(|error| Failure::new(format!("failed to read the batch: {error}")))
}

/// The batch as it is at the deadline, or once it runs no longer.
async fn until_ended(state: &State, plan: &Plan, deadline: Instant) -> Result<BatchReply, Failure> {
    loop {
        let reply = plan.reply(state).await?;
        let now = Instant::now();
        if !reply.running || now >= deadline {
            return Ok(reply);
        }
        sleep(POLL_INTERVAL.min(deadline - now)).await;
    }
}

pub(crate) async fn run(state: &Arc<State>, arguments: BatchRunArguments) -> ToolResult {
    let deadline = Instant::now() + wait_of(arguments.wait_s, DEFAULT_WAIT_S)?;
    state.permissions.check_action(Action::Batch, arguments.service)?;
    let service = state.service_of_endpoint(arguments.service, &arguments.endpoint)?;
    let plan = Plan::new(state, arguments)?;
    plan.check_options(state).await?;
    let repeated = plan.register(state, &service).await?;
    let endpoint = service.endpoint(&plan.arguments.endpoint);
    let run = plan.clone().drive(Arc::clone(state), endpoint);
    let mut phase = state.batch_runs.start(&plan.name, run);
    let ended = phase.wait_for(|phase| matches!(phase, Phase::Ended(_)));
    if let Ok(Ok(ended)) = timeout_at(deadline, ended).await
        && let Phase::Ended(Some(failure)) = &*ended
    {
        return Err(failure.clone());
    }
    let reply = plan.reply(state).await?;
    Ok(success(&BatchReply { repeated, ..reply }))
}

pub(crate) async fn status(state: &State, arguments: BatchStatusArguments) -> ToolResult {
    let deadline = Instant::now() + wait_of(arguments.wait_s, 0.0)?;
    let plan = Plan::find(state, &arguments.batch).await?;
    Ok(success(&until_ended(state, &plan, deadline).await?))
}

pub(crate) async fn unknown(state: &State, arguments: BatchUnknownArguments) -> ToolResult {
    let plan = Plan::find(state, &arguments.batch).await?;
    let journal = plan.journal();
    let list = move || -> podqueue_batch::Result<(Vec<UnknownInput>, u64)> {
        let mut reader = Reader::open(&journal)?;
        Ok((reader.unknown()?, reader.status()?.counts.of(InputState::Intent)))
    };
    let (unknown, in_flight) =
        blocking(list).await?.map_err(|error| plan.failure(state, &error))?;
    let items: Vec<Value> = unknown
        .iter()
        .map(|input| {
            let key = input.key.as_ref().map(|key| cut(key.get(), 200));
            let mut shown = json!({
                "index": input.index, "line": input.line, "attempt": input.attempt,
                "reason": cut(&input.reason, 300),
            });
            if let Some(key) = key {
                shown["key"] = serde_json::from_str(&key).unwrap_or(Value::String(key));
            }
            item(shown)
        })
        .collect();
    let mut message = match items.len() {
        0 => "no input has an unknown outcome".to_owned(),
        _ => "these inputs may have been accepted, and are not submitted again by themselves. \
              Check their effects, or the logs of the workers; batch_retry with statuses \
              [\"unknown\"] submits all of them again, and those that were accepted run twice"
            .to_owned(),
    };
    if in_flight > 0 {
        message.push_str(&format!(
            "; {in_flight} more are being submitted, or were when their server was killed: then \
             the next batch_run lists them"
        ));
    }
    Ok(fit_items(&items, arguments.from, |unknown, window| BatchUnknownReply {
        message: message.clone(),
        batch: plan.name.clone(),
        unknown,
        window,
        next: (window.to < window.total)
            .then(|| Next::new("batch_unknown", json!({ "batch": plan.name, "from": window.to }))),
    }))
}

pub(crate) async fn retry(state: &Arc<State>, arguments: BatchRetryArguments) -> ToolResult {
    let BatchRetryArguments { batch, mut statuses, key } = arguments;
    let plan = Plan::find(state, &batch).await?;
    state.permissions.check_action(Action::Batch, plan.arguments.service)?;
    if statuses.is_empty() {
        statuses = Retryable::DEFAULT.to_vec();
    }
    statuses.sort();
    statuses.dedup();
    let identity = json!({ "tool": "batch_retry", "batch": batch, "statuses": statuses });
    let hash = blake3::hash(identity.to_string().as_bytes()).to_hex();
    let call = Call {
        service: format!("batch {batch}"),
        key: key_of(key.as_deref(), &hash)?,
        tool: "batch_retry",
        arguments: hash.to_string(),
        endpoint: plan.arguments.endpoint.clone(),
        reserved_ms: 0.0,
    };
    let key = call.key.clone();
    let states: Vec<InputState> = statuses.into_iter().map(Retryable::state).collect();
    // A task of its own: the caller may leave.
    let task = tokio::spawn(retry_once(Arc::clone(state), plan.clone(), call, states));
    let (outcome, retried, repeated) = match timeout(CHANGE_WAIT, task).await {
        Err(_) => (RetryOutcome::Retrying, None, false),
        Ok(Err(_)) => (RetryOutcome::Unknown, None, false),
        Ok(Ok(done)) => done?,
    };
    let (message, next) = match (outcome, retried, repeated) {
        (RetryOutcome::Retrying, ..) => {
            ("the inputs are being made pending: repeat this call".to_owned(), None)
        }
        (RetryOutcome::Unknown, ..) => (
            "the inputs may be pending again: the server was killed meanwhile, and they are not \
             retried again under this key. Check the counts; another `key` retries what is left"
                .to_owned(),
            Some(plan.status_call(None)),
        ),
        (_, retried, true) => (
            format!(
                "an earlier call with this key made {} inputs pending; another `key` retries \
                 those that have failed since",
                retried.unwrap_or_default()
            ),
            Some(plan.status_call(None)),
        ),
        (_, Some(0), false) => {
            ("no input has one of these statuses".to_owned(), Some(plan.status_call(None)))
        }
        (_, retried, false) => (
            format!(
                "{} inputs are pending again: call batch_run to submit them",
                retried.unwrap_or_default()
            ),
            Some(plan.run_again()),
        ),
    };
    let batch = plan.name;
    Ok(success(&BatchRetryReply { message, batch, outcome, retried, key, repeated, next }))
}

/// Makes inputs pending, unless an earlier call with this key did.
async fn retry_once(
    state: Arc<State>,
    plan: Plan,
    call: Call,
    states: Vec<InputState>,
) -> Result<(RetryOutcome, Option<u64>, bool), Failure> {
    let begin = state.journal.begin(call, None).await;
    let permit: Permit = match begin.map_err(|error| Failure::new(error.to_string()))? {
        Begin::Send(permit) => permit,
        Begin::Done { outcome } => return Ok((RetryOutcome::Done, outcome.parse().ok(), true)),
        Begin::Sending { .. } => return Ok((RetryOutcome::Retrying, None, false)),
        Begin::OtherArguments => return Err(other_arguments()),
        _ => return Ok((RetryOutcome::Unknown, None, false)),
    };
    let retrying = async {
        let batch = Batch::open(plan.journal()).results(&plan.results).await?;
        batch.retry(&states).await
    };
    match retrying.await {
        Ok(retried) => {
            let _ = permit.finish(&retried.to_string()).await;
            Ok((RetryOutcome::Done, Some(retried), false))
        }
        Err(error) => {
            let _ = permit.free().await;
            Err(plan.failure(&state, &error))
        }
    }
}

pub(crate) async fn cancel(state: &Arc<State>, arguments: BatchCancelArguments) -> ToolResult {
    let deadline = Instant::now() + CHANGE_WAIT;
    let plan = Plan::find(state, &arguments.batch).await?;
    let service_name = plan.arguments.service;
    state.permissions.check_action(Action::Batch, service_name)?;
    let service = state.service_of_endpoint(service_name, &plan.arguments.endpoint)?;
    let endpoint = service.endpoint(&plan.arguments.endpoint);
    let mut is_cancelled = false;
    loop {
        let mut reply = plan.reply(state).await?;
        if reply.finished || is_cancelled || Instant::now() >= deadline {
            if reply.running {
                reply.message = format!("the batch is being cancelled: {}", reply.message);
            }
            return Ok(success(&reply));
        }
        if !reply.running {
            let (shared, of, endpoint) = (Arc::clone(state), plan.clone(), endpoint.clone());
            // A task of its own: a call for each job takes a while, and the caller may leave.
            let cancelling = tokio::spawn(async move {
                let batch = Batch::open(of.journal()).results(&of.results).await?;
                let cancelled = batch.cancel(&endpoint).await;
                of.settle(&shared, &batch).await;
                cancelled
            });
            match timeout_at(deadline, cancelling).await {
                Ok(Ok(Ok(_))) => is_cancelled = true,
                // A process runs it since.
                Ok(Ok(Err(error))) if error.kind() == ErrorKind::InUse => {}
                Ok(Ok(Err(error))) => return Err(plan.failure(state, &error)),
                _ => {}
            }
        } else {
            // The process that runs the batch cancels it. If it ends before it does, the batch is
            // cancelled here. A run that begins misses a request, so it is repeated.
            let journal = plan.journal();
            let _ = blocking(move || Reader::open(&journal)?.request_cancel()).await?;
        }
        if !is_cancelled {
            sleep(POLL_INTERVAL).await;
        }
    }
}
