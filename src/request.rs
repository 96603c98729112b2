//! A call whose only setting is its timeout.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use crate::error::Result;

type Sending<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// A call that is ready to be sent, such as [`Job::cancel`](crate::Job::cancel) returns. It is sent
/// when awaited, and resolves to a `T`.
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
#[must_use = "nothing is sent until it is awaited"]
pub struct Request<T> {
    send: Box<dyn FnOnce(Option<Duration>) -> Sending<T> + Send>,
    timeout: Option<Duration>,
}

impl<T> Request<T> {
    /// A request that `send` sends, with the timeout that was set.
    pub(crate) fn new<F>(send: impl FnOnce(Option<Duration>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        Self { send: Box::new(|timeout| Box::pin(send(timeout))), timeout: None }
    }

    /// The timeout of a single attempt at this call, until its response has been read; overrides
    /// the client's [`timeout`](crate::ClientBuilder::timeout). A shorter
    /// [`call_timeout`](crate::ClientBuilder::call_timeout) is raised to it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl<T> IntoFuture for Request<T> {
    type Output = Result<T>;
    type IntoFuture = Sending<T>;

    fn into_future(self) -> Self::IntoFuture {
        (self.send)(self.timeout)
    }
}

impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
