//! Job tools: `run`, `wait`, `status` and `cancel`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use podqueue::{Error, ErrorKind, Job, JobRecord, Policy};
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use crate::arguments::{key_of, other_arguments, wait_of};
use crate::call_journal::{Begin, Call, CallJournal, Charges};
use crate::permissions::{Action, Budget};
use crate::reply::{Failure, Next, ToolResult, Window, char_boundary, cut, fit, success};
use crate::service::{Service, ServiceName};
use crate::state::State;

const DEFAULT_WAIT_S: f64 = 20.0;

/// The shortest wait for the response to a submission: without it, there is no id to return.
const MIN_SUBMISSION: Duration = Duration::from_secs(10);

/// The shortest wait for a status, after a submission took all the time.
const MIN_WAIT: Duration = Duration::from_millis(250);

/// Limit of a recorded end of a job, in bytes: a larger output is not recorded.
const MAX_RECORDED: usize = 1024 * 1024;

/// Limits of the parts of a job's error, in bytes.
const MAX_ERROR: usize = 800;
const MAX_TRACEBACK: usize = 600;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunArguments {
    /// The endpoint's id.
    endpoint: String,
    /// The input of the job, as the endpoint's handler expects it.
    input: Map<String, Value>,
    /// Identity of this job: the same key is never submitted twice. By default it is derived from
    /// the other arguments.
    #[serde(default)]
    key: Option<String>,
    /// Time to wait for the output, in seconds: 20 by default, 25 at most.
    #[serde(default)]
    wait_s: Option<f64>,
    /// The longest execution of the job, in seconds, after which the service stops it.
    #[serde(default)]
    execution_timeout_s: Option<u32>,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitArguments {
    /// The endpoint's id.
    endpoint: String,
    job_id: String,
    /// Time to wait, in seconds: 20 by default, 25 at most.
    #[serde(default)]
    wait_s: Option<f64>,
    /// Where to read on in the output's JSON text, in bytes.
    #[serde(default)]
    output_from: usize,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusArguments {
    /// The endpoint's id.
    endpoint: String,
    job_id: String,
    /// Where to read on in the output's JSON text, in bytes.
    #[serde(default)]
    output_from: usize,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelArguments {
    /// The endpoint's id.
    endpoint: String,
    job_id: String,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

/// Outcome of a call, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// The job has ended: `status` says how.
    Ended,
    /// The job was accepted and has not ended.
    Open,
    /// The job is being submitted.
    Submitting,
    /// The job may have been accepted, and is not submitted again.
    Unknown,
}

/// A job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct JobReply {
    /// The outcome in a sentence, and the next step.
    message: String,
    outcome: Outcome,
    service: ServiceName,
    endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_id: Option<String>,
    /// IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, CANCELLED or TIMED_OUT.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// The output, if it is short enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    /// A part of the output's JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_text: Option<String>,
    /// The bytes of the JSON text that `output_text` has: to read on, call `status` with
    /// `output_from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_window: Option<Window>,
    /// Why the job failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JobError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_ms: Option<u64>,
    /// The key of the call that submitted the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// True if an earlier call with this key submitted the job.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    /// True if the service no longer has the result: it was recorded when the job ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    recorded: bool,
    /// The tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

/// Why a job failed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct JobError {
    message: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    error_type: Option<String>,
    /// The end of the traceback.
    #[serde(skip_serializing_if = "Option::is_none")]
    traceback: Option<String>,
}

/// A job as its record has it, or as it was recorded when it ended.
#[derive(Debug, Default, Serialize, Deserialize)]
struct JobView {
    /// `None` if no status has arrived yet.
    status: Option<String>,
    is_terminal: bool,
    /// The output as JSON text.
    output: Option<String>,
    error: Option<JobError>,
    delay_ms: Option<u64>,
    execution_ms: Option<u64>,
}

impl JobView {
    fn of(record: &JobRecord) -> Self {
        let output = record.output_bytes();
        let output = output.filter(|output| *output != b"null");
        let milliseconds =
            |time: Option<Duration>| time.and_then(|time| u64::try_from(time.as_millis()).ok());
        Self {
            status: Some(record.status().as_str().to_owned()),
            is_terminal: record.status().is_terminal(),
            output: output.map(|output| String::from_utf8_lossy(output).into_owned()),
            error: record.failure().map(|failure| JobError {
                message: cut(&failure.message, MAX_ERROR),
                error_type: failure.error_type.map(|text| cut(&text, 200)),
                traceback: failure.traceback.map(|text| {
                    let from = char_boundary(&text, text.len().saturating_sub(MAX_TRACEBACK));
                    text[from..].to_owned()
                }),
            }),
            delay_ms: milliseconds(record.delay_time()),
            execution_ms: milliseconds(record.execution_time()),
        }
    }

    /// The largest part of the job that fits into a result.
    fn result(&self, reply: &JobReply, output_from: usize) -> CallToolResult {
        let reply = JobReply {
            status: self.status.clone(),
            error: self.error.clone(),
            delay_ms: self.delay_ms,
            execution_ms: self.execution_ms,
            ..reply.clone()
        };
        let Some(text) = &self.output else {
            // Escaped, an error may be much longer than its text.
            let longest = |error: &JobError| error.message.len().max(MAX_TRACEBACK);
            return fit(self.error.as_ref().map_or(0, longest), |length| {
                let mut reply = reply.clone();
                if let Some(error) = &mut reply.error {
                    error.message = cut(&error.message, length);
                    error.error_type = error.error_type.take().map(|text| cut(&text, length));
                    error.traceback = error.traceback.take().map(|text| {
                        let from = char_boundary(&text, text.len().saturating_sub(length));
                        text[from..].to_owned()
                    });
                }
                success(&reply)
            });
        };
        let total = text.len();
        let from = char_boundary(text, output_from);
        fit(total - from, |length| {
            let to = char_boundary(text, from + length);
            let mut reply = reply.clone();
            if (from, to) == (0, total) {
                // The readable part of an output that is malformed JSON is its text.
                match serde_json::from_str(text) {
                    Ok(value) => reply.output = Some(value),
                    Err(_) => reply.output_text = Some(text.clone()),
                }
                return success(&reply);
            }
            reply.output_text = Some(text[from..to].to_owned());
            reply.output_window = Some(Window { from, to, total });
            if to < total {
                let arguments = json!({
                    "service": reply.service.argument(), "endpoint": reply.endpoint,
                    "job_id": reply.job_id, "output_from": to,
                });
                reply.next = Some(Next::new("status", arguments));
            }
            success(&reply)
        })
    }
}

/// The reply about a job of an endpoint, without its record.
fn reply(service: &Service, endpoint: &str, job_id: Option<&str>) -> JobReply {
    JobReply {
        message: String::new(),
        outcome: Outcome::Open,
        service: service.name,
        endpoint: endpoint.to_owned(),
        job_id: job_id.map(str::to_owned),
        status: None,
        output: None,
        output_text: None,
        output_window: None,
        error: None,
        delay_ms: None,
        execution_ms: None,
        key: None,
        repeated: false,
        recorded: false,
        next: None,
    }
}

fn next_for_job(tool: &'static str, service: &Service, endpoint: &str, job_id: &str) -> Next {
    let service = service.name.argument();
    Next::new(tool, json!({ "service": service, "endpoint": endpoint, "job_id": job_id }))
}

/// The result about a job with this record.
fn job_result(
    service: &Service,
    job: &Job,
    view: &JobView,
    of: JobReply,
    from: usize,
) -> CallToolResult {
    let mut reply = of;
    let mut message = match &view.status {
        Some(status) => format!("job {} is {status}", job.id()),
        None => format!("no status of job {} has arrived yet", job.id()),
    };
    reply.outcome = if view.is_terminal { Outcome::Ended } else { Outcome::Open };
    if !view.is_terminal {
        message.push_str("; call wait for its output");
        reply.next = Some(next_for_job("wait", service, job.endpoint().id(), job.id()));
    }
    if reply.recorded {
        message.push_str("; the service no longer has it: this was recorded");
    }
    let has_failed = matches!(view.status.as_deref(), Some("FAILED" | "TIMED_OUT"));
    if reply.repeated {
        message.push_str("; an earlier call with this key submitted it");
    }
    if reply.repeated || (has_failed && reply.key.is_some()) {
        message.push_str("; another `key` runs the input once more");
    }
    reply.message = message;
    view.result(&reply, from)
}

pub(crate) async fn run(state: &Arc<State>, arguments: RunArguments) -> ToolResult {
    let (started, wait) = (Instant::now(), wait_of(arguments.wait_s, DEFAULT_WAIT_S)?);
    let (deadline, submitted_by) = (started + wait, started + wait.max(MIN_SUBMISSION));
    state.permissions.check_action(Action::Run, arguments.service)?;
    let service = state.service_of_endpoint(arguments.service, &arguments.endpoint)?;
    let submission = Submission::new(state, &service, arguments)?;
    let mut ended = state.journal.ended();
    let mut may_repeat = true;
    loop {
        ended.mark_unchanged();
        // A task of its own: the caller may leave, or its time may end.
        let task = tokio::spawn(submission.clone().submit(state.journal.clone()));
        let submitted = match timeout_at(submitted_by, task).await {
            Err(_) => return Ok(submission.submitting("the service has not answered yet")),
            Ok(Err(_)) => return Ok(submission.unknown(None, None)),
            Ok(Ok(submitted)) => submitted?,
        };
        match submitted {
            Submitted::Accepted { job_id, repeated } => {
                return submission.follow(state, &job_id, deadline, repeated).await;
            }
            Submitted::Unknown { job_id, error } => {
                return Ok(submission.unknown(job_id.as_deref(), error.as_ref()));
            }
            Submitted::Refused(error) => {
                let name = submission.service.name;
                return Err(state.failure_of(&error, name, &submission.call.endpoint));
            }
            Submitted::Sending { elsewhere: true } => {
                return Ok(submission.submitting("another process submits it"));
            }
            Submitted::Sending { elsewhere: false } => {
                if timeout_at(submitted_by, ended.changed()).await.is_err() {
                    return Ok(submission.submitting("the service has not answered yet"));
                }
            }
            Submitted::OtherArguments => {
                return Err(other_arguments());
            }
            Submitted::OverBudget { charges, open } => {
                // Jobs that have ended since may have cost less than they reserved.
                if may_repeat && submission.settle_open(state, &open).await {
                    may_repeat = false;
                    continue;
                }
                return Err(submission.over_budget(charges, &open));
            }
        }
    }
}

/// A job that is to be submitted.
#[derive(Clone)]
struct Submission {
    service: Service,
    call: Call,
    input: Arc<Map<String, Value>>,
    policy: Policy,
    budget: Option<Budget>,
}

/// The outcome of a submission, by this call or an earlier one.
enum Submitted {
    Accepted {
        job_id: String,
        /// True if an earlier call submitted the job.
        repeated: bool,
    },
    Unknown {
        job_id: Option<String>,
        /// The error of the submission, if it was this call's.
        error: Option<Error>,
    },
    /// The service accepted nothing.
    Refused(Error),
    /// Another call submits at this moment.
    Sending {
        elsewhere: bool,
    },
    OtherArguments,
    OverBudget {
        charges: Charges,
        open: Vec<(String, String)>,
    },
}

impl Submission {
    fn new(state: &State, service: &Service, arguments: RunArguments) -> Result<Self, Failure> {
        let RunArguments { endpoint, input, key, execution_timeout_s, .. } = arguments;
        // What is free needs no bound.
        let budget = state.permissions.budget.filter(|_| service.name == ServiceName::Hosted);
        let given = execution_timeout_s.map(|seconds| Duration::from_secs(seconds.into()));
        let timeout = given.or(budget.map(|_| Policy::DEFAULT_EXECUTION_TIMEOUT));
        let policy = match timeout {
            Some(timeout) => Policy::new().execution_timeout(timeout),
            None => Policy::new(),
        };
        let run = service.endpoint(&endpoint).run(&input).policy(policy.clone());
        run.check().map_err(|error| state.failure_of(&error, service.name, &endpoint))?;
        let identity = json!({
            "tool": "run", "endpoint": endpoint, "input": input, "timeout": execution_timeout_s,
        });
        let hash = blake3::hash(canonical(&identity).as_bytes()).to_hex();
        let key = key_of(key.as_deref(), &hash)?;
        let call = Call {
            service: service.identity.clone(),
            key,
            tool: "run",
            arguments: hash.to_string(),
            endpoint,
            reserved_ms: match (budget, timeout) {
                (Some(_), Some(timeout)) => timeout.as_secs_f64() * 1_000.0,
                _ => 0.0,
            },
        };
        Ok(Self { service: service.clone(), call, input: Arc::new(input), policy, budget })
    }

    /// Submits the job, unless an earlier call did, and records the outcome. If that cannot be
    /// recorded, the key stays used: its outcome is unknown to later calls.
    async fn submit(self, journal: CallJournal) -> Result<Submitted, Failure> {
        let max_ms = self.budget.map(|budget| budget.max_ms());
        let begin = journal.begin(self.call.clone(), max_ms).await;
        let begin =
            begin.map_err(|error| Failure::new(format!("{error}: nothing was submitted")))?;
        let permit = match begin {
            Begin::Send(permit) => permit,
            Begin::Sending { elsewhere } => return Ok(Submitted::Sending { elsewhere }),
            Begin::Accepted { job_id } => {
                return Ok(Submitted::Accepted { job_id, repeated: true });
            }
            Begin::Unknown { job_id } => {
                return Ok(Submitted::Unknown { job_id, error: None });
            }
            // A change that was made is of another tool.
            Begin::OtherArguments | Begin::Done { .. } => return Ok(Submitted::OtherArguments),
            Begin::OverBudget { charges, open } => {
                return Ok(Submitted::OverBudget { charges, open });
            }
        };
        let endpoint = self.service.endpoint(&self.call.endpoint);
        Ok(match endpoint.run(&*self.input).policy(self.policy).await {
            Ok(job) => {
                let _ = permit.accept(job.id()).await;
                Submitted::Accepted { job_id: job.id().to_owned(), repeated: false }
            }
            Err(error) if error.kind() == ErrorKind::OutcomeUnknown => {
                let _ = permit.unknown(error.job_id()).await;
                let job_id = error.job_id().map(str::to_owned);
                Submitted::Unknown { job_id, error: Some(error) }
            }
            Err(error) => {
                let _ = permit.free().await;
                Submitted::Refused(error)
            }
        })
    }

    /// Waits for the job and returns it as it is at the deadline.
    async fn follow(
        &self,
        state: &State,
        id: &str,
        deadline: Instant,
        repeated: bool,
    ) -> ToolResult {
        let job = self.service.endpoint(&self.call.endpoint).job(id);
        let mut reply = reply(&self.service, &self.call.endpoint, Some(id));
        reply.key = Some(self.call.key.clone());
        reply.repeated = repeated;
        match until(state, &self.service, &job, deadline).await {
            Ok(view) => Ok(job_result(&self.service, &job, &view, reply, 0)),
            Err(error) => {
                if let Some(view) = recorded(state, &self.service, &job, &error).await {
                    reply.recorded = true;
                    return Ok(job_result(&self.service, &job, &view, reply, 0));
                }
                // The submission succeeded, whatever became of its status.
                let failure = state.failure_of(&error, self.service.name, &self.call.endpoint);
                reply.message = format!(
                    "job {id} was accepted, but its status cannot be read: {}",
                    cut(&failure.message, MAX_ERROR)
                );
                reply.next = Some(next_for_job("wait", &self.service, &self.call.endpoint, id));
                Ok(success(&reply))
            }
        }
    }

    fn submitting(&self, why: &str) -> CallToolResult {
        let mut reply = reply(&self.service, &self.call.endpoint, None);
        reply.outcome = Outcome::Submitting;
        reply.message = format!(
            "the job is being submitted: {why}. Repeat this call, with the same arguments, to \
             learn its id"
        );
        reply.key = Some(self.call.key.clone());
        success(&reply)
    }

    fn unknown(&self, job_id: Option<&str>, error: Option<&Error>) -> CallToolResult {
        let endpoint = &self.call.endpoint;
        let mut reply = reply(&self.service, endpoint, job_id);
        reply.outcome = Outcome::Unknown;
        let check = match job_id {
            Some(id) => {
                reply.next = Some(next_for_job("status", &self.service, endpoint, id));
                "check this job with status"
            }
            None => {
                let arguments =
                    json!({ "service": self.service.name.argument(), "endpoint": endpoint });
                reply.next = Some(Next::new("health", arguments));
                "compare the jobs that health counts with those that you know of, or look for the \
                 effects of the job"
            }
        };
        let why = match error {
            Some(error) => cut(&error.to_string(), MAX_ERROR),
            None => {
                "the response was lost, or this server was killed while it submitted".to_owned()
            }
        };
        reply.message = format!(
            "the job may have been accepted: {why}. It is not submitted again under this key. First \
             {check}; if it does not run, another `key` submits it once more, and if running it \
             twice does no harm, so it does now"
        );
        reply.key = Some(self.call.key.clone());
        success(&reply)
    }

    /// Reads jobs that have reservations; returns true if any of them has ended.
    async fn settle_open(&self, state: &State, open: &[(String, String)]) -> bool {
        let settled = open.iter().map(|(endpoint, id)| async move {
            let status = self.service.endpoint(endpoint).job(id).status();
            let status = tokio::time::timeout(Duration::from_secs(2), async { status.await }).await;
            let Ok(Ok(record)) = status else { return false };
            settle(state, &self.service, &record).await;
            record.status().is_terminal()
        });
        join_all(settled).await.contains(&true)
    }

    fn over_budget(&self, charges: Charges, open: &[(String, String)]) -> Failure {
        let Some(budget) = self.budget else { return Failure::new("the budget is exhausted") };
        let failure = Failure::new(format!(
            "the job could cost {:.4} (its execution timeout at {} per second), and the maximum \
             of all jobs is {} (--max-cost): {:.4} are spent and {:.4} reserved by jobs that have \
             not ended or whose cost is not known, and by batches. Pass a shorter \
             execution_timeout_s, or wait for jobs and batches that are open: they cost what they \
             take",
            budget.cost(self.call.reserved_ms),
            budget.price,
            budget.max_cost,
            budget.cost(charges.spent_ms),
            budget.cost(charges.reserved_ms),
        ));
        match open.first() {
            Some((endpoint, id)) => failure.next(next_for_job("wait", &self.service, endpoint, id)),
            None => failure,
        }
    }
}

/// JSON text with sorted members, the same for the same value.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members: Vec<String> = members
                .into_iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        _ => value.to_string(),
    }
}

/// Records the end of a job in the journal.
async fn settle(state: &State, service: &Service, record: &JobRecord) {
    if !record.status().is_terminal() {
        return;
    }
    let view = JobView::of(record);
    let outcome = serde_json::to_string(&view).ok().filter(|text| text.len() <= MAX_RECORDED);
    let outcome = outcome.or_else(|| {
        let output = Some("\"(not recorded: longer than 1 MiB)\"".to_owned());
        serde_json::to_string(&JobView { output, ..view }).ok()
    });
    let time = record.execution_time().map(|time| time.as_secs_f64() * 1_000.0);
    let endpoint = record.job().endpoint().id();
    // The reservation stays if this fails, and the next status tries again.
    let _ =
        state.journal.settle(&service.identity, endpoint, record.job().id(), time, outcome).await;
}

/// The recorded end of a job that the service no longer has.
async fn recorded(state: &State, service: &Service, job: &Job, error: &Error) -> Option<JobView> {
    if !matches!(error.kind(), ErrorKind::JobExpired | ErrorKind::NotFound) {
        return None;
    }
    let outcome = state.journal.outcome(&service.identity, job.endpoint().id(), job.id()).await;
    serde_json::from_str(&outcome.ok()??).ok()
}

/// Waits for the end of a job, and returns it as it is then, or at the deadline.
async fn until(
    state: &State,
    service: &Service,
    job: &Job,
    deadline: Instant,
) -> Result<JobView, Error> {
    let time = deadline.saturating_duration_since(Instant::now()).max(MIN_WAIT);
    let record = match job.wait().timeout(time).await {
        Ok(record) => record,
        Err(error) => match error.record() {
            Some(record) => record.clone(),
            // No status arrived in time.
            None if error.kind() == ErrorKind::WaitTimedOut => return Ok(JobView::default()),
            None => return Err(error),
        },
    };
    settle(state, service, &record).await;
    Ok(JobView::of(&record))
}

/// The result of a call on a job.
async fn on_job(
    state: &State,
    service: &Service,
    job: &Job,
    view: Result<JobView, Error>,
    output_from: usize,
) -> ToolResult {
    let endpoint = job.endpoint().id();
    let mut reply = reply(service, endpoint, Some(job.id()));
    match view {
        Ok(view) => Ok(job_result(service, job, &view, reply, output_from)),
        Err(error) => match recorded(state, service, job, &error).await {
            Some(view) => {
                reply.recorded = true;
                Ok(job_result(service, job, &view, reply, output_from))
            }
            None => Err(state.failure_of(&error, service.name, endpoint)),
        },
    }
}

pub(crate) async fn wait(state: &State, arguments: WaitArguments) -> ToolResult {
    let deadline = Instant::now() + wait_of(arguments.wait_s, DEFAULT_WAIT_S)?;
    let WaitArguments { endpoint, job_id, .. } = &arguments;
    let service = state.service_of_job(arguments.service, endpoint, job_id)?;
    let job = service.endpoint(&arguments.endpoint).job(&arguments.job_id);
    let view = until(state, &service, &job, deadline).await;
    on_job(state, &service, &job, view, arguments.output_from).await
}

pub(crate) async fn status(state: &State, arguments: StatusArguments) -> ToolResult {
    let StatusArguments { endpoint, job_id, .. } = &arguments;
    let service = state.service_of_job(arguments.service, endpoint, job_id)?;
    let job = service.endpoint(&arguments.endpoint).job(&arguments.job_id);
    let view = match job.status().await {
        Ok(record) => {
            settle(state, &service, &record).await;
            Ok(JobView::of(&record))
        }
        Err(error) => Err(error),
    };
    on_job(state, &service, &job, view, arguments.output_from).await
}

pub(crate) async fn cancel(state: &State, arguments: CancelArguments) -> ToolResult {
    state.permissions.check_action(Action::Cancel, arguments.service)?;
    let CancelArguments { endpoint, job_id, .. } = &arguments;
    let service = state.service_of_job(arguments.service, endpoint, job_id)?;
    let job = service.endpoint(&arguments.endpoint).job(&arguments.job_id);
    match job.cancel().await {
        Ok(record) => {
            settle(state, &service, &record).await;
            let view = Ok(JobView::of(&record));
            on_job(state, &service, &job, view, 0).await
        }
        Err(error) => {
            let failure = state.failure_of(&error, service.name, &arguments.endpoint);
            let next = next_for_job("status", &service, &arguments.endpoint, &arguments.job_id);
            Err(failure.next(next))
        }
    }
}
