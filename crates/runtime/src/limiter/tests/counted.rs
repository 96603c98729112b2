//! What counts as a request that the service can still count.

use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, advance, sleep};

use super::*;
use crate::limiter::{GRACE, Limit};

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_before_it_was_sent_costs_nothing() {
    let gate = gate(2, Some(1));
    for _ in 0..1_000 {
        drop(pass(&gate).now_or_never().expect("room"));
        let mut pass = pass(&gate).now_or_never().expect("room");
        pass.sent();
        pass.not_sent();
        drop(pass);
    }
    assert!(gate.is_idle());
}

#[tokio::test(start_paused = true)]
async fn requests_that_never_left_do_not_add_up_to_a_larger_burst() {
    let gate = gate(1_000, None);
    for _ in 0..3 {
        let mut unsent = Vec::new();
        for _ in 0..250 {
            unsent.push(pass(&gate).await);
        }
        // Time earns a new burst, and then all of the last one comes back.
        advance(Duration::from_secs(5)).await;
        drop(pass(&gate).await);
        drop(unsent);
    }
    let mut at_once = Vec::new();
    while let Some(pass) = pass(&gate).now_or_never() {
        at_once.push(pass);
    }
    assert_eq!(at_once.len(), 250);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_keeps_its_slot_for_a_moment_and_counts_as_long_as_others() {
    let gate = gate(4, Some(1));
    let started = Instant::now();
    let mut first = pass(&gate).await;
    first.sent();
    drop(first);
    let mut second = pass(&gate).await;
    assert_eq!(started.elapsed(), GRACE);
    second.sent();
    second.answered();
    drop(second);
    sleep(GRACE).await;
    sleep(Duration::from_millis(9_600)).await;
    assert!(!gate.is_idle());
    sleep(Duration::from_millis(100)).await;
    assert!(!gate.is_idle(), "both still count");
    sleep(Duration::from_millis(100)).await;
    assert!(gate.is_idle());
}

#[tokio::test(start_paused = true)]
async fn unanswered_requests_count_however_long_they_take() {
    let gate = gate(2, None);
    let (mut first, mut second) = (pass(&gate).await, pass(&gate).await);
    first.sent();
    second.sent();
    let mut third = Box::pin(pass(&gate));
    assert!(tokio::time::timeout(Duration::from_secs(300), third.as_mut()).await.is_err());
    let answered = Instant::now();
    first.answered();
    third.await.sent();
    assert!(answered.elapsed() >= Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_grows_lets_those_who_wait_pass_and_one_that_shrinks_holds() {
    let gate = gate(4, None);
    for _ in 0..4 {
        request(&gate).await;
    }
    let mut waiting = Box::pin(request(&gate));
    assert!(waiting.as_mut().now_or_never().is_none());
    let before = Instant::now();
    gate.resize(Limit { requests: 1_000, concurrent: None });
    waiting.await;
    for _ in 0..20 {
        request(&gate).await;
    }
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    gate.resize(Limit { requests: 4, concurrent: None });
    request(&gate).await;
    assert!(before.elapsed() > Duration::from_secs(10), "25 count, 4 may");
}
