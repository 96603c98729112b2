//! Running a handler, whatever it does.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use serde_json::Value;

use super::{Handler, LocalJob};

/// What a handler made of a job.
pub(crate) struct Outcome {
    pub(crate) result: Result<Value, String>,
    pub(crate) worker_lost: bool,
}

/// Runs a handler. A panic in it is a crash of its worker, not of the service.
pub(crate) async fn run(handler: &dyn Handler, job: LocalJob) -> Outcome {
    let worker = job.worker();
    let work = AssertUnwindSafe(async { handler.run(job).await }).catch_unwind();
    match work.await {
        Ok(result) => {
            Outcome { result: result.map_err(|error| error.to_string()), worker_lost: false }
        }
        Err(panic) => {
            handler.worker_stopped(worker);
            let error = format!("the worker crashed: {}", message(panic.as_ref()));
            Outcome { result: Err(error), worker_lost: true }
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
