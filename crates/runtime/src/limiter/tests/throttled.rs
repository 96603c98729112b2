//! Tests of the backoff after a 429.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::simulation::{Count, Service};
use super::*;

#[tokio::test(start_paused = true)]
async fn one_429_lowers_the_rate_by_a_third_and_it_comes_back_in_steps() {
    let service = Arc::new(Service::new(1_000, vec![Count::sliding()], 1));
    let operation_limiter = operation_limiter(1_000, Some(200));
    let started = Instant::now();
    let refused = Arc::clone(&operation_limiter);
    tokio::spawn(async move {
        sleep(Duration::from_secs(20)).await;
        let mut pass = pass(&refused).await;
        pass.sent();
        pass.answered();
        pass.refused(None);
        pass.finished();
    });
    let seen = service.saturate(&operation_limiter, 500, 1..5, 80).await;
    let made = |from, to| seen.between(started, from, to);
    assert!(made(10, 20) >= 985, "{}", made(10, 20));
    assert!((600..=710).contains(&made(21, 31)), "{}", made(21, 31));
    assert!((700..=910).contains(&made(31, 41)), "{}", made(31, 41));
    assert!(made(60, 70) >= 985, "{}", made(60, 70));
    assert_eq!(seen.refused, 0);
}

#[tokio::test(start_paused = true)]
async fn a_429_to_a_request_from_before_the_last_one_tells_nothing_new() {
    let operation_limiter = operation_limiter(1_000, None);
    let mut passes = Vec::new();
    for _ in 0..100 {
        passes.push(pass(&operation_limiter).await);
    }
    for mut pass in passes {
        pass.sent();
        pass.answered();
        pass.refused(None);
        pass.finished();
    }
    let before = Instant::now();
    for _ in 0..600 {
        request(&operation_limiter).await;
    }
    let took = before.elapsed().as_secs();
    assert!((8..=9).contains(&took), "600 at 700 in ten seconds: {took} s");
}

#[tokio::test(start_paused = true)]
async fn retry_after_halts_the_operation_for_as_long_but_not_for_ever() {
    for (asked, expected) in [(2, 2), (3_600, 10)] {
        let operation_limiter = operation_limiter(1_000, None);
        let mut first = pass(&operation_limiter).await;
        first.sent();
        first.answered();
        first.refused(Some(Duration::from_secs(asked)));
        first.finished();
        let before = Instant::now();
        request(&operation_limiter).await;
        assert_eq!(before.elapsed().as_secs(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn beside_another_client_of_the_account_the_rate_settles() {
    for count in
        [Count::sliding(), Count::fixed(Duration::from_millis(3_300)), Count::bucket(1_000)]
    {
        let service = Arc::new(Service::new(1_000, vec![count], 5));
        let other = Arc::clone(&service);
        let taken = Arc::new(Mutex::new(0_usize));
        let counted = Arc::clone(&taken);
        tokio::spawn(async move {
            loop {
                sleep(Duration::from_millis(25)).await;
                *counted.lock().expect("no panic") += usize::from(other.arrives());
            }
        });
        let seen = service.saturate(&operation_limiter(1_000, None), 500, 1..20, 200).await;
        // 400 requests in ten seconds are those of the other client.
        let ours = seen.admitted.len() - *taken.lock().expect("no panic");
        let allowed = 600 * 20;
        assert!(ours * 100 >= allowed * 75, "{ours} of {allowed}");
        assert!(seen.refused * 50 <= seen.admitted.len() as u64, "{} refused", seen.refused);
    }
}
