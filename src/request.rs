//! Request: a prepared call whose only setting is its timeout.

use crate::error::Error;

/// A prepared call, such as [`Job::cancel`](crate::Job::cancel) returns. It is sent when awaited, and
/// resolves to a `T`.
///
/// ```no_run
/// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
/// use std::time::Duration;
///
/// let body = serde_json::json!({"messages": []});
/// let completion = endpoint
///     .openai("v1/chat/completions", &body)
///     .timeout(Duration::from_secs(10 * 60)) // the first worker may have to start
///     .await?;
/// # let _ = completion;
/// # Ok(())
/// # }
/// ```
pub type Request<T> = podqueue_runtime::Request<T, Error>;
