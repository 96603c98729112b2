//! Harness: a service whose jobs end when a test lets them, and a run whose clock a test advances
//! in steps, while the service runs in real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use podqueue::{Client, RateLimits};
use podqueue_batch::{Progress, Run};
use podqueue_local::{Builder, LocalJob, LocalService, Workers};
use serde_json::json;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time;

use crate::support::{Folder, KEY};

/// The time by which the clock is advanced in a step, equal to the interval of progress reports,
/// and the real time that the step takes at least.
const STEP: Duration = Duration::from_millis(250);
const REAL: Duration = Duration::from_millis(2);

/// A service on a clock and threads of its own, whose jobs end as permits are given.
pub struct Paced {
    pub local: LocalService,
    pub permits: Arc<Semaphore>,
    /// The number of jobs that workers got.
    pub started: Arc<AtomicU64>,
}

impl Paced {
    pub fn start(set: impl FnOnce(Builder) -> Builder) -> Self {
        let permits = Arc::new(Semaphore::new(0));
        let gate = Arc::clone(&permits);
        let started = Arc::<AtomicU64>::default();
        let count = Arc::clone(&started);
        let builder = LocalService::builder().api_key(KEY).endpoint("paced", move |_: LocalJob| {
            let gate = Arc::clone(&gate);
            count.fetch_add(1, SeqCst);
            async move {
                gate.acquire().await.map_err(|_| "closed")?.forget();
                Ok(json!(null))
            }
        });
        let builder = set(builder.workers_of("paced", Workers::between(50, 50)));
        let (ready, local) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async move {
                ready.send(builder.start().await.unwrap()).unwrap();
                std::future::pending::<()>().await;
            });
        });
        Self { local: local.recv().unwrap(), permits, started }
    }
}

/// A run, and a clock that only moves in steps.
pub struct PacedRun {
    run: Run,
    now: Option<Progress>,
    _held: (oneshot::Sender<()>, JoinHandle<()>),
}

impl PacedRun {
    pub fn begin(run: Run) -> Self {
        time::pause();
        // While a thread blocks, the clock does not move by itself.
        let (end, ended) = oneshot::channel();
        let held = tokio::task::spawn_blocking(move || {
            let _ = ended.blocking_recv();
        });
        Self { run, now: None, _held: (end, held) }
    }

    /// Advances the clock, and waits for `real` in real time.
    pub async fn advance(&mut self, time: Duration, real: Duration) {
        time::advance(time).await;
        tokio::task::spawn_blocking(move || std::thread::sleep(real)).await.unwrap();
        while let Some(progress) = self.run.next().now_or_never().flatten() {
            self.now = Some(progress);
        }
    }

    /// Advances the clock, and ends `ended` jobs.
    pub async fn step(&mut self, service: &Paced, ended: usize) -> usize {
        service.permits.add_permits(ended);
        time::advance(STEP).await;
        let mut real = REAL;
        loop {
            tokio::task::spawn_blocking(move || std::thread::sleep(real)).await.unwrap();
            // The service may be slow, on a busy machine.
            real *= 2;
            if ended == 0 || service.permits.available_permits() == 0 || real > 32 * REAL {
                break;
            }
        }
        while let Some(progress) = self.run.next().now_or_never().flatten() {
            self.now = Some(progress);
        }
        self.window()
    }

    pub fn window(&self) -> usize {
        self.now.as_ref().map_or(0, |progress| progress.window)
    }
}

/// Begins a batch without rate limits.
pub async fn begin(service: &Paced, inputs: u64) -> (Folder, PacedRun) {
    let folder = Folder::with(inputs);
    let client = Client::builder().api_key(KEY).base_url(service.local.base_url());
    let client = client.rate_limits(RateLimits::off()).build().unwrap();
    let batch = folder.open().await.unwrap();
    let mut run = PacedRun::begin(batch.run(client.endpoint("paced")));
    while run.now.is_none() {
        run.step(service, 0).await;
    }
    (folder, run)
}
