//! What an endpoint is made of: its settings, and who runs its jobs.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::queue::fleet::Origin;
use crate::queue::workers::Workers;
use crate::worker::{Crew, Handler, Logs};

/// What can be set for each endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndpointSettings {
    pub(crate) kind: Kind,
    pub(crate) workers: Workers,
    pub(crate) execution_timeout: Duration,
    /// How many jobs may be queued.
    pub(crate) max_queued: usize,
    /// Whether what is gone is kept for the page.
    pub(crate) keeps_history: bool,
}

/// What an endpoint runs its jobs with, as the page names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Builtin,
    Closure,
    Command,
    Worker,
}

/// Who runs the jobs of an endpoint.
pub(crate) enum Runner {
    /// The service, with a handler.
    Handler(Arc<dyn Handler>),
    /// Workers that attach over HTTP.
    Attached(Arc<Crew>),
}

impl Runner {
    /// What the workers print, where they are processes.
    pub(super) fn logs(&self) -> Option<&Logs> {
        match self {
            Self::Handler(handler) => handler.logs(),
            Self::Attached(crew) => Some(&crew.logs),
        }
    }

    pub(super) fn origin(&self) -> Origin {
        match self {
            Self::Handler(_) => Origin::Service,
            Self::Attached(crew) if crew.command.is_some() => Origin::Program,
            Self::Attached(_) => Origin::Volunteer,
        }
    }
}
