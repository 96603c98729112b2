//! Progress and report of a run.

use std::path::PathBuf;
use std::time::Duration;

use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::budget::Cost;
use crate::input_state::{Counts, State};
use crate::store::Tally;

/// Progress of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// Number of inputs in each state.
    #[serde(flatten)]
    pub counts: Counts,
    /// Inputs that ended per second, in this run, over the last two minutes; `None` until it
    /// can be measured.
    pub rate: Option<f64>,
    /// Time that the rest will take at this rate.
    #[serde(rename = "eta_seconds", serialize_with = "seconds_if_any")]
    pub eta: Option<Duration>,
    /// Duration of this run so far.
    #[serde(rename = "elapsed_seconds", serialize_with = "seconds")]
    pub elapsed: Duration,
    /// Largest number of outstanding jobs: it follows the rate, and shrinks if the queue is full.
    pub window: usize,
    /// Cost of this run, if it has a [`Budget`](crate::Budget).
    #[serde(flatten)]
    pub cost: Option<Cost>,
    /// Errors that persist for five seconds or longer: why no input is accepted, why the status of
    /// jobs cannot be read, or why a shared journal cannot be reached. `None` while all goes well.
    pub error: Option<String>,
}

/// Report of a run that has ended.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Number of inputs in each state.
    #[serde(flatten)]
    pub counts: Counts,
    /// Reason of a run that ended before all inputs did; `None` if nothing is left to do.
    pub stopped: Option<Stopped>,
    /// Number of inputs that this run submitted. Those that are refused before they are sent are
    /// not.
    pub submitted_now: u64,
    /// Number of jobs that were submitted to endpoints that this run does not know, and so were not
    /// collected: see [`Run::collect_from`](crate::Run::collect_from).
    pub not_collected: u64,
    /// The execution times of all jobs of the batch together.
    #[serde(rename = "execution_seconds", serialize_with = "seconds")]
    pub execution: Duration,
    /// The times that all jobs of the batch waited for a worker.
    #[serde(rename = "delay_seconds", serialize_with = "seconds")]
    pub delay: Duration,
    /// The cost of the batch, if the run has a [`Budget`](crate::Budget).
    #[serde(flatten)]
    pub cost: Option<Cost>,
    /// Duration of this run.
    #[serde(rename = "elapsed_seconds", serialize_with = "seconds")]
    pub elapsed: Duration,
    /// Number of times that this process lost its lease of a shared journal, because it was stopped
    /// or cut off for too long, and rejoined.
    pub interrupted: u64,
    /// The results.
    pub results: PathBuf,
    /// The failures, if there are any.
    pub failures: Option<PathBuf>,
    /// The URL of the manifest, if the results are published, and none is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
}

/// Reason of a run that ended before all inputs did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stopped {
    /// A caller requested it ([`Stopper`](crate::Stopper)).
    OnRequest,
    /// There were too many failures ([`Run::max_failures`](crate::Run::max_failures)).
    TooManyFailures,
    /// Another process requested that the batch is cancelled
    /// ([`Reader::request_cancel`](crate::Reader::request_cancel)).
    Cancelled,
    /// The requested number of inputs was submitted ([`Run::take`](crate::Run::take)).
    Taken,
    /// Any other job could cost more than is left
    /// ([`Budget::max_cost`](crate::Budget::max_cost)).
    OutOfBudget,
}

/// Limit of failures, above which a run stops submitting.
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
    /// Returns true if every input completed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.counts.of(State::Completed) == self.counts.total()
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

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

fn seconds_if_any<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs_f64()).serialize(serializer)
}
