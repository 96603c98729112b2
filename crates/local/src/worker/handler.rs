//! Handlers: the code that runs the jobs of an endpoint within the service, as closures, the
//! built-in endpoints, or a command (see [`command`](super::command)).
//!
//! A panic of a handler is the crash of its worker: the job fails, and a new worker starts.

use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, Stream, StreamExt};
use serde_json::{Value, json};

use super::local_job::{LocalJob, WorkerId};
use super::worker_log::WorkerLog;

/// Failure of a handler. Its text becomes the `error` of the job.
///
/// Convert a string with `Err("out of memory".into())`; `?` converts any error type. One that has
/// an output as well is a [`FailedWithOutput`](crate::FailedWithOutput).
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

/// Runs the jobs of an endpoint.
pub(crate) trait Handler: Send + Sync {
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>>;

    /// The log of its workers, if they are processes.
    fn log(&self) -> Option<&WorkerLog> {
        None
    }

    /// Releases the resources of a worker that has stopped.
    fn worker_stopped(&self, _worker: WorkerId) {}
}

/// The outcome of a handler.
pub(crate) struct HandlerOutcome {
    pub(crate) output: Option<Value>,
    pub(crate) error: Option<String>,
    /// True if the worker crashed.
    pub(crate) worker_lost: bool,
}

/// The error of a handler that has an output, too: the job fails with both.
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

/// The error of a handler whose worker crashed.
#[derive(Debug)]
pub(crate) struct WorkerLost(pub(crate) String);

impl fmt::Display for WorkerLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WorkerLost {}

/// Runs a handler, and catches its panic.
pub(crate) async fn run_handler(handler: &dyn Handler, job: LocalJob) -> HandlerOutcome {
    let worker = job.worker();
    let work = AssertUnwindSafe(async { handler.run(job).await }).catch_unwind();
    match work.await {
        Ok(Ok(output)) => HandlerOutcome { output: Some(output), error: None, worker_lost: false },
        Ok(Err(error)) => HandlerOutcome {
            worker_lost: error.is::<WorkerLost>(),
            error: Some(error.to_string()),
            output: error.downcast::<FailedWithOutput>().ok().map(|failed| failed.output),
        },
        Err(panic) => {
            handler.worker_stopped(worker);
            let error = format!("the worker crashed: {}", panic_message(panic.as_ref()));
            HandlerOutcome { output: None, error: Some(error), worker_lost: true }
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// A closure that returns a result.
pub(crate) struct ClosureHandler<F>(pub(crate) F);

impl<F, Fut> Handler for ClosureHandler<F>
where
    F: Fn(LocalJob) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Value, HandlerError>> + Send + 'static,
{
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>> {
        Box::pin((self.0)(job))
    }
}

/// A closure that returns a stream: its items are the chunks, and their list is the output.
pub(crate) struct StreamHandler<F>(pub(crate) F);

impl<F, S> Handler for StreamHandler<F>
where
    F: Fn(LocalJob) -> S + Send + Sync,
    S: Stream<Item = Result<Value, HandlerError>> + Send + 'static,
{
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>> {
        let context = job.context.clone();
        let chunks = (self.0)(job);
        Box::pin(async move {
            let mut chunks = pin!(chunks);
            let mut output = Vec::new();
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk?;
                context.emit(chunk.clone()).await;
                output.push(chunk);
            }
            Ok(Value::Array(output))
        })
    }
}

/// A chunk takes about 3 KB of memory until it is fetched, so this many take 30 MB.
const MAX_COUNT: u64 = 10_000;

/// The handlers of the built-in endpoints, by name.
pub(crate) fn builtins() -> [(&'static str, Arc<dyn Handler>); 4] {
    [
        ("echo", Arc::new(ClosureHandler(echo))),
        ("count", Arc::new(ClosureHandler(count))),
        ("sleep", Arc::new(ClosureHandler(sleep))),
        ("fail", Arc::new(ClosureHandler(fail))),
    ]
}

/// Returns its input.
async fn echo(job: LocalJob) -> Result<Value, HandlerError> {
    Ok(job.input)
}

/// Emits `{"n": 0}`, `{"n": 1}` … up to and including `input.n`, and returns the list of them.
/// With `input.ms` it sleeps for that long before each.
async fn count(job: LocalJob) -> Result<Value, HandlerError> {
    let up_to = number(&job.input, "n")?.ok_or("input.n is required: the number to count to")?;
    if up_to > MAX_COUNT {
        return Err(format!("input.n must be at most {MAX_COUNT}").into());
    }
    let pause = number(&job.input, "ms")?.map(Duration::from_millis);
    let mut output = Vec::new();
    for n in 0..=up_to {
        if let Some(pause) = pause {
            job.sleep(pause).await;
        }
        if job.is_cancelled() {
            return Err("stopped".into());
        }
        let chunk = json!({ "n": n });
        job.emit(chunk.clone()).await;
        output.push(chunk);
    }
    Ok(Value::Array(output))
}

/// Sleeps for `input.ms` milliseconds on the service's clock.
async fn sleep(job: LocalJob) -> Result<Value, HandlerError> {
    let ms = number(&job.input, "ms")?.ok_or("input.ms is required: how long to sleep")?;
    tokio::select! {
        biased;
        () = job.cancelled() => Err("stopped".into()),
        () = job.sleep(Duration::from_millis(ms)) => Ok(json!({ "slept": ms })),
    }
}

/// Fails with `input.message`.
async fn fail(job: LocalJob) -> Result<Value, HandlerError> {
    let message = job.input.get("message").and_then(Value::as_str);
    Err(message.unwrap_or("failed on request").into())
}

fn number(input: &Value, name: &str) -> Result<Option<u64>, String> {
    match input.get(name) {
        None => Ok(None),
        Some(value) => value
            .as_u64()
            .map(Some)
            .ok_or_else(|| format!("input.{name} must be a non-negative integer")),
    }
}
