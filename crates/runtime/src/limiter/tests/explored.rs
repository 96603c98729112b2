//! Explorer of an operation limiter: all short runs of a few callers, and long runs at random.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::fair_queue::tests::explorer::{Subject, explore, wander};
use crate::limiter::operation::{OperationLimiter, Permit};
use crate::limiter::{ABANDONED_GRACE, Limit, WINDOW};

/// The timeout of an attempt.
const TIME: Duration = Duration::from_secs(2);

struct Modelled {
    operation_limiter: Arc<OperationLimiter>,
    limit: Limit,
    service: RefCell<Service>,
}

/// The service's view, in the worst case.
#[derive(Default)]
struct Service {
    /// The times at which the service counted the requests: as early or as late as possible.
    early: Vec<Instant>,
    late: Vec<Instant>,
    /// The end of its work on each request.
    open: Vec<Instant>,
}

struct Request {
    permit: Permit,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    Admitted { at: Instant },
    Sent { at: Instant, number: usize },
    Answered { at: Instant, number: usize },
}

impl Modelled {
    fn new(requests: u64, concurrent: Option<u64>) -> Self {
        let limit = Limit { requests, concurrent };
        Self {
            operation_limiter: Arc::new(OperationLimiter::new(limit)),
            limit,
            service: RefCell::default(),
        }
    }
}

/// The latest end of an attempt, even if its caller is not polled.
fn over(admitted_at: Instant, at: Instant) -> Instant {
    at.min(admitted_at + TIME + ABANDONED_GRACE)
}

impl Subject for Modelled {
    type Permit = Request;

    fn longest(&self, held: u32, waiting: u32, _: u32) -> Duration {
        // A window, and the backoff of several 429s in a row.
        Duration::from_secs(13) * held + Duration::from_secs(21) * (waiting + 2)
    }

    fn acquire_permit(&self, is_urgent: bool) -> Pin<Box<dyn Future<Output = Request>>> {
        let operation_limiter = Arc::clone(&self.operation_limiter);
        Box::pin(async move {
            let permit = operation_limiter.acquire(TIME, is_urgent.then(Instant::now)).await;
            Request { permit, stage: Stage::Admitted { at: Instant::now() } }
        })
    }

    fn outcomes(&self, request: &Request) -> usize {
        match request.stage {
            Stage::Admitted { .. } => 2,
            Stage::Sent { .. } => 4,
            Stage::Answered { .. } => 2,
        }
    }

    fn proceed(&self, mut request: Request, way: usize) -> Option<Request> {
        let now = Instant::now();
        let mut service = self.service.borrow_mut();
        match (request.stage, way) {
            (Stage::Admitted { at }, 0) if now < at + TIME => {
                request.permit.sent();
                service.early.push(now);
                // A request whose caller is not polled counts no longer than its timeout.
                service.open.push(over(at, at + TIME + ABANDONED_GRACE));
                request.stage = Stage::Sent { at, number: service.open.len() - 1 };
                return Some(request);
            }
            (Stage::Admitted { .. }, _) => drop(request.permit),
            (Stage::Sent { at, number }, 0..=2) => {
                request.permit.answered();
                service.late.push(over(at, now));
                match way {
                    0 => {
                        request.stage = Stage::Answered { at, number };
                        return Some(request);
                    }
                    1 => request.permit.finished(),
                    _ => {
                        request.permit.refused(None);
                        request.permit.finished();
                    }
                }
                service.open[number] = over(at, now);
            }
            (Stage::Answered { at, number }, 0) => {
                request.permit.finished();
                service.open[number] = over(at, now);
            }
            (Stage::Sent { at, number }, _) => {
                drop(request.permit);
                service.late.push(over(at, now) + ABANDONED_GRACE);
                service.open[number] = over(at, now) + ABANDONED_GRACE;
            }
            (Stage::Answered { at, number }, _) => {
                drop(request.permit);
                service.open[number] = over(at, now) + ABANDONED_GRACE;
            }
        }
        None
    }

    fn check(&self) -> Result<(), String> {
        let now = Instant::now();
        let mut service = self.service.borrow_mut();
        let Service { early, late, open } = &mut *service;
        for counted in [early, late] {
            counted.sort();
            let mut windows = counted.windows(self.limit.requests as usize + 1);
            if windows.any(|some| some[some.len() - 1] - some[0] <= WINDOW) {
                return Err(format!("more requests than allowed: {counted:?}"));
            }
        }
        let open = open.iter().filter(|until| **until > now).count() as u64;
        match self.limit.concurrent {
            Some(most) if open > most => Err(format!("{open} requests open, {most} allowed")),
            _ => Ok(()),
        }
    }

    fn check_idle(&self) -> Result<(), String> {
        if self.operation_limiter.is_idle() { Ok(()) } else { Err("something was lost".to_owned()) }
    }
}

#[test]
fn no_limit_is_exceeded_and_no_caller_is_blocked_in_any_short_run() {
    for (requests, concurrent) in [(2, Some(1)), (4, Some(2))] {
        let runs = explore(|| Modelled::new(requests, concurrent), &[false, false, true, false], 3);
        assert!(runs > 1_000, "{runs}");
    }
}

#[test]
fn no_limit_is_exceeded_and_no_caller_is_blocked_in_long_runs() {
    for (requests, concurrent) in [(2, Some(1)), (4, Some(2)), (10, Some(3)), (3, None)] {
        wander(|| Modelled::new(requests, concurrent), 100);
    }
}
