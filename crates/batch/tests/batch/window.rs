//! How many jobs are outstanding. The tests turn the clock of the batch, in steps during which the
//! service goes on in real time; how many jobs end in each step is up to them.

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

/// How far the clock is turned in a step, and how much real time the step takes: a run notes how it
/// goes as often.
const STEP: Duration = Duration::from_millis(250);
const REAL: Duration = Duration::from_millis(2);

/// A service on a clock and threads of its own, whose jobs end as permits are given.
struct Paced {
    local: LocalService,
    permits: Arc<Semaphore>,
    /// How many jobs a worker got.
    started: Arc<AtomicU64>,
}

impl Paced {
    fn start(set: impl FnOnce(Builder) -> Builder) -> Self {
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
struct Turned {
    run: Run,
    now: Option<Progress>,
    _held: (oneshot::Sender<()>, JoinHandle<()>),
}

impl Turned {
    fn begin(run: Run) -> Self {
        time::pause();
        // While a thread blocks, the clock does not move by itself.
        let (end, ended) = oneshot::channel();
        let held = tokio::task::spawn_blocking(move || {
            let _ = ended.blocking_recv();
        });
        Self { run, now: None, _held: (end, held) }
    }

    /// Lets time pass, and so many jobs end.
    async fn step(&mut self, service: &Paced, ended: usize) -> usize {
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

    fn window(&self) -> usize {
        self.now.as_ref().map_or(0, |progress| progress.window)
    }
}

async fn begin(service: &Paced, inputs: u64) -> (Folder, Turned) {
    let folder = Folder::with(inputs);
    let client = Client::builder().api_key(KEY).base_url(service.local.base_url());
    let client = client.rate_limits(RateLimits::off()).build().unwrap();
    let batch = folder.open().await.unwrap();
    let mut run = Turned::begin(batch.run(client.endpoint("paced")));
    while run.now.is_none() {
        run.step(service, 0).await;
    }
    (folder, run)
}

#[tokio::test]
async fn the_window_is_three_minutes_of_the_rate_at_which_jobs_end() {
    let service = Paced::start(|builder| builder);
    let (_folder, mut run) = begin(&service, 7_000).await;
    assert_eq!(run.window(), 200);
    // Four jobs per second, then twelve, each for twice as long as the rate is measured.
    for (ended, expected) in [(1, 720), (3, 2_160)] {
        for _ in 0..1_000 {
            run.step(&service, ended).await;
        }
        let window = run.window() as f64;
        assert!((window / f64::from(expected) - 1.0).abs() < 0.3, "{window}, not {expected}");
    }
}

#[tokio::test]
async fn however_fast_jobs_end_the_window_has_a_bound() {
    let service = Paced::start(|builder| builder);
    let (_folder, mut run) = begin(&service, 4_000).await;
    let mut largest = 0;
    for _ in 0..60 {
        // 160 per second, of which three minutes would be 28,800.
        largest = largest.max(run.step(&service, 40).await);
    }
    assert_eq!(largest, 10_000);
}

#[tokio::test]
async fn a_full_queue_halves_the_window_which_grows_and_settles() {
    // 50 jobs are with workers.
    let service = Paced::start(|builder| builder.max_queued(70));
    let (folder, mut run) = begin(&service, 1_500).await;
    let mut windows = Vec::new();
    for _ in 0..1_200 {
        windows.push(run.step(&service, 1).await);
    }
    let first = windows.iter().position(|window| *window < 200).unwrap();
    let late = &windows[first..];
    let (less, more): (Vec<_>, Vec<_>) = late
        .windows(2)
        .map(|pair| pair[1] as f64 / pair[0] as f64)
        .filter(|change| *change != 1.0)
        .partition(|change| *change < 1.0);
    assert!(less.len() > 3 && less.iter().all(|change| *change > 0.3), "it is halved: {less:?}");
    assert!(more.len() > less.len() && more.iter().all(|change| *change < 1.3), "it grows slowly");
    // The queue and the workers take 120: it settles around that.
    let usual = late.iter().sum::<usize>() as f64 / late.len() as f64;
    assert!((50.0..150.0).contains(&usual), "{usual}");
    service.permits.add_permits(1_500);
    for _ in 0..4_000 {
        run.step(&service, 0).await;
        if folder.results().len() == 1_500 {
            break;
        }
    }
    assert_eq!(folder.results().len(), 1_500);
    assert_eq!(service.started.load(SeqCst), 1_500, "nothing is submitted twice");
}
