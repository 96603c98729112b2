//! Webhook receiver: reads the job's status, calls the handler, and returns the response. It is a
//! function for any server, and a tower service.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use reqwest::Url;
use tower_service::Service;
use tracing::Instrument;

use super::deliveries::Deliveries;
use super::token::Token;
use crate::error::{Error, ErrorKind, Result};
use crate::queue::gateway::is_from_gateway;
use crate::queue::{Endpoint, JobRecord, Notifier, RetryListener};
use podqueue_runtime::__private::json::text_in_complete;
use podqueue_runtime::SecretString;

/// Maximum length of a job id, in bytes.
const MAX_ID_BYTES: usize = 256;

/// A receiver for the service's webhook calls about the jobs of one endpoint; see the
/// [module](crate::webhook).
///
/// Cheap to clone: all clones share the token, the handler, and the memory of handled jobs.
#[derive(Clone)]
pub struct Webhooks {
    inner: Arc<Inner>,
}

struct Inner {
    endpoint: Endpoint,
    token: Token,
    handler: Option<Handler>,
    body_limit: usize,
    body_timeout: Duration,
    deliveries: Arc<Deliveries>,
}

/// The content of a delivery. Its sender is not authenticated, so it is only a hint.
pub(crate) struct Hint {
    pub(crate) id: String,
}

impl Hint {
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let id = text_in_complete(body, "id")?;
        (id.len() <= MAX_ID_BYTES).then_some(Self { id })
    }
}

impl Webhooks {
    /// Returns the URL to pass to a submission's `webhook`, for a receiver that the service reaches
    /// at `base`: the token is appended to its path, and its query is kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`] if `base` is not an http or https URL.
    pub fn url(&self, base: &str) -> Result<SecretString> {
        let refused =
            || Error::refused("webhook URL", "base", "must be an http or https URL, with a host");
        let mut url = Url::parse(base).map_err(|_| refused())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused());
        }
        url.set_fragment(None);
        let mut path = url.path_segments_mut().map_err(|()| refused())?;
        path.pop_if_empty().push(self.inner.token.expose());
        drop(path);
        Ok(SecretString::from(String::from(url)))
    }

    /// The token at the end of the URL. Store it to [reuse](crate::webhook::WebhooksBuilder::token)
    /// it after a restart.
    #[must_use]
    pub fn token(&self) -> SecretString {
        self.inner.token.secret()
    }

    /// Processes a delivery, given its path, which may have any prefix before the token, and its
    /// body. Respond with [`DeliveryOutcome::status`].
    ///
    /// Must be awaited inside a tokio runtime.
    ///
    /// ```
    /// # async fn example(webhooks: podqueue::Webhooks, path: &str, body: &[u8]) -> u16 {
    /// webhooks.receive(path, body).await.status()
    /// # }
    /// ```
    pub async fn receive(&self, path: &str, body: &[u8]) -> DeliveryOutcome {
        if !self.inner.token.ends(path) {
            return DeliveryOutcome::UnknownToken;
        }
        self.handle(body).await
    }

    /// Handles the body of a delivery with a valid token.
    async fn handle(&self, body: &[u8]) -> DeliveryOutcome {
        if body.len() > self.inner.body_limit {
            return DeliveryOutcome::TooLarge;
        }
        let Some(Hint { id }) = Hint::read(body) else { return DeliveryOutcome::Unreadable };
        let span = tracing::debug_span!(
            "podqueue.webhook",
            podqueue.endpoint = self.inner.endpoint.id(),
            podqueue.job_id = id,
            podqueue.outcome = tracing::field::Empty,
        );
        let inner = Arc::clone(&self.inner);
        // A task of its own, because a handler that has started is finished even if the caller
        // hangs up.
        let processed = async move {
            let outcome = inner.process(&id).await;
            tracing::Span::current().record("podqueue.outcome", outcome.name());
            outcome
        };
        match tokio::spawn(processed.instrument(span)).await {
            Ok(outcome) => outcome,
            Err(_) => DeliveryOutcome::HandlerFailed("the handler panicked".into()),
        }
    }
}

impl From<&Webhooks> for Notifier {
    /// Deliveries report the end of a job, once the service has confirmed it.
    fn from(webhooks: &Webhooks) -> Self {
        Self(webhooks.inner.deliveries.clone())
    }
}

impl Inner {
    async fn process(&self, id: &str) -> DeliveryOutcome {
        let mut delivery = Arc::clone(&self.deliveries).begin(id).await;
        let seen = loop {
            delivery.begin_read();
            let seen = self.endpoint.job(id).poll_status().await;
            if !delivery.was_retried() {
                break seen;
            }
        };
        let record = match seen {
            Ok(record) if record.status().is_terminal() => record,
            Ok(_) => return DeliveryOutcome::NotEnded,
            Err(error) if is_from_gateway(&error) => return DeliveryOutcome::NotConfirmed(error),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::JobExpired => return DeliveryOutcome::UnknownJob,
                ErrorKind::InvalidRequest => return DeliveryOutcome::Unreadable,
                _ => return DeliveryOutcome::NotConfirmed(error),
            },
        };
        delivery.notify(&record);
        if delivery.is_repeat(&record) {
            return DeliveryOutcome::Repeated;
        }
        if let Some(handler) = &self.handler
            && let Err(error) = handler(record.clone()).await
        {
            return DeliveryOutcome::HandlerFailed(error);
        }
        delivery.remember(&record);
        DeliveryOutcome::Handled
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks")
            .field("endpoint", &self.inner.endpoint.id())
            .field("body_limit", &self.inner.body_limit)
            .field("body_timeout", &self.inner.body_timeout)
            .finish_non_exhaustive()
    }
}

/// Accepts deliveries at any path that ends in the token, with any method. The response has no
/// body.
///
/// Must be polled in a tokio runtime with the time driver enabled.
impl<B> Service<Request<B>> for Webhooks
where
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    type Response = Response<Empty<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let webhooks = self.clone();
        Box::pin(async move {
            let outcome = webhooks.read_and_handle(request).await;
            let mut response = Response::new(Empty::new());
            *response.status_mut() =
                StatusCode::from_u16(outcome.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Ok(response)
        })
    }
}

impl Webhooks {
    /// Checks the token first: without it, the body is not read.
    async fn read_and_handle<B>(&self, request: Request<B>) -> DeliveryOutcome
    where
        B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let (head, body) = request.into_parts();
        if !self.inner.token.ends(head.uri.path()) {
            return DeliveryOutcome::UnknownToken;
        }
        let body = Limited::new(body, self.inner.body_limit).collect();
        match tokio::time::timeout(self.inner.body_timeout, body).await {
            Ok(Ok(body)) => self.handle(&body.to_bytes()).await,
            Ok(Err(error)) if error.is::<LengthLimitError>() => DeliveryOutcome::TooLarge,
            Ok(Err(_)) => DeliveryOutcome::Unreadable,
            Err(_) => DeliveryOutcome::TooSlow,
        }
    }
}

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
    /// default. With zero, every repeated delivery reaches the handler. Repeated deliveries arrive
    /// within a minute of the first.
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

/// The error of a handler.
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

type Handler = Box<
    dyn Fn(JobRecord) -> Pin<Box<dyn Future<Output = Result<(), HandlerError>> + Send>>
        + Send
        + Sync,
>;

/// The outcome of a delivery, which determines the response.
///
/// Any status other than 200 makes the service retry, up to two more times.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeliveryOutcome {
    /// 200: the job has ended and the handler has succeeded.
    Handled,
    /// 200: this delivery was already handled.
    Repeated,
    /// 400: the body is not a JSON object with the id of a job.
    Unreadable,
    /// 404: the path does not end in the token.
    UnknownToken,
    /// 404: the job does not exist on the endpoint, or is no longer available.
    UnknownJob,
    /// 408: timed out reading the body.
    TooSlow,
    /// 413: the body is larger than the limit.
    TooLarge,
    /// 500: according to the service, the job has not ended.
    NotEnded,
    /// 500: the job's status could not be read, for this reason.
    NotConfirmed(Error),
    /// 500: the handler failed, for this reason.
    HandlerFailed(HandlerError),
}

impl DeliveryOutcome {
    /// The HTTP status of the response.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Handled | Self::Repeated => 200,
            Self::Unreadable => 400,
            Self::UnknownToken | Self::UnknownJob => 404,
            Self::TooSlow => 408,
            Self::TooLarge => 413,
            Self::NotEnded | Self::NotConfirmed(_) | Self::HandlerFailed(_) => 500,
        }
    }

    /// The name for logs, without the error: a handler's error is the application's own.
    fn name(&self) -> &'static str {
        match self {
            Self::Handled => "handled",
            Self::Repeated => "repeated",
            Self::Unreadable => "unreadable",
            Self::UnknownToken => "unknown token",
            Self::UnknownJob => "unknown job",
            Self::TooSlow => "too slow",
            Self::TooLarge => "too large",
            Self::NotEnded => "not ended",
            Self::NotConfirmed(_) => "not confirmed",
            Self::HandlerFailed(_) => "handler failed",
        }
    }
}
