//! The limiters of all operations, by scope.

use std::collections::BTreeMap;
#[cfg(feature = "shared-limits")]
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[cfg(feature = "shared-limits")]
use futures_util::future::{Either, select};
use tokio::time::Instant;

use super::operation::{Gate, Pass};
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

/// All gates of a client, by scope and operation.
pub(crate) struct Limiter {
    // Dropped before the gates, whose permits it gives back.
    #[cfg(feature = "shared-limits")]
    shared: Option<Shared>,
    settings: RateLimits,
    scopes: Mutex<Scopes>,
}

struct Scopes {
    known: BTreeMap<Arc<str>, Known>,
    /// How many scopes there may be before idle ones are let go.
    most: usize,
}

/// What is known of a scope.
#[derive(Default)]
struct Known {
    /// The least limit of each operation, in requests.
    least: u64,
    gates: Vec<Place>,
}

struct Place {
    operation: &'static str,
    documented: Limit,
    gate: Arc<Gate>,
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
    /// nobody waits and there is room now. Otherwise the gate to wait at.
    pub(crate) fn enter(
        &self,
        scope: &Arc<str>,
        operation: &'static str,
        documented: Limit,
        time: Duration,
    ) -> Result<Pass, Arc<Gate>> {
        match self.gate(scope, operation, documented) {
            Some(gate) => gate.enter(time),
            None => Ok(Pass::unlimited()),
        }
    }

    /// Waits for a turn at a gate of this limiter, as [`Gate::pass`].
    pub(crate) async fn pass(
        &self,
        gate: Arc<Gate>,
        time: Duration,
        urgent_from: Option<Instant>,
    ) -> Result<Pass, Unreachable> {
        #[cfg(feature = "shared-limits")]
        if let Some(shared) = &self.shared {
            let pass = pin!(gate.pass(time, urgent_from));
            return match select(pass, pin!(shared.unreachable())).await {
                Either::Left((pass, _)) => Ok(pass),
                Either::Right((unreachable, _)) => Err(unreachable),
            };
        }
        Ok(gate.pass(time, urgent_from).await)
    }

    /// The service admits at least so many requests of each operation in this scope: its limits
    /// follow.
    pub(crate) fn set_least_limit(&self, scope: &Arc<str>, requests: u64) {
        if !self.settings.are_on() {
            return;
        }
        self.with(scope, |known| {
            known.least = requests;
            for place in &known.gates {
                place.gate.resize(self.settings.effective(place.documented, requests));
            }
        });
    }

    /// Where requests of this operation to this scope wait; `None` if there are no limits.
    pub(crate) fn gate(
        &self,
        scope: &Arc<str>,
        operation: &'static str,
        documented: Limit,
    ) -> Option<Arc<Gate>> {
        self.settings.are_on().then(|| self.known_gate(scope, operation, documented))
    }

    fn known_gate(
        &self,
        scope: &Arc<str>,
        operation: &'static str,
        documented: Limit,
    ) -> Arc<Gate> {
        self.with(scope, |known| {
            if let Some(place) = known.gates.iter().find(|place| place.operation == operation) {
                return Arc::clone(&place.gate);
            }
            let limit = self.settings.effective(documented, known.least);
            #[cfg(not(feature = "shared-limits"))]
            let gate = Arc::new(Gate::new(limit));
            #[cfg(feature = "shared-limits")]
            let gate = match &self.shared {
                Some(shared) => shared.gate(scope, operation, limit),
                None => Arc::new(Gate::new(limit)),
            };
            known.gates.push(Place { operation, documented, gate: Arc::clone(&gate) });
            gate
        })
    }

    fn with<T>(&self, scope: &Arc<str>, work: impl FnOnce(&mut Known) -> T) -> T {
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
            // A gate that a call holds is in use, even where it has not counted the call yet.
            known.gates.retain(|place| Arc::strong_count(&place.gate) > 1 || !place.gate.is_idle());
            !known.gates.is_empty()
        });
        self.most = FEW.max(self.known.len() * 2);
    }
}
