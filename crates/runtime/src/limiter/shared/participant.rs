//! Participant: a process among those that share limits, and its exchange thread, which reports for
//! all of its operations and obtains their permits.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::allocation::{Allocation, ExchangeRequest, Grant};
use super::local_permits::{ExchangeWaker, LocalPermits};
use super::store::{SharedLimits, StoreError};
use crate::error::{Attempted, Error, ErrorKind};
use crate::limiter::Limit;
use crate::limiter::operation::OperationLimiter;
use crate::sync::{Mutex, MutexGuard, thread};

/// The intervals between exchanges: while permits are used; while any are held, or after a failure.
pub(super) const BUSY_INTERVAL: Duration = Duration::from_millis(100);
const QUIET_INTERVAL: Duration = Duration::from_millis(300);

/// The minimum time between two exchanges.
const MIN_INTERVAL: Duration = Duration::from_millis(5);

/// Exchanges the reports and requests of all operations of a client.
pub(super) struct Participant {
    settings: SharedLimits,
    account: String,
    id: u64,
    pub(super) waker: Arc<ExchangeWaker>,
    operations: Mutex<Vec<Listed>>,
    /// The operations of a client that was dropped, until their permits are returned.
    kept: Mutex<Vec<Arc<OperationLimiter>>>,
    health: Mutex<Health>,
}

/// An operation limiter, and the key of its record.
struct Listed {
    key: String,
    operation_limiter: Weak<OperationLimiter>,
}

/// An exchange: the reports of all operations, and their grants.
struct Exchange {
    asked_at: Instant,
    is_busy: bool,
    keys: Vec<String>,
    /// In the order of the keys.
    operations: Vec<OperationExchange>,
}

/// An operation limiter in an exchange.
struct OperationExchange {
    operation_limiter: Arc<OperationLimiter>,
    limit: Limit,
    report: ExchangeRequest,
    grant: Grant,
}

/// Reachability of the store.
struct Health {
    reached_at: Instant,
    failure: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Participant {
    pub(super) fn new(settings: SharedLimits, account: String) -> Self {
        let health = Health { reached_at: Instant::now(), failure: None };
        Self {
            settings,
            account,
            id: fastrand::u64(..),
            waker: Arc::default(),
            operations: Mutex::default(),
            kept: Mutex::default(),
            health: Mutex::new(health),
        }
    }

    /// A new operation limiter, whose requests need permits.
    pub(super) fn operation_limiter(
        &self,
        scope: &str,
        operation: &str,
        limit: Limit,
    ) -> Arc<OperationLimiter> {
        let local_permits = LocalPermits::new(Arc::clone(&self.waker), Instant::now());
        let operation_limiter = Arc::new(OperationLimiter::shared(limit, local_permits));
        let key = format!("{:?} {operation} {scope:?}", self.account);
        let mut operations = lock(&self.operations);
        operations.retain(|listed| listed.operation_limiter.strong_count() > 0);
        operations.push(Listed { key, operation_limiter: Arc::downgrade(&operation_limiter) });
        operation_limiter
    }

    /// Keeps the operations for the last exchange, because the caller drops them.
    pub(super) fn keep_operations(&self) {
        let operations = lock(&self.operations);
        lock(&self.kept)
            .extend(operations.iter().filter_map(|listed| listed.operation_limiter.upgrade()));
    }

    /// Makes one exchange for all operations. Returns the time to the next exchange; `None` if no
    /// operation needs an exchange.
    pub(super) fn exchange(&self) -> Option<Duration> {
        let mut exchange = self.report()?;
        let changed = self.change(&mut exchange);
        Some(self.take(&exchange, changed))
    }

    /// The reports of all operations; `None` if no operation needs an exchange.
    fn report(&self) -> Option<Exchange> {
        let is_leaving = self.waker.is_closed();
        let asked_at = Instant::now();
        let (keys, operations) = Default::default();
        let mut exchange = Exchange { asked_at, is_busy: false, keys, operations };
        for listed in lock(&self.operations).iter() {
            let Some(operation_limiter) = listed.operation_limiter.upgrade() else { continue };
            let asked = operation_limiter.with_local_permits(asked_at, |local_permits, state| {
                let report = local_permits.report(state, self.id, is_leaving, asked_at)?;
                exchange.is_busy |= local_permits.is_busy(state.waiting, asked_at);
                Some((state.limit, report))
            });
            let Some((limit, report)) = asked.flatten() else { continue };
            let grant = Grant::default();
            exchange.keys.push(listed.key.clone());
            exchange.operations.push(OperationExchange { operation_limiter, limit, report, grant });
        }
        (!exchange.operations.is_empty()).then_some(exchange)
    }

    /// Takes the grants of an exchange. Returns the time to the next exchange.
    fn take(&self, exchange: &Exchange, changed: Result<(), StoreError>) -> Duration {
        let now = Instant::now();
        let mut health = lock(&self.health);
        match changed {
            Ok(()) => *health = Health { reached_at: now, failure: None },
            Err(failure) => {
                if health.failure.is_none() {
                    let store = &self.settings.name;
                    tracing::warn!(%store, error = %failure, "could not exchange shared limits");
                }
                health.failure = Some(failure.into());
                return QUIET_INTERVAL;
            }
        }
        drop(health);
        for operation in &exchange.operations {
            operation.operation_limiter.with_local_permits(now, |local_permits, _| {
                local_permits.take(&operation.grant, exchange.asked_at, now)
            });
        }
        if exchange.is_busy { BUSY_INTERVAL } else { QUIET_INTERVAL }
    }

    fn change(&self, exchange: &mut Exchange) -> Result<(), StoreError> {
        let Exchange { asked_at, keys, operations, .. } = exchange;
        let mut unreadable = None;
        let mut store = lock(&self.settings.store);
        store.exchange(keys, &mut |time, records| {
            let now = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            for ((operation, record), key) in operations.iter_mut().zip(records).zip(&*keys) {
                let stored = match record.as_deref().map(serde_json::from_slice).transpose() {
                    Ok(stored) => stored,
                    Err(error) => {
                        unreadable = Some((key.clone(), error));
                        continue;
                    }
                };
                let waited = u64::try_from(asked_at.elapsed().as_micros()).unwrap_or(u64::MAX);
                let new_id = fastrand::u64(..);
                let mut allocation =
                    Allocation::current(now, stored, &operation.report, waited, new_id);
                operation.grant = allocation.exchange(now, operation.limit, &operation.report);
                // An allocation consists of numbers and lists, which can always be serialized.
                *record = Some(allocation)
                    .filter(|it| !it.is_idle())
                    .map(|allocation| serde_json::to_vec(&allocation).unwrap_or_default());
            }
        })?;
        match unreadable {
            None => Ok(()),
            Some((key, error)) => Err(format!(
                "cannot read the record {key}: {error}; it may be of another version of this library, which cannot share limits with this one"
            )
            .into()),
        }
    }

    /// Waits until the store of a simulation responds.
    #[cfg(feature = "unstable-store")]
    async fn respond(&self) {
        let response = lock(&self.settings.store).response();
        if let Some(response) = response {
            response.await;
        }
    }

    /// Completes when the store has been unreachable for too long.
    pub(super) async fn unreachable(&self) -> Unreachable {
        let mut since = Instant::now();
        loop {
            sleep_until(since + self.settings.store_timeout).await;
            let health = lock(&self.health);
            if health.reached_at <= since {
                return Unreachable {
                    store: Arc::clone(&self.settings.name),
                    waited: self.settings.store_timeout,
                    failure: health.failure.clone(),
                };
            }
            since = health.reached_at;
        }
    }
}

/// A client's exchange thread. The thread ends soon after this handle is dropped, and returns
/// unused permits before.
pub(in crate::limiter) struct Shared(Arc<Participant>);

impl Shared {
    pub(in crate::limiter) fn start(
        settings: SharedLimits,
        base_url: &str,
        key: &str,
    ) -> io::Result<Self> {
        let account = settings.account_of(base_url, key);
        let participant = Arc::new(Participant::new(settings, account));
        #[cfg(feature = "unstable-store")]
        if lock(&participant.settings.store).response().is_some() {
            tokio::spawn(run_in_task(Arc::clone(&participant)));
            return Ok(Self(participant));
        }
        let of_thread = Arc::clone(&participant);
        let name = "podqueue-limits".to_owned();
        let handle = thread::Builder::new().name(name).spawn(move || run(&of_thread))?;
        participant.waker.set_thread(handle.thread().clone());
        Ok(Self(participant))
    }

    pub(in crate::limiter) fn operation_limiter(
        &self,
        scope: &str,
        operation: &str,
        limit: Limit,
    ) -> Arc<OperationLimiter> {
        self.0.operation_limiter(scope, operation, limit)
    }

    /// Completes when the store has been unreachable for too long.
    pub(in crate::limiter) async fn unreachable(&self) -> Unreachable {
        self.0.unreachable().await
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.0.keep_operations();
        self.0.waker.close();
    }
}

fn run(participant: &Participant) {
    let waker = &participant.waker;
    loop {
        let began = Instant::now();
        waker.clear();
        let is_leaving = waker.is_closed();
        let next = participant.exchange();
        if is_leaving {
            return;
        }
        let mut due = next.map(|pause| began + pause);
        loop {
            due = next_exchange(waker, began, due);
            match due.map(|due| due.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => break,
                Some(pause) => thread::park_timeout(pause),
                None => thread::park(),
            }
        }
    }
}

/// The work of the thread as a task, for a simulation in virtual time: a thread would wait in real
/// time, and a paused clock would run ahead of it. The report and the grant each take as long as the store of
/// the simulation says.
#[cfg(feature = "unstable-store")]
async fn run_in_task(participant: Arc<Participant>) {
    let waker = &participant.waker;
    loop {
        let began = Instant::now();
        waker.clear();
        let is_leaving = waker.is_closed();
        let next = match participant.report() {
            Some(mut exchange) => {
                participant.respond().await;
                let changed = participant.change(&mut exchange);
                participant.respond().await;
                Some(participant.take(&exchange, changed))
            }
            None => None,
        };
        if is_leaving {
            return;
        }
        let mut due = next.map(|pause| began + pause);
        loop {
            due = next_exchange(waker, began, due);
            match due {
                Some(due) if due <= Instant::now() => break,
                Some(due) => drop(tokio::time::timeout_at(due, waker.woken()).await),
                None => waker.woken().await,
            }
        }
    }
}

/// The moment of the next exchange, given the planned moment and what was requested since the last
/// exchange began; `None` until an exchange is requested.
fn next_exchange(waker: &ExchangeWaker, began: Instant, due: Option<Instant>) -> Option<Instant> {
    if waker.is_closed() {
        Some(began)
    } else if waker.is_urgent() {
        Some(due.map_or(began, |due| due.min(began + MIN_INTERVAL)))
    } else if waker.is_requested() {
        Some(due.map_or(began + MIN_INTERVAL, |due| due.min(began + BUSY_INTERVAL)))
    } else {
        due
    }
}

/// The store has been unreachable for too long.
pub(crate) struct Unreachable {
    store: Arc<str>,
    waited: Duration,
    failure: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Unreachable {
    pub(crate) fn into_error(self, attempted: &Attempted) -> Error {
        let Self { store, waited, failure } = self;
        let reason = match &failure {
            Some(failure) => failure.to_string(),
            None => "it did not respond".to_owned(),
        };
        let message = format!(
            "not sent: the store of the shared rate limits ({store}) could not be reached for {waited:?}: {reason}. Check the store (the builder's `shared_limits`)"
        );
        let error = Error::new(ErrorKind::Connect, attempted, message);
        match failure {
            Some(failure) => error.with_source(SharedFailure(failure)),
            None => error,
        }
    }
}

/// A failure that several calls report.
#[derive(Debug)]
struct SharedFailure(Arc<dyn StdError + Send + Sync>);

impl fmt::Display for SharedFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for SharedFailure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
