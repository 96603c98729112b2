//! Tests of the throughput: almost all of a limit is used, and no more.

use std::sync::Arc;
use std::time::Duration;

use super::simulation::{Count, Service};
use super::*;

#[tokio::test(start_paused = true)]
async fn no_request_is_refused_and_almost_all_that_are_allowed_are_made() {
    for (requests, concurrent, latency) in [
        (1_000, 200, 0..1),
        (1_000, 200, 1..40),
        (2_000, 400, 1..3),
        (100, 20, 0..1),
        (100, 20, 1..40),
    ] {
        let service = Arc::new(Service::new(requests, Count::all(requests), requests));
        let operation_limiter = operation_limiter(requests, Some(concurrent));
        let seen = service.saturate(&operation_limiter, 500, latency.clone(), 60).await;
        let rate = seen.admitted.len() as f64 / (requests * 6) as f64;
        assert_eq!(seen.refused, 0, "{requests} {latency:?}");
        assert!(rate >= 0.99, "{requests} {latency:?}: {rate}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_requests_use_all_slots_and_no_more() {
    for (concurrent, work) in [(200, 2_500), (20, 300), (2, 40)] {
        let work = Duration::from_millis(work);
        let service = Arc::new(Service::new(1_000, Count::all(1_000), 9).taking(work));
        let seen =
            service.saturate(&operation_limiter(1_000, Some(concurrent)), 500, 1..2, 60).await;
        assert_eq!((seen.refused, seen.most_open), (0, concurrent));
        let allowed = concurrent as f64 * 60.0 / (work.as_secs_f64() + 0.004);
        let made = seen.admitted.len() as f64;
        assert!(made >= allowed * 0.95, "{made} of {allowed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_network_that_shuffles_requests_by_seconds_gets_none_refused() {
    for requests in [2, 10, 100, 1_000] {
        let service = Arc::new(Service::new(requests, Count::all(requests), requests));
        let seen = service.saturate(&operation_limiter(requests, None), 2_000, 1..3_000, 120).await;
        assert_eq!(seen.refused, 0, "{requests}");
        // Half of the round trip of three seconds on the average is the price.
        assert!(seen.admitted.len() as u64 >= requests * 12 * 3 / 4, "{}", seen.admitted.len());
    }
}

#[tokio::test(start_paused = true)]
async fn small_limits_are_reached() {
    for (requests, concurrent) in [(10, Some(2)), (2, None), (1, None)] {
        let service = Arc::new(Service::new(requests, Count::all(requests), 7));
        let seen = service.saturate(&operation_limiter(requests, concurrent), 20, 1..20, 60).await;
        assert_eq!(seen.refused, 0, "{requests}");
        let allowed = requests * 6;
        let made = seen.admitted.len() as u64;
        assert!((allowed..=allowed + requests).contains(&made), "{made} of {allowed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_quarter_goes_out_at_once_and_the_rest_evenly() {
    let service = Arc::new(Service::new(1_000, Count::all(1_000), 1));
    let seen = service.saturate(&operation_limiter(1_000, None), 500, 1..2, 40).await;
    let started = seen.admitted[0];
    let first = seen.between(started, 0, 1);
    assert!((345..=355).contains(&first), "{first} in the first second");
    // A burst stops counting after ten seconds, and is not sent as a burst again.
    for second in 10..39 {
        let made = seen.between(started, second, second + 1);
        assert!((95..=110).contains(&made), "{made} in second {second}");
    }
}
