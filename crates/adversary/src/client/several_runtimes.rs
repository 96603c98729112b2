//! Several runtimes: one client whose runtimes are driven only while they have a call to make, and
//! are replaced.
//!
//! A connection belongs to the runtime that made it, and stalls while that runtime is not driven.
//! The peer injects no faults. Time is real and short, so deadlines are not checked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::client::call_log::CallLog;
use crate::client::caller::{Caller, client};
use crate::client::leaks::Capture;
use crate::client::peer::{Peer, Transcript};
use crate::client::plan::{self, Actor, JobChoice, Plan, PlannedStep, PollPattern, Step};
use crate::client::run::Run;
use crate::client::service::{JobEnd, JobScript, Service};

/// Turn of one of the runtimes, by its index.
#[derive(Clone, Debug)]
pub enum Turn {
    Call(usize, Vec<PlannedStep>),
    /// The runtime is driven without a call.
    Idle(usize, Duration),
    /// The runtime is dropped and replaced.
    Replace(usize),
}

const RUNTIMES: usize = 3;

/// Draws the turns of a seed, with a plan whose peer injects no faults.
#[must_use]
pub fn plan(seed: u64) -> (Plan, Vec<Turn>) {
    let mut plan = plan::plan(seed);
    let mut rng = Rng::with_seed(!seed);
    plan.faults.clear();
    (plan.dropped_connections, plan.downtime) = (0, None);
    plan.settings.max_streams = 100;
    plan.settings.share = None;
    plan.settings.call_timeout = None;
    plan.settings.timeout = Duration::from_millis(300);
    plan.settings.first_interval = Duration::from_millis(5);
    let turns = (1..=rng.u64(4..16)).map(|number| {
        let runtime = rng.usize(..RUNTIMES);
        match rng.u8(..8) {
            0 => Turn::Idle(runtime, Duration::from_millis(rng.u64(..20))),
            1 => Turn::Replace(runtime),
            _ => Turn::Call(runtime, steps(&mut rng, number * 2_000)),
        }
    });
    let turns = turns.collect();
    (plan, turns)
}

fn steps(rng: &mut Rng, call: u64) -> Vec<PlannedStep> {
    let script = JobScript {
        queue_time: Duration::ZERO,
        run_time: Duration::from_millis(rng.u64(..20)),
        chunks: rng.u64(..3),
        end: JobEnd::Completed,
    };
    let run = Step::Run { script, at_least_once: false, storage: false, webhook: false };
    let second = match rng.u8(..5) {
        0 => Step::Wait { job: JobChoice::Own, timeout: None, cancel: false, slow_polling: false },
        1 => Step::Stream { take: None },
        2 => Step::Status(JobChoice::Any(rng.usize(..4))),
        3 => Step::Health,
        _ => Step::CreateSecret,
    };
    let pattern = match rng.u8(..6) {
        0 => PollPattern::DropAtPoll(rng.u32(1..4)),
        _ => PollPattern::Await,
    };
    vec![
        PlannedStep { call, step: run, pattern },
        PlannedStep { call: call + 1_000, step: second, pattern: PollPattern::Await },
    ]
}

/// Plays the turns in sequence.
#[must_use]
pub fn run(plan: &Plan, turns: &[Turn]) -> Run {
    let capture = Capture::start(false);
    let began = Instant::now();
    let (address, stop, peer) = start_peer(plan.clone());
    let log = Arc::new(CallLog::default());
    let caller = Caller::new(client(plan, &address).expect("usable settings"), Arc::clone(&log));
    let mut runtimes: Vec<_> = (0..RUNTIMES).map(|_| runtime()).collect();
    for turn in turns {
        match turn {
            Turn::Call(number, steps) => {
                let actor = Actor { starts: Duration::ZERO, steps: steps.clone() };
                let acting = caller.clone().act(actor);
                // A panic is captured as a finding.
                let _ = catch_unwind(AssertUnwindSafe(|| runtimes[*number].block_on(acting)));
            }
            Turn::Idle(number, time) => runtimes[*number].block_on(async { sleep(*time).await }),
            Turn::Replace(number) => runtimes[*number] = runtime(),
        }
    }
    let (entries, ended) = (log.entries(), Instant::now());
    log.forget_jobs();
    drop(caller);
    drop(runtimes);
    let _ = stop.send(());
    let (transcript, service) = peer.join().expect("the peer does not panic");
    let captured = capture.stop();
    Run {
        settings: plan.settings.clone(),
        connections_may_end: false,
        began,
        ended,
        entries,
        leaked_connections: transcript.open_connections.len(),
        transcript,
        service,
        leaks: [log.leaks(), captured.leaks].concat(),
        panics: captured.panics,
        leaked_tasks: 0,
        flooded: false,
        traced_bytes: captured.bytes,
    }
}

/// Starts the peer on a thread of its own, which ends when it is stopped and all connections are
/// closed.
fn start_peer(
    plan: Plan,
) -> (String, oneshot::Sender<()>, thread::JoinHandle<(Transcript, Service)>) {
    let (stop, stopped) = oneshot::channel();
    let (listening, address) = std::sync::mpsc::channel();
    let thread = thread::spawn(move || {
        runtime().block_on(async {
            let peer = Peer::start(&plan, Service::default()).await;
            let _ = listening.send(peer.address.to_string());
            let _ = stopped.await;
            for _ in 0..200 {
                if peer.is_disconnected() {
                    break;
                }
                sleep(Duration::from_millis(5)).await;
            }
            peer.observed()
        })
    });
    (address.recv().expect("the peer listens"), stop, thread)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}
