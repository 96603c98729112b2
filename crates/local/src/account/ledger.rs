//! Ledger: what objects of the account cost, and for how long.

use std::sync::Mutex;

use crate::clock::Moment;
use crate::tasks::locked;

/// A product of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Product {
    Pod,
    Serverless,
    NetworkVolume,
    Cluster,
}

/// A part of an object that costs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Gpu,
    Cpu,
    Disk,
    StandardStorage,
    HighPerformanceStorage,
    Networking,
}

/// The cost of a part of an object over some time.
#[derive(Clone, Debug)]
pub(super) struct Charge {
    pub(super) product: Product,
    /// The id of the object.
    pub(super) id: String,
    pub(super) part: Part,
    pub(super) since: Moment,
    pub(super) until: Moment,
    /// Credits an hour.
    pub(super) hourly: f64,
}

/// The largest number of charges that are kept of objects that no longer exist.
const MAX_CHARGES: usize = 100_000;

/// The charges of objects that no longer exist.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Vec<Charge>>);

impl Ledger {
    pub(super) fn add(&self, charges: impl IntoIterator<Item = Charge>) {
        let mut kept = locked(&self.0);
        kept.extend(charges);
        let excess = kept.len().saturating_sub(MAX_CHARGES);
        kept.drain(..excess);
    }

    pub(super) fn charges(&self) -> Vec<Charge> {
        locked(&self.0).clone()
    }
}
