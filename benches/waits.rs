//! Benchmark: cost of a wait among many on one client, over real HTTP against the local service and
//! its own limits.
//!
//! Prints for each number of jobs: polls per job in three minutes, polls per second of all jobs,
//! the client's memory per job, and the number of refused requests. Time jumps when all tasks are
//! idle. Fails if a request was refused, a result was lost, or a wait costs more among many than
//! among few.
//!
//! ```text
//! cargo bench --bench waits
//! ```

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(unsafe_code, reason = "a global allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use podqueue::{Client, Endpoint, Job};
use podqueue_local::{LocalJob, LocalService, RateLimits, Workers};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::span;

type Failure = Box<dyn std::error::Error>;

/// Counts the bytes that are allocated and not freed.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came; the counter does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as this function's own contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as this function's own contract.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size, Ordering::Relaxed);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as this function's own contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of calls.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Counts the spans of the client's calls.
struct CountingCalls;

impl tracing::Subscriber for CountingCalls {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.name() == "podqueue.call"
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        CALLS.fetch_add(1, Ordering::Relaxed);
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Duration of the jobs.
const WAITED: Duration = Duration::from_secs(180);

struct Row {
    jobs: usize,
    polls: usize,
    bytes: usize,
}

/// Submits so many jobs and waits for all of them at once.
async fn row(jobs: usize, endpoint: &Endpoint, gate: &watch::Sender<bool>) -> Result<Row, Failure> {
    gate.send_replace(false);
    let submitted = stream::iter(0..jobs).map(|_| async { endpoint.run(&json!({})).await });
    let submitted: Vec<Job> = submitted.buffer_unordered(100).try_collect().await?;
    // Idle connections are closed by then.
    sleep(Duration::from_secs(60)).await;

    let mut waits = JoinSet::new();
    waits.spawn(std::future::ready(Ok(())));
    let (calls, live) = (CALLS.load(Ordering::Relaxed), LIVE.load(Ordering::Relaxed));
    for job in submitted {
        waits.spawn(async move { job.wait().await?.output::<Value>().map(drop) });
    }
    sleep(WAITED).await;
    let polls = CALLS.load(Ordering::Relaxed) - calls;
    let bytes = LIVE.load(Ordering::Relaxed).saturating_sub(live);
    gate.send_replace(true);
    while let Some(done) = waits.join_next().await {
        done??;
    }
    Ok(Row { jobs, polls, bytes })
}

/// Keeps the clock that jumps from running away from the network, which is the real one: it runs at
/// most a hundred times as fast as real time.
async fn hold_back() {
    let real = Duration::from_micros(200);
    loop {
        sleep(100 * real).await;
        // The clock does not jump while this runs.
        let _ = tokio::task::spawn_blocking(move || std::thread::sleep(real)).await;
    }
}

async fn run() -> Result<bool, Failure> {
    let (gate, closed) = watch::channel(false);
    let local = LocalService::builder()
        .endpoint("gate", move |_: LocalJob| {
            let mut opened = closed.clone();
            async move {
                let opened = opened.wait_for(|open| *open).await;
                opened.map(|_| json!("done")).map_err(|error| error.to_string().into())
            }
        })
        .workers_of("gate", Workers::between(0, 20_000))
        .rate_limits(RateLimits::documented())
        .start()
        .await?;
    let local = Arc::new(local);
    tokio::spawn(hold_back());
    let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;
    let endpoint = client.endpoint("gate");
    // The service's log is full from here on, so that it takes no more memory.
    for _ in 0..10_000 {
        endpoint.health().await?;
    }
    let refused = Arc::new(AtomicUsize::new(0));
    let (watched, counter) = (Arc::clone(&local), Arc::clone(&refused));
    tokio::spawn(async move {
        loop {
            sleep(Duration::from_secs(20)).await;
            let of_status = watched.requests().into_iter().filter(|r| r.path.contains("/status/"));
            let refused = of_status.filter(|request| request.status == Some(429)).count();
            counter.fetch_add(refused, Ordering::Relaxed);
        }
    });

    println!("waiting jobs    polls a job in 3 min    polls/s    bytes a job    429");
    // The first pays for what is there once.
    row(100, &endpoint, &gate).await?;
    let mut rows = Vec::new();
    for jobs in [100, 1_000, 10_000] {
        let row = row(jobs, &endpoint, &gate).await?;
        let seconds = WAITED.as_secs_f64();
        let (a_job, a_second) = (row.polls as f64 / row.jobs as f64, row.polls as f64 / seconds);
        println!(
            "{jobs:>12} {a_job:>23.1} {a_second:>10.1} {:>14} {:>6}",
            row.bytes / row.jobs,
            refused.load(Ordering::Relaxed)
        );
        rows.push(row);
    }
    let dearest = rows[0].bytes / rows[0].jobs * 5 / 4;
    let flat = rows.iter().all(|row| row.bytes / row.jobs <= dearest);
    Ok(flat && refused.load(Ordering::Relaxed) == 0)
}

fn main() -> Result<ExitCode, Failure> {
    tracing::subscriber::set_global_default(CountingCalls)?;
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build()?;
    let good = runtime.block_on(run())?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
