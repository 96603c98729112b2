//! Inputs that are copied into the journal.

use super::super::{Shape, SourceRecord};
use super::{ChangedInputs, Index};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Place, Store};

/// How many bytes of texts are added in one transaction.
const BYTES: usize = 8 * 1024 * 1024;

/// Copies inputs, as they come. Those that the journal knows must be the same.
pub(crate) fn copy(
    store: &mut dyn Store,
    inputs: impl Iterator<Item = serde_json::Result<Vec<u8>>>,
    shape: Shape,
    known: Option<SourceRecord>,
    may_change: bool,
) -> Result<(SourceRecord, ChangedInputs)> {
    let record = known.unwrap_or(SourceRecord::new(shape));
    let mut index = Index::new(store, record, 0, may_change);
    index.record.is_partial = true;
    let mut bytes = 0;
    for (number, text) in inputs.enumerate() {
        let text = text.map_err(|error| {
            let message = format!("input {number} does not serialize as JSON: {error}");
            Error::new(ErrorKind::Inputs, message).with_source(error)
        })?;
        bytes += text.len();
        if !index.take(number as u64 + 1, &text, Place::Stored(text.clone()))? {
            return Err(changed(&format!("input {number} is not the one")));
        }
        index.flush_if_full(|| None)?;
        if bytes > BYTES {
            index.flush(None)?;
            bytes = 0;
        }
    }
    if index.lacks_some() {
        return Err(changed(&format!("there are {} inputs instead of those", index.next)));
    }
    index.record.is_partial = false;
    index.flush(None)?;
    Ok((index.record, index.changed))
}

fn changed(what: &str) -> Error {
    let message = format!(
        "{what} that the journal was made for: pass the same inputs in the same order, or none, or use new results and a new journal"
    );
    Error::new(ErrorKind::InputsChanged, message)
}
