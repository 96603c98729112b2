//! What other processes may ask of the one that runs a batch, and what it lets them know.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::state::Counts;
use crate::store::{Note, Store};

/// The name of the note that holds a request.
const REQUEST: &str = "request";

/// The name of the note that says how a run goes.
const PACE: &str = "pace";

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
