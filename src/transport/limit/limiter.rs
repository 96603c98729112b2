//! The gates of a client.

use std::collections::BTreeMap;
#[cfg(feature = "shared-limits")]
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[cfg(feature = "shared-limits")]
use futures_util::future::{Either, select};
use tokio::time::Instant;

use super::gate::{Gate, Pass};
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
    pub(crate) fn into_error(self, _: &crate::error::Attempted) -> crate::Error {
        match self {}
    }
}

/// With fewer endpoints than this, idle ones are not looked for.
const FEW: usize = 64;

/// All gates of a client, by endpoint and operation.
pub(crate) struct Limiter {
    // Dropped before the gates, whose permits it gives back.
    #[cfg(feature = "shared-limits")]
    shared: Option<Shared>,
    settings: RateLimits,
    endpoints: Mutex<Endpoints>,
}

struct Endpoints {
    known: BTreeMap<Arc<str>, Known>,
    /// How many endpoints there may be before idle ones are let go.
    most: usize,
}

/// What is known of an endpoint.
#[derive(Default)]
struct Known {
    running_workers: u64,
    gates: Vec<Place>,
}

struct Place {
    operation: &'static str,
    documented: Limit,
    gate: Arc<Gate>,
}

impl Limiter {
    pub(crate) fn new(settings: RateLimits) -> Self {
        let endpoints = Endpoints { known: BTreeMap::new(), most: FEW };
        Self {
            settings,
            endpoints: Mutex::new(endpoints),
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
        key: &crate::secret_string::SecretString,
    ) -> std::io::Result<()> {
        self.shared = Some(Shared::start(limits, base_url, key)?);
        Ok(())
    }

    /// Lets a request of this operation pass to this endpoint, which then takes `time` at most, if
    /// nobody waits and there is room now. Otherwise the gate to wait at.
    pub(crate) fn enter(
        &self,
        endpoint_id: &Arc<str>,
        operation: &'static str,
        documented: Limit,
        time: Duration,
    ) -> Result<Pass, Arc<Gate>> {
        match self.gate(endpoint_id, operation, documented) {
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

    /// The service has told how many workers of an endpoint run: its limits follow.
    pub(crate) fn workers_run(&self, endpoint_id: &Arc<str>, running: u64) {
        if !self.settings.depend_on_workers() {
            return;
        }
        self.with(endpoint_id, |known| {
            known.running_workers = running;
            for place in &known.gates {
                place.gate.resize(self.settings.effective(place.documented, running));
            }
        });
    }

    /// Where requests of this operation to this endpoint wait; `None` if there are no limits.
    pub(crate) fn gate(
        &self,
        endpoint_id: &Arc<str>,
        operation: &'static str,
        documented: Limit,
    ) -> Option<Arc<Gate>> {
        self.settings.are_on().then(|| self.known_gate(endpoint_id, operation, documented))
    }

    fn known_gate(
        &self,
        endpoint_id: &Arc<str>,
        operation: &'static str,
        documented: Limit,
    ) -> Arc<Gate> {
        self.with(endpoint_id, |known| {
            if let Some(place) = known.gates.iter().find(|place| place.operation == operation) {
                return Arc::clone(&place.gate);
            }
            let limit = self.settings.effective(documented, known.running_workers);
            #[cfg(not(feature = "shared-limits"))]
            let gate = Arc::new(Gate::new(limit));
            #[cfg(feature = "shared-limits")]
            let gate = match &self.shared {
                Some(shared) => shared.gate(endpoint_id, operation, limit),
                None => Arc::new(Gate::new(limit)),
            };
            known.gates.push(Place { operation, documented, gate: Arc::clone(&gate) });
            gate
        })
    }

    fn with<T>(&self, endpoint_id: &Arc<str>, work: impl FnOnce(&mut Known) -> T) -> T {
        let mut endpoints = self.endpoints.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = endpoints.known.get_mut(endpoint_id) {
            return work(known);
        }
        endpoints.make_room();
        work(endpoints.known.entry(Arc::clone(endpoint_id)).or_default())
    }

    #[cfg(test)]
    pub(super) fn endpoints(&self) -> usize {
        self.endpoints.lock().unwrap_or_else(PoisonError::into_inner).known.len()
    }
}

impl Endpoints {
    /// Lets go of idle endpoints, rarely enough that a new endpoint costs no more than any call does
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
