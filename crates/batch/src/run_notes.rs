//! Run notes: the live progress, the ending and the cancel request of a run, through which other
//! processes observe and control it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::input_state::Counts;
use crate::progress::{Report, Stopped};
use crate::store::{Commit, LOST, Note, Store};

/// Name of the note of the cancel request.
const REQUEST: &str = "request";

/// Name of the note of the live progress of a run.
const LIVE_PROGRESS: &str = "progress";

/// Name of the note of the reason for which the last run ended.
const ENDING: &str = "ending";

/// Name of the note of the price of a second of execution.
const PRICE: &str = "price";

/// Prefix of the text of a cancel request.
const CANCEL: &str = "cancel";

/// Live progress of a batch: as the process that runs it last published it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LiveProgress {
    /// Inputs that end per second, over the last two minutes; `None` until it is known.
    pub rate: Option<f64>,
    /// Largest number of outstanding jobs.
    pub window: usize,
    /// Errors that persist for five seconds or longer, as in
    /// [`Progress::error`](crate::Progress::error).
    #[serde(default)]
    pub error: Option<String>,
}

impl LiveProgress {
    pub(crate) fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        let all = match store.sharing() {
            Some(sharing) => sharing.own_notes(LIVE_PROGRESS, true)?,
            None => store.own_note(LIVE_PROGRESS)?.into_iter().collect(),
        };
        // A record that cannot be parsed is of another version of this crate.
        let all = all.iter().filter_map(|text| serde_json::from_str(text).ok());
        Ok(all.reduce(Self::and))
    }

    /// The live progress of both processes together.
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
        set(store, [(LIVE_PROGRESS, serde_json::to_string(self).unwrap_or_default())].into())
    }

    /// Returns the time that the rest of the inputs will take.
    #[must_use]
    pub fn eta(&self, counts: &Counts) -> Option<Duration> {
        let rate = self.rate.filter(|rate| *rate > 0.0)?;
        Duration::try_from_secs_f64(counts.open() as f64 / rate).ok()
    }
}

/// Reason for which the last run of a batch ended before all of its inputs did.
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

/// Records the price of a second of execution, for readers.
pub(crate) fn set_price(store: &mut dyn Store, per_second: f64) -> Result<()> {
    store.add(&[], &[(PRICE, per_second.to_string())])
}

/// The price of a second of execution that was last recorded.
pub(crate) fn price(store: &mut dyn Store) -> Result<Option<f64>> {
    Ok(store.note(PRICE)?.and_then(|price| price.parse().ok()))
}

/// Records the reason for which a run ended, and removes its live progress.
pub(crate) fn end(store: &mut dyn Store, ending: Option<Ending>) -> Result<()> {
    let event = RunEvent::note(store, ending)?;
    set(store, vec![(LIVE_PROGRESS, String::new()), event])?;
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

/// Removes the request, and the live progress of the last run.
pub(crate) fn clear(store: &mut dyn Store) -> Result<()> {
    set(store, [(LIVE_PROGRESS, String::new())].into())?;
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
