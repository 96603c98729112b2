//! Poll rate: a bound on the polls per second of all waits and streams on an endpoint together.
//!
//! A fair queue of permits, one per interval. The explorer of the runtime's fair queue holds that
//! no wait blocks another: `no_wait_is_held_up_by_another_in_any_short_run`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use podqueue_runtime::__private::fair_queue::{Admission, Blocked, FairQueue};

/// The burst after an idle period: the polls of this time may be sent at once.
const CREDIT: Duration = Duration::from_secs(1);

/// Permits to poll: first in, first out, one per interval. The polls per second do not grow with
/// the number of jobs; only the time between two polls of the same job does.
#[derive(Debug)]
pub(crate) struct PollRate(FairQueue<Spacing>);

#[derive(Debug)]
struct Spacing {
    next: Instant,
    interval: Duration,
}

impl PollRate {
    pub(crate) fn new(interval: Duration) -> Self {
        let now = Instant::now();
        let next = now.checked_sub(CREDIT).unwrap_or(now);
        Self(FairQueue::new(Spacing { next, interval }))
    }

    /// Waits for a permit, but no longer than until `latest`, when the poll must be sent.
    pub(crate) async fn acquire_by(&self, latest: Instant) {
        let _ = timeout_at(latest, self.acquire()).await;
    }

    async fn acquire(&self) {
        self.0.acquire((), None).await;
    }
}

impl Spacing {
    /// The time at which the next permit is due; credit from before the burst is forfeited.
    fn next(&self, now: Instant) -> Instant {
        self.next.max(now.checked_sub(CREDIT).unwrap_or(now))
    }
}

impl Admission for Spacing {
    type Request = ();
    type Permit = ();

    fn admits(&mut self, callers: u64, now: Instant, _: bool) -> Result<(), Blocked> {
        let others = u32::try_from(callers - 1).unwrap_or(u32::MAX);
        let until = self.next(now) + self.interval.saturating_mul(others);
        if until <= now { Ok(()) } else { Err(Blocked { until: Some(until) }) }
    }

    fn take(&mut self, (): (), now: Instant) {
        self.next = self.next(now) + self.interval;
    }
}

/// The poll rates of a client's endpoints, by endpoint id. An entry lives as long as it is used.
#[derive(Debug)]
pub(crate) struct PollRates {
    interval: Duration,
    known: Mutex<HashMap<String, Weak<PollRate>>>,
}

impl PollRates {
    /// Rates of one permit per interval.
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, known: Mutex::default() }
    }

    pub(crate) fn of(&self, endpoint_id: &str) -> Arc<PollRate> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rate) = known.get(endpoint_id).and_then(Weak::upgrade) {
            return rate;
        }
        known.retain(|_, rate| rate.strong_count() > 0);
        let rate = Arc::new(PollRate::new(self.interval));
        known.insert(endpoint_id.to_owned(), Arc::downgrade(&rate));
        rate
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt;

    use super::*;
    use crate::queue::explorer::{Subject, explore, wander};

    const INTERVAL: Duration = Duration::from_millis(10);

    /// A poll rate, and when it gave permits.
    struct Modelled {
        rate: Arc<PollRate>,
        permits: Arc<Mutex<Vec<Instant>>>,
    }

    impl Modelled {
        const INTERVAL: Duration = Duration::from_millis(400);

        fn new() -> Self {
            Self { rate: Arc::new(PollRate::new(Self::INTERVAL)), permits: Arc::default() }
        }
    }

    impl Subject for Modelled {
        type Permit = ();

        fn longest(&self, _: u32, waiting: u32, frozen: u32) -> Duration {
            let last = self.permits.lock().expect("no panic").last().copied();
            let since = last.map_or(Duration::ZERO, |last| last.elapsed());
            // Timers are late by up to a millisecond.
            let in_time = (Self::INTERVAL + Duration::from_millis(2)) * waiting;
            let in_time = in_time.saturating_sub(since.min(Self::INTERVAL));
            // Waiters with an offer that are not polled, and a driver that is not polled.
            let late = Duration::from_millis(if frozen > 0 { 250 } else { 0 });
            in_time + late
        }

        fn acquire_permit(&self, _: bool) -> Pin<Box<dyn Future<Output = ()>>> {
            let (rate, permits) = (Arc::clone(&self.rate), Arc::clone(&self.permits));
            Box::pin(async move {
                rate.acquire().await;
                permits.lock().expect("no panic").push(Instant::now());
            })
        }

        fn outcomes(&self, (): &()) -> usize {
            1
        }

        fn proceed(&self, (): (), _: usize) -> Option<()> {
            None
        }

        fn check(&self) -> Result<(), String> {
            let permits = self.permits.lock().expect("no panic");
            for (count, first) in permits.iter().enumerate() {
                let since = permits.len() - 1 - count;
                let least = (Self::INTERVAL * since as u32).saturating_sub(CREDIT);
                if permits[permits.len() - 1] - *first < least {
                    return Err(format!("too many permits: {permits:?}"));
                }
            }
            Ok(())
        }

        fn check_idle(&self) -> Result<(), String> {
            self.rate.acquire().now_or_never().ok_or("a permit was lost".to_owned())
        }
    }

    #[test]
    fn no_wait_is_held_up_by_another_in_any_short_run() {
        let runs = explore(Modelled::new, &[false; 5], 4);
        assert!(runs > 1_000, "{runs}");
    }

    #[test]
    fn no_wait_is_held_up_by_another_in_long_runs() {
        wander(Modelled::new, 200);
    }

    #[tokio::test(start_paused = true)]
    async fn ten_thousand_waits_stay_within_the_rate() {
        const WAITS: usize = 10_000;
        let rate = Arc::new(PollRate::new(INTERVAL));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let started = Instant::now();
        for wait in 0..WAITS {
            let (rate, asked) = (Arc::clone(&rate), Arc::clone(&asked));
            tokio::spawn(async move {
                loop {
                    rate.acquire().await;
                    asked.lock().expect("no panic").push((wait, started.elapsed()));
                    tokio::time::sleep(Duration::from_secs(3)).await;
                }
            });
        }
        tokio::time::sleep(Duration::from_secs(300)).await;
        let asked = asked.lock().expect("no panic").clone();
        assert!(asked.len() > 29_000, "{} in 300 s", asked.len());
        let mut from = 0;
        for (until, (_, at)) in asked.iter().enumerate() {
            while *at - asked[from].1 > Duration::from_secs(10) {
                from += 1;
            }
            assert!(until - from <= 1_101, "{} in the 10 s before {at:?}", until - from);
        }
        let order: Vec<_> = asked.iter().take(WAITS).map(|(wait, _)| *wait).collect();
        assert!(order.iter().copied().eq(0..WAITS), "first come, first served");
        let mut last = vec![Duration::ZERO; WAITS];
        for (wait, at) in asked {
            let since = at - std::mem::replace(&mut last[wait], at);
            assert!(since <= Duration::from_secs(103), "{wait} was polled after {since:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_abandoned_wait_leaves_no_gap() {
        let rate = Arc::new(PollRate::new(INTERVAL));
        for _ in 0..=100 {
            rate.acquire().await;
        }
        let permits = Arc::new(AtomicUsize::new(0));
        let waiting: Vec<_> = (0..1_000)
            .map(|_| {
                let (rate, permits) = (Arc::clone(&rate), Arc::clone(&permits));
                tokio::spawn(async move {
                    rate.acquire().await;
                    permits.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(5)).await;
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
        tokio::task::yield_now().await;
        let started = Instant::now();
        rate.acquire().await;
        assert!(started.elapsed() <= INTERVAL, "{:?}", started.elapsed());
        assert!(permits.load(Ordering::Relaxed) <= 1);
    }

    #[tokio::test]
    async fn an_endpoint_has_one_rate_as_long_as_it_is_used() {
        let rates = PollRates::new(INTERVAL);
        let rate = rates.of("a");
        assert!(Arc::ptr_eq(&rate, &rates.of("a")));
        assert!(!Arc::ptr_eq(&rate, &rates.of("b")));
        drop(rates.of("c"));
        assert_eq!(rates.known.lock().expect("no panic").len(), 2, "b is forgotten, a is used");
    }
}
