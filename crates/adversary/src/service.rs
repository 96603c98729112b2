//! What the service really did: the truth that outcomes are held against.
//!
//! It is written from the interface alone and knows nothing of the client. Time is a parameter: the
//! state of a job is a function of its script and of now.

mod job;
mod reply;
mod request;
mod stored;

pub use job::{Job, State};
pub use reply::{EVENT_STREAM, Reply};
pub use request::Request;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::time::Instant;

use self::stored::Stored;
use crate::operation::Operation;
use crate::plan::JobScript;

/// The service's state.
#[derive(Default)]
pub struct Service {
    pub jobs: BTreeMap<String, Job>,
    /// By name.
    pub templates: Stored,
    /// By name.
    pub secrets: Stored,
    /// By endpoint.
    pub purges: u64,
    /// By path.
    pub openai: BTreeMap<String, u64>,
}

impl Service {
    /// The request takes effect.
    pub fn act(&mut self, request: &Request, now: Instant) -> Reply {
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
                *self.openai.entry(request.path.clone()).or_default() += 1;
                if request.body["stream"] == true {
                    return Reply::events(events(&request.id));
                }
                Reply::json(200, &json!({ "path": request.path }))
            }
            Operation::Rest => stored::pod(request),
            Operation::CreateTemplate
            | Operation::UpdateTemplate
            | Operation::DeleteTemplate
            | Operation::CreateSecret
            | Operation::DeleteSecret => {
                stored::graphql(&mut self.templates, &mut self.secrets, request)
            }
        }
    }

    /// What a `/runsync` answers once its wait is over, however late that arrives.
    pub fn after_wait(&self, job_id: &str, now: Instant) -> Reply {
        match self.jobs.get(job_id) {
            Some(job) if job.state(now) != State::Gone => Reply::json(200, &job.record(now)),
            // Purged meanwhile.
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
        act: impl FnOnce(&mut Job) -> Reply,
    ) -> Reply {
        match self.jobs.get_mut(&request.id) {
            Some(job) if job.state(now) != State::Gone => act(job),
            _ => Reply::error(404, "job not found"),
        }
    }

    fn purge(&mut self, now: Instant) -> Reply {
        self.purges += 1;
        let queued = self.jobs.values_mut().filter(|job| job.state(now) == State::Queued);
        let removed = queued.map(|job| job.removed = Some(now)).count();
        Reply::json(200, &json!({ "removed": removed, "status": "completed" }))
    }
}

/// The events of a stream: they tell whose they are.
pub fn events(id: &str) -> impl Iterator<Item = Value> {
    const MOST: usize = 5;
    let count = 1 + id.bytes().map(usize::from).sum::<usize>() % MOST;
    (0..count).map(move |event| json!({ "of": id, "event": event }))
}
