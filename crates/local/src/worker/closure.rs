//! Handlers that are async closures of the embedding program.

use std::pin::pin;

use futures_util::future::BoxFuture;
use futures_util::{Stream, StreamExt};
use serde_json::Value;

use super::handler::{Handler, HandlerError};
use super::job::LocalJob;

/// A closure that returns a result.
pub(crate) struct Closure<F>(pub(crate) F);

impl<F, Fut> Handler for Closure<F>
where
    F: Fn(LocalJob) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Value, HandlerError>> + Send + 'static,
{
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>> {
        Box::pin((self.0)(job))
    }
}

/// A closure that returns a stream: its items are the chunks, and their list is the output.
pub(crate) struct Streaming<F>(pub(crate) F);

impl<F, S> Handler for Streaming<F>
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
