//! Request: a prepared call whose only setting is its timeout.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use crate::error::Error;

type Sending<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// A prepared call: sent when awaited, it resolves to a `T`.
#[must_use = "nothing is sent until it is awaited"]
pub struct Request<T, E = Error> {
    send: Box<dyn FnOnce(Option<Duration>) -> Sending<T, E> + Send>,
    timeout: Option<Duration>,
}

impl<T, E> Request<T, E> {
    /// A request that `send` sends, with the timeout that was set.
    pub fn new<F>(send: impl FnOnce(Option<Duration>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        Self { send: Box::new(|timeout| Box::pin(send(timeout))), timeout: None }
    }

    /// The timeout of a single attempt at this call, until its response has been read; overrides
    /// the service's [`timeout`](crate::ServiceBuilder::timeout). A shorter
    /// [`call_timeout`](crate::ServiceBuilder::call_timeout) is raised to it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl<T, E> IntoFuture for Request<T, E> {
    type Output = Result<T, E>;
    type IntoFuture = Sending<T, E>;

    fn into_future(self) -> Self::IntoFuture {
        (self.send)(self.timeout)
    }
}

impl<T, E> fmt::Debug for Request<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
