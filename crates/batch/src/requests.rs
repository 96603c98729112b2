//! What other processes may ask of the one that runs a batch, and what it lets them know.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::progress::{Report, Stopped};
use crate::state::Counts;
use crate::store::{Note, Store};

/// The name of the note that holds a request.
const REQUEST: &str = "request";

/// The name of the note that says how a run goes.
const PACE: &str = "pace";

/// The name of the note that says why the last run ended.
const ENDING: &str = "ending";

/// The text of the one request there is.
const CANCEL: &str = "cancel";

/// How a batch goes that a process runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pace {
    /// How many inputs end per second, over the last two minutes; `None` until that can be said.
    pub rate: Option<f64>,
    /// How many jobs may be outstanding.
    pub window: usize,
    /// What has gone wrong for five seconds or longer, as in
    /// [`Progress::trouble`](crate::Progress::trouble).
    #[serde(default)]
    pub trouble: Option<String>,
}

impl Pace {
    pub(crate) fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        // One that cannot be read is of another version.
        Ok(store.note(PACE)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    pub(crate) fn write(&self, store: &mut dyn Store) -> Result<()> {
        store.add(&[], &[(PACE, serde_json::to_string(self).unwrap_or_default())])
    }

    /// How long the rest of the inputs will take.
    #[must_use]
    pub fn eta(&self, counts: &Counts) -> Option<Duration> {
        let rate = self.rate.filter(|rate| *rate > 0.0)?;
        Duration::try_from_secs_f64(counts.open() as f64 / rate).ok()
    }
}

/// Why the last run of a batch ended before all of its inputs did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// It stopped, as its [`Report`] says.
    Stopped(Stopped),
    /// It failed: the message of its [`Error`](crate::Error).
    Failed(String),
}

impl Ending {
    pub(crate) fn of(ended: &Result<Report>) -> Option<Self> {
        match ended {
            Ok(report) => report.stopped.map(Self::Stopped),
            Err(error) => Some(Self::Failed(error.to_string())),
        }
    }

    pub(crate) fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        // One that cannot be read is of another version.
        Ok(store.note(ENDING)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn note(ending: Option<&Self>) -> Note {
        let text = ending.and_then(|ending| serde_json::to_string(ending).ok());
        (ENDING, text.unwrap_or_default())
    }
}

/// Lets others know that a run goes on, however the last one ended.
pub(crate) fn begin(store: &mut dyn Store) -> Result<()> {
    store.add(&[], &[Ending::note(None)])
}

/// Lets others know why a run ended, and forgets how it went.
pub(crate) fn end(store: &mut dyn Store, ending: Option<&Ending>) -> Result<()> {
    store.add(&[], &[(REQUEST, String::new()), (PACE, String::new()), Ending::note(ending)])
}

/// Requests that the batch is cancelled.
pub(crate) fn request_cancel(store: &mut dyn Store) -> Result<()> {
    store.add(&[], &[(REQUEST, CANCEL.to_owned())])
}

/// Whether somebody requests that the batch is cancelled.
pub(crate) fn is_cancel_requested(store: &mut dyn Store) -> Result<bool> {
    Ok(store.note(REQUEST)?.is_some_and(|request| request == CANCEL))
}

/// Forgets the request, and how the last run went.
pub(crate) fn clear(store: &mut dyn Store) -> Result<()> {
    let notes: Vec<Note> = [REQUEST, PACE].map(|name| (name, String::new())).into();
    store.add(&[], &notes)
}
