//! Sender of webhook calls, as the service makes them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::CONTENT_TYPE;
use serde_json::value::{RawValue, to_raw_value};

use crate::error::{Error, Result};
use crate::queue::JobRecord;
use crate::queue::submission::is_http_url;
use podqueue_runtime::__private::is_loopback;
use podqueue_runtime::SecretString;

const PAUSE: Duration = Duration::from_secs(10);
/// The timeout of the receiver.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Calls a receiver as the service does: up to three times, 10 seconds apart, until the response is
/// 200. For receivers that the service cannot reach, such as a receiver on a developer's machine,
/// and for tests.
///
/// ```no_run
/// # async fn example(job: podqueue::Job) -> podqueue::Result<()> {
/// use podqueue::webhook::WebhookSender;
///
/// let sender = WebhookSender::new("http://127.0.0.1:3000/hooks/token")?;
/// let record = job.wait().await?;
/// let last = sender.deliver(&record, |attempt| println!("{attempt:?}")).await;
/// assert!(last.is_accepted());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct WebhookSender {
    http: reqwest::Client,
    url: SecretString,
    pause: Duration,
}

/// An attempt of a [`WebhookSender`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebhookAttempt {
    /// The number of the attempt: 1, 2 or 3.
    pub number: u32,
    /// The status of the response; `None` if there was no response.
    pub status: Option<u16>,
    /// The cause of a missing response. Without the URL, which contains a token.
    pub error: Option<String>,
}

impl WebhookAttempt {
    /// Returns true if the receiver accepted the call: only status 200 counts.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.status == Some(200)
    }
}

impl WebhookSender {
    /// The maximum number of calls of a receiver.
    pub const ATTEMPTS: u32 = 3;

    /// A sender for the receiver at this URL.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if it is not an http or
    /// https URL.
    pub fn new(url: impl Into<SecretString>) -> Result<Self> {
        let (url, settings) = (url.into(), "webhook sender");
        if !is_http_url(url.expose()) {
            return Err(Error::refused(settings, "url", "must be an http or https URL"));
        }
        let mut http =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(TIMEOUT);
        if reqwest::Url::parse(url.expose()).is_ok_and(|url| is_loopback(&url)) {
            // A proxy of the environment has no way to this machine.
            http = http.no_proxy();
        }
        let http = http.build().map_err(|error| {
            Error::refused(settings, "http client", "cannot be set up: see the source")
                .with_source(error)
        })?;
        Ok(Self { http, url, pause: PAUSE })
    }

    /// The time between two attempts; 10 seconds by default, as with the service.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Delivers a job that has ended: its record, with the `webhook` that is called. Calls `report`
    /// after each attempt, and returns the last.
    pub async fn deliver(
        &self,
        record: &JobRecord,
        report: impl FnMut(&WebhookAttempt),
    ) -> WebhookAttempt {
        let body = record.as_bytes();
        let members = serde_json::from_slice::<BTreeMap<String, Box<RawValue>>>(body).ok();
        // A record that is not valid JSON is delivered as it is.
        let body = members.zip(to_raw_value(self.url.expose()).ok()).and_then(|(mut all, url)| {
            all.entry("webhook".to_owned()).or_insert(url);
            serde_json::to_vec(&all).ok()
        });
        self.deliver_body(body.unwrap_or_else(|| record.as_bytes().to_vec()), report).await
    }

    /// Delivers any body.
    pub async fn deliver_body(
        &self,
        body: impl Into<Vec<u8>>,
        mut report: impl FnMut(&WebhookAttempt),
    ) -> WebhookAttempt {
        let body = Bytes::from(body.into());
        let mut number = 1;
        loop {
            let attempt = self.attempt(number, body.clone()).await;
            report(&attempt);
            if attempt.is_accepted() || number == Self::ATTEMPTS {
                return attempt;
            }
            number += 1;
            tokio::time::sleep(self.pause).await;
        }
    }

    async fn attempt(&self, number: u32, body: Bytes) -> WebhookAttempt {
        let call = self.http.post(self.url.expose());
        match call.header(CONTENT_TYPE, "application/json").body(body).send().await {
            Ok(response) => {
                WebhookAttempt { number, status: Some(response.status().as_u16()), error: None }
            }
            Err(error) => {
                let error = error.without_url();
                let mut text = error.to_string();
                let mut source = std::error::Error::source(&error);
                while let Some(cause) = source {
                    text = format!("{text}: {cause}");
                    source = cause.source();
                }
                let error = text;
                WebhookAttempt { number, status: None, error: Some(error) }
            }
        }
    }
}

impl fmt::Debug for WebhookSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSender").field("pause", &self.pause).finish_non_exhaustive()
    }
}
