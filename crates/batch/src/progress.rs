//! Progress and report of a run, and the notes by which other processes observe and control it: its
//! pace, its ending, and the request to cancel the batch.

use std::path::PathBuf;
use std::time::Duration;

use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::state::{Counts, State};
use crate::store::{Commit, LOST, Note, Store, Tally};

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

    /// Returns the price of the executions, at this price per second.
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

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

fn seconds_if_any<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs_f64()).serialize(serializer)
}

/// Name of the note of the cancel request.
const REQUEST: &str = "request";

/// Name of the note of the pace of a run.
const PACE: &str = "pace";

/// Name of the note of the reason for which the last run ended.
const ENDING: &str = "ending";

/// Prefix of the text of a cancel request.
const CANCEL: &str = "cancel";

/// Pace of a batch that a process runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pace {
    /// Inputs that end per second, over the last two minutes; `None` until it is known.
    pub rate: Option<f64>,
    /// Largest number of outstanding jobs.
    pub window: usize,
    /// Errors that persist for five seconds or longer, as in
    /// [`Progress::error`](Progress::error).
    #[serde(default)]
    pub error: Option<String>,
}

impl Pace {
    pub(crate) fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        let paces = match store.sharing() {
            Some(sharing) => sharing.own_notes(PACE, true)?,
            None => store.own_note(PACE)?.into_iter().collect(),
        };
        // A record that cannot be parsed is of another version of this crate.
        let paces = paces.iter().filter_map(|text| serde_json::from_str(text).ok());
        Ok(paces.reduce(Self::and))
    }

    /// The pace of both processes together.
    fn and(self, other: Self) -> Self {
        let rates: Vec<_> = self.rate.into_iter().chain(other.rate).collect();
        Self {
            // Each process measures the rate of all.
            rate: rates.into_iter().reduce(f64::max),
            window: self.window + other.window,
            error: self.error.or(other.error),
        }
    }

    pub(crate) fn write(&self, store: &mut dyn Store) -> Result<()> {
        set(store, [(PACE, serde_json::to_string(self).unwrap_or_default())].into())
    }

    /// Returns the time that the rest of the inputs will take.
    #[must_use]
    pub fn eta(&self, counts: &Counts) -> Option<Duration> {
        let rate = self.rate.filter(|rate| *rate > 0.0)?;
        Duration::try_from_secs_f64(counts.open() as f64 / rate).ok()
    }
}

/// Reason of the last run of a batch that ended before all of its inputs did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// The run stopped, as its [`Report`] says.
    Stopped(Stopped),
    /// The run failed: the message of its [`Error`](crate::Error).
    Failed(String),
}

impl Ending {
    pub(crate) fn of(ended: &Result<Report>) -> Option<Self> {
        match ended {
            Ok(report) => report.stopped.map(Self::Stopped),
            Err(error) => Some(Self::Failed(error.to_string())),
        }
    }

    /// Reads the reason for which the last run ended; in a shared store, `None` while a run is in
    /// progress.
    pub(crate) fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        if let Some(what) = store.note(LOST)? {
            return Ok(Some(Self::Failed(what)));
        }
        let (at_work, all) = match store.sharing() {
            Some(sharing) => (sharing.own_notes(ENDING, true)?, sharing.own_notes(ENDING, false)?),
            None => (Vec::new(), store.own_note(ENDING)?.into_iter().collect()),
        };
        // A record that cannot be parsed is of another version of this crate.
        let parse = |text: &String| serde_json::from_str::<RunEvent>(text).ok();
        if at_work.iter().filter_map(parse).any(|event| event.ending.is_none()) {
            return Ok(None);
        }
        let last = all.iter().filter_map(parse).max_by_key(|event| event.at);
        Ok(last.and_then(|event| event.ending))
    }
}

/// Begin or end of a run of a process: its time, and the reason of the end.
#[derive(Serialize, Deserialize)]
struct RunEvent {
    /// By the clock of a shared store.
    at: u64,
    ending: Option<Ending>,
}

impl RunEvent {
    fn note(store: &mut dyn Store, ending: Option<Ending>) -> Result<Note> {
        let at = store.sharing().map_or(Ok(0), |sharing| sharing.time())?;
        Ok((ENDING, serde_json::to_string(&Self { at, ending }).unwrap_or_default()))
    }
}

/// Records that a run has begun, for other processes.
pub(crate) fn begin(store: &mut dyn Store) -> Result<()> {
    let event = RunEvent::note(store, None)?;
    set(store, vec![event])
}

/// Records the reason for which a run ended, and removes its pace.
pub(crate) fn end(store: &mut dyn Store, ending: Option<Ending>) -> Result<()> {
    let event = RunEvent::note(store, ending)?;
    set(store, vec![(PACE, String::new()), event])?;
    forget_request(store)
}

/// Requests that the batch is cancelled. Each request is unique.
pub(crate) fn request_cancel(store: &mut dyn Store) -> Result<()> {
    let mut number = [0; 8];
    // Without a number, a process that has begun after an earlier request would ignore this one.
    let _ = getrandom::fill(&mut number);
    store.request(&[(REQUEST, format!("{CANCEL} {:x}", u64::from_ne_bytes(number)))])
}

/// The pending cancel request.
pub(crate) fn pending_cancel(store: &mut dyn Store) -> Result<Option<String>> {
    store.note(REQUEST)
}

/// Returns true if a cancel request other than `ignored` is pending.
pub(crate) fn is_cancel_requested(store: &mut dyn Store, ignored: Option<&str>) -> Result<bool> {
    let is_new = |request: &String| Some(request.as_str()) != ignored;
    Ok(store.note(REQUEST)?.filter(is_new).is_some_and(|request| request.starts_with(CANCEL)))
}

/// Removes the request, and the pace of the last run.
pub(crate) fn clear(store: &mut dyn Store) -> Result<()> {
    set(store, [(PACE, String::new())].into())?;
    forget_request(store)
}

/// Removes the request, unless other processes may not have handled it yet: a new run ignores the
/// request that was pending when it began.
fn forget_request(store: &mut dyn Store) -> Result<()> {
    if store.sharing().is_none() && store.note(REQUEST)?.is_some_and(|request| !request.is_empty())
    {
        store.add(&[], &[(REQUEST, String::new())])?;
    }
    Ok(())
}

/// Sets records of this process.
fn set(store: &mut dyn Store, notes: Vec<Note>) -> Result<()> {
    store.commit(&Commit { notes, ..Commit::default() }).map(drop)
}
