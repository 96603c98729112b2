//! The settings of a run.

use std::sync::Arc;
use std::time::Duration;

use podqueue::{Endpoint, Policy};

use crate::error::{Error, ErrorKind, Result};
use crate::progress::MaxFailures;
use crate::submit::{self, Submit};
use crate::unknown::OnUnknown;

/// How far a run is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    Not,
    Submitting,
    Collecting,
}

/// The settings of a run.
#[derive(Clone)]
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

impl Settings {
    /// Refuses what no run can keep to.
    pub(crate) fn check(&self, on_unknown: &OnUnknown) -> Result<()> {
        let refuse = |message| Err(Error::new(ErrorKind::Settings, message));
        if self.window == 0 {
            return refuse(
                "window: 0 jobs outstanding would submit nothing: expected 1 or more".to_owned(),
            );
        }
        match self.max_failures {
            Some(MaxFailures::Percent(percent)) if !(0.0..=100.0).contains(&percent) => {
                refuse(format!("max_failures: {percent} is no percentage: expected 0 to 100"))
            }
            _ => submit::check(&self.endpoint, self.policy.as_ref(), on_unknown),
        }
    }
}
