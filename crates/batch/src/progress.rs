//! Progress and report of a run.

use std::path::PathBuf;
use std::time::Duration;

use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::state::{Counts, State};
use crate::store::Tally;

/// Progress of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// How many inputs are in each state.
    #[serde(flatten)]
    pub counts: Counts,
    /// How many inputs ended per second, in this run, over the last two minutes; `None` until that
    /// can be said.
    pub rate: Option<f64>,
    /// How long the rest will take at this rate.
    #[serde(rename = "eta_seconds", serialize_with = "seconds_if_any")]
    pub eta: Option<Duration>,
    /// How long this run has taken.
    #[serde(rename = "elapsed_seconds", serialize_with = "seconds")]
    pub elapsed: Duration,
    /// How many jobs may be outstanding: it follows the rate, and shrinks if the queue is full.
    pub window: usize,
    /// Errors that persist for five seconds or longer: why no input is accepted, why the status of
    /// jobs cannot be read, or why a shared journal cannot be reached. `None` while all goes well.
    pub error: Option<String>,
}

/// Report of a run that has ended.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// How many inputs are in each state.
    #[serde(flatten)]
    pub counts: Counts,
    /// Why the run ended before all inputs did; `None` if nothing is left to do.
    pub stopped: Option<Stopped>,
    /// How many inputs this run submitted. Those that are refused before they are sent are not.
    pub submitted_now: u64,
    /// How many jobs were submitted to endpoints that this run does not know, and so were not
    /// collected: see [`Run::collect_from`](crate::Run::collect_from).
    pub not_collected: u64,
    /// The execution times of all jobs of the batch together.
    #[serde(rename = "execution_seconds", serialize_with = "seconds")]
    pub execution: Duration,
    /// The times that all jobs of the batch waited for a worker.
    #[serde(rename = "delay_seconds", serialize_with = "seconds")]
    pub delay: Duration,
    /// How long this run took.
    #[serde(rename = "elapsed_seconds", serialize_with = "seconds")]
    pub elapsed: Duration,
    /// How often this process lost its lease of a shared journal, because it was stopped or cut off for
    /// too long, and rejoined.
    pub interrupted: u64,
    /// The results.
    pub results: PathBuf,
    /// The failures, if there are any.
    pub failures: Option<PathBuf>,
}

/// Reason of a run that ended before all inputs did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stopped {
    /// It was told to ([`Stopper`](crate::Stopper)).
    OnRequest,
    /// There were too many failures ([`Run::max_failures`](crate::Run::max_failures)).
    TooManyFailures,
    /// Another process requested that the batch is cancelled
    /// ([`Reader::request_cancel`](crate::Reader::request_cancel)).
    Cancelled,
    /// It has submitted as many inputs as it was to ([`Run::take`](crate::Run::take)).
    Taken,
}

/// How many failures are too many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaxFailures {
    /// More inputs than this.
    Count(u64),
    /// More than this percentage of the inputs that have ended, once there are 100. A number that
    /// is not between 0 and 100 is refused.
    Percent(f64),
}

impl MaxFailures {
    pub(crate) fn are_exceeded(self, failures: u64, ended: u64) -> bool {
        match self {
            Self::Count(most) => failures > most,
            Self::Percent(most) => ended >= 100 && failures as f64 * 100.0 > most * ended as f64,
        }
    }
}

impl Report {
    /// Whether every input completed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.counts.of(State::Completed) == self.counts.total()
    }

    /// What the executions cost, at this price per second.
    #[must_use]
    pub fn cost(&self, per_second: f64) -> f64 {
        self.execution.as_secs_f64() * per_second
    }
}

impl Tally {
    /// The execution times of all jobs together.
    #[must_use]
    pub fn execution(&self) -> Duration {
        milliseconds(self.execution_ms)
    }

    /// The times that all jobs waited for a worker.
    #[must_use]
    pub fn delay(&self) -> Duration {
        milliseconds(self.delay_ms)
    }
}

fn milliseconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number / 1_000.0).unwrap_or_default()
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

fn seconds_if_any<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs_f64()).serialize(serializer)
}
