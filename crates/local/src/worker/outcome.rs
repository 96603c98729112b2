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
    pub(crate) output: Option<Value>,
    pub(crate) error: Option<String>,
    pub(crate) worker_lost: bool,
}

/// The error of a handler that has an output all the same: the job fails, and has both.
///
/// ```
/// use podqueue_local::{FailedWithOutput, HandlerError, LocalJob};
/// use serde_json::{Value, json};
///
/// async fn handler(job: LocalJob) -> Result<Value, HandlerError> {
///     Err(FailedWithOutput::new("out of memory", json!(["the first page"])).into())
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FailedWithOutput {
    error: String,
    output: Value,
}

impl FailedWithOutput {
    /// A failure with the `error` and the `output` that the job's record gets.
    pub fn new(error: impl Into<String>, output: Value) -> Self {
        Self { error: error.into(), output }
    }
}

impl fmt::Display for FailedWithOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)
    }
}

impl std::error::Error for FailedWithOutput {}

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
        Ok(Ok(output)) => Outcome { output: Some(output), error: None, worker_lost: false },
        Ok(Err(error)) => Outcome {
            worker_lost: error.is::<WorkerLost>(),
            error: Some(error.to_string()),
            output: error.downcast::<FailedWithOutput>().ok().map(|failed| failed.output),
        },
        Err(panic) => {
            handler.worker_stopped(worker);
            let error = format!("the worker crashed: {}", message(panic.as_ref()));
            Outcome { output: None, error: Some(error), worker_lost: true }
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
