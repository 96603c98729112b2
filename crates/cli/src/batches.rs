//! Batch support, shared by several commands: the location of a batch, its files and objects,
//! the columns of its tables, outages of its database, its summary, and the receiver of its webhooks.

pub mod columns;
pub mod file_or_object;
pub mod location;
pub mod outage_warning;
pub mod summary;
pub mod webhook_receiver;

use podqueue::Endpoint;

use self::location::BatchLocation;
use crate::context::Context;
use crate::failure::Failure;
use crate::interrupt::on_thread;

/// The endpoint of the last run of the batch.
pub async fn endpoint(context: &Context, location: &BatchLocation) -> Result<Endpoint, Failure> {
    let journal = location.journal();
    let reading = on_thread(move || journal.read()?.runs());
    let runs = reading.await.map_err(|error| location.failure(&error))?;
    let last = runs.into_iter().next_back();
    // Without a run there are no jobs, and so no calls to the endpoint.
    context.endpoint(&last.map(|run| run.endpoint_id).unwrap_or_default())
}

pub fn pluralized(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
