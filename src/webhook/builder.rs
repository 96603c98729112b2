//! Settings of a receiver.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::answer::{Handler, HandlerError};
use super::deliveries::Deliveries;
use super::receiver::{Inner, Webhooks};
use super::token::Token;
use crate::error::{Error, Result};
use crate::queue::{Endpoint, JobRecord, RetryListener};
use podqueue_runtime::SecretString;

/// The payload holds input and output of the job, whose sizes the interface bounds in part only.
const BODY_LIMIT: usize = 64 * 1024 * 1024;
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
const REMEMBERED: usize = 10_000;

/// The settings of a [`Webhooks`]; returned by [`Webhooks::builder`].
#[must_use = "a builder does nothing until `build` is called"]
pub struct WebhooksBuilder {
    endpoint: Endpoint,
    token: Option<SecretString>,
    handler: Option<Handler>,
    body_limit: usize,
    body_timeout: Duration,
    remembered: usize,
}

impl Webhooks {
    /// Returns a builder for a receiver for the jobs of this endpoint.
    pub fn builder(endpoint: &Endpoint) -> WebhooksBuilder {
        WebhooksBuilder::new(endpoint.clone())
    }
}

impl WebhooksBuilder {
    fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            token: None,
            handler: None,
            body_limit: BODY_LIMIT,
            body_timeout: BODY_TIMEOUT,
            remembered: REMEMBERED,
        }
    }

    /// Sets the handler that is called with the record of each job that has ended, however it
    /// ended. The receiver returns 200 once the handler has succeeded; if the handler fails, the
    /// service retries the delivery.
    ///
    /// Without a handler, deliveries only notify [waits](crate::Wait::notified_by) for the job.
    pub fn on_job<F, R, E>(mut self, handler: F) -> Self
    where
        F: Fn(JobRecord) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<HandlerError>,
    {
        self.handler = Some(Box::new(move |record| {
            let handled = handler(record);
            Box::pin(async move { handled.await.map_err(Into::into) })
        }));
        self
    }

    /// Reuses the token of an earlier receiver ([`Webhooks::token`]), for the jobs that were
    /// submitted with its URL, instead of generating one: 32 or more letters, digits, `-` and `_`,
    /// which must be impossible to guess.
    pub fn token(mut self, token: impl Into<SecretString>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// The largest body that is read, in bytes; 64 MiB by default. A body contains the job's input
    /// and output.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// The timeout for reading a body; 60 seconds by default. It applies to the tower service,
    /// which reads the body itself.
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.body_timeout = timeout;
        self
    }

    /// Sets the number of jobs that are remembered as handled, each by its id and a hash; 10,000 by
    /// default. With zero, every repeated delivery reaches the handler. Repeated deliveries arrive within a
    /// minute of the first.
    pub fn remember(mut self, jobs: usize) -> Self {
        self.remembered = jobs;
        self
    }

    /// Builds the receiver.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), with the setting's name as
    /// the field, if the given token is invalid, the system's random number generator fails, or the
    /// limit or the timeout of a body is zero.
    pub fn build(self) -> Result<Webhooks> {
        for (field, is_zero) in
            [("body_limit", self.body_limit == 0), ("body_timeout", self.body_timeout.is_zero())]
        {
            if is_zero {
                return Err(Error::refused("webhook settings", field, "must be above zero"));
            }
        }
        let token = match self.token {
            Some(token) => Token::given(token)?,
            None => Token::random()?,
        };
        let deliveries = Arc::new(Deliveries::of(self.endpoint.id(), self.remembered));
        let listener: Weak<dyn RetryListener> = Arc::<Deliveries>::downgrade(&deliveries);
        self.endpoint.context().retry_listeners.listen(self.endpoint.id(), listener);
        Ok(Webhooks {
            inner: Arc::new(Inner {
                endpoint: self.endpoint,
                token,
                handler: self.handler,
                body_limit: self.body_limit,
                body_timeout: self.body_timeout,
                deliveries,
            }),
        })
    }
}

impl fmt::Debug for WebhooksBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhooksBuilder")
            .field("endpoint", &self.endpoint.id())
            .field("token", &self.token)
            .field("body_limit", &self.body_limit)
            .field("body_timeout", &self.body_timeout)
            .field("remembered", &self.remembered)
            .finish_non_exhaustive()
    }
}
