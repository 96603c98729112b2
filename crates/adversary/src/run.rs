//! Plays a plan.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::caller::{Caller, Entry, Log, client};
use crate::capture::Capture;
use crate::peer::{Peer, Transcript};
use crate::plan::{Plan, Settings, Step};
use crate::service::Service;

/// Longer than anything may take: the faults are used up long before, and the peer behaves.
const FOR_EVER: Duration = Duration::from_secs(20 * 60 * 60);

/// How long what was dropped may take to go.
const SETTLING: Duration = Duration::from_secs(2);

/// A run that is over, for the invariants to judge.
pub struct Run {
    pub settings: Settings,
    /// Connections may be ended before a request is read.
    pub ends_connections: bool,
    pub began: Instant,
    pub ended: Instant,
    pub entries: Vec<Entry>,
    pub transcript: Transcript,
    pub service: Service,
    /// What was shown and must not be.
    pub leaks: Vec<String>,
    pub panics: Vec<String>,
    /// Tasks and connections that outlived the client and all callers.
    pub left_tasks: usize,
    pub left_connections: usize,
    /// More requests came than the plan has reason for, and the run was broken off.
    pub flooded: bool,
    /// How much was traced.
    pub traced: usize,
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
    run.traced = captured.bytes;
    run
}

async fn play(plan: &Plan) -> Run {
    let began = Instant::now();
    let peer = Peer::start(plan, service(plan)).await;
    let log = Arc::new(Log::default());
    let address = peer.address.to_string();
    let caller = Caller::new(client(plan, &address).expect("usable settings"), Arc::clone(&log));
    let mut actors = JoinSet::new();
    for actor in &plan.actors {
        actors.spawn(caller.clone().act(actor.clone()));
    }
    drop(caller);
    let all = async { while actors.join_next().await.is_some() {} };
    let flooded = tokio::select! {
        _ = timeout(FOR_EVER, all) => false,
        () = peer.is_flooded() => true,
    };
    let (entries, ended) = (log.entries(), Instant::now());
    drop(actors);
    log.let_go();
    sleep(SETTLING).await;
    let left_tasks = Handle::current().metrics().num_alive_tasks().saturating_sub(peer.tasks());
    let mut inner = peer.lock();
    let transcript = std::mem::replace(&mut inner.transcript, Transcript::new(began));
    Run {
        settings: plan.settings.clone(),
        ends_connections: plan.dead_connections > 0 || plan.away.is_some(),
        began,
        ended,
        entries,
        left_connections: transcript.open.len(),
        transcript,
        service: std::mem::take(&mut inner.service),
        leaks: log.leaks(),
        panics: Vec::new(),
        left_tasks,
        flooded,
        traced: 0,
    }
}

/// The service as it is before: with what the plan deletes and changes.
fn service(plan: &Plan) -> Service {
    let mut service = Service::default();
    for work in plan.actors.iter().flat_map(|actor| &actor.steps) {
        match work.step {
            Step::UpdateTemplate | Step::DeleteTemplate => {
                service.templates.there.entry(format!("tpl-{}", work.call)).or_default();
            }
            Step::DeleteSecret => {
                service.secrets.there.entry(format!("sec-{}", work.call)).or_default();
            }
            _ => {}
        }
    }
    service
}
