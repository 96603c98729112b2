//! How many jobs are outstanding. The tests turn the clock of the batch, in steps during which the
//! service goes on in real time; how many jobs end in each step is up to them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use podqueue::{Client, RateLimits};
use podqueue_batch::{Progress, Run};
use podqueue_local::{Builder, LocalJob, LocalService, Workers};
use serde_json::json;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time;

use crate::support::{Folder, KEY};

/// How far the clock is turned in a step, and how much real time the step takes: a run notes how it
/// goes as often.
const STEP: Duration = Duration::from_millis(250);
const REAL: Duration = Duration::from_millis(4);

/// A service on a clock and threads of its own, whose jobs end as permits are given.
struct Paced {
    local: LocalService,
    permits: Arc<Semaphore>,
}

impl Paced {
    fn start(set: impl FnOnce(Builder) -> Builder) -> Self {
        let permits = Arc::new(Semaphore::new(0));
        let gate = Arc::clone(&permits);
        let builder = LocalService::builder().api_key(KEY).endpoint("paced", move |_: LocalJob| {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.map_err(|_| "closed")?.forget();
                Ok(json!(null))
            }
        });
        let builder = set(builder.workers_of("paced", Workers::between(50, 50)));
        let (started, local) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async move {
                started.send(builder.start().await.unwrap()).unwrap();
                std::future::pending::<()>().await;
            });
        });
        Self { local: local.recv().unwrap(), permits }
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
        tokio::task::spawn_blocking(|| std::thread::sleep(REAL)).await.unwrap();
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
    (folder, Turned::begin(batch.run(client.endpoint("paced"))))
}

fn outstanding(service: &Paced) -> u64 {
    service.local.requests().len() as u64
}

#[tokio::test]
async fn the_window_is_three_minutes_of_the_rate_at_which_jobs_end() {
    let service = Paced::start(|builder| builder);
    let (_folder, mut run) = begin(&service, 6_000).await;
    assert_eq!(run.step(&service, 0).await, 200);
    // Four jobs per second, then twelve, each for as long as the rate is measured.
    for (ended, expected) in [(1, 720), (3, 2_160)] {
        for _ in 0..500 {
            run.step(&service, ended).await;
        }
        let window = run.window() as f64;
        assert!((window / f64::from(expected) - 1.0).abs() < 0.1, "{window}, not {expected}");
    }
    let _ = outstanding(&service);
}

#[tokio::test]
async fn never_more_than_10_000_jobs_are_outstanding() {
    let service = Paced::start(|builder| builder);
    let (_folder, mut run) = begin(&service, 11_500).await;
    let (mut most, mut largest) = (0, 0);
    for step in 0..3_000 {
        run.step(&service, if step < 40 { 30 } else { 0 }).await;
        let now = run.now.as_ref().unwrap();
        let submitted = now.counts.of(podqueue_batch::State::Submitted);
        (most, largest) = (most.max(submitted), largest.max(now.window));
        if most == 10_000 {
            break;
        }
    }
    assert_eq!((most, largest), (10_000, 10_000));
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
    assert!((50..=70).contains(&windows[first]), "half of 120: {}", windows[first]);
    // It settles: below what the queue takes, and above half of it.
    let late = &windows[first..];
    assert!(late.iter().all(|window| (50..=145).contains(window)), "{late:?}");
    assert!(late.windows(2).any(|pair| pair[0] < pair[1]), "it grows");
    let halves = late.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!((2..=15).contains(&halves), "{halves} times in five minutes");
    service.permits.add_permits(1_500);
    while run.step(&service, 0).await > 0 {
        if run.now.as_ref().unwrap().counts.open() == 0 {
            break;
        }
    }
    assert_eq!(folder.results().len(), 1_500);
    let submitted = service.local.requests().iter().filter(|it| it.status == 200).count();
    assert!(submitted >= 1_500);
}
