//! Model of the service: operations, requests, jobs and stored resources. It is the ground truth
//! that the invariants compare reported outcomes with.
//!
//! The model is written from the interface alone and shares no code with the client. Time is a
//! parameter: the state of a job is a function of its script and the current time.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::leaks;

/// Operation of the queue, REST or GraphQL interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    Run,
    RunSync,
    Status,
    Stream,
    Cancel,
    Retry,
    Purge,
    Health,
    Requests,
    Openai,
    Rest,
    CreateTemplate,
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

impl Operation {
    pub const ALL: [Self; 16] = [
        Self::Run,
        Self::RunSync,
        Self::Status,
        Self::Stream,
        Self::Cancel,
        Self::Retry,
        Self::Purge,
        Self::Health,
        Self::Requests,
        Self::Openai,
        Self::Rest,
        Self::CreateTemplate,
        Self::UpdateTemplate,
        Self::DeleteTemplate,
        Self::CreateSecret,
        Self::DeleteSecret,
    ];

    /// Returns false if a repeated request may take effect twice.
    pub fn is_idempotent(self) -> bool {
        !matches!(
            self,
            Self::Run
                | Self::RunSync
                | Self::Retry
                | Self::Purge
                | Self::Openai
                | Self::CreateTemplate
                | Self::CreateSecret
        )
    }

    pub fn is_graphql(self) -> bool {
        matches!(
            self,
            Self::CreateTemplate
                | Self::UpdateTemplate
                | Self::DeleteTemplate
                | Self::CreateSecret
                | Self::DeleteSecret
        )
    }

    /// Returns the documented limits: requests within ten seconds, and concurrent requests.
    pub fn limits(self) -> Option<(u64, Option<u64>)> {
        match self {
            Self::Run => Some((1_000, Some(200))),
            Self::RunSync | Self::Status | Self::Stream | Self::Openai => Some((2_000, Some(400))),
            Self::Cancel => Some((100, Some(20))),
            Self::Purge => Some((2, None)),
            Self::Requests => Some((10, Some(2))),
            _ => None,
        }
    }
}

/// State of the service.
#[derive(Default)]
pub struct Service {
    pub jobs: BTreeMap<String, Job>,
    pub templates: ResourceStore,
    pub secrets: ResourceStore,
}

impl Service {
    /// Applies a request, and returns the response.
    pub fn apply(&mut self, request: &Request, now: Instant) -> Reply {
        match request.operation {
            Operation::Run | Operation::RunSync => self.submit(request, now),
            Operation::Status => {
                self.on_job(request, now, |job| Reply::json(200, &job.record(now)))
            }
            Operation::Stream => self.on_job(request, now, |job| Reply::json(200, &job.drain(now))),
            Operation::Cancel => self.on_job(request, now, |job| job.cancel(now)),
            Operation::Retry => self.on_job(request, now, |job| job.retry(now)),
            Operation::Purge => self.purge(now),
            Operation::Health => Reply::json(
                200,
                &json!({
                    "jobs": {
                        "completed": 1, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0
                    },
                    "workers": { "idle": 1, "running": 0 },
                }),
            ),
            Operation::Requests => Reply::json(200, &json!({ "requests": [] })),
            Operation::Openai => {
                if request.body["stream"] == true {
                    return Reply::events(events(&request.id));
                }
                Reply::json(200, &json!({ "path": request.path }))
            }
            Operation::Rest => pod(request),
            Operation::CreateTemplate
            | Operation::UpdateTemplate
            | Operation::DeleteTemplate
            | Operation::CreateSecret
            | Operation::DeleteSecret => self.graphql(request),
        }
    }

    /// Returns the response to a `/runsync` whose wait is over.
    pub fn after_wait(&self, job_id: &str, now: Instant) -> Reply {
        match self.jobs.get(job_id) {
            Some(job) if job.state(now) != JobState::Deleted => Reply::json(200, &job.record(now)),
            // Purged during the wait.
            _ => Reply::error(404, "job not found"),
        }
    }

    fn submit(&mut self, request: &Request, now: Instant) -> Reply {
        let Some((call, script)) = request.body.get("input").and_then(JobScript::read) else {
            return Reply::error(400, "input is missing");
        };
        let is_sync = request.operation == Operation::RunSync;
        let again = self.jobs.values().filter(|job| job.call == call).count();
        let id = format!("{}job-{call}-{again}-u1", if is_sync { "sync-" } else { "" });
        let job = Job::new(id.clone(), call, script, now, is_sync.then(|| request.wait()));
        let not_before = is_sync.then(|| job.answers_sync_at());
        let reply =
            Reply { new_job: Some(id.clone()), not_before, ..Reply::json(200, &job.record(now)) };
        self.jobs.insert(id, job);
        reply
    }

    fn on_job(
        &mut self,
        request: &Request,
        now: Instant,
        apply: impl FnOnce(&mut Job) -> Reply,
    ) -> Reply {
        match self.jobs.get_mut(&request.id) {
            Some(job) if job.state(now) != JobState::Deleted => apply(job),
            _ => Reply::error(404, "job not found"),
        }
    }

    fn purge(&mut self, now: Instant) -> Reply {
        let queued = self.jobs.values_mut().filter(|job| job.state(now) == JobState::Queued);
        let removed = queued.map(|job| job.purged = Some(now)).count();
        Reply::json(200, &json!({ "removed": removed, "status": "completed" }))
    }

    fn graphql(&mut self, request: &Request) -> Reply {
        let (templates, secrets) = (&mut self.templates, &mut self.secrets);
        let number = request.id.rsplit('-').next().unwrap_or_default();
        let name = |prefix: &str| format!("{prefix}-{number}");
        match request.operation {
            Operation::CreateTemplate => {
                let name = name("tpl");
                if templates.existing.contains_key(&name) {
                    return graphql_error("a template of this name exists");
                }
                *templates.created.entry(name.clone()).or_default() += 1;
                templates.existing.insert(name.clone(), Resource::default());
                Reply::json(200, &template(&format!("tplid-{number}"), &name))
            }
            Operation::UpdateTemplate => match templates.existing.get_mut(&name("tpl")) {
                Some(resource) => {
                    resource.updates += 1;
                    Reply::json(200, &template(&request.id, &name("tpl")))
                }
                None => graphql_error("template not found"),
            },
            Operation::DeleteTemplate => match templates.existing.remove(&name("tpl")) {
                Some(_) => Reply::json(200, &json!({ "data": { "deleteTemplate": null } })),
                None => graphql_error("template not found"),
            },
            Operation::CreateSecret => {
                let name = name("sec");
                *secrets.created.entry(name.clone()).or_default() += 1;
                secrets.existing.insert(name.clone(), Resource::default());
                let id = format!("secid-{number}");
                Reply::json(
                    200,
                    &json!({ "data": { "secretCreate": {
                        "id": id, "name": name, "description": null
                    } } }),
                )
            }
            Operation::DeleteSecret => match secrets.existing.remove(&name("sec")) {
                Some(_) => Reply::json(200, &json!({ "data": { "secretDelete": null } })),
                None => graphql_error("secret not found"),
            },
            _ => graphql_error("unknown operation"),
        }
    }
}

/// Returns the events of a stream. Each contains the id of its request.
pub fn events(id: &str) -> impl Iterator<Item = Value> {
    const MAX: usize = 5;
    let count = 1 + id.bytes().map(usize::from).sum::<usize>() % MAX;
    (0..count).map(move |event| json!({ "of": id, "event": event }))
}

const TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Course of a job. It travels in the job's input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobScript {
    pub queue_time: Duration,
    pub run_time: Duration,
    pub chunks: u64,
    pub end: JobEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnd {
    Completed,
    Failed,
    TimedOut,
}

impl JobScript {
    pub fn input(&self, call: u64) -> Value {
        json!({
            "call": call,
            "queued": self.queue_time.as_millis() as u64,
            "runs": self.run_time.as_millis() as u64,
            "chunks": self.chunks,
            "end": match self.end {
                JobEnd::Completed => "COMPLETED",
                JobEnd::Failed => "FAILED",
                JobEnd::TimedOut => "TIMED_OUT",
            },
        })
    }

    /// Returns the call and the script that a job's input contains.
    pub fn read(input: &Value) -> Option<(u64, Self)> {
        let number = |name: &str| input.get(name)?.as_u64();
        let script = Self {
            queue_time: Duration::from_millis(number("queued")?),
            run_time: Duration::from_millis(number("runs")?),
            chunks: number("chunks")?,
            end: match input.get("end")?.as_str()? {
                "FAILED" => JobEnd::Failed,
                "TIMED_OUT" => JobEnd::TimedOut,
                _ => JobEnd::Completed,
            },
        };
        Some((number("call")?, script))
    }
}

/// Job: its script and the calls that changed it.
pub struct Job {
    pub id: String,
    /// Call that submitted it.
    pub call: u64,
    pub script: JobScript,
    pub submitted: Instant,
    /// Wait of `/runsync`.
    wait: Option<Duration>,
    /// Start of the current run: its submission or its last retry.
    queued: Instant,
    pub cancelled: Option<Instant>,
    pub purged: Option<Instant>,
    /// Number of retries.
    pub retries: u64,
    /// Number of chunks of the current run that were handed out.
    drained: u64,
    /// Final states of its earlier runs.
    earlier: Vec<JobState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    Queued,
    Running,
    Completed,
    Failed,
    Cancelled,
    TimedOut,
    /// Expired or purged.
    Deleted,
}

impl JobState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "IN_QUEUE",
            Self::Running => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::TimedOut => "TIMED_OUT",
            Self::Deleted => "deleted",
        }
    }
}

impl Job {
    fn new(id: String, call: u64, script: JobScript, now: Instant, wait: Option<Duration>) -> Self {
        Self {
            id,
            call,
            script,
            submitted: now,
            wait,
            queued: now,
            cancelled: None,
            purged: None,
            retries: 0,
            drained: 0,
            earlier: Vec::new(),
        }
    }

    pub fn state(&self, now: Instant) -> JobState {
        if self.purged.is_some() || now >= self.deleted_at() {
            return JobState::Deleted;
        }
        match self.cancelled {
            Some(_) => JobState::Cancelled,
            None if now < self.starts_at() => JobState::Queued,
            None if now < self.ends_at() => JobState::Running,
            None => match self.end() {
                JobEnd::Completed => JobState::Completed,
                JobEnd::Failed => JobState::Failed,
                JobEnd::TimedOut => JobState::TimedOut,
            },
        }
    }

    /// Returns true if the job is or has been in this state.
    pub fn has_been(&self, state: JobState, now: Instant) -> bool {
        let went_through = match state {
            JobState::Queued => true,
            JobState::Running => now >= self.starts_at(),
            JobState::Cancelled => self.cancelled.is_some(),
            JobState::Deleted => self.state(now) == JobState::Deleted,
            // Also if the job has expired since.
            ended => {
                self.cancelled.is_none()
                    && self.purged.is_none()
                    && now >= self.ends_at()
                    && self.state(self.ends_at()) == ended
            }
        };
        went_through
            || self.retries > 0 && state == JobState::Running
            || self.earlier.contains(&state)
    }

    /// Returns the time at which the last run ends.
    pub fn ended_at(&self) -> Instant {
        self.cancelled.unwrap_or_else(|| self.ends_at())
    }

    /// Returns the time from which the service no longer has the job.
    pub fn deleted_at(&self) -> Instant {
        let kept = match self.wait {
            Some(wait) => wait.clamp(Duration::from_secs(60), Duration::from_secs(300)),
            None => Duration::from_secs(30 * 60),
        };
        (self.ended_at() + kept).min(self.submitted + TTL)
    }

    /// Turns the job into one that has failed.
    pub fn fail_at_once(&mut self) {
        self.script = JobScript {
            queue_time: Duration::ZERO,
            run_time: Duration::ZERO,
            chunks: 0,
            end: JobEnd::Failed,
        };
    }

    fn answers_sync_at(&self) -> Instant {
        self.ends_at().min(self.submitted + self.wait.unwrap_or_default())
    }

    /// A retried job succeeds.
    fn end(&self) -> JobEnd {
        if self.retries > 0 { JobEnd::Completed } else { self.script.end }
    }

    fn starts_at(&self) -> Instant {
        self.queued + self.script.queue_time
    }

    fn ends_at(&self) -> Instant {
        self.starts_at() + self.script.run_time
    }

    fn record(&self, now: Instant) -> Value {
        let state = self.state(now);
        let mut record = json!({ "id": self.id, "status": state.name() });
        if matches!(state, JobState::Completed | JobState::Failed | JobState::TimedOut) {
            record["delayTime"] = json!(self.script.queue_time.as_millis() as u64);
            record["executionTime"] = json!(self.script.run_time.as_millis() as u64);
        }
        match state {
            JobState::Completed => record["output"] = json!({ "call": self.call, "job": self.id }),
            JobState::Failed => {
                record["error"] = json!(format!("the handler of {} failed", self.id))
            }
            _ => {}
        }
        record
    }

    /// Returns the number of chunks that the handler has emitted in the current run.
    fn emitted(&self, now: Instant) -> u64 {
        let until = now.min(self.ended_at());
        let ran = until.saturating_duration_since(self.starts_at());
        if until < self.starts_at() {
            return 0;
        }
        let each = self.script.run_time / (self.script.chunks as u32 + 1);
        if each.is_zero() {
            return self.script.chunks;
        }
        ((ran.as_millis() / each.as_millis().max(1)) as u64).min(self.script.chunks)
    }

    fn drain(&mut self, now: Instant) -> Value {
        let emitted = self.emitted(now);
        let chunk = |index: u64| json!({ "output": { "job": self.id, "run": self.retries, "chunk": index } });
        let chunks = (self.drained..emitted).map(chunk).collect();
        self.drained = emitted;
        // Both documented forms, by the number of the call.
        if (self.call / 1_000).is_multiple_of(2) {
            Value::Array(chunks)
        } else {
            json!({ "status": self.state(now).name(), "stream": Value::Array(chunks) })
        }
    }

    /// Returns the number of chunks of the last run.
    pub fn all_chunks(&self) -> u64 {
        self.emitted(self.ended_at())
    }

    fn cancel(&mut self, now: Instant) -> Reply {
        match self.state(now) {
            JobState::Queued | JobState::Running => self.cancelled = Some(now),
            JobState::Cancelled => {}
            _ => return Reply::error(400, "the job has ended"),
        }
        Reply::json(200, &json!({ "id": self.id, "status": "CANCELLED" }))
    }

    fn retry(&mut self, now: Instant) -> Reply {
        let state = self.state(now);
        if !matches!(state, JobState::Failed | JobState::TimedOut) {
            return Reply::error(400, "only a failed job can be retried");
        }
        self.earlier.push(state);
        self.retries += 1;
        self.queued = now;
        self.drained = 0;
        Reply::json(200, &json!({ "id": self.id, "status": "IN_QUEUE" }))
    }
}

/// Media type of an event stream.
pub const EVENT_STREAM: &str = "text/event-stream";

/// Response of the service, before any fault is applied.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
    /// Id of the job that the request created.
    pub new_job: Option<String>,
    /// Time of the response to `/runsync`.
    pub not_before: Option<Instant>,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        let (content_type, body) = ("application/json", body.to_string());
        Self { status, content_type, body, new_job: None, not_before: None }
    }

    fn events(events: impl Iterator<Item = Value>) -> Self {
        let body = events.map(|event| format!("data: {event}\n\n")).collect();
        Self { content_type: EVENT_STREAM, body, ..Self::json(200, &Value::Null) }
    }

    fn error(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "error": message }))
    }
}

/// Request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    pub operation: Operation,
    pub path: String,
    pub query: String,
    pub body: Value,
    /// Id of the job, Pod, template or secret that it names, or number of its call.
    pub id: String,
}

/// Returns the operation of a request: by its path, and for GraphQL by its body.
fn operation_of(path: &str, body: &str) -> Option<Operation> {
    if path.starts_with("/graphql") {
        let changes = body.contains("tplid-");
        return Some(match () {
            () if body.contains("deleteTemplate") => Operation::DeleteTemplate,
            () if body.contains("secretCreate") => Operation::CreateSecret,
            () if body.contains("secretDelete") => Operation::DeleteSecret,
            () if body.contains("saveTemplate") && changes => Operation::UpdateTemplate,
            () if body.contains("saveTemplate") => Operation::CreateTemplate,
            () => return None,
        });
    }
    if path.starts_with("/v1/pods/") {
        return Some(Operation::Rest);
    }
    Some(match path.split('/').nth(3)? {
        "run" => Operation::Run,
        "runsync" => Operation::RunSync,
        "status" => Operation::Status,
        "stream" => Operation::Stream,
        "cancel" => Operation::Cancel,
        "retry" => Operation::Retry,
        "purge-queue" => Operation::Purge,
        "health" => Operation::Health,
        "requests" => Operation::Requests,
        "openai" => Operation::Openai,
        _ => return None,
    })
}

impl Request {
    pub fn new(target: &str, body: &str) -> Option<Self> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let operation = operation_of(path, body)?;
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let id = match operation {
            Operation::Run | Operation::RunSync => json["input"]["call"].to_string(),
            // Names contain the number of the call, in either form of a GraphQL request.
            Operation::CreateTemplate | Operation::DeleteTemplate => numbered_name(body, "tpl-")?,
            Operation::UpdateTemplate => numbered_name(body, "tplid-")?,
            Operation::CreateSecret => numbered_name(body, "sec-")?,
            Operation::DeleteSecret => numbered_name(body, "secid-")?,
            _ => path.rsplit('/').next().unwrap_or_default().to_owned(),
        };
        Some(Self { operation, path: path.to_owned(), query: query.to_owned(), body: json, id })
    }

    /// Returns the wait that `/runsync` asks for.
    pub fn wait(&self) -> Duration {
        let wait = self.query.split('&').find_map(|pair| pair.strip_prefix("wait="));
        Duration::from_millis(wait.and_then(|wait| wait.parse().ok()).unwrap_or(90_000))
    }

    /// Returns the canaries that the request carries, the API key included.
    pub fn canaries(&self) -> Vec<&'static str> {
        let mut canaries = vec![leaks::KEY];
        match self.operation {
            Operation::CreateSecret => canaries.push(leaks::SECRET),
            Operation::CreateTemplate | Operation::UpdateTemplate => canaries.push(leaks::ENV),
            _ => {}
        }
        if !self.body["s3Config"].is_null() {
            canaries.push(leaks::STORAGE);
        }
        if !self.body["webhook"].is_null() {
            canaries.push(leaks::WEBHOOK);
        }
        canaries
    }
}

/// Returns the first occurrence of a prefix in a text, with the digits that follow it.
fn numbered_name(text: &str, prefix: &str) -> Option<String> {
    let start = text.find(prefix)?;
    let digits = text[start + prefix.len()..].chars().take_while(char::is_ascii_digit);
    Some(format!("{prefix}{}", digits.collect::<String>()))
}

/// Templates or secrets by name. The id of `tpl-7` is `tplid-7`.
#[derive(Default)]
pub struct ResourceStore {
    pub existing: BTreeMap<String, Resource>,
    /// Number of creations by name.
    pub created: BTreeMap<String, u64>,
}

#[derive(Default)]
pub struct Resource {
    pub updates: u64,
}

fn pod(request: &Request) -> Reply {
    Reply::json(200, &json!({ "id": request.id, "name": "a Pod", "env": { "TOKEN": leaks::POD } }))
}

fn graphql_error(message: &str) -> Reply {
    Reply::json(200, &json!({ "data": null, "errors": [{ "message": message }] }))
}

fn template(id: &str, name: &str) -> Value {
    json!({ "data": { "saveTemplate": {
        "id": id, "name": name, "imageName": "image:1", "isServerless": true,
        "containerDiskInGb": 5, "volumeInGb": 0,
        "env": [{ "key": "TOKEN", "value": leaks::ENV }],
    } } })
}
