//! Thousands of concurrent waits, and a shared account, over real HTTP against the service's own
//! limits, on a clock that advances whenever all tasks wait.

use std::collections::HashSet;
use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use podqueue::{Client, ErrorKind, JobRecord, Polling, RateLimits, Result, RetryPolicy};
use podqueue_local::{LocalService, Operation, RateLimit, RateLimits as Enforced, Workers};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::local::support::{HeldBack, service, settings};

/// A service that enforces limits and has a worker for every job.
async fn limited(limits: Enforced) -> LocalService {
    let workers = Workers::between(0, 20_000);
    service().workers_of("sleep", workers).rate_limits(limits).start().await.unwrap()
}

/// A client with default polling.
fn client(local: &LocalService) -> Client {
    settings(local).polling(Polling::new()).build().unwrap()
}

/// The number of requests that the service has refused, of the last ten thousand.
fn refused(local: &LocalService) -> usize {
    local.requests().iter().filter(|request| request.status == Some(429)).count()
}

/// A quarter of the documented limits, for a quarter of ten thousand waits: the same load per
/// limit, in a quarter of the time.
fn a_quarter() -> Enforced {
    [Operation::Run, Operation::RunSync, Operation::Status].into_iter().fold(
        Enforced::documented(),
        |limits, operation| {
            let whole = limits.of(operation).unwrap();
            let concurrent = whole.concurrent.map(|concurrent| concurrent / 4);
            limits.limit(operation, RateLimit { requests: whole.requests / 4, concurrent })
        },
    )
}

#[tokio::test(start_paused = true)]
async fn thousands_of_waits_keep_the_limit_and_no_result_expires_unread() {
    const ASYNCHRONOUS: usize = 1_000;
    const SYNCHRONOUS: usize = 1_000;
    let _held_back = HeldBack::new();
    let local = Arc::new(limited(a_quarter()).await);
    let sharing =
        settings(&local).polling(Polling::new()).rate_limits(RateLimits::new().share(0.25));
    let endpoint = sharing.build().unwrap().endpoint("sleep");
    let input = |n: usize| json!({"ms": 30_000 + n * 7_919 % 60_000});

    let ever_refused = Arc::new(AtomicUsize::new(0));
    let (watched, counter) = (Arc::clone(&local), Arc::clone(&ever_refused));
    // The log goes back for more than ten seconds of all that the limits allow.
    let watch = tokio::spawn(async move {
        loop {
            sleep(Duration::from_secs(10)).await;
            counter.fetch_add(refused(&watched), Ordering::Relaxed);
        }
    });

    let asynchronous = endpoint.run_all((0..ASYNCHRONOUS).map(input)).concurrency(ASYNCHRONOUS);
    let asynchronous = asynchronous.map(|finished| (finished.input, finished.result));
    let synchronous = stream::iter((0..SYNCHRONOUS).map(input)).map(|input| {
        let submission = endpoint.run_sync(&input).wait(Duration::from_secs(1));
        let waiting = async move { submission.await?.job().wait().await };
        async move { (input, tokio::spawn(waiting).await.unwrap()) }
    });
    let synchronous = synchronous.buffer_unordered(SYNCHRONOUS);
    let mut results = stream::select(asynchronous, synchronous);
    let mut done = 0;
    while let Some((input, result)) = results.next().await {
        let result: Result<JobRecord> = result;
        let output: Value = result.unwrap().output().unwrap();
        assert_eq!(output["slept"], input["ms"]);
        done += 1;
    }
    watch.abort();
    assert_eq!(done, ASYNCHRONOUS + SYNCHRONOUS);
    assert_eq!(ever_refused.load(Ordering::Relaxed) + refused(&local), 0);
}

#[tokio::test(start_paused = true)]
async fn beside_another_client_of_the_account_429s_are_absorbed_and_nothing_is_lost() {
    const SUBMISSIONS: usize = 5_000;
    let _held_back = HeldBack::new();
    let local = limited(Enforced::documented()).await;
    let endpoint = client(&local).endpoint("stalled");
    let reckless = settings(&local).rate_limits(RateLimits::off()).retry(RetryPolicy::never());
    let other = reckless.build().unwrap().endpoint("stalled");
    // Four in ten of the account's permitted submissions, evenly spaced.
    let others = tokio::spawn(async move {
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..2_400 {
            match other.run(&json!({})).await {
                Ok(_) => accepted += 1,
                Err(error) if error.kind() == ErrorKind::RateLimited => refused += 1,
                Err(error) => panic!("{error}"),
            }
            sleep(Duration::from_millis(25)).await;
        }
        (accepted, refused)
    });

    let mut submissions = stream::iter(0..SUBMISSIONS)
        .map(|_| endpoint.run(&json!({})).into_future())
        .buffer_unordered(300);
    let (mut ids, mut settled) = (HashSet::new(), None);
    while let Some(job) = submissions.next().await {
        ids.insert(job.unwrap().id().to_owned());
        if ids.len() == SUBMISSIONS / 2 {
            settled = Some((Instant::now(), refused(&local)));
        }
    }
    let ended = Instant::now();
    assert_eq!(ids.len(), SUBMISSIONS, "each has a job of its own");
    let (half_time, refused_by_then) = settled.unwrap();
    let (accepted, refused_of_others) = others.await.unwrap();
    let refused_of_ours = refused(&local) - refused_of_others;
    assert!(refused_of_ours >= 1, "the account is shared");
    assert!(refused_of_ours <= SUBMISSIONS / 100, "{refused_of_ours}");
    let refused_since = refused(&local) - refused_by_then;
    assert!(refused_since <= 50, "{refused_since} of both since it has settled");
    // 60 in a second are left for us.
    let rate = SUBMISSIONS as f64 / 2.0 / (ended - half_time).as_secs_f64();
    assert!((45.0..=61.0).contains(&rate), "{rate} in a second");
    let queued = endpoint.health().await.unwrap().jobs.in_queue;
    assert_eq!(queued, (SUBMISSIONS + accepted) as u64, "nothing was submitted twice");
}
