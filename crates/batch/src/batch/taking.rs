//! The inputs of a batch that is opened.

use std::path::PathBuf;

use super::paths;
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::{ChangedInputs, Shape, SourceRecord, copy, index};
use crate::store::Store;

/// Brings the inputs into the store, or compares them with those that are there.
pub(super) fn take_inputs(
    store: &mut dyn Store,
    inputs: Option<(Option<PathBuf>, Shape)>,
    given: impl Iterator<Item = serde_json::Result<Vec<u8>>>,
    may_change: bool,
) -> Result<(SourceRecord, ChangedInputs)> {
    let known = SourceRecord::read(store)?;
    if let (Some((_, shape)), Some(known)) = (&inputs, &known)
        && known.shape != *shape
    {
        let message = format!(
            "the batch was begun with other settings of its inputs ({}), and not with these: {shape}. Use the same ones; or new results and a new journal, which submit all inputs anew",
            known.shape
        );
        return Err(Error::new(ErrorKind::Settings, message));
    }
    if may_change && known.as_ref().is_some_and(|known| known.shape.dedupe) {
        let message = "the batch submits equal inputs once, and so cannot take up changed ones: use new results and a new journal for them";
        return Err(Error::new(ErrorKind::Settings, message));
    }
    let (source, changed) = match (inputs, known) {
        (Some((Some(path), shape)), known) => index(store, &path, shape, known, may_change)?,
        (Some((None, shape)), known) => copy(store, given, shape, known, may_change)?,
        (None, Some(known)) => match known.file.clone() {
            Some(file) => {
                let shape = known.shape.clone();
                match index(store, &file.path, shape, Some(known.clone()), may_change) {
                    // They are needed by whoever submits them, and may not be wanted here.
                    Err(error) if !may_change && error.is_of_inputs() => {
                        (SourceRecord::read(store)?.unwrap_or(known), ChangedInputs::default())
                    }
                    indexed => indexed?,
                }
            }
            None => (known, ChangedInputs::default()),
        },
        (None, None) => return Err(without_inputs()),
    };
    if source.inputs == 0 {
        return Err(match &source.file {
            Some(file) => paths::is_empty(&file.path),
            None => Error::new(ErrorKind::Inputs, "there are no inputs"),
        });
    }
    Ok((source, changed))
}

pub(super) fn without_inputs() -> Error {
    Error::new(ErrorKind::Settings, "the journal is new: pass the inputs of the batch")
}
