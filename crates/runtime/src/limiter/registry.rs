//! Registry of operation limiters, by scope.

use std::collections::BTreeMap;
#[cfg(feature = "shared-limits")]
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
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

/// Never: only limits that are shared can be out of reach.
#[cfg(not(feature = "shared-limits"))]
pub(crate) enum Unreachable {}

#[cfg(not(feature = "shared-limits"))]
impl Unreachable {
    pub(crate) fn into_error(self, _: &crate::error::Attempted) -> crate::error::Error {
        match self {}
    }
}

/// With fewer scopes than this, idle ones are not looked for.
const FEW: usize = 64;

/// All operations of a client, by scope and operation.
pub(crate) struct Limiter {
    // Dropped before the operations, whose permits it gives back.
    #[cfg(feature = "shared-limits")]
    shared: Option<Shared>,
    settings: RateLimits,
    scopes: Mutex<Scopes>,
}

struct Scopes {
    known: BTreeMap<Arc<str>, ScopeLimits>,
    /// How many scopes there may be before idle ones are let go.
    most: usize,
}

/// What is known of a scope.
#[derive(Default)]
struct ScopeLimits {
    /// The least limit of each operation, in requests.
    least: u64,
    operations: Vec<Place>,
}

struct Place {
    operation: &'static str,
    documented: Limit,
    operation_limiter: Arc<OperationLimiter>,
}

impl Limiter {
    pub(crate) fn new(settings: RateLimits) -> Self {
        let scopes = Scopes { known: BTreeMap::new(), most: FEW };
        Self {
            settings,
            scopes: Mutex::new(scopes),
            #[cfg(feature = "shared-limits")]
            shared: None,
        }
    }

    /// Keeps the limits together with other processes.
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

    /// Lets a request of this operation pass to this scope, which then takes `time` at most, if
    /// nobody waits and there is room now. Otherwise the operation_limiter to wait at.
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

    /// Waits for a turn at a operation_limiter of this limiter, as [`OperationLimiter::pass`].
    pub(crate) async fn acquire(
        &self,
        operation_limiter: Arc<OperationLimiter>,
        time: Duration,
        urgent_from: Option<Instant>,
    ) -> Result<Permit, Unreachable> {
        #[cfg(feature = "shared-limits")]
        if let Some(shared) = &self.shared {
            let pass = pin!(operation_limiter.acquire(time, urgent_from));
            return match select(pass, pin!(shared.unreachable())).await {
                Either::Left((pass, _)) => Ok(pass),
                Either::Right((unreachable, _)) => Err(unreachable),
            };
        }
        Ok(operation_limiter.acquire(time, urgent_from).await)
    }

    /// The service admits at least so many requests of each operation in this scope: its limits
    /// follow.
    pub(crate) fn set_least_limit(&self, scope: &Arc<str>, requests: u64) {
        if !self.settings.are_on() {
            return;
        }
        self.with(scope, |known| {
            known.least = requests;
            for place in &known.operations {
                place.operation_limiter.resize(self.settings.effective(place.documented, requests));
            }
        });
    }

    /// Where requests of this operation to this scope wait; `None` if there are no limits.
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
            if let Some(place) = known.operations.iter().find(|place| place.operation == operation)
            {
                return Arc::clone(&place.operation_limiter);
            }
            let limit = self.settings.effective(documented, known.least);
            #[cfg(not(feature = "shared-limits"))]
            let operation_limiter = Arc::new(OperationLimiter::new(limit));
            #[cfg(feature = "shared-limits")]
            let operation_limiter = match &self.shared {
                Some(shared) => shared.operation_limiter(scope, operation, limit),
                None => Arc::new(OperationLimiter::new(limit)),
            };
            known.operations.push(Place {
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
        scopes.make_room();
        work(scopes.known.entry(Arc::clone(scope)).or_default())
    }

    #[cfg(test)]
    pub(super) fn scopes(&self) -> usize {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner).known.len()
    }
}

impl Scopes {
    /// Lets go of idle scopes, rarely enough that a new scope costs no more than any call does
    /// on the average: there are never more than twice as many as were in use at some moment.
    fn make_room(&mut self) {
        if self.known.len() < self.most {
            return;
        }
        self.known.retain(|_, known| {
            // A operation_limiter that a call holds is in use, even where it has not counted the call yet.
            known.operations.retain(|place| {
                Arc::strong_count(&place.operation_limiter) > 1
                    || !place.operation_limiter.is_idle()
            });
            !known.operations.is_empty()
        });
        self.most = FEW.max(self.known.len() * 2);
    }
}
