//! Tests of the requests that the service can still count.

use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, advance, sleep};

use super::*;
use crate::limiter::{GRACE, Limit};

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_before_it_was_sent_costs_nothing() {
    let operation_limiter = operation_limiter(2, Some(1));
    for _ in 0..1_000 {
        drop(pass(&operation_limiter).now_or_never().expect("room"));
        let mut pass = pass(&operation_limiter).now_or_never().expect("room");
        pass.sent();
        pass.not_sent();
        drop(pass);
    }
    assert!(operation_limiter.is_idle());
}

#[tokio::test(start_paused = true)]
async fn requests_that_never_left_do_not_add_up_to_a_larger_burst() {
    let operation_limiter = operation_limiter(1_000, None);
    for _ in 0..3 {
        let mut unsent = Vec::new();
        for _ in 0..250 {
            unsent.push(pass(&operation_limiter).await);
        }
        // Time earns a new burst, and then the whole last burst stops counting.
        advance(Duration::from_secs(5)).await;
        drop(pass(&operation_limiter).await);
        drop(unsent);
    }
    let mut at_once = Vec::new();
    while let Some(pass) = pass(&operation_limiter).now_or_never() {
        at_once.push(pass);
    }
    assert_eq!(at_once.len(), 250);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_keeps_its_slot_for_a_moment_and_counts_as_long_as_others() {
    let operation_limiter = operation_limiter(4, Some(1));
    let started = Instant::now();
    let mut first = pass(&operation_limiter).await;
    first.sent();
    drop(first);
    let mut second = pass(&operation_limiter).await;
    assert_eq!(started.elapsed(), GRACE);
    second.sent();
    second.answered();
    drop(second);
    sleep(GRACE).await;
    sleep(Duration::from_millis(9_600)).await;
    assert!(!operation_limiter.is_idle());
    sleep(Duration::from_millis(100)).await;
    assert!(!operation_limiter.is_idle(), "both still count");
    sleep(Duration::from_millis(100)).await;
    assert!(operation_limiter.is_idle());
}

#[tokio::test(start_paused = true)]
async fn unanswered_requests_count_however_long_they_take() {
    let operation_limiter = operation_limiter(2, None);
    let (mut first, mut second) = (pass(&operation_limiter).await, pass(&operation_limiter).await);
    first.sent();
    second.sent();
    let mut third = Box::pin(pass(&operation_limiter));
    assert!(tokio::time::timeout(Duration::from_secs(300), third.as_mut()).await.is_err());
    let answered = Instant::now();
    first.answered();
    third.await.sent();
    assert!(answered.elapsed() >= Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_larger_limit_admits_waiting_requests_and_a_smaller_one_holds() {
    let operation_limiter = operation_limiter(4, None);
    for _ in 0..4 {
        request(&operation_limiter).await;
    }
    let mut waiting = Box::pin(request(&operation_limiter));
    assert!(waiting.as_mut().now_or_never().is_none());
    let before = Instant::now();
    operation_limiter.resize(Limit { requests: 1_000, concurrent: None });
    waiting.await;
    for _ in 0..20 {
        request(&operation_limiter).await;
    }
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    operation_limiter.resize(Limit { requests: 4, concurrent: None });
    request(&operation_limiter).await;
    assert!(before.elapsed() > Duration::from_secs(10), "25 count, 4 may");
}
