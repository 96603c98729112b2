//! What an acquire costs, and the limiter of many endpoints.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{advance, sleep};

use super::*;
use crate::transport::limit::gate::Pass;
use crate::transport::limit::limiter::Limiter;
use crate::transport::limit::{Limit, RateLimits};

#[test]
fn a_call_that_need_not_wait_takes_no_timer_and_no_runtime() {
    let limiter = Limiter::new(RateLimits::new());
    let (endpoint, limit) = (Arc::from("ep"), Limit { requests: 2_000, concurrent: Some(400) });
    for _ in 0..400 {
        let pass = limiter.enter(&endpoint, "status", limit, TIME).ok();
        pass.expect("ready at once").finished();
    }
}

/// Room for any number of requests.
const WIDE: Limit = Limit { requests: 1_000_000_000, concurrent: Some(400) };

#[test]
fn a_call_that_need_not_wait_costs_little() {
    let limiter = Limiter::new(RateLimits::new());
    let endpoint = Arc::from("an-endpoint-id");
    let round = || {
        let started = std::time::Instant::now();
        for _ in 0..1_000 {
            let pass = limiter.enter(&endpoint, "status", WIDE, TIME).ok();
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
async fn endpoints_and_operations_do_not_wait_for_each_other() {
    let limiter = Limiter::new(RateLimits::new());
    let endpoints: Vec<Arc<str>> = (0..100).map(|n| format!("ep-{n}").into()).collect();
    let mut held = Vec::new();
    for endpoint in &endpoints {
        for operation in ["cancel", "status"] {
            for _ in 0..20 {
                let pass = limiter.enter(endpoint, operation, CANCEL, TIME).ok();
                held.push(pass.expect("a gate of its own"));
            }
            assert!(limiter.enter(endpoint, operation, CANCEL, TIME).ok().is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn idle_endpoints_are_let_go() {
    let limiter = Limiter::new(RateLimits::new().requests_per_worker(1));
    let busy = Arc::from("busy");
    let held = limiter.enter(&busy, "cancel", CANCEL, TIME).ok();
    let mut most = 0;
    for number in 0..50_000 {
        let endpoint = Arc::from(format!("ep-{number}"));
        limiter.workers_run(&endpoint, 1);
        let gate_or_pass = limiter.enter(&endpoint, "cancel", CANCEL, TIME);
        let mut pass = gate_or_pass.ok().expect("an endpoint of its own");
        pass.sent();
        pass.answered();
        pass.finished();
        advance(Duration::from_millis(10)).await;
        most = most.max(limiter.endpoints());
    }
    // A thousand endpoints are in use in any ten seconds.
    assert!(most <= 2_100, "{most}");
    drop(held);
    advance(Duration::from_secs(20)).await;
    for number in 0..3_000 {
        limiter.workers_run(&Arc::from(format!("late-{number}")), 1);
    }
    assert!(limiter.endpoints() <= 64 + 1, "{}", limiter.endpoints());
}

#[tokio::test(start_paused = true)]
async fn the_limits_follow_the_running_workers() {
    let limiter = Limiter::new(RateLimits::new().share(0.5).requests_per_worker(80));
    let endpoint = Arc::from("ep");
    // How many may be sent in the next moment, once the burst of a quarter is used up.
    let room = |limiter: &Limiter, operation| {
        let limit = Limit { requests: 100, concurrent: None };
        let take = || limiter.enter(&endpoint, operation, limit, TIME).ok();
        std::iter::from_fn(take).map(Pass::finished).count()
    };
    assert_eq!(room(&limiter, "a"), 12, "a quarter of half of the documented limit");
    limiter.workers_run(&endpoint, 1);
    assert_eq!(room(&limiter, "b"), 12, "80 are less than the documented 100");
    limiter.workers_run(&endpoint, 10);
    assert_eq!(room(&limiter, "c"), 100, "a quarter of half of 800");
    limiter.workers_run(&endpoint, 0);
    assert_eq!(room(&limiter, "d"), 12);
    limiter.workers_run(&endpoint, 10);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(room(&limiter, "a"), 20, "a gate that was there follows, too: 40 in a second");
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
