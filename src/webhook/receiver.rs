//! Receiver of deliveries: reads the job's status and calls the handler.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use tracing::Instrument;

use super::Answer;
use super::answer::Handler;
use super::deliveries::Deliveries;
use super::token::Token;
use crate::error::{Error, ErrorKind, Result};
use crate::queue::gateway::is_from_gateway;
use crate::queue::{Endpoint, Notifier};
use podqueue_runtime::__private::json::text_in_whole;
use podqueue_runtime::SecretString;

/// An id that is longer is none.
const LONGEST_ID: usize = 256;

/// A receiver for the service's webhook calls about the jobs of one endpoint; see the
/// [module](crate::webhook).
///
/// Cheap to clone: all clones share the token, the handler, and the memory of handled jobs.
#[derive(Clone)]
pub struct Webhooks {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) endpoint: Endpoint,
    pub(super) token: Token,
    pub(super) handler: Option<Handler>,
    pub(super) body_limit: usize,
    pub(super) body_timeout: Duration,
    pub(super) deliveries: Arc<Deliveries>,
}

/// The content of a delivery. Its sender is not authenticated, so it is only a hint.
pub(crate) struct Hint {
    pub(crate) id: String,
}

impl Hint {
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let id = text_in_whole(body, "id")?;
        (id.len() <= LONGEST_ID).then_some(Self { id })
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
    /// body. Respond with [`Answer::status`].
    ///
    /// Must be awaited inside a tokio runtime.
    ///
    /// ```
    /// # async fn example(webhooks: podqueue::Webhooks, path: &str, body: &[u8]) -> u16 {
    /// webhooks.receive(path, body).await.status()
    /// # }
    /// ```
    pub async fn receive(&self, path: &str, body: &[u8]) -> Answer {
        if !self.inner.token.ends(path) {
            return Answer::UnknownToken;
        }
        self.take(body).await
    }

    /// Handles the body of a delivery with a valid token.
    pub(super) async fn take(&self, body: &[u8]) -> Answer {
        if body.len() > self.inner.body_limit {
            return Answer::TooLarge;
        }
        let Some(Hint { id }) = Hint::read(body) else { return Answer::Unreadable };
        let span = tracing::debug_span!(
            "podqueue.webhook",
            podqueue.endpoint = self.inner.endpoint.id(),
            podqueue.job_id = id,
            podqueue.answer = tracing::field::Empty,
        );
        let inner = Arc::clone(&self.inner);
        // A task of its own, because a handler that has started is finished even if the caller hangs up.
        let settled = async move {
            let answer = inner.settle(&id).await;
            tracing::Span::current().record("podqueue.answer", answer.name());
            answer
        };
        match tokio::spawn(settled.instrument(span)).await {
            Ok(answer) => answer,
            Err(_) => Answer::HandlerFailed("the handler panicked".into()),
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
    async fn settle(&self, id: &str) -> Answer {
        let mut delivery = Arc::clone(&self.deliveries).turn(id).await;
        let seen = loop {
            delivery.begin_read();
            let seen = self.endpoint.job(id).poll_status().await;
            if !delivery.was_retried() {
                break seen;
            }
        };
        let record = match seen {
            Ok(record) if record.status().is_terminal() => record,
            Ok(_) => return Answer::NotEnded,
            Err(error) if is_from_gateway(&error) => return Answer::NotConfirmed(error),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::JobExpired => return Answer::UnknownJob,
                ErrorKind::InvalidRequest => return Answer::Unreadable,
                _ => return Answer::NotConfirmed(error),
            },
        };
        delivery.notify(&record);
        if delivery.is_repeat(&record) {
            return Answer::Repeated;
        }
        if let Some(handler) = &self.handler
            && let Err(error) = handler(record.clone()).await
        {
            return Answer::HandlerFailed(error);
        }
        delivery.remember(&record);
        Answer::Handled
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
