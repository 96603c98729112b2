//! Execution policy of a job.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::error::{Error, Result};
use podqueue_runtime::__private::Attempted;

const DAY: u64 = 24 * 60 * 60;
const EXECUTION_TIMEOUT: RangeInclusive<Duration> =
    Duration::from_secs(5)..=Duration::from_secs(7 * DAY);
const TTL: RangeInclusive<Duration> = Duration::from_secs(10)..=Duration::from_secs(7 * DAY);

/// The execution policy of a job ([policy object](crate#the-interface)). For anything that is not
/// set, the endpoint's own setting applies.
///
/// For a job that runs longer than the default ttl, raise both: `execution_timeout` to the run
/// time, `ttl` to queue time plus run time.
///
/// ```
/// use std::time::Duration;
/// use podqueue::Policy;
///
/// let policy = Policy::new()
///     .execution_timeout(Duration::from_secs(15 * 60))
///     .ttl(Duration::from_secs(60 * 60))
///     .low_priority(true);
/// # let _ = policy;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use = "a policy does nothing until it is passed to a submission"]
pub struct Policy {
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "milliseconds")]
    execution_timeout: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low_priority: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "milliseconds")]
    ttl: Option<Duration>,
}

impl Policy {
    /// The ttl of a job whose policy sets none.
    pub const DEFAULT_TTL: Duration = Duration::from_secs(DAY);

    /// The time that a job may run if neither its policy nor its endpoint sets one.
    pub const DEFAULT_EXECUTION_TIMEOUT: Duration = Duration::from_secs(10 * 60);

    /// A policy without settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the time that the job may run once a worker has picked it up: 5 seconds to 7 days, in
    /// whole milliseconds; 10 minutes if neither this nor the endpoint sets it. A job that exceeds
    /// it is aborted and ends TIMED_OUT.
    pub fn execution_timeout(mut self, time: Duration) -> Self {
        self.execution_timeout = Some(time);
        self
    }

    /// The job's total lifespan, counted from its submission, queue time and execution time
    /// together: 10 seconds to 7 days, in whole milliseconds; 24 hours by default. When it expires,
    /// the job is deleted, even while it runs.
    pub fn ttl(mut self, time: Duration) -> Self {
        self.ttl = Some(time);
        self
    }

    /// Sets whether the job does not trigger the start of additional workers; false by default.
    pub fn low_priority(mut self, low: bool) -> Self {
        self.low_priority = Some(low);
        self
    }

    pub(super) fn ttl_that_is_set(&self) -> Option<Duration> {
        self.ttl
    }

    pub(super) fn check(&self, attempted: &Attempted) -> Result<()> {
        for (field, time, allowed, rule) in [
            (
                "policy.executionTimeout",
                self.execution_timeout,
                EXECUTION_TIMEOUT,
                "must be from 5 seconds to 7 days",
            ),
            ("policy.ttl", self.ttl, TTL, "must be from 10 seconds to 7 days"),
        ] {
            if let Some(time) = time.filter(|time| !allowed.contains(time)) {
                return Err(Error::refused(attempted, field, format_args!("{rule}, not {time:?}")));
            }
        }
        Ok(())
    }
}

fn milliseconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_millis()).serialize(serializer)
}
