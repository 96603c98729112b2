//! One client, several runtimes: each is driven only while it has a call to make, and some are dropped.
//!
//! A connection lives on the runtime that made it, and stands still with it. The peer behaves; time is
//! real, and there is little of it, so nothing is held to deadlines here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::caller::{Caller, Log, client};
use crate::capture::Capture;
use crate::peer::{Peer, Transcript};
use crate::plan::{self, Actor, End, JobScript, Manner, Pick, Plan, Step, Work};
use crate::run::Run;
use crate::service::Service;

/// What is done next, on the runtime of this number.
#[derive(Clone, Debug)]
pub enum Turn {
    Call(usize, Vec<Work>),
    /// It is driven for a while, with nothing to do.
    Idle(usize, Duration),
    /// It is dropped, and another takes its place.
    Replace(usize),
}

const RUNTIMES: usize = 3;

/// A peer that behaves, and turns on several runtimes.
#[must_use]
pub fn plan(seed: u64) -> (Plan, Vec<Turn>) {
    let mut plan = plan::plan(seed);
    let mut rng = Rng::with_seed(!seed);
    plan.faults.clear();
    (plan.dead_connections, plan.away) = (0, None);
    plan.settings.streams = 100;
    plan.settings.share = None;
    plan.settings.call_timeout = None;
    plan.settings.timeout = Duration::from_millis(300);
    plan.settings.first_pause = Duration::from_millis(5);
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

fn steps(rng: &mut Rng, call: u64) -> Vec<Work> {
    let script = JobScript {
        queued: Duration::ZERO,
        runs: Duration::from_millis(rng.u64(..20)),
        chunks: rng.u64(..3),
        end: End::Completed,
    };
    let run = Step::Run { script, at_least_once: false, storage: false, webhook: false };
    let second = match rng.u8(..5) {
        0 => Step::Wait { pick: Pick::Own, timeout: None, cancel: false, polite: false },
        1 => Step::Stream { take: None },
        2 => Step::Status(Pick::Any(rng.usize(..4))),
        3 => Step::Health,
        _ => Step::CreateSecret,
    };
    let manner = match rng.u8(..6) {
        0 => Manner::DropAtPoll(rng.u32(1..4)),
        _ => Manner::Await,
    };
    vec![
        Work { call, step: run, manner },
        Work { call: call + 1_000, step: second, manner: Manner::Await },
    ]
}

/// Plays the turns one after another.
#[must_use]
pub fn run(plan: &Plan, turns: &[Turn]) -> Run {
    let capture = Capture::start(false);
    let began = Instant::now();
    let (address, stop, peer) = peer(plan.clone());
    let log = Arc::new(Log::default());
    let caller = Caller::new(client(plan, &address).expect("usable settings"), Arc::clone(&log));
    let mut runtimes: Vec<_> = (0..RUNTIMES).map(|_| runtime()).collect();
    for turn in turns {
        match turn {
            Turn::Call(number, steps) => {
                let actor = Actor { starts: Duration::ZERO, steps: steps.clone() };
                let acting = caller.clone().act(actor);
                // The panic is captured, and a finding.
                let _ = catch_unwind(AssertUnwindSafe(|| runtimes[*number].block_on(acting)));
            }
            Turn::Idle(number, time) => runtimes[*number].block_on(async { sleep(*time).await }),
            Turn::Replace(number) => runtimes[*number] = runtime(),
        }
    }
    let (entries, ended) = (log.entries(), Instant::now());
    log.let_go();
    drop(caller);
    drop(runtimes);
    let _ = stop.send(());
    let (transcript, service) = peer.join().expect("the peer does not panic");
    let captured = capture.stop();
    Run {
        settings: plan.settings.clone(),
        ends_connections: false,
        began,
        ended,
        entries,
        left_connections: transcript.open.len(),
        transcript,
        service,
        leaks: [log.leaks(), captured.leaks].concat(),
        panics: captured.panics,
        left_tasks: 0,
        flooded: false,
        traced: captured.bytes,
    }
}

type Playing = thread::JoinHandle<(Transcript, Service)>;

/// The peer on a thread of its own, until it is told to stop and all connections are closed.
fn peer(plan: Plan) -> (String, oneshot::Sender<()>, Playing) {
    let (stop, stopped) = oneshot::channel();
    let (told, address) = std::sync::mpsc::channel();
    let playing = thread::spawn(move || {
        runtime().block_on(async {
            let peer = Peer::start(&plan, Service::default()).await;
            let _ = told.send(peer.address.to_string());
            let _ = stopped.await;
            for _ in 0..200 {
                if peer.lock().transcript.open.is_empty() {
                    break;
                }
                sleep(Duration::from_millis(5)).await;
            }
            let mut inner = peer.lock();
            let transcript =
                std::mem::replace(&mut inner.transcript, Transcript::new(Instant::now()));
            (transcript, std::mem::take(&mut inner.service))
        })
    });
    (address.recv().expect("the peer listens"), stop, playing)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}
