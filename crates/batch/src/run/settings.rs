//! Settings of a run, and their record in the journal.

use std::sync::Arc;
use std::time::Duration;

use podqueue::{Endpoint, Policy};

use crate::budget::{Budget, reserve_ms};
use crate::error::{Error, ErrorKind, Result};
use crate::progress::MaxFailures;
#[cfg(feature = "object-storage")]
use crate::published_parts::Publication;
use crate::store::RunRecord;
use crate::submission::OnUnknown;
use crate::submission::{self, Submit};

/// Requested extent of the stop of a run.
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
    pub(crate) further_endpoints: Vec<Endpoint>,
    pub(crate) step: Arc<dyn Submit>,
    pub(crate) policy: Option<Policy>,
    pub(crate) window: usize,
    pub(crate) max_failures: Option<MaxFailures>,
    pub(crate) take: Option<u64>,
    pub(crate) budget: Option<Budget>,
    #[cfg(feature = "object-storage")]
    pub(crate) publication: Option<Publication>,
    pub(crate) outage_timeout: Duration,
    pub(crate) await_webhooks: Duration,
}

impl Settings {
    /// Refuses invalid settings.
    pub(crate) fn check(&self, on_unknown: &OnUnknown) -> Result<()> {
        let refuse = |message| Err(Error::new(ErrorKind::Settings, message));
        if self.window == 0 {
            return refuse(
                "window: 0 jobs outstanding would submit nothing: expected 1 or more".to_owned(),
            );
        }
        if let Some(budget) = &self.budget {
            budget.check().or_else(|why| refuse(format!("budget: {why}")))?;
            let policy = policy_json(self.policy.as_ref())?;
            let has_timeout = policy.is_some_and(|it| it.get("executionTimeout").is_some());
            if budget.max_charged_ms().is_some() && !has_timeout {
                return refuse(
                    "budget: the policy has no execution_timeout, so what a job costs at most is unknown: set it"
                        .to_owned(),
                );
            }
        }
        match self.max_failures {
            Some(MaxFailures::Percent(percent)) if !(0.0..=100.0).contains(&percent) => {
                refuse(format!("max_failures: {percent} is not a percentage: expected 0 to 100"))
            }
            _ => submission::check(&self.endpoint, self.policy.as_ref(), on_unknown),
        }
    }
}

/// The policy of a run, as it is recorded.
fn policy_json(policy: Option<&Policy>) -> Result<Option<serde_json::Value>> {
    policy.map(serde_json::to_value).transpose().map_err(|error| {
        Error::new(ErrorKind::Settings, format!("the policy cannot be recorded: {error}"))
    })
}

impl Settings {
    /// The longest execution of a job of the run, in milliseconds.
    pub(crate) fn reserve_ms(&self) -> f64 {
        reserve_ms(policy_json(self.policy.as_ref()).ok().flatten().as_ref())
    }

    /// The endpoint that a run submitted to, if this run can reach it.
    pub(crate) fn endpoint_of(&self, record: &RunRecord) -> Option<Endpoint> {
        let all = std::iter::once(&self.endpoint).chain(&self.further_endpoints);
        let mut there = all.filter(|it| it.base_url() == Some(record.base_url.as_str()));
        there.next().map(|endpoint| endpoint.with_id(&record.endpoint_id))
    }
}

/// The record of a run with these settings.
pub(crate) fn record_of(settings: &Settings, now: u64) -> Result<RunRecord> {
    let Some(base_url) = settings.endpoint.base_url() else {
        let message = "the endpoint's client has no URL: set `base_url` when it is built";
        return Err(Error::new(ErrorKind::Settings, message));
    };
    let policy = policy_json(settings.policy.as_ref())?;
    Ok(RunRecord {
        endpoint_id: settings.endpoint.id().to_owned(),
        base_url: base_url.to_owned(),
        ttl: policy.as_ref().and_then(|policy| policy.get("ttl")?.as_u64()),
        policy: policy.map(|policy| policy.to_string()),
        started_at: now,
    })
}
