//! Tests of the cost of a permit, and of the limiters of many scopes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{advance, sleep};

use super::*;
use crate::limiter::operation::Permit;
use crate::limiter::registry::Limiter;
use crate::limiter::{Limit, RateLimits};

#[test]
fn a_call_that_need_not_wait_takes_no_timer_and_no_runtime() {
    let limiter = Limiter::new(RateLimits::new());
    let (scope, limit) = (Arc::from("ep"), Limit { requests: 2_000, concurrent: Some(400) });
    for _ in 0..400 {
        let pass = limiter.try_acquire(&scope, "status", limit, TIME).ok();
        pass.expect("ready at once").finished();
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
            let pass = limiter.try_acquire(&scope, "status", WIDE, TIME).ok();
            let mut pass = pass.expect("ready at once");
            pass.sent();
            pass.answered();
            pass.finished();
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
                let pass = limiter.try_acquire(scope, operation, CANCEL, TIME).ok();
                held.push(pass.expect("a operation_limiter of its own"));
            }
            assert!(limiter.try_acquire(scope, operation, CANCEL, TIME).ok().is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn idle_scopes_are_let_go() {
    let limiter = Limiter::new(RateLimits::new());
    let busy = Arc::from("busy");
    let held = limiter.try_acquire(&busy, "cancel", CANCEL, TIME).ok();
    let mut most = 0;
    for number in 0..50_000 {
        let scope = Arc::from(format!("ep-{number}"));
        limiter.set_least_limit(&scope, 1);
        let gate_or_pass = limiter.try_acquire(&scope, "cancel", CANCEL, TIME);
        let mut pass = gate_or_pass.ok().expect("an scope of its own");
        pass.sent();
        pass.answered();
        pass.finished();
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
    // The number of requests that may be sent in the next moment, once the burst of a quarter is used up.
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
        "a operation_limiter that was there follows, too: 40 in a second"
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
