//! The settings of a run.

use std::sync::Arc;
use std::time::Duration;

use podqueue::{Endpoint, Policy};

use crate::progress::MaxFailures;
use crate::submit::Submit;

/// How far a run is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    Not,
    Submitting,
    Collecting,
}

/// The settings of a run.
pub(crate) struct Settings {
    pub(crate) endpoint: Endpoint,
    pub(crate) others: Vec<Endpoint>,
    pub(crate) step: Arc<dyn Submit>,
    pub(crate) policy: Option<Policy>,
    pub(crate) window: usize,
    pub(crate) max_failures: Option<MaxFailures>,
    pub(crate) take: Option<u64>,
    pub(crate) patience: Duration,
    pub(crate) await_webhooks: Duration,
}
