//! The callers: they take the plan's steps with the public API, and keep what they were told.

mod drive;
mod log;
mod many;
mod steps;

pub(crate) use log::FloorCharBoundary;
pub use log::{Entry, Failed, Got, Item, Kind, Log, Outcome, Seen};

use std::sync::Arc;

use podqueue::{Client, ClientBuilder, Endpoint, Job};

use crate::plan::{Actor, Pick, Plan, Settings};

/// What all callers share.
#[derive(Clone)]
pub struct Caller {
    pub(crate) client: Client,
    pub(crate) log: Arc<Log>,
}

/// The client that a plan asks for.
pub fn client(plan: &Plan, address: &str) -> podqueue::Result<Client> {
    builder(plan, address).build()
}

/// The same, not built yet.
pub(crate) fn builder(plan: &Plan, address: &str) -> ClientBuilder {
    use podqueue::{GraphqlBody, Polling, RateLimits, RetryPolicy};

    let settings = &plan.settings;
    let retry = match settings.attempts {
        1 => RetryPolicy::never(),
        attempts => RetryPolicy::new().attempts(attempts),
    };
    let polling = Polling::new()
        .first(settings.first_pause)
        .longest(settings.longest_pause)
        .per_second(settings.polls_per_second);
    let rate_limits =
        settings.share.map_or(RateLimits::off(), |share| RateLimits::new().share(share));
    let mut builder = Client::builder()
        .api_key(crate::canary::KEY)
        .base_url(format!("http://{address}"))
        .rest_url(format!("http://{address}"))
        .graphql_url(format!("http://{address}/graphql"))
        .retry(retry)
        .polling(polling)
        .rate_limits(rate_limits)
        .timeout(settings.timeout)
        .connect_timeout(settings.connect_timeout);
    if let Some(timeout) = settings.call_timeout {
        builder = builder.call_timeout(timeout);
    }
    if settings.graphql_variables {
        builder = builder.graphql_body(GraphqlBody::Variables);
    }
    if settings.http2 {
        builder = builder.http_client(http2_client(settings));
    }
    builder
}

/// As the documentation of `ClientBuilder::http_client` says, but for the version of HTTP.
fn http2_client(settings: &Settings) -> reqwest::Client {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .connect_timeout(settings.connect_timeout.min(settings.timeout * 3 / 4))
        .pool_idle_timeout(std::time::Duration::from_secs(25))
        .http2_prior_knowledge()
        .build()
        .expect("usable settings")
}

impl Caller {
    pub fn new(client: Client, log: Arc<Log>) -> Self {
        Self { client, log }
    }

    /// Takes all steps of an actor.
    pub async fn act(self, actor: Actor) {
        tokio::time::sleep(actor.starts).await;
        let mut own = None;
        for work in actor.steps {
            if let Some(job) = self.take_step(&work, own.as_ref()).await {
                own = Some(job);
            }
        }
    }

    fn endpoint(&self) -> Endpoint {
        self.client.endpoint("ep")
    }

    fn pick(&self, pick: Pick, own: Option<&Job>) -> Option<Job> {
        match pick {
            Pick::Own => own.cloned(),
            Pick::Any(index) => self.log.job(index).or_else(|| own.cloned()),
        }
    }
}
