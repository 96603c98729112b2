//! Command `batch status`: the inputs of a batch by state, also while another process runs it.

use podqueue_batch::Status;
use serde::Serialize;

use crate::batches::location::BatchLocation;
use crate::batches::summary::{self, LastRun};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, translate_setting};

#[derive(Serialize)]
struct StatusShape<'a> {
    #[serde(flatten)]
    status: &'a Status,
    /// The persistent error, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_summary: Option<String>,
    #[serde(flatten)]
    last: &'a LastRun,
}

pub fn run(context: &Context, location: &BatchLocation) -> Result<Exit, Failure> {
    let failed = |error| location.failure(&error);
    let mut reader = location.journal().read().map_err(failed)?;
    let status = reader.status().map_err(failed)?;
    let results = location.results(&mut reader).map_err(failed)?;
    let running = location.journal().is_open().map_err(failed)?;
    let live = reader.live_progress().map_err(failed)?.filter(|_| running);
    let error_summary = live.and_then(|live| live.error).map(|error| translate_setting(error).0);
    let last = LastRun::read(&mut reader).map_err(failed)?;
    if context.output.is_json() {
        context.output.json(&StatusShape { status: &status, error_summary, last: &last })?;
    } else {
        let (results, errors) = (results.as_deref(), error_summary.as_deref());
        summary::print_status(context, &status, results, errors, &last)?;
    }
    if !running && status.counts.open() > 0 {
        context.output.hint(summary::NOT_RUNNING);
    }
    summary::advise(context, &status.counts, &location.arguments());
    Ok(Exit::Done)
}
