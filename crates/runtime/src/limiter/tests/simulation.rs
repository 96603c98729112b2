//! Simulated service in controlled time, which counts by several algorithms at once, and clients
//! that saturate its limit: almost all of a limit is used, and no more, also after a 429.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::{acquire, operation_limiter, request};
use crate::limiter::WINDOW;
use crate::limiter::operation::{OperationLimiter, Permit};

/// Algorithms by which a service may count the requests of ten seconds.
pub(in crate::limiter) enum Count {
    /// Counts in consecutive windows, the first of which began `phase` ago.
    Fixed { phase: Duration, window: u64, requests: u64 },
    /// Counts in windows that begin with the first request after the previous window.
    FromFirst { began: Option<Instant>, requests: u64 },
    /// In the ten seconds before each request, both ends included.
    Sliding { admitted: VecDeque<Instant> },
    /// In a bucket of N tokens, which come back evenly.
    Bucket { tokens: f64, at: Instant },
}

impl Count {
    pub(in crate::limiter) fn fixed(phase: Duration) -> Self {
        Self::Fixed { phase, window: 0, requests: 0 }
    }

    pub(in crate::limiter) fn from_first() -> Self {
        Self::FromFirst { began: None, requests: 0 }
    }

    pub(in crate::limiter) fn sliding() -> Self {
        Self::Sliding { admitted: VecDeque::new() }
    }

    pub(in crate::limiter) fn bucket(limit: u64) -> Self {
        Self::Bucket { tokens: limit as f64, at: Instant::now() }
    }

    /// All algorithms, and fixed windows of many phases.
    pub(in crate::limiter) fn all(limit: u64) -> Vec<Self> {
        let phases = [0, 1, 77, 1_300, 2_718, 5_000, 6_666, 8_200, 9_700, 9_950, 9_999];
        let mut all: Vec<_> = phases.map(|ms| Self::fixed(Duration::from_millis(ms))).into();
        all.extend([Self::from_first(), Self::sliding(), Self::bucket(limit)]);
        all
    }

    fn admits(&mut self, limit: u64, started: Instant) -> bool {
        let now = Instant::now();
        match self {
            Self::Fixed { phase, window, requests } => {
                let current = (now - started + *phase).as_secs() / WINDOW.as_secs();
                if current != *window {
                    (*window, *requests) = (current, 0);
                }
                *requests += 1;
                *requests <= limit
            }
            Self::FromFirst { began, requests } => {
                if began.is_none_or(|began| now - began >= WINDOW) {
                    (*began, *requests) = (Some(now), 0);
                }
                *requests += 1;
                *requests <= limit
            }
            Self::Sliding { admitted } => {
                while admitted.front().is_some_and(|at| now - *at > WINDOW) {
                    admitted.pop_front();
                }
                let admits = (admitted.len() as u64) < limit;
                if admits {
                    admitted.push_back(now);
                }
                admits
            }
            Self::Bucket { tokens, at } => {
                let back = (now - *at).as_secs_f64() * limit as f64 / WINDOW.as_secs_f64();
                (*tokens, *at) = ((*tokens + back).min(limit as f64), now);
                let admits = *tokens >= 1.0;
                if admits {
                    *tokens -= 1.0;
                }
                admits
            }
        }
    }
}

/// The service.
pub(in crate::limiter) struct Service {
    limit: u64,
    work: Duration,
    started: Instant,
    state: Mutex<State>,
}

struct State {
    counts: Vec<Count>,
    random: fastrand::Rng,
    open: u64,
    seen: Seen,
}

/// Requests that the service has seen.
#[derive(Clone, Debug, Default)]
pub(in crate::limiter) struct Seen {
    /// Requests admitted, by when they arrived.
    pub(in crate::limiter) admitted: Vec<Instant>,
    /// Requests that at least one algorithm would not have admitted.
    pub(in crate::limiter) refused: u64,
    pub(in crate::limiter) most_open: u64,
}

impl Seen {
    /// The number of requests admitted in these seconds after `started`.
    pub(in crate::limiter) fn between(&self, started: Instant, from: u64, to: u64) -> usize {
        let seconds = |at: &&Instant| (**at - started).as_secs();
        self.admitted.iter().filter(|at| (from..to).contains(&seconds(at))).count()
    }
}

impl Service {
    pub(in crate::limiter) fn new(limit: u64, counts: Vec<Count>, seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        let state = State { counts, random, open: 0, seen: Seen::default() };
        let started = Instant::now();
        Self { limit, work: Duration::ZERO, started, state: Mutex::new(state) }
    }

    /// The same service, which works this long on each request.
    pub(in crate::limiter) fn taking(mut self, work: Duration) -> Self {
        self.work = work;
        self
    }

    pub(in crate::limiter) fn seen(&self) -> Seen {
        self.state().seen.clone()
    }

    /// A request reaches the service. Returns true if it is admitted.
    pub(in crate::limiter) fn arrives(&self) -> bool {
        let mut state = self.state();
        state.open += 1;
        state.seen.most_open = state.seen.most_open.max(state.open);
        let mut admitted = true;
        for count in &mut state.counts {
            admitted &= count.admits(self.limit, self.started);
        }
        if admitted {
            state.seen.admitted.push(Instant::now());
        } else {
            state.seen.refused += 1;
        }
        admitted
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request and its response, over a network with random latency.
    pub(in crate::limiter) async fn request(
        &self,
        mut permit: Permit,
        latency: std::ops::Range<u64>,
    ) {
        let (there, back) = {
            let mut state = self.state();
            (state.random.u64(latency.clone()), state.random.u64(latency))
        };
        permit.sent();
        sleep(Duration::from_millis(there)).await;
        let admitted = self.arrives();
        sleep(self.work).await;
        self.state().open -= 1;
        sleep(Duration::from_millis(back)).await;
        permit.answered();
        if !admitted {
            permit.refused(None);
        }
        permit.finished();
    }

    /// Clients that share an operation limiter, each of which sends its requests in sequence.
    pub(in crate::limiter) async fn saturate(
        self: &Arc<Self>,
        operation_limiter: &Arc<OperationLimiter>,
        clients: usize,
        latency: std::ops::Range<u64>,
        seconds: u64,
    ) -> Seen {
        for _ in 0..clients {
            let (service, operation_limiter) = (Arc::clone(self), Arc::clone(operation_limiter));
            let latency = latency.clone();
            tokio::spawn(async move {
                loop {
                    let permit = Arc::clone(&operation_limiter).acquire(Duration::MAX, None).await;
                    service.request(permit, latency.clone()).await;
                }
            });
        }
        sleep_until(self.started + Duration::from_secs(seconds)).await;
        self.seen()
    }
}

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

#[tokio::test(start_paused = true)]
async fn one_429_lowers_the_rate_by_a_third_and_it_comes_back_in_steps() {
    let service = Arc::new(Service::new(1_000, vec![Count::sliding()], 1));
    let operation_limiter = operation_limiter(1_000, Some(200));
    let started = Instant::now();
    let refused = Arc::clone(&operation_limiter);
    tokio::spawn(async move {
        sleep(Duration::from_secs(20)).await;
        let mut permit = acquire(&refused).await;
        permit.sent();
        permit.answered();
        permit.refused(None);
        permit.finished();
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
    let mut permits = Vec::new();
    for _ in 0..100 {
        permits.push(acquire(&operation_limiter).await);
    }
    for mut permit in permits {
        permit.sent();
        permit.answered();
        permit.refused(None);
        permit.finished();
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
        let mut first = acquire(&operation_limiter).await;
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
