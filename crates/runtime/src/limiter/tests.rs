//! Tests of the limiter in controlled time, against every algorithm by which a service may count:
//! which requests count, in which order callers are admitted, and the limiters of many scopes.

mod explored;
pub(super) mod simulation;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, advance, sleep};

use super::operation::{OperationLimiter, Permit};
use super::registry::Limiter;
use super::{ABANDONED_GRACE, Limit, RateLimits};

/// The default timeout of an attempt.
const TIME: Duration = Duration::from_secs(30);

fn operation_limiter(requests: u64, concurrent: Option<u64>) -> Arc<OperationLimiter> {
    Arc::new(OperationLimiter::new(Limit { requests, concurrent }))
}

async fn acquire(operation_limiter: &Arc<OperationLimiter>) -> Permit {
    Arc::clone(operation_limiter).acquire(Duration::MAX, None).await
}

/// A request with an immediate response.
async fn request(operation_limiter: &Arc<OperationLimiter>) {
    let mut permit = acquire(operation_limiter).await;
    permit.sent();
    permit.answered();
    permit.finished();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_before_it_was_sent_costs_nothing() {
    let operation_limiter = operation_limiter(2, Some(1));
    for _ in 0..1_000 {
        drop(acquire(&operation_limiter).now_or_never().expect("room"));
        let mut permit = acquire(&operation_limiter).now_or_never().expect("room");
        permit.sent();
        permit.not_sent();
        drop(permit);
    }
    assert!(operation_limiter.is_idle());
}

#[tokio::test(start_paused = true)]
async fn requests_that_never_left_do_not_add_up_to_a_larger_burst() {
    let operation_limiter = operation_limiter(1_000, None);
    for _ in 0..3 {
        let mut unsent = Vec::new();
        for _ in 0..250 {
            unsent.push(acquire(&operation_limiter).await);
        }
        // Time earns a new burst, and then the whole last burst stops counting.
        advance(Duration::from_secs(5)).await;
        drop(acquire(&operation_limiter).await);
        drop(unsent);
    }
    let mut at_once = Vec::new();
    while let Some(permit) = acquire(&operation_limiter).now_or_never() {
        at_once.push(permit);
    }
    assert_eq!(at_once.len(), 250);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_request_holds_its_slot_briefly_and_counts_as_long_as_others() {
    let operation_limiter = operation_limiter(4, Some(1));
    let started = Instant::now();
    let mut first = acquire(&operation_limiter).await;
    first.sent();
    drop(first);
    let mut second = acquire(&operation_limiter).await;
    assert_eq!(started.elapsed(), ABANDONED_GRACE);
    second.sent();
    second.answered();
    drop(second);
    sleep(ABANDONED_GRACE).await;
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
    let (mut first, mut second) =
        (acquire(&operation_limiter).await, acquire(&operation_limiter).await);
    first.sent();
    second.sent();
    let mut third = Box::pin(acquire(&operation_limiter));
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

#[tokio::test(start_paused = true)]
async fn first_in_first_out() {
    let operation_limiter = operation_limiter(4, None);
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut calls = Vec::new();
    for number in 0..20 {
        let (operation_limiter, order) = (Arc::clone(&operation_limiter), Arc::clone(&order));
        calls.push(tokio::spawn(async move {
            let permit = acquire(&operation_limiter).await;
            order.lock().expect("no panic").push(number);
            drop(permit);
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
    let first = acquire(&operation_limiter).await;
    let mut waiting = Box::pin(acquire(&operation_limiter));
    assert!(waiting.as_mut().now_or_never().is_none());
    let mut late = Box::pin(acquire(&operation_limiter));
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
                let mut permit = Arc::clone(&operation_limiter).acquire(TIME, urgent_from).await;
                turns.lock().expect("no panic")[usize::from(is_urgent)] += 1;
                permit.sent();
                permit.answered();
                permit.finished();
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
        other.await.expect("no caller is forgotten");
    }
}

#[tokio::test(start_paused = true)]
async fn a_row_of_calls_that_are_not_polled_costs_a_moment() {
    let operation_limiter = operation_limiter(100, Some(20));
    for _ in 0..25 {
        request(&operation_limiter).now_or_never().expect("the burst");
    }
    let mut unpolled: Vec<_> = (0..175).map(|_| Box::pin(acquire(&operation_limiter))).collect();
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
    let mut held = acquire(&operation_limiter).await;
    held.sent();
    held.answered();
    let mut unpolled = Box::pin(acquire(&operation_limiter));
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
            let mut permit = operation_limiter.acquire(TIME, urgent_from).await;
            permit.sent();
            permit.answered();
            permit.finished();
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
async fn another_caller_becomes_the_driver_if_the_driver_is_not_polled() {
    let operation_limiter = operation_limiter(10, None);
    let started = Instant::now();
    for _ in 0..2 {
        request(&operation_limiter).now_or_never().expect("the burst");
    }
    let others: Vec<_> = (0..6)
        .map(|_| {
            let operation_limiter = Arc::clone(&operation_limiter);
            tokio::spawn(async move {
                request(&operation_limiter).await;
                started.elapsed().as_millis()
            })
        })
        .collect();
    tokio::task::yield_now().await;
    // The newest caller is the driver.
    let mut driver = Box::pin(acquire(&operation_limiter));
    assert!(driver.as_mut().now_or_never().is_none());
    let mut turns = Vec::new();
    for other in others {
        turns.push(other.await.expect("its turn comes"));
    }
    // A standby caller finds the first permit at its next check, and becomes the driver.
    assert!((1_000..1_200).contains(&turns[0]), "{turns:?}");
    for (second, turn) in (2..).zip(&turns[1..]) {
        assert!((second * 1_000..second * 1_000 + 5).contains(turn), "{turns:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_not_polled_free_their_slots_at_their_timeout() {
    let operation_limiter = operation_limiter(4, Some(2));
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut permit = Arc::clone(&operation_limiter).acquire(TIME, None).await;
        permit.sent();
        held.push(permit);
    }
    let started = Instant::now();
    let mut next = acquire(&operation_limiter).await;
    next.sent();
    assert_eq!(started.elapsed(), TIME + 2 * ABANDONED_GRACE);
    // However they end now, nothing counts twice.
    for mut permit in held {
        permit.answered();
        permit.finished();
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
    let mut queue: Vec<_> = (0..4).map(|_| Box::pin(acquire(&operation_limiter))).collect();
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

#[test]
fn a_call_that_need_not_wait_takes_no_timer_and_no_runtime() {
    let limiter = Limiter::new(RateLimits::new());
    let (scope, limit) = (Arc::from("ep"), Limit { requests: 2_000, concurrent: Some(400) });
    for _ in 0..400 {
        let permit = limiter.try_acquire(&scope, "status", limit, TIME).ok();
        permit.expect("ready at once").finished();
    }
}

/// A limit for any number of requests.
const WIDE: Limit = Limit { requests: 1_000_000_000, concurrent: Some(400) };

#[test]
fn a_call_that_need_not_wait_costs_little() {
    let limiter = Limiter::new(RateLimits::new());
    let scope = Arc::from("an-scope-id");
    let round = || {
        let started = std::time::Instant::now();
        for _ in 0..1_000 {
            let permit = limiter.try_acquire(&scope, "status", WIDE, TIME).ok();
            let mut permit = permit.expect("ready at once");
            permit.sent();
            permit.answered();
            permit.finished();
        }
        started.elapsed() / 1_000
    };
    let best = (0..50).map(|_| round()).min().expect("rounds");
    let most = if cfg!(debug_assertions) { 20 } else { 1 };
    assert!(best < Duration::from_micros(most), "{best:?} a call");
}

const CANCEL: Limit = Limit { requests: 100, concurrent: Some(20) };

#[tokio::test(start_paused = true)]
async fn scopes_and_operations_do_not_wait_for_each_other() {
    let limiter = Limiter::new(RateLimits::new());
    let scopes: Vec<Arc<str>> = (0..100).map(|n| format!("ep-{n}").into()).collect();
    let mut held = Vec::new();
    for scope in &scopes {
        for operation in ["cancel", "status"] {
            for _ in 0..20 {
                let permit = limiter.try_acquire(scope, operation, CANCEL, TIME).ok();
                held.push(permit.expect("an operation limiter of its own"));
            }
            assert!(limiter.try_acquire(scope, operation, CANCEL, TIME).ok().is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn idle_scopes_are_evicted() {
    let limiter = Limiter::new(RateLimits::new());
    let busy = Arc::from("busy");
    let held = limiter.try_acquire(&busy, "cancel", CANCEL, TIME).ok();
    let mut most = 0;
    for number in 0..50_000 {
        let scope = Arc::from(format!("ep-{number}"));
        limiter.set_least_limit(&scope, 1);
        let acquired = limiter.try_acquire(&scope, "cancel", CANCEL, TIME);
        let mut permit = acquired.ok().expect("a scope of its own");
        permit.sent();
        permit.answered();
        permit.finished();
        advance(Duration::from_millis(10)).await;
        most = most.max(limiter.scopes());
    }
    // A thousand scopes are in use in any ten seconds.
    assert!(most <= 2_100, "{most}");
    drop(held);
    advance(Duration::from_secs(20)).await;
    for number in 0..3_000 {
        limiter.set_least_limit(&Arc::from(format!("late-{number}")), 1);
    }
    assert!(limiter.scopes() <= 64 + 1, "{}", limiter.scopes());
}

#[tokio::test(start_paused = true)]
async fn the_limits_follow_the_least_that_the_service_admits() {
    let limiter = Limiter::new(RateLimits::new().share(0.5));
    let scope = Arc::from("ep");
    // The number of requests that may be sent in the next moment, once the burst of a quarter is
    // used up.
    let room = |limiter: &Limiter, operation| {
        let limit = Limit { requests: 100, concurrent: None };
        let take = || limiter.try_acquire(&scope, operation, limit, TIME).ok();
        std::iter::from_fn(take).map(Permit::finished).count()
    };
    assert_eq!(room(&limiter, "a"), 12, "a quarter of half of the documented limit");
    limiter.set_least_limit(&scope, 80);
    assert_eq!(room(&limiter, "b"), 12, "80 are less than the documented 100");
    limiter.set_least_limit(&scope, 800);
    assert_eq!(room(&limiter, "c"), 100, "a quarter of half of 800");
    limiter.set_least_limit(&scope, 0);
    assert_eq!(room(&limiter, "d"), 12);
    limiter.set_least_limit(&scope, 800);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(
        room(&limiter, "a"),
        20,
        "an operation limiter that was there follows, too: 40 in a second"
    );
}

#[test]
fn a_share_is_rounded_down_and_never_to_nothing() {
    let documented = Limit { requests: 100, concurrent: Some(20) };
    let of = |share| RateLimits::new().share(share).effective(documented, 0);
    assert_eq!(of(1.0), documented);
    assert_eq!(of(0.29), Limit { requests: 29, concurrent: Some(5) });
    assert_eq!(of(0.001), Limit { requests: 1, concurrent: Some(1) });
    for unusable in [0.0, -1.0, 1.01, f64::NAN, f64::INFINITY] {
        assert!(!RateLimits::new().share(unusable).share_is_usable(), "{unusable}");
    }
}
