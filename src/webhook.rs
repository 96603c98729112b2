//! Receiving the service's calls (the feature `webhook`).
//!
//! A job that was submitted with a webhook makes the service call that URL when the job has ended.
//! [`Webhooks`] is what stands behind the URL: a [tower](tower_service::Service) service for any
//! axum or tower application, or, with [`Webhooks::receive`], a function for any other.
//!
//! ```no_run
//! # async fn save(record: podqueue::JobRecord) -> std::io::Result<()> { Ok(()) }
//! # async fn example(client: podqueue::Client) -> Result<(), Box<dyn std::error::Error>> {
//! use podqueue::Webhooks;
//!
//! let endpoint = client.endpoint("my-endpoint");
//! let webhooks = Webhooks::builder(&endpoint).on_job(|record| save(record)).build()?;
//!
//! // The receiver, in an axum application.
//! let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
//!
//! // A job whose end it is told of.
//! let url = webhooks.url("https://me.example/hooks")?;
//! let job = endpoint.run(&serde_json::json!({"prompt": "a lighthouse"})).webhook(url).await?;
//!
//! // Waiting for it, by hook or by poll.
//! let record = job.wait().webhook(&webhooks).await?;
//! # let _ = (app, record);
//! # Ok(())
//! # }
//! ```
//!
//! # What it holds
//!
//! - The interface shows neither the method nor the payload of the call, and nothing in it is
//!   signed. So any method is taken, and of the body only the job's id is read, as a hint: what the
//!   handler gets is what `GET /status` says. A body that lies makes nothing happen but that read.
//! - The URL ends in a token of 256 bits from the system's randomness, compared in constant time.
//!   Without it the answer is 404, and no body is read. The token is a secret: no log or Debug of
//!   this crate shows it. Mind that web servers and proxies write paths to their access logs, and
//!   that jobs which are still to end keep the URL: give the same token again after a restart, and
//!   to every instance behind a load balancer ([`WebhooksBuilder::token`]).
//! - The service takes 200 as success, and otherwise tries two more times, 10 seconds apart. It
//!   gets its 200 after the handler has succeeded, and not before. When the handler fails three
//!   times, nobody calls again: the result stays readable by the job's id, for 30 minutes.
//! - A delivery that comes again after it was handled is answered 200 and not handled again; one
//!   that comes while it is being handled waits for the outcome. The last 10,000 jobs are
//!   remembered, in memory: after a restart, or in another instance, the handler may get a job a
//!   second time, so let it be one for which that is no harm.
//! - Of a job that has failed or timed out, which may have been retried and ended in the same words,
//!   only what comes within a minute, twice at most, and without a [`Job::retry`](crate::Job::retry)
//!   of this client in between, is such a repeated delivery.
//! - A body is read for a minute at most ([`WebhooksBuilder::body_timeout`]), and up to 64 MiB
//!   ([`WebhooksBuilder::body_limit`]).
//! - A handler that has begun is not cut off when the caller hangs up; its panic is an answer of
//!   500.
//! - Failed, cancelled and timed out jobs reach the handler, too, as records. A job that is retried
//!   and ends again is a new delivery.

mod answer;
mod builder;
mod handled;
mod service;
mod token;
mod turns;
mod wait;
mod waiting;

pub use answer::Answer;
pub use builder::{HandlerError, WebhooksBuilder};
pub use wait::WebhookWait;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use tracing::Instrument;

use self::builder::Handler;
use self::handled::Handled;
pub(crate) use self::handled::Retried;
pub(crate) use self::token::Token;
use self::turns::Turns;
use self::waiting::Waiting;
use crate::error::{Error, ErrorKind, Result};
use crate::json::text_in_whole;
use crate::queue::{Endpoint, is_not_the_services};
use crate::secret_string::SecretString;

/// An id that is longer is none.
const LONGEST_ID: usize = 256;

/// The receiver of the service's calls about the jobs of one endpoint; see the
/// [module](crate::webhook).
///
/// Cheap to clone: all clones share one token, one handler, and what was handled.
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
    turns: Turns,
    handled: Arc<Handled>,
    waiting: Arc<Waiting>,
}

/// What is read of a delivery. Who else but the service sends it is not known, so it is a hint.
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
    /// Starts the settings of a receiver for the jobs of this endpoint.
    pub fn builder(endpoint: &Endpoint) -> WebhooksBuilder {
        WebhooksBuilder::new(endpoint.clone())
    }

    /// The URL to give to a submission's `webhook`, for a receiver that the service reaches at
    /// `base`: the token is added to its path. A query is kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`] where `base` is no http or https URL.
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

    /// The token at the end of the URL, to be kept and given again after a restart.
    #[must_use]
    pub fn token(&self) -> SecretString {
        self.inner.token.secret()
    }

    /// Takes a delivery, by the path that was called, with whatever stands before the token, and the
    /// body. [`Answer::status`] is what to answer.
    ///
    /// It must be awaited in a Tokio runtime.
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

    /// Takes the body of a delivery whose token is the right one.
    async fn take(&self, body: &[u8]) -> Answer {
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
        // A task of its own: the caller may hang up, and what has begun is to be finished.
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

impl Inner {
    async fn settle(&self, id: &str) -> Answer {
        let _turn = self.turns.take(id).await;
        let under_way = self.handled.settle(id);
        let (seen, listening) = loop {
            let listening = self.waiting.listening();
            let seen = self.endpoint.job(id).look().await;
            if !under_way.was_retried() {
                break (seen, listening);
            }
        };
        let record = match seen {
            Ok(record) if record.status().is_terminal() => record,
            Ok(_) => return Answer::NotEnded,
            Err(error) if is_not_the_services(&error) => return Answer::NotConfirmed(error),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::JobExpired => return Answer::UnknownJob,
                ErrorKind::InvalidRequest => return Answer::Unreadable,
                _ => return Answer::NotConfirmed(error),
            },
        };
        self.waiting.tell(&record, listening);
        if self.handled.is_repeat(&record) {
            return Answer::Repeated;
        }
        self.handled.begin(id);
        if let Some(handler) = &self.handler
            && let Err(error) = handler(record.clone()).await
        {
            return Answer::HandlerFailed(error);
        }
        self.handled.remember(&record);
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
