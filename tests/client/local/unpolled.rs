//! Held calls: calls that are not polled do not block other calls, over real HTTP against the
//! service's own limits, on a clock that advances whenever all tasks wait.

use std::future::{Future, IntoFuture};
use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt, stream};
use podqueue::{Client, Endpoint, Job, JobStatus, Polling, Result, RetryPolicy};
use podqueue_local::{LocalService, RateLimits as Enforced, StreamShape, Workers};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::local::support::{HeldBack, service, settings};

type Called = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

struct Bench {
    local: LocalService,
    client: Client,
    _held_back: HeldBack,
}

impl Bench {
    /// A service that enforces the documented limits, and a client that keeps them without a retry.
    async fn new() -> Self {
        let local = service()
            .workers_of("sleep", Workers::between(0, 1_000))
            .stream_shape(StreamShape::Object)
            .rate_limits(Enforced::documented())
            .start()
            .await
            .unwrap();
        let settings = settings(&local).polling(Polling::new()).retry(RetryPolicy::never());
        Self { client: settings.build().unwrap(), local, _held_back: HeldBack::new() }
    }

    fn endpoint(&self, id: &str) -> Endpoint {
        self.client.endpoint(id)
    }

    async fn cancelled(&self) -> Job {
        let job = self.endpoint("stalled").run(&json!({})).await.unwrap();
        job.cancel().await.unwrap();
        job
    }

    fn refused(&self) -> usize {
        self.local.requests().iter().filter(|request| request.status == Some(429)).count()
    }
}

fn called<T>(call: impl Future<Output = Result<T>> + Send + 'static) -> Called {
    Box::pin(call.map(|result| result.map(drop)))
}

/// Makes `calls` calls, twenty at a time, and a further call after each of them while no task polls
/// the first calls.
async fn each_with_another(calls: usize, call: impl Fn() -> Called) -> Duration {
    let started = Instant::now();
    let mut first = pin!(stream::iter(0..calls).map(|_| call()).buffer_unordered(20));
    while let Some(result) = first.next().await {
        result.unwrap();
        call().await.unwrap();
    }
    started.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_call_for_each_result_of_many_buffered_calls_is_admitted() {
    let bench = Bench::new().await;
    let (stalled, echo) = (bench.endpoint("stalled"), bench.endpoint("echo"));
    let job = bench.cancelled().await;
    let run = || called(stalled.run(&json!({})).into_future());
    let run_sync = || called(echo.run_sync(&json!({})).into_future());
    let status = || called(job.status().into_future());
    let cancel = || {
        let job = job.clone();
        called(async move { job.cancel().await })
    };
    let stream = || {
        let job = job.clone();
        called(async move {
            // It ends in the error that the job was cancelled.
            let _ = job.stream::<Value>().next().await;
            Ok(())
        })
    };
    let requests = || {
        let stalled = stalled.clone();
        called(async move { stalled.requests().await })
    };
    let purge = || {
        let stalled = stalled.clone();
        called(async move { stalled.purge_queue().await })
    };
    let calls: [(&str, usize, u64, &dyn Fn() -> Called); 7] = [
        ("run", 400, 1_000, &run),
        ("runsync", 400, 2_000, &run_sync),
        ("status", 400, 2_000, &status),
        ("stream", 400, 2_000, &stream),
        ("cancel", 400, 100, &cancel),
        ("requests", 30, 10, &requests),
        ("purge-queue", 5, 2, &purge),
    ];
    for (name, count, limit, call) in calls {
        let took = each_with_another(count, call).await;
        let least = Duration::from_secs(10 * 2 * count as u64 / limit);
        assert!(took < least * 3 / 2 + Duration::from_secs(20), "{name}: {took:?} of {least:?}");
    }
    assert_eq!(bench.refused(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_each_result_of_many_buffered_waits_gets_its_permits() {
    let bench = Bench::new().await;
    let settings = settings(&bench.local).polling(Polling::new().per_second(10));
    let endpoint = settings.build().unwrap().endpoint("sleep");
    let took = each_with_another(60, || {
        let endpoint = endpoint.clone();
        called(async move { endpoint.run(&json!({"ms": 300})).await?.wait().await })
    });
    let took = took.await;
    assert!(took < Duration::from_secs(150), "{took:?}");
    assert_eq!(bench.refused(), 0);
}

#[tokio::test(start_paused = true)]
async fn unpolled_requests_in_flight_leave_capacity_for_other_calls() {
    let bench = Bench::new().await;
    let (job, stalled) = (bench.cancelled().await, bench.endpoint("stalled"));
    let mut held = Vec::new();
    for _ in 0..100 {
        let mut cancel = job.cancel().into_future();
        assert!(cancel.as_mut().now_or_never().is_none());
        let mut requests = stalled.requests().into_future();
        assert!(requests.as_mut().now_or_never().is_none());
        held.push((cancel, requests));
    }
    let started = Instant::now();
    for _ in 0..20 {
        timeout(Duration::from_secs(60), job.cancel()).await.expect("a turn").unwrap();
        timeout(Duration::from_secs(60), stalled.requests()).await.expect("a turn").unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(90), "{:?}", started.elapsed());
    drop(held);
    assert_eq!(bench.refused(), 0);
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_polled_once_selected_by_reference_or_dropped_delay_no_other_call() {
    let bench = Bench::new().await;
    let job = bench.cancelled().await;
    let started = Instant::now();
    let mut kept = Vec::new();
    let mut unordered = FuturesUnordered::new();
    for round in 0..200 {
        // Kept, and dropped after as many polls as it takes for another to be done.
        let mut one = job.cancel().into_future();
        let _ = one.as_mut().now_or_never();
        kept.push(one);
        if round % 3 == 0 {
            drop(kept.remove(0));
        }
        unordered.push(job.cancel().into_future());
        let _ = unordered.next().now_or_never();
        let mut slow = job.cancel().into_future();
        tokio::select! {
            _ = slow.as_mut() => {}
            () = sleep(Duration::from_millis(round % 7)) => {}
        }
        timeout(Duration::from_secs(60), job.cancel()).await.expect("a turn").unwrap();
    }
    while let Some(result) = unordered.next().await {
        result.unwrap();
    }
    // Some 800 were begun, at ten in a second.
    assert!(started.elapsed() < Duration::from_secs(160), "{:?}", started.elapsed());
    assert_eq!(bench.refused(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_wait_reads_its_result_in_time_behind_thousands_of_calls() {
    let bench = Bench::new().await;
    let endpoint = bench.endpoint("sleep");
    let submission = endpoint.run_sync(&json!({"ms": 5_000})).wait(Duration::from_secs(1));
    let job = submission.await.unwrap().job().clone();
    // The calls take 100 s, and the result is kept for 60 s.
    let others: Vec<_> = (0..20_000).map(|_| tokio::spawn(job.status().into_future())).collect();
    sleep(Duration::from_millis(1)).await;
    let started = Instant::now();
    assert_eq!(job.wait().await.unwrap().status(), JobStatus::Completed);
    assert!(started.elapsed() < Duration::from_secs(45), "{:?}", started.elapsed());
    others.iter().for_each(tokio::task::JoinHandle::abort);
    assert_eq!(bench.refused(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_asks_rarely_slows_no_other_down() {
    let bench = Bench::new().await;
    let endpoint = bench.endpoint("sleep");
    let rarely = Polling::new().per_second(2);
    let mut others = tokio::task::JoinSet::new();
    for _ in 0..60 {
        let job = endpoint.run(&json!({"ms": 3_600_000})).await.unwrap();
        others.spawn(job.wait().polling(rarely.clone()).into_future());
    }
    sleep(Duration::from_secs(2)).await;
    let asked = |id: &str| {
        let requests = bench.local.requests();
        requests.iter().filter(|request| request.path.ends_with(&format!("/status/{id}"))).count()
    };
    let started = Instant::now();
    let job = endpoint.run(&json!({"ms": 500})).await.unwrap();
    job.wait().await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());

    let job = endpoint.run(&json!({"ms": 10_000})).await.unwrap();
    let quick = rarely.initial_interval(Duration::ZERO).max_interval(Duration::ZERO);
    job.wait().polling(quick).await.unwrap();
    let polls = asked(job.id());
    assert!((15..=22).contains(&polls), "{polls} polls in ten seconds");
}
