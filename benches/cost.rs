//! What a call costs beside the same call by the raw HTTP client, in the same run.
//!
//! - Requests per second of `status` at 1, 64 and 200 in flight, with the limiter on and a
//!   limit that does not bind, against the same requests by reqwest alone.
//! - Memory at the peak, above what was there before: of a 20 MB submission, whose body is the
//!   measure, and of a 20 MB result decoded to a string.
//!
//! ```text
//! cargo bench --bench cost -- [--seconds 3]
//! ```

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(unsafe_code, reason = "a global allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use podqueue::{Client, RateLimits};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

type Failure = Box<dyn std::error::Error>;

/// Counts what is allocated, and the most of it at any time.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grew(bytes: usize) {
    let now = ALLOCATED.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came; the counters do not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: as this function's own contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as this function's own contract.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grew(size);
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as this function's own contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` takes at its peak above what is allocated before it.
async fn peak<T>(work: impl Future<Output = T>) -> (usize, T) {
    let before = ALLOCATED.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work.await;
    (PEAK.load(Ordering::Relaxed).saturating_sub(before), result)
}

const RECORD: &str = r#"{"id":"c0ffee00-0000-0000-0000-000000000000-u1","status":"IN_PROGRESS"}"#;

const HEALTH: &str = r#"{"jobs":{"completed":0,"failed":0,"inProgress":0,"inQueue":0,"retried":0},"workers":{"idle":0,"running":1}}"#;

/// Answers every request with the same record as fast as it comes; `/health` with a worker that
/// runs, `/status/large` with `large`.
async fn serve(listener: TcpListener, large: Arc<str>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, Arc::clone(&large)));
    }
}

async fn answer(mut stream: TcpStream, large: Arc<str>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let head = |length| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        )
    };
    let small = format!("{}{RECORD}", head(RECORD.len()));
    let mut buffer = Vec::with_capacity(64 * 1024);
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let lower = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let length = lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let mut rest: usize = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        let is_large = lower.contains("/status/large");
        // A large body is read away piece by piece, so that only the client's memory is measured.
        let in_buffer = rest.min(buffer.len() - end);
        buffer.drain(..end + in_buffer);
        rest -= in_buffer;
        let mut piece = [0; 16 * 1024];
        while rest > 0 {
            let most = rest.min(piece.len());
            match stream.read(&mut piece[..most]).await? {
                0 => return Ok(()),
                read => rest -= read,
            }
        }
        if lower.contains("/health") {
            stream.write_all(format!("{}{HEALTH}", head(HEALTH.len())).as_bytes()).await?;
        } else if is_large {
            stream.write_all(head(large.len()).as_bytes()).await?;
            stream.write_all(large.as_bytes()).await?;
        } else {
            stream.write_all(small.as_bytes()).await?;
        }
    }
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
    let time = Duration::from_secs(seconds.map_or(Ok(3), |seconds| seconds.parse())?);

    let body = 20 * 1_000 * 1_000;
    let result = json!({"id": "large", "status": "COMPLETED", "output": "x".repeat(body)});
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    // The server has a thread of its own, as it would have a machine of its own.
    let large: Arc<str> = result.to_string().into();
    drop(result);
    let listener = listener.into_std()?;
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(async {
                if let Ok(listener) = TcpListener::from_std(listener) {
                    serve(listener, large).await;
                }
            });
        }
    });

    let limits = RateLimits::new().requests_per_worker(1_000_000);
    let client = Client::builder().api_key("key").base_url(&url).rate_limits(limits).build()?;
    let endpoint = client.endpoint("bench");
    // One running worker that takes a million requests: the limiter is on, and does not bind.
    endpoint.health().await?;
    throughput(&url, &endpoint, time).await;
    memory(&endpoint, body).await?;
    Ok(ExitCode::SUCCESS)
}

async fn throughput(url: &str, endpoint: &podqueue::Endpoint, time: Duration) {
    let raw = reqwest::Client::new();
    println!("requests per second          ours       raw     ratio");
    for in_flight in [1, 64, 200] {
        let job = endpoint.job("j");
        let ours = rate(in_flight, time, move || {
            let job = job.clone();
            async move {
                let _ = job.status().await;
            }
        });
        let ours = ours.await;
        let (http, address) = (raw.clone(), format!("{url}/v2/bench/status/j"));
        let theirs = rate(in_flight, time, move || {
            let request = http.get(&address).header("authorization", "Bearer key");
            async move {
                if let Ok(response) = request.send().await {
                    let _ = response.bytes().await;
                }
            }
        });
        let theirs = theirs.await;
        let ratio = ours / theirs;
        println!("status, {in_flight:>3} in flight    {ours:>9.0} {theirs:>9.0}     {ratio:.2}");
    }
}

async fn memory(endpoint: &podqueue::Endpoint, body: usize) -> Result<(), Failure> {
    let input = "x".repeat(body);
    // A first call pays for what is there once.
    endpoint.job("j").status().await?;
    let (submission, result) = peak(async { endpoint.run_sync(&input).await }).await;
    result?;
    println!("memory of a 20 MB submission   {:.3} bodies", submission as f64 / body as f64);
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
