//! Webhook delivery: calls the webhook of a job that has ended, up to three times (interface:
//! "Events"), and logs the attempts.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use bytes::Bytes;
use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use serde::{Serialize, Serializer};

use crate::bounded_log::{BoundedLog, Numbered, Window};
use crate::clock::{Clock, Moment, milliseconds, wall_milliseconds};
use crate::tasks::{Tasks, locked};

const ATTEMPTS: u32 = 3;
const BETWEEN_ATTEMPTS: Duration = Duration::from_secs(10);
/// Timeout of a receiver, in real time.
const RECEIVER_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest number of attempts in the log.
const MAX_LOGGED: usize = 10_000;

/// An attempt at calling a webhook.
///
/// Written as JSON or with `Debug`, it has its [`url`](Self::url) without credentials: the user,
/// and the values of the query, are replaced by `[redacted]`.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WebhookDelivery {
    /// The endpoint of the job.
    pub endpoint: String,
    /// The id of the job that ended.
    pub job_id: String,
    /// The URL that was called, with any credentials that it contains.
    #[serde(serialize_with = "redacted")]
    pub url: String,
    /// The number of the attempt: 1, 2 or 3.
    pub attempt: u32,
    /// The status of the response; `None` if there was no response.
    pub status: Option<u16>,
    /// Reason for which there was no response.
    pub error: Option<String>,
    /// End of the attempt, on the service's clock.
    #[serde(rename = "atMs", serialize_with = "as_milliseconds")]
    pub at: Duration,
    /// That time on the computer's clock.
    pub(crate) wall_ms: u64,
}

fn as_milliseconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(milliseconds(*time))
}

/// The only form in which the URL of an attempt leaves the process.
fn redacted<S: Serializer>(url: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&redacted_text(url))
}

impl fmt::Debug for WebhookDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookDelivery")
            .field("endpoint", &self.endpoint)
            .field("job_id", &self.job_id)
            .field("url", &redacted_text(&self.url))
            .field("attempt", &self.attempt)
            .field("status", &self.status)
            .field("error", &self.error)
            .field("at", &self.at)
            .finish()
    }
}

impl WebhookDelivery {
    /// Returns true if the receiver accepted the call: only status 200 counts.
    pub fn is_accepted(&self) -> bool {
        self.status == Some(200)
    }
}

/// Delivers webhooks in the background, and logs the attempts.
#[derive(Clone)]
pub(crate) struct Webhooks {
    /// The endpoint whose webhooks are delivered.
    endpoint: Arc<str>,
    /// Set up at the first call: it loads the certificates of the system, and most services call no
    /// webhook.
    http: Arc<LazyLock<Result<reqwest::Client, String>>>,
    clock: Clock,
    tasks: Tasks,
    log: Arc<Mutex<BoundedLog<WebhookDelivery>>>,
}

impl Webhooks {
    pub(crate) fn new(clock: Clock, tasks: Tasks) -> Self {
        let http = Arc::new(LazyLock::new(http_client as fn() -> _));
        let log = Arc::new(Mutex::new(BoundedLog::new(MAX_LOGGED, usize::MAX, |_| 0)));
        Self { endpoint: Arc::default(), http, clock, tasks, log }
    }

    /// This sender, for the webhooks of an endpoint.
    pub(crate) fn of_endpoint(&self, endpoint: Arc<str>) -> Self {
        Self { endpoint, ..self.clone() }
    }

    pub(crate) fn log(&self) -> Vec<WebhookDelivery> {
        locked(&self.log).iter().cloned().collect()
    }

    /// The number of all attempts.
    pub(crate) fn revision(&self) -> u64 {
        locked(&self.log).appended()
    }

    /// The number of kept attempts, and those in a window, the newest first.
    pub(crate) fn window(&self, window: Window) -> (usize, Vec<Numbered<WebhookDelivery>>) {
        let log = locked(&self.log);
        let (total, attempts) = window.of(log.newest_first());
        (total, attempts.into_iter().map(Numbered::from).collect())
    }

    /// The attempts for a job, the oldest first.
    pub(crate) fn of_job(&self, job_id: &str) -> Vec<Numbered<WebhookDelivery>> {
        let log = locked(&self.log);
        let of_job = log.newest_first().filter(|(_, delivery)| delivery.job_id == job_id);
        let mut of_job: Vec<_> = of_job.map(Numbered::from).collect();
        of_job.reverse();
        of_job
    }

    /// Calls a job's webhook with an event, up to three times until the receiver responds with 200.
    /// The first attempt is made now.
    pub(crate) fn deliver(
        &self,
        url: Url,
        job_id: Arc<str>,
        event: impl Serialize + Send + 'static,
        now: Moment,
    ) {
        let this = self.clone();
        self.tasks.spawn(async move {
            // Serializing an event does not fail.
            let Ok(body) = serde_json::to_vec(&event).map(Bytes::from) else { return };
            let mut due = now;
            for attempt in 1..=ATTEMPTS {
                this.clock.sleep_until(due).await;
                let result = this.call(&url, body.clone()).await;
                let ended = this.clock.end_of_work(due);
                let delivery = WebhookDelivery {
                    endpoint: this.endpoint.to_string(),
                    job_id: job_id.to_string(),
                    url: url.to_string(),
                    attempt,
                    status: result.as_ref().ok().copied(),
                    error: result.err(),
                    at: ended,
                    wall_ms: wall_milliseconds(),
                };
                let accepted = delivery.is_accepted();
                this.add_to_log(delivery);
                if accepted {
                    return;
                }
                due = ended.saturating_add(BETWEEN_ATTEMPTS);
            }
        });
    }

    async fn call(&self, url: &Url, body: Bytes) -> Result<u16, String> {
        let http = self.http.as_ref().as_ref().map_err(Clone::clone)?;
        let call = http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body);
        match call.send().await {
            Ok(response) => Ok(response.status().as_u16()),
            Err(error) => Err(with_cause(&error.without_url())),
        }
    }

    fn add_to_log(&self, delivery: WebhookDelivery) {
        locked(&self.log).append(delivery);
        self.clock.changes().notify();
    }
}

/// An error and the last of its causes, which says what the system refused.
fn with_cause(error: &dyn Error) -> String {
    match std::iter::successors(error.source(), |&cause| cause.source()).last() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn http_client() -> Result<reqwest::Client, String> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(RECEIVER_TIMEOUT)
        .build()
        .map_err(|error| format!("cannot set up the HTTP client for webhooks: {error}"))
}

/// A URL without its credentials; empty if the text is not a URL.
fn redacted_text(url: &str) -> String {
    Url::parse(url).as_ref().map(without_credentials).unwrap_or_default()
}

/// A URL without the parts that may be secret: its user, the values of its query, and its fragment.
pub(crate) fn without_credentials(url: &Url) -> String {
    const REDACTED: &str = "[redacted]";
    let has_user = !url.username().is_empty() || url.password().is_some();
    let user = if has_user { format!("{REDACTED}@") } else { String::new() };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    let mut text = format!("{}://{user}{host}{port}{}", url.scheme(), url.path());
    for (index, pair) in url.query().into_iter().flat_map(|query| query.split('&')).enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((name, _)) => text.extend([name, "=", REDACTED]),
            None => text.push_str(REDACTED),
        }
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_deliveries_are_kept() {
        let tasks = Tasks::new(tokio::runtime::Handle::current());
        let webhooks = Webhooks::new(Clock::manual(), tasks);
        for number in 0..MAX_LOGGED + 3 {
            webhooks.add_to_log(WebhookDelivery {
                endpoint: String::new(),
                job_id: number.to_string(),
                url: String::new(),
                attempt: 1,
                status: Some(200),
                error: None,
                at: Duration::ZERO,
                wall_ms: 0,
            });
        }
        let kept = webhooks.log();
        assert_eq!((kept.len(), kept[0].job_id.as_str()), (MAX_LOGGED, "3"));
    }
}
