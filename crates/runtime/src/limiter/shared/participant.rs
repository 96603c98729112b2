//! Participant: a process among those that share limits.

use std::error::Error as StdError;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::allocation::{Allocation, ExchangeRequest, Grant};
use super::local_permits::LocalPermits;
use super::store::{SharedLimits, StoreError};
use super::waker::ExchangeWaker;
use crate::error::{Attempted, Error, ErrorKind};
use crate::limiter::Limit;
use crate::limiter::operation::OperationLimiter;

/// The intervals between exchanges: while permits are used; while any are held, or after a failure.
pub(super) const BUSY_INTERVAL: Duration = Duration::from_millis(100);
const QUIET_INTERVAL: Duration = Duration::from_millis(300);

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

/// An operation limiter in an exchange.
struct Asking {
    operation_limiter: Arc<OperationLimiter>,
    limit: Limit,
    ask: ExchangeRequest,
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

    /// Makes one exchange for all operations. Returns the time to the next exchange; `None` if no operation
    /// needs an exchange.
    pub(super) fn exchange(&self) -> Option<Duration> {
        let is_leaving = self.waker.is_closed();
        let (mut keys, mut all, mut is_busy) = (Vec::new(), Vec::new(), false);
        let asked_at = Instant::now();
        for listed in lock(&self.operations).iter() {
            let Some(operation_limiter) = listed.operation_limiter.upgrade() else { continue };
            let asked = operation_limiter.with_local_permits(asked_at, |local_permits, state| {
                let ask = local_permits.ask(state, self.id, is_leaving, asked_at)?;
                is_busy |= local_permits.is_busy(state.waiting, asked_at);
                Some((state.limit, ask))
            });
            let Some((limit, ask)) = asked.flatten() else { continue };
            keys.push(listed.key.clone());
            all.push(Asking { operation_limiter, limit, ask, grant: Grant::default() });
        }
        if all.is_empty() {
            return None;
        }
        let changed = self.change(&keys, &mut all, asked_at);
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
                return Some(QUIET_INTERVAL);
            }
        }
        drop(health);
        for asking in all {
            asking.operation_limiter.with_local_permits(now, |local_permits, _| {
                local_permits.take(&asking.grant, asked_at, now)
            });
        }
        Some(if is_busy { BUSY_INTERVAL } else { QUIET_INTERVAL })
    }

    fn change(
        &self,
        keys: &[String],
        all: &mut [Asking],
        asked_at: Instant,
    ) -> Result<(), StoreError> {
        let mut unreadable = None;
        let mut store = lock(&self.settings.store);
        store.exchange(keys, &mut |time, records| {
            let now = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            for ((asking, record), key) in all.iter_mut().zip(records).zip(keys) {
                let stored = match record.as_deref().map(serde_json::from_slice).transpose() {
                    Ok(stored) => stored,
                    Err(error) => {
                        unreadable = Some((key.clone(), error));
                        continue;
                    }
                };
                let waited = u64::try_from(asked_at.elapsed().as_micros()).unwrap_or(u64::MAX);
                let new_id = fastrand::u64(..);
                let mut allocation = Allocation::current(now, stored, &asking.ask, waited, new_id);
                asking.grant = allocation.exchange(now, asking.limit, &asking.ask);
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

    /// Completes when the store has been unreachable for too long.
    pub(super) async fn unreachable(&self) -> Unreachable {
        let mut since = Instant::now();
        loop {
            sleep_until(since + self.settings.patience).await;
            let health = lock(&self.health);
            if health.reached_at <= since {
                return Unreachable {
                    store: Arc::clone(&self.settings.name),
                    waited: self.settings.patience,
                    failure: health.failure.clone(),
                };
            }
            since = health.reached_at;
        }
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
            Some(failure) => error.with_source(Cause(failure)),
            None => error,
        }
    }
}

/// A failure that several calls report.
#[derive(Debug)]
struct Cause(Arc<dyn StdError + Send + Sync>);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
