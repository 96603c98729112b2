//! Running a handler, whatever it does.

use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use serde_json::Value;

use super::handler::Handler;
use super::job::LocalJob;

/// What a handler made of a job.
pub(crate) struct Outcome {
    pub(crate) result: Result<Value, String>,
    pub(crate) worker_lost: bool,
}

/// The error of a handler whose worker is of no more use.
#[derive(Debug)]
pub(crate) struct WorkerLost(pub(crate) String);

impl fmt::Display for WorkerLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WorkerLost {}

/// Runs a handler. A panic in it is a crash of its worker, not of the service.
pub(crate) async fn run(handler: &dyn Handler, job: LocalJob) -> Outcome {
    let worker = job.worker();
    let work = AssertUnwindSafe(async { handler.run(job).await }).catch_unwind();
    match work.await {
        Ok(result) => {
            let worker_lost = result.as_ref().is_err_and(|error| error.is::<WorkerLost>());
            Outcome { result: result.map_err(|error| error.to_string()), worker_lost }
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
