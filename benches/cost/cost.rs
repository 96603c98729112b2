//! Benchmark: the overhead of a call over the same call by the raw HTTP client, in the same run.
//!
//! - Requests per second of `status` at 1, 64 and 200 in flight, with the limiter on and a
//!   limit that does not bind, against the same work by reqwest and serde alone.
//! - Memory at the peak, above what was there before: of a 20 MB submission, whose body is the
//!   measure, also where it is sent three times, and of a 20 MB result decoded to a string.
//!
//! `scripts/cost.sh` runs it; `--seconds` is the duration of one measurement of one side.

use std::alloc::{GlobalAlloc, Layout, System};
use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use podqueue::{Client, RateLimits, RetryPolicy};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::JoinSet;

mod server;

type Failure = Box<dyn std::error::Error>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Number of measurements of each side, in turn, so that other load of the machine affects both.
const ROUNDS: usize = 5;

/// Counts what is allocated, and the most of it at any time.
struct Counting;

/// True while allocations are counted. They are not while time is measured: counting would cost the
/// side that allocates more often twice.
static COUNTS: AtomicBool = AtomicBool::new(false);
/// Below zero where more was given back since the counting began.
static ALLOCATED: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn grew(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        let bytes = bytes.cast_signed();
        let now = ALLOCATED.fetch_add(bytes, Ordering::Relaxed) + bytes;
        PEAK.fetch_max(now, Ordering::Relaxed);
    }
}

fn shrank(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        ALLOCATED.fetch_sub(bytes.cast_signed(), Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator as it came; the counters do not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: as this function's own contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrank(layout.size());
        // SAFETY: as this function's own contract.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grew(size);
        shrank(layout.size());
        // SAFETY: as this function's own contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Peak memory of `work`, above the memory allocated before it.
async fn peak<T>(work: impl Future<Output = T>) -> (usize, T) {
    let before = ALLOCATED.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work.await;
    ((PEAK.load(Ordering::Relaxed) - before).max(0).cast_unsigned(), result)
}

/// Requests per second of `call` with so many in flight.
async fn rate<F, T>(in_flight: usize, time: Duration, call: F) -> f64
where
    F: Fn() -> T + Clone + Send + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let done = Arc::new(AtomicU64::new(0));
    let over = Arc::new(AtomicBool::new(false));
    let mut callers = JoinSet::new();
    let started = Instant::now();
    for _ in 0..in_flight {
        let (call, done, over) = (call.clone(), Arc::clone(&done), Arc::clone(&over));
        callers.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                call().await;
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    tokio::time::sleep(time).await;
    over.store(true, Ordering::Relaxed);
    let elapsed = started.elapsed().as_secs_f64();
    let count = done.load(Ordering::Relaxed);
    while callers.join_next().await.is_some() {}
    count as f64 / elapsed
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Failure> {
    let args: Vec<_> = std::env::args().collect();
    let seconds = args.iter().position(|arg| arg == "--seconds").and_then(|at| args.get(at + 1));
    let time = Duration::from_secs_f64(seconds.map_or(Ok(1.0), |seconds| seconds.parse())?);

    let body = 20 * 1_000 * 1_000;
    let result = json!({"id": "large", "status": "COMPLETED", "output": "x".repeat(body)});
    let url = server::start(result.to_string().into())?;
    drop(result);
    let limits = RateLimits::new().requests_per_worker(1_000_000);
    let retry = RetryPolicy::new().throttled_base(Duration::from_millis(1));
    let client =
        Client::builder().api_key("key").base_url(&url).rate_limits(limits).retry(retry).build()?;
    let endpoint = client.endpoint("bench");
    // One running worker that takes a million requests: the limiter is on, and does not bind.
    endpoint.health().await?;
    throughput(&url, &endpoint, time).await;
    COUNTS.store(true, Ordering::Relaxed);
    memory(&client, body).await?;
    Ok(ExitCode::SUCCESS)
}

async fn throughput(url: &str, endpoint: &podqueue::Endpoint, time: Duration) {
    println!(
        "requests per second          ours       raw     ratio (of {ROUNDS} rounds, the middle)"
    );
    for in_flight in [1, 64, 200] {
        let mut rounds = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let ours = rate(in_flight, time, ours(endpoint)).await;
            let raw = rate(in_flight, time, raw(url)).await;
            rounds.push((ours / raw, ours, raw));
        }
        rounds.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (ratio, ours, raw) = rounds[ROUNDS / 2];
        println!("status, {in_flight:>3} in flight    {ours:>9.0} {raw:>9.0}     {ratio:.2}");
    }
}

fn ours(endpoint: &podqueue::Endpoint) -> impl Fn() -> Boxed + Clone + Send + 'static {
    let job = endpoint.job(server::JOB);
    move || {
        let job = job.clone();
        Box::pin(async move {
            job.status().await.expect("a record");
        })
    }
}

#[derive(Serialize)]
struct Input {
    text: String,
}

#[derive(Deserialize)]
struct Record {
    id: String,
    status: String,
}

/// The same work by reqwest and serde alone: the URL written, the key in its header, the record
/// read.
fn raw(url: &str) -> impl Fn() -> Boxed + Clone + Send + 'static {
    let (http, url) = (reqwest::Client::new(), url.to_owned());
    move || {
        let request = http.get(format!("{url}/v2/{}/status/{}", "bench", server::JOB)).bearer_auth("key");
        Box::pin(async move {
            let response = request.send().await.expect("a response");
            let body = response.bytes().await.expect("a body");
            let record: Record = serde_json::from_slice(&body).expect("a record");
            std::hint::black_box((record.id, record.status));
        })
    }
}

async fn memory(client: &Client, body: usize) -> Result<(), Failure> {
    let endpoint = client.endpoint("bench");
    let input = Input { text: "x".repeat(body) };
    // A first call pays for what is there once.
    endpoint.job(server::JOB).status().await?;
    let (submission, result) = peak(async { endpoint.run_sync(&input).await }).await;
    result?;
    println!("memory of a 20 MB submission   {:.3} bodies", submission as f64 / body as f64);
    let busy = client.endpoint("busy");
    let (resent, result) = peak(async { busy.run_sync(&input).await }).await;
    result?;
    println!("the same, sent three times     {:.3} bodies", resent as f64 / body as f64);
    drop(input);
    let (decoded, output) = peak(async {
        let record = endpoint.job("large").status().await?;
        record.output::<String>()
    })
    .await;
    let above = decoded - output?.len();
    println!(
        "memory of a 20 MB result       {:.3} bodies above the output",
        above as f64 / body as f64
    );
    Ok(())
}
