//! Registry of operation limiters, by scope.

use std::collections::BTreeMap;
#[cfg(feature = "shared-limits")]
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

#[cfg(feature = "shared-limits")]
use futures_util::future::{Either, select};
use tokio::time::Instant;

use super::operation::{OperationLimiter, Permit};
#[cfg(feature = "shared-limits")]
use super::shared::Shared;
#[cfg(feature = "shared-limits")]
pub(crate) use super::shared::Unreachable;
use super::{Limit, RateLimits};
use crate::sync::Mutex;

/// Uninhabited: only the store of shared limits can be unreachable.
#[cfg(not(feature = "shared-limits"))]
pub(crate) enum Unreachable {}

#[cfg(not(feature = "shared-limits"))]
impl Unreachable {
    pub(crate) fn into_error(self, _: &crate::error::Attempted) -> crate::error::Error {
        match self {}
    }
}

/// With fewer scopes than this, idle scopes are not evicted.
const MIN_EVICTION_SCOPES: usize = 64;

/// The operation limiters of a client, by scope and operation.
pub(crate) struct Limiter {
    // Dropped before the scopes, whose permits it returns.
    #[cfg(feature = "shared-limits")]
    shared: Option<Shared>,
    settings: RateLimits,
    scopes: Mutex<Scopes>,
}

struct Scopes {
    known: BTreeMap<Arc<str>, ScopeLimits>,
    /// The number of scopes at which idle scopes are evicted.
    most: usize,
}

/// The operation limiters of a scope.
#[derive(Default)]
struct ScopeLimits {
    /// The minimum limit of each operation, in requests.
    least: u64,
    operations: Vec<OperationEntry>,
}

struct OperationEntry {
    operation: &'static str,
    documented: Limit,
    operation_limiter: Arc<OperationLimiter>,
}

impl Limiter {
    pub(crate) fn new(settings: RateLimits) -> Self {
        let scopes = Scopes { known: BTreeMap::new(), most: MIN_EVICTION_SCOPES };
        Self {
            settings,
            scopes: Mutex::new(scopes),
            #[cfg(feature = "shared-limits")]
            shared: None,
        }
    }

    /// Returns true if limits are kept.
    #[cfg(feature = "announced-limits")]
    pub(crate) fn is_on(&self) -> bool {
        self.settings.are_on()
    }

    /// Shares the limits with other processes.
    #[cfg(feature = "shared-limits")]
    pub(crate) fn share(
        &mut self,
        limits: super::SharedLimits,
        base_url: &str,
        key: &str,
    ) -> std::io::Result<()> {
        self.shared = Some(Shared::start(limits, base_url, key)?);
        Ok(())
    }

    /// A permit for a request of this operation that takes `time` at most, if no request waits and
    /// there is capacity; otherwise the operation limiter to wait for.
    pub(crate) fn try_acquire(
        &self,
        scope: &Arc<str>,
        operation: &'static str,
        documented: Limit,
        time: Duration,
    ) -> Result<Permit, Arc<OperationLimiter>> {
        match self.operation_limiter(scope, operation, documented) {
            Some(operation_limiter) => operation_limiter.try_acquire(time),
            None => Ok(Permit::unlimited()),
        }
    }

    /// Waits for a permit of an operation limiter of this registry, as
    /// [`OperationLimiter::acquire`] does.
    pub(crate) async fn acquire(
        &self,
        operation_limiter: Arc<OperationLimiter>,
        time: Duration,
        urgent_from: Option<Instant>,
    ) -> Result<Permit, Unreachable> {
        #[cfg(feature = "shared-limits")]
        if let Some(shared) = &self.shared {
            let permit = pin!(operation_limiter.acquire(time, urgent_from));
            return match select(permit, pin!(shared.unreachable())).await {
                Either::Left((permit, _)) => Ok(permit),
                Either::Right((unreachable, _)) => Err(unreachable),
            };
        }
        Ok(operation_limiter.acquire(time, urgent_from).await)
    }

    /// Sets the minimum limit of each operation in this scope, which the service is known to admit.
    pub(crate) fn set_least_limit(&self, scope: &Arc<str>, requests: u64) {
        if !self.settings.are_on() {
            return;
        }
        self.with(scope, |known| {
            known.least = requests;
            for entry in &known.operations {
                entry.operation_limiter.resize(self.settings.effective(entry.documented, requests));
            }
        });
    }

    /// The operation limiter of this scope and operation; `None` if there are no limits.
    pub(crate) fn operation_limiter(
        &self,
        scope: &Arc<str>,
        operation: &'static str,
        documented: Limit,
    ) -> Option<Arc<OperationLimiter>> {
        self.settings.are_on().then(|| self.known_operation(scope, operation, documented))
    }

    fn known_operation(
        &self,
        scope: &Arc<str>,
        operation: &'static str,
        documented: Limit,
    ) -> Arc<OperationLimiter> {
        self.with(scope, |known| {
            if let Some(entry) = known.operations.iter().find(|entry| entry.operation == operation)
            {
                return Arc::clone(&entry.operation_limiter);
            }
            let limit = self.settings.effective(documented, known.least);
            #[cfg(not(feature = "shared-limits"))]
            let operation_limiter = Arc::new(OperationLimiter::new(limit));
            #[cfg(feature = "shared-limits")]
            let operation_limiter = match &self.shared {
                Some(shared) => shared.operation_limiter(scope, operation, limit),
                None => Arc::new(OperationLimiter::new(limit)),
            };
            known.operations.push(OperationEntry {
                operation,
                documented,
                operation_limiter: Arc::clone(&operation_limiter),
            });
            operation_limiter
        })
    }

    fn with<T>(&self, scope: &Arc<str>, work: impl FnOnce(&mut ScopeLimits) -> T) -> T {
        let mut scopes = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = scopes.known.get_mut(scope) {
            return work(known);
        }
        scopes.evict_idle();
        work(scopes.known.entry(Arc::clone(scope)).or_default())
    }

    #[cfg(test)]
    pub(super) fn scopes(&self) -> usize {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner).known.len()
    }
}

impl Scopes {
    /// Evicts idle scopes at amortized constant cost: there are never more than twice as many
    /// scopes as were in use at some moment.
    fn evict_idle(&mut self) {
        if self.known.len() < self.most {
            return;
        }
        self.known.retain(|_, known| {
            // An operation limiter that a call holds is in use, even if it has not counted the call
            // yet.
            known.operations.retain(|entry| {
                Arc::strong_count(&entry.operation_limiter) > 1
                    || !entry.operation_limiter.is_idle()
            });
            !known.operations.is_empty()
        });
        self.most = MIN_EVICTION_SCOPES.max(self.known.len() * 2);
    }
}
