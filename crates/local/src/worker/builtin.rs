//! The endpoints that are always there: `echo`, `count`, `sleep` and `fail`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::closure::Closure;
use super::handler::{Handler, HandlerError};
use super::job::LocalJob;

/// A chunk takes about 3 KB of memory until somebody reads it, so this many take 30 MB.
const MAX_COUNT: u64 = 10_000;

/// The built-in endpoints by name.
pub(crate) fn builtins() -> [(&'static str, Arc<dyn Handler>); 4] {
    [
        ("echo", Arc::new(Closure(echo))),
        ("count", Arc::new(Closure(count))),
        ("sleep", Arc::new(Closure(sleep))),
        ("fail", Arc::new(Closure(fail))),
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

/// Sleeps for `input.ms` milliseconds on the service's clock, and says so.
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
