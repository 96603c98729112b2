//! Simulated service in controlled time, which counts by several algorithms at once, and clients that
//! saturate its limit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

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
        mut pass: Permit,
        latency: std::ops::Range<u64>,
    ) {
        let (there, back) = {
            let mut state = self.state();
            (state.random.u64(latency.clone()), state.random.u64(latency))
        };
        pass.sent();
        sleep(Duration::from_millis(there)).await;
        let admitted = self.arrives();
        sleep(self.work).await;
        self.state().open -= 1;
        sleep(Duration::from_millis(back)).await;
        pass.answered();
        if !admitted {
            pass.refused(None);
        }
        pass.finished();
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
                    let pass = Arc::clone(&operation_limiter).acquire(Duration::MAX, None).await;
                    service.request(pass, latency.clone()).await;
                }
            });
        }
        sleep_until(self.started + Duration::from_secs(seconds)).await;
        self.seen()
    }
}
