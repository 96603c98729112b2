//! Aliases of the runtime's types with this crate's error type.

use crate::error::Error;

/// A prepared call, such as [`Job::cancel`](crate::Job::cancel) returns: sent when awaited, it
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

/// The events of a `text/event-stream` response, in order, as they arrive.
pub type ServerEvents = podqueue_runtime::ServerEvents<Error>;

/// An event of a `text/event-stream` response.
pub type ServerEvent = podqueue_runtime::ServerEvent<Error>;

/// The data of the events of a `text/event-stream` response, each read as the type that the
/// description gives it.
pub type TypedEvents<T> = podqueue_runtime::TypedEvents<T, Error>;

/// The pages of a list, in order, each requested when the stream is polled for it.
pub type Pages<T> = podqueue_runtime::Pages<T, Error>;

/// The items of all pages of a list, in order.
pub type Items<T> = podqueue_runtime::Items<T, Error>;

/// The bytes of a response, as they arrive.
pub type Download = podqueue_runtime::Download<Error>;

/// The values of a response with a JSON value in each line, as they arrive.
pub type JsonLines<T> = podqueue_runtime::JsonLines<T, Error>;
