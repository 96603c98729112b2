//! What a handler is, whatever it is written in.

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::job::{LocalJob, WorkerId};
use super::logs::Logs;

/// Why a handler failed. Its text becomes the `error` of the job.
///
/// Convert a string with `Err("out of memory".into())`; `?` converts any error type. One that has an
/// output as well is a [`FailedWithOutput`](crate::FailedWithOutput).
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

/// What runs the jobs of an endpoint.
pub(crate) trait Handler: Send + Sync {
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>>;

    /// What its workers print, where they are processes.
    fn logs(&self) -> Option<&Logs> {
        None
    }

    /// A worker is gone, and what was kept for it can go too.
    fn worker_stopped(&self, _worker: WorkerId) {}
}
