//! Run: one plan, played over real sockets on a runtime with paused time.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::client::call_log::{CallKind, CallLog, LoggedCall};
use crate::client::caller::{Caller, client};
use crate::client::leaks::Capture;
use crate::client::peer::{Arrival, Peer, Transcript};
use crate::client::plan::{ClientSettings, Plan, Step};
use crate::client::service::{Operation, Service};

/// Time limit of a run, far beyond its faults and all deadlines.
const TIME_LIMIT: Duration = Duration::from_secs(20 * 60 * 60);

/// Time in which dropped tasks and connections must end.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// Observations of a run that has ended, which the invariants check.
pub struct Run {
    pub settings: ClientSettings,
    /// The peer may end connections before it reads a request.
    pub connections_may_end: bool,
    pub began: Instant,
    pub ended: Instant,
    pub entries: Vec<LoggedCall>,
    pub transcript: Transcript,
    pub service: Service,
    /// Texts that contain a canary.
    pub leaks: Vec<String>,
    pub panics: Vec<String>,
    /// Tasks and connections that outlive the client and all callers.
    pub leaked_tasks: usize,
    pub leaked_connections: usize,
    /// More requests arrived than any plan accounts for, and the run was aborted.
    pub flooded: bool,
    pub traced_bytes: usize,
}

impl Run {
    /// Returns the requests of a call, where they contain something that identifies it.
    pub(crate) fn arrivals(&self, entry: &LoggedCall) -> Option<(Operation, Vec<&Arrival>)> {
        let number = entry.call;
        let (operation, id) = match entry.kind {
            CallKind::Run { .. } | CallKind::RunAllItem => (Operation::Run, number.to_string()),
            CallKind::RunSync { .. } => (Operation::RunSync, number.to_string()),
            CallKind::Openai => (Operation::Openai, number.to_string()),
            CallKind::GetPod => (Operation::Rest, format!("pod-{number}")),
            CallKind::CreateTemplate => (Operation::CreateTemplate, format!("tpl-{number}")),
            CallKind::UpdateTemplate => (Operation::UpdateTemplate, format!("tplid-{number}")),
            CallKind::DeleteTemplate => (Operation::DeleteTemplate, format!("tpl-{number}")),
            CallKind::CreateSecret => (Operation::CreateSecret, format!("sec-{number}")),
            CallKind::DeleteSecret => (Operation::DeleteSecret, format!("secid-{number}")),
            // Only for a job that a single call retries.
            CallKind::Retry => {
                let job = entry.job.as_ref()?;
                let is_same = |other: &&LoggedCall| {
                    matches!(other.kind, CallKind::Retry) && other.job.as_ref() == Some(job)
                };
                if self.entries.iter().filter(is_same).count() > 1 {
                    return None;
                }
                (Operation::Retry, job.clone())
            }
            _ => return None,
        };
        let arrivals = self.transcript.arrivals_of(operation, &id).collect();
        Some((operation, arrivals))
    }

    /// Formats the transcript of the peer and the log of the callers.
    pub(crate) fn transcript(&self) -> String {
        let mut text = String::from("  the peer:\n");
        for line in self.transcript.lines().lines() {
            let _ = writeln!(text, "  {line}");
        }
        text.push_str("  the callers:\n");
        for entry in &self.entries {
            let since = |at: Instant| (at - self.began).as_secs_f64();
            let _ = writeln!(
                text,
                "  {:>10.3}s  {:?} of call {} until {:.3}s: {:?}",
                since(entry.started),
                entry.kind,
                entry.call,
                since(entry.ended.unwrap_or(self.ended)),
                entry.outcome
            );
        }
        text
    }
}

/// Plays a plan to its end.
#[must_use]
pub fn run(plan: &Plan) -> Run {
    fastrand::seed(plan.seed);
    let capture = Capture::start(plan.settings.traced);
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    let mut run = runtime.block_on(play(plan));
    drop(runtime);
    let captured = capture.stop();
    run.panics = captured.panics;
    run.leaks.extend(captured.leaks);
    run.traced_bytes = captured.bytes;
    run
}

async fn play(plan: &Plan) -> Run {
    let began = Instant::now();
    let peer = Peer::start(plan, service(plan)).await;
    let log = Arc::new(CallLog::default());
    let address = peer.address.to_string();
    let caller = Caller::new(client(plan, &address).expect("usable settings"), Arc::clone(&log));
    let mut actors = JoinSet::new();
    for actor in &plan.actors {
        actors.spawn(caller.clone().act(actor.clone()));
    }
    drop(caller);
    let all = async { while actors.join_next().await.is_some() {} };
    let flooded = tokio::select! {
        _ = timeout(TIME_LIMIT, all) => false,
        () = peer.flooded() => true,
    };
    let (entries, ended) = (log.entries(), Instant::now());
    drop(actors);
    log.forget_jobs();
    sleep(SETTLE_TIME).await;
    let leaked_tasks =
        Handle::current().metrics().num_alive_tasks().saturating_sub(peer.task_count());
    let (transcript, service) = peer.observed();
    Run {
        settings: plan.settings.clone(),
        connections_may_end: plan.dropped_connections > 0 || plan.downtime.is_some(),
        began,
        ended,
        entries,
        leaked_connections: transcript.open_connections.len(),
        transcript,
        service,
        leaks: log.leaks(),
        panics: Vec::new(),
        leaked_tasks,
        flooded,
        traced_bytes: 0,
    }
}

/// Returns the service with the templates and secrets that the plan changes or deletes.
fn service(plan: &Plan) -> Service {
    let mut service = Service::default();
    for planned in plan.actors.iter().flat_map(|actor| &actor.steps) {
        match planned.step {
            Step::UpdateTemplate | Step::DeleteTemplate => {
                service.templates.existing.entry(format!("tpl-{}", planned.call)).or_default();
            }
            Step::DeleteSecret => {
                service.secrets.existing.entry(format!("sec-{}", planned.call)).or_default();
            }
            _ => {}
        }
    }
    service
}
