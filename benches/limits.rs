//! Benchmark: utilization of the service's rate limits, against the local service that enforces
//! them.
//!
//! More callers than the concurrency limit call every limited operation in a loop, all operations
//! at the same time. The number of accepted requests is compared with the number that the limits
//! allow in that time. Retries are off, so that each 429 is counted. Fails after a 429, or below 99
//! % of the allowed requests.
//!
//! ```text
//! cargo bench --bench limits -- [--seconds 12] [--window sliding | --window 3700]...
//! ```
//!
//! A window is sliding, or fixed, with the milliseconds after which the first of them ends. Without
//! any, one run is made with sliding windows and two with fixed ones of awkward phases.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Client, ErrorKind, Job, RetryPolicy};
use podqueue_local::{LocalJob, LocalService, RateLimits, RateWindow, StreamShape, Workers};
use serde_json::{Value, json};
use tokio::task::JoinSet;

type Failure = Box<dyn std::error::Error>;

struct Settings {
    seconds: u64,
    windows: Vec<RateWindow>,
}

impl Settings {
    fn from_args() -> Result<Self, Failure> {
        let mut settings = Self { seconds: 12, windows: Vec::new() };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seconds" => settings.seconds = args.next().ok_or("--seconds N")?.parse()?,
                "--window" => settings.windows.push(match args.next().as_deref() {
                    Some("sliding") => RateWindow::Sliding,
                    Some(phase) => RateWindow::Fixed(Duration::from_millis(phase.parse()?)),
                    None => return Err("--window sliding, or milliseconds".into()),
                }),
                // Cargo says so to every benchmark.
                "--bench" => {}
                other => return Err(format!("unknown: {other}").into()),
            }
        }
        if settings.windows.is_empty() {
            let fixed = |phase| RateWindow::Fixed(Duration::from_millis(phase));
            settings.windows = vec![RateWindow::Sliding, fixed(3_700), fixed(9_950)];
        }
        Ok(settings)
    }
}

/// Results of the calls of one operation.
#[derive(Default)]
struct Tally {
    accepted: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
}

impl Tally {
    fn note<T>(&self, result: podqueue::Result<T>) {
        let counter = match result {
            Ok(_) => &self.accepted,
            Err(error) if error.kind() == ErrorKind::RateLimited => &self.refused,
            Err(_) => &self.failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// The callers of all operations.
#[derive(Default)]
struct Load {
    callers: JoinSet<()>,
    rows: Vec<(&'static str, u64, Arc<Tally>)>,
}

impl Load {
    /// Runs `callers` callers of an operation, of which the service accepts `limit` in ten seconds.
    fn put<T, F>(
        &mut self,
        operation: &'static str,
        limit: u64,
        callers: usize,
        call: impl Fn() -> F + Clone + Send + 'static,
    ) -> Arc<Tally>
    where
        F: Future<Output = podqueue::Result<T>> + Send,
        T: Send,
    {
        let tally = Arc::new(Tally::default());
        for _ in 0..callers {
            let (tally, call) = (Arc::clone(&tally), call.clone());
            self.callers.spawn(async move {
                loop {
                    tally.note(call().await);
                }
            });
        }
        self.rows.push((operation, limit, Arc::clone(&tally)));
        tally
    }
}

/// Runs once; returns false if the checks fail.
async fn run(seconds: u64, window: RateWindow) -> Result<bool, Failure> {
    let local = LocalService::builder()
        .api_key("local")
        .endpoint("parked", |job: LocalJob| async move { Ok(job.input) })
        .workers_of("parked", Workers::between(0, 0))
        // The object form has the status, so one poll completes a stream.
        .stream_shape(StreamShape::Object)
        .rate_limits(RateLimits::documented().window(window))
        .start()
        .await?;
    let local = Arc::new(local);
    let client = Client::builder()
        .api_key("local")
        .base_url(local.base_url())
        .retry(RetryPolicy::never())
        .build()?;
    let (echo, parked) = (client.endpoint("echo"), client.endpoint("parked"));
    let done = echo.run(&json!({"n": 1})).await?;
    done.wait().await?;
    let cancelled: Job = parked.run(&json!({})).await?;

    let mut load = Load::default();
    let (endpoint, job) = (echo.clone(), done.clone());
    load.put("run", 1_000, 300, move || {
        let endpoint = endpoint.clone();
        async move { endpoint.run(&json!({"n": 1})).await }
    });
    load.put("status", 2_000, 600, move || {
        let job = done.clone();
        async move { job.status().await }
    });
    let streamed = load.put("stream", 2_000, 600, move || {
        let job = job.clone();
        async move { job.stream::<Value>().next().await.transpose() }
    });
    let endpoint = echo.clone();
    load.put("runsync", 2_000, 600, move || {
        let endpoint = endpoint.clone();
        async move { endpoint.run_sync(&json!({"n": 1})).await }
    });
    let endpoint = echo.clone();
    load.put("openai", 2_000, 600, move || {
        let endpoint = endpoint.clone();
        async move { endpoint.openai("v1/models", &json!({})).await }
    });
    load.put("cancel", 100, 30, move || {
        let job = cancelled.clone();
        async move { job.cancel().await }
    });
    let endpoint = parked.clone();
    load.put("requests", 10, 4, move || {
        let endpoint = endpoint.clone();
        async move { endpoint.requests().await }
    });
    load.put("purge-queue", 2, 4, move || {
        let endpoint = parked.clone();
        async move { endpoint.purge_queue().await }
    });
    // A stream retries silently after a 429: the service's log shows it, and holds ten seconds of
    // this load.
    let watched = Arc::clone(&local);
    load.callers.spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(4)).await;
            let log = watched.requests();
            let refused = log.iter().filter(|request| request.status == Some(429));
            let refused = refused.filter(|request| request.path.contains("/stream/")).count();
            streamed.refused.fetch_max(refused as u64, Ordering::Relaxed);
        }
    });
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    load.callers.abort_all();

    println!("{window:?} windows, {seconds} s");
    println!("  operation     accepted   allowed      %    429  other");
    let mut good = true;
    for (operation, limit, tally) in &load.rows {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (accepted, refused) = (count(&tally.accepted), count(&tally.refused));
        let failed = count(&tally.failed);
        let allowed = limit * seconds / 10;
        let percent = accepted as f64 * 100.0 / allowed as f64;
        println!(
            "  {operation:<12} {accepted:>9} {allowed:>9} {percent:>6.1} {refused:>6} {failed:>6}"
        );
        good &= percent >= 99.0 && refused == 0 && failed == 0;
    }
    Ok(good)
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let settings = Settings::from_args()?;
    let mut good = true;
    for window in settings.windows {
        good &= run(settings.seconds, window).await?;
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
