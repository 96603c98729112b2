//! Tests of the order in which callers are admitted.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, sleep};

use super::*;
use crate::limiter::GRACE;
use crate::limiter::operation::OperationLimiter;

#[tokio::test(start_paused = true)]
async fn first_in_first_out() {
    let operation_limiter = operation_limiter(4, None);
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut calls = Vec::new();
    for number in 0..20 {
        let (operation_limiter, order) = (Arc::clone(&operation_limiter), Arc::clone(&order));
        calls.push(tokio::spawn(async move {
            let pass = pass(&operation_limiter).await;
            order.lock().expect("no panic").push(number);
            drop(pass);
        }));
        tokio::task::yield_now().await;
    }
    for call in calls {
        call.await.expect("it ends");
    }
    assert_eq!(*order.lock().expect("no panic"), (0..20).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_new_caller_does_not_overtake_a_waiting_one() {
    let operation_limiter = operation_limiter(1_000, Some(1));
    let first = pass(&operation_limiter).await;
    let mut waiting = Box::pin(pass(&operation_limiter));
    assert!(waiting.as_mut().now_or_never().is_none());
    let mut late = Box::pin(pass(&operation_limiter));
    first.finished();
    assert!(late.as_mut().now_or_never().is_none(), "the slot is free, and not for this one");
    let second = waiting.now_or_never().expect("its turn");
    second.finished();
    assert!(late.now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn urgent_calls_are_admitted_first_and_every_eighth_permit_is_for_others() {
    let operation_limiter = operation_limiter(1_000, Some(200));
    let turns = Arc::new(Mutex::new([0_u64; 2]));
    for number in 0..2_000 {
        let (operation_limiter, turns) = (Arc::clone(&operation_limiter), Arc::clone(&turns));
        let is_urgent = number % 2 == 0;
        tokio::spawn(async move {
            loop {
                let urgent_from = is_urgent.then(Instant::now);
                let mut pass = Arc::clone(&operation_limiter).acquire(TIME, urgent_from).await;
                turns.lock().expect("no panic")[usize::from(is_urgent)] += 1;
                pass.sent();
                pass.answered();
                pass.finished();
            }
        });
    }
    // The burst is admitted in any order.
    sleep(Duration::from_secs(1)).await;
    let before = *turns.lock().expect("no panic");
    sleep(Duration::from_secs(100)).await;
    let [others, urgent] = *turns.lock().expect("no panic");
    let (others, urgent) = (others - before[0], urgent - before[1]);
    assert!(others + urgent >= 9_700, "{others} and {urgent}");
    assert!(urgent.abs_diff(7 * others) < 20, "{others} and {urgent}");
}

#[tokio::test(start_paused = true)]
async fn a_call_becomes_urgent_while_it_waits() {
    let operation_limiter = operation_limiter(100, Some(20));
    let mut others = Vec::new();
    for _ in 0..1_000 {
        let operation_limiter = Arc::clone(&operation_limiter);
        others.push(tokio::spawn(async move { request(&operation_limiter).await }));
    }
    sleep(Duration::from_millis(1)).await;
    let started = Instant::now();
    let urgent_from = started + Duration::from_secs(20);
    Arc::clone(&operation_limiter).acquire(TIME, Some(urgent_from)).await.finished();
    let waited = started.elapsed().as_millis();
    assert!((20_000..20_500).contains(&waited), "{waited} ms");
    for other in others {
        other.await.expect("nobody is forgotten");
    }
}

#[tokio::test(start_paused = true)]
async fn a_row_of_calls_that_are_not_polled_costs_a_moment() {
    let operation_limiter = operation_limiter(100, Some(20));
    for _ in 0..25 {
        request(&operation_limiter).now_or_never().expect("the burst");
    }
    let mut unpolled: Vec<_> = (0..175).map(|_| Box::pin(pass(&operation_limiter))).collect();
    for call in &mut unpolled {
        assert!(call.as_mut().now_or_never().is_none());
    }
    let started = Instant::now();
    request(&operation_limiter).await;
    assert!(started.elapsed() < Duration::from_millis(400), "{:?}", started.elapsed());
    // They are back in their old positions as soon as they are polled.
    let late = tokio::spawn({
        let operation_limiter = Arc::clone(&operation_limiter);
        async move { request(&operation_limiter).await }
    });
    for call in unpolled {
        call.await.finished();
        assert!(!late.is_finished());
    }
    late.await.expect("its turn comes, too");
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_not_taken_in_time_is_offered_to_the_next_caller() {
    let operation_limiter = operation_limiter(1_000, Some(1));
    let mut held = pass(&operation_limiter).await;
    held.sent();
    held.answered();
    let mut unpolled = Box::pin(pass(&operation_limiter));
    assert!(unpolled.as_mut().now_or_never().is_none());
    let polled = tokio::spawn({
        let operation_limiter = Arc::clone(&operation_limiter);
        async move {
            request(&operation_limiter).await;
            Instant::now()
        }
    });
    sleep(Duration::from_secs(7)).await;
    let freed = Instant::now();
    held.finished();
    let waited = polled.await.expect("its turn comes") - freed;
    assert!(waited <= Duration::from_millis(21), "{waited:?}");
    drop(unpolled);
}

#[tokio::test(start_paused = true)]
async fn the_next_permit_comes_in_time_even_if_the_driver_is_dropped() {
    let operation_limiter = operation_limiter(1_000, Some(200));
    for _ in 0..250 {
        request(&operation_limiter).now_or_never().expect("the burst");
    }
    let turns = Arc::new(Mutex::new(vec![Instant::now()]));
    let spawn = |urgent_from: Option<Instant>| {
        let (operation_limiter, turns) = (Arc::clone(&operation_limiter), Arc::clone(&turns));
        tokio::spawn(async move {
            let mut pass = operation_limiter.acquire(TIME, urgent_from).await;
            pass.sent();
            pass.answered();
            pass.finished();
            turns.lock().expect("no panic").push(Instant::now());
        })
    };
    let others: Vec<_> = (0..300).map(|_| spawn(None)).collect();
    for _ in 0..60 {
        // The newest caller is the driver. One caller is admitted at once, and one is dropped.
        let urgent = spawn(Some(Instant::now()));
        let dropped = spawn(None);
        sleep(Duration::from_millis(33)).await;
        dropped.abort();
        assert!(urgent.is_finished());
    }
    for other in others {
        other.await.expect("its turn comes");
    }
    let turns = turns.lock().expect("no panic");
    let longest = turns.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest <= Some(Duration::from_millis(12)), "{longest:?}");
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_not_polled_free_their_slots_at_their_timeout() {
    let operation_limiter = operation_limiter(4, Some(2));
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut pass = Arc::clone(&operation_limiter).acquire(TIME, None).await;
        pass.sent();
        held.push(pass);
    }
    let started = Instant::now();
    let mut next = pass(&operation_limiter).await;
    next.sent();
    assert_eq!(started.elapsed(), TIME + 2 * GRACE);
    // However they end now, nothing counts twice.
    for mut pass in held {
        pass.answered();
        pass.finished();
    }
    next.answered();
    next.finished();
    sleep(Duration::from_secs(11)).await;
    assert!(operation_limiter.is_idle());
}

#[test]
fn an_idle_or_ended_runtime_blocks_no_caller_of_another() {
    let runtime = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().expect("a runtime")
    };
    let operation_limiter = operation_limiter(200, Some(100));
    let (still, ends, runs) = (runtime(), runtime(), runtime());
    for other in [&still, &ends] {
        for _ in 0..200 {
            let operation_limiter = Arc::clone(&operation_limiter);
            other.spawn(async move { request(&operation_limiter).await });
        }
        other.block_on(tokio::task::yield_now());
    }
    let next = |operation_limiter: &Arc<OperationLimiter>| {
        let operation_limiter = Arc::clone(operation_limiter);
        async move { tokio::time::timeout(Duration::from_secs(20), request(&operation_limiter)).await }
    };
    assert!(runs.block_on(next(&operation_limiter)).is_ok(), "two runtimes stand still");
    ends.shutdown_background();
    assert!(runs.block_on(next(&operation_limiter)).is_ok(), "one of them is shut down");
    drop(still);
}

#[tokio::test(start_paused = true)]
async fn dropping_waiting_callers_restores_the_queue() {
    let operation_limiter = operation_limiter(2, None);
    let started = Instant::now();
    request(&operation_limiter).await;
    request(&operation_limiter).await;
    let mut queue: Vec<_> = (0..4).map(|_| Box::pin(pass(&operation_limiter))).collect();
    for call in &mut queue {
        assert!(call.as_mut().now_or_never().is_none());
    }
    // The first caller, which holds the timer, and a caller in the middle.
    drop(queue.remove(2));
    drop(queue.remove(0));
    let mut passed = Vec::new();
    for call in queue {
        passed.push((call.await, started.elapsed().as_millis()));
    }
    let times: Vec<_> = passed.iter().map(|(_, at)| *at).collect();
    assert!((10_005..10_010).contains(&times[0]), "{times:?}");
    assert!((14_500..15_010).contains(&times[1]), "one leave each, none was lost: {times:?}");
}
