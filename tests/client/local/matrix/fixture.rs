//! Fixture of a cell: a service, a client under the fault, and an observer client.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Client, Error, ErrorKind, JobStatus, NewTemplate, RetryPolicy, RunSync};
use podqueue_local::{GPU_POD, LocalService, OWN_TEMPLATE};
use reqwest::redirect::Policy;
use serde_json::{Value, json};

use super::Call;
use crate::local::support::{service, settings, until};

/// Timeout of one attempt; one at `/runsync` has a second of waiting and a margin of ten more.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Volume of the changed template, in GB.
const CHANGED_VOLUME: u32 = 2;

/// The HTTP clients under the fault and of the observer. Their construction takes longer than a
/// call: it reads the certificates that the system trusts.
pub struct Http {
    faulty: reqwest::Client,
    observer: reqwest::Client,
}

impl Http {
    pub fn new() -> Self {
        let make = || {
            let settings = reqwest::Client::builder().redirect(Policy::none()).referer(false);
            settings.build().unwrap()
        };
        Self { faulty: make(), observer: make() }
    }
}

/// A service in the state for a call, and the two clients.
pub struct Fixture {
    pub local: LocalService,
    /// Makes the call under the fault.
    client: Client,
    /// Reads the result of the call, without the fault.
    observer: Client,
    job: String,
    secret: String,
}

impl Fixture {
    pub async fn set_up(call: Call, http: &Http) -> Self {
        let local = service().workers(1, 1).start().await.unwrap();
        // Often and long enough to outlast a service that is down for a moment.
        let retry = RetryPolicy::new().attempts(10);
        let faulty = settings(&local).retry(retry.clone()).timeout(TIMEOUT);
        let faulty = faulty.http_client(http.faulty.clone());
        let observer = settings(&local).retry(retry).http_client(http.observer.clone());
        let observer = observer.build().unwrap();
        let mut secret = String::new();
        let mut job = String::new();
        match call {
            Call::Cancel | Call::PurgeQueue => {
                job = observer.endpoint("stalled").run(&json!({})).await.unwrap().id().to_owned();
            }
            Call::Retry => {
                let failed = observer.endpoint("second-time").run(&json!({})).await.unwrap();
                until(&failed, JobStatus::Failed).await;
                job = failed.id().to_owned();
            }
            Call::Status | Call::Stream | Call::Wait => {
                let counted = observer.endpoint("count").run(&json!({"n": 3})).await.unwrap();
                until(&counted, JobStatus::Completed).await;
                job = counted.id().to_owned();
            }
            Call::Requests => {
                // So that the list is not empty.
                observer.endpoint("echo").run(&json!({})).await.unwrap().wait().await.unwrap();
            }
            Call::UpdateTemplate | Call::DeleteTemplate => {
                job = observer.templates().create(template()).await.unwrap().id;
            }
            Call::DeleteSecret => {
                secret = observer.secrets().create("token", "v").await.unwrap().id;
            }
            _ => {}
        }
        Self { client: faulty.build().unwrap(), observer, local, job, secret }
    }

    /// Makes the call under the fault.
    pub async fn make(&self, call: Call) -> Result<(), CallError> {
        match call {
            Call::Stream => self.read_stream().await,
            _ => Ok(self.make_at_once(call).await?),
        }
    }

    async fn make_at_once(&self, call: Call) -> Result<(), Error> {
        let client = &self.client;
        let echo = client.endpoint("echo");
        match call {
            Call::Run => echo.run(&json!({})).await.map(drop),
            Call::RunSync => self.run_sync().await.map(drop),
            Call::RunAtLeastOnce => echo.run(&json!({})).at_least_once().await.map(drop),
            Call::RunSyncAtLeastOnce => self.run_sync().at_least_once().await.map(drop),
            Call::Status => {
                let job = client.endpoint("count").job(&self.job);
                job.status().await?.output::<Vec<Numbered>>().map(drop)
            }
            Call::Stream => unreachable!("it has more than one item"),
            Call::Wait => {
                let job = client.endpoint("count").job(&self.job);
                let record = job.wait().timeout(Duration::from_secs(600)).await?;
                record.output::<Vec<Numbered>>().map(drop)
            }
            Call::Cancel => client.endpoint("stalled").job(&self.job).cancel().await.map(drop),
            Call::Retry => client.endpoint("second-time").job(&self.job).retry().await.map(drop),
            Call::PurgeQueue => client.endpoint("stalled").purge_queue().await.map(drop),
            Call::Health => echo.health().await.map(drop),
            Call::OpenAi => echo.openai("v1/models", &json!({})).await.map(drop),
            Call::Requests => echo.requests().await.map(drop),
            Call::GetPod => client.rest().get_pod(GPU_POD).await.map(drop),
            Call::GetTemplate => client.rest().get_template(OWN_TEMPLATE).await.map(drop),
            Call::CreateTemplate => client.templates().create(template()).await.map(drop),
            Call::UpdateTemplate => client
                .templates()
                .update(&self.job, template().volume_gb(CHANGED_VOLUME))
                .await
                .map(drop),
            Call::DeleteTemplate => client.templates().delete("matrix").await,
            Call::CreateSecret => client.secrets().create("token", "v").await.map(drop),
            Call::DeleteSecret => client.secrets().delete(&self.secret).await,
        }
    }

    fn run_sync(&self) -> RunSync {
        self.client.endpoint("echo").run_sync(&json!({})).wait(Duration::from_secs(1))
    }

    /// Every chunk comes, or the one after the gap says that there is one, or the end does.
    async fn read_stream(&self) -> Result<(), CallError> {
        let job = self.client.endpoint("count").job(&self.job);
        let chunks: Vec<_> = job.stream::<Value>().collect().await;
        let mut expected = 0;
        for chunk in chunks {
            let chunk = chunk?;
            let n = chunk.output["n"].as_u64().unwrap();
            if n != expected && !chunk.after_gap {
                return Err(CallError::missing_gap());
            }
            expected = n + 1;
        }
        if expected == 4 { Ok(()) } else { Err(CallError::missing_gap()) }
    }

    /// Number of times that the call took effect, if that is visible from outside.
    pub async fn effects(&self, call: Call) -> Option<usize> {
        let observer = &self.observer;
        match call {
            Call::Run
            | Call::RunSync
            | Call::RunAtLeastOnce
            | Call::RunSyncAtLeastOnce
            | Call::OpenAi => {
                let requests = observer.endpoint("echo").requests().await.unwrap();
                let list = requests.as_array().or_else(|| requests["requests"].as_array());
                Some(list.unwrap().len())
            }
            Call::Retry => {
                let jobs = observer.endpoint("second-time").health().await.unwrap().jobs;
                Some(usize::try_from(jobs.retried).unwrap())
            }
            Call::Cancel => {
                let job = observer.endpoint("stalled").job(&self.job).status().await.unwrap();
                Some(usize::from(job.status() == JobStatus::Cancelled))
            }
            Call::PurgeQueue => {
                let health = observer.endpoint("stalled").health().await.unwrap();
                Some(usize::from(health.jobs.in_queue == 0))
            }
            Call::CreateTemplate => {
                // The name is unique, so it is taken exactly where the call took effect.
                Some(refused(observer.templates().create(template()).await))
            }
            Call::UpdateTemplate => {
                let template = observer.rest().get_template(&self.job).await.unwrap();
                Some(usize::from(template.volume_in_gb == Some(CHANGED_VOLUME.into())))
            }
            Call::CreateSecret => Some(self.local.secret_ids().len()),
            Call::DeleteTemplate => Some(refused(observer.templates().delete("matrix").await)),
            Call::DeleteSecret => Some(refused(observer.secrets().delete(&self.secret).await)),
            _ => None,
        }
    }

    /// Number of times that the operation was sent.
    pub fn sent(&self, call: Call) -> usize {
        let place = match call {
            Call::Run | Call::RunAtLeastOnce => "/run",
            Call::RunSync | Call::RunSyncAtLeastOnce => "/runsync",
            Call::Status | Call::Wait => "/status/",
            Call::Stream => "/stream/",
            Call::Cancel => "/cancel/",
            Call::Retry => "/retry/",
            Call::PurgeQueue => "/purge-queue",
            Call::Health => "/health",
            Call::OpenAi => "/openai/",
            Call::Requests => "/requests",
            Call::GetPod => "/pods/",
            Call::GetTemplate => "/templates/",
            _ => "/graphql",
        };
        let requests = self.local.requests();
        requests.iter().filter(|request| request.path.contains(place)).count()
    }
}

/// The error of a call, as the caller sees it.
#[derive(Debug)]
pub struct CallError {
    /// The name of the kind of error.
    pub kind: String,
    #[expect(dead_code, reason = "it is there to be shown")]
    text: String,
}

impl CallError {
    fn missing_gap() -> Self {
        Self { kind: "nothing".to_owned(), text: "chunks are missing".to_owned() }
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        Self { kind: format!("{:?}", error.kind()), text: error.to_string() }
    }
}

/// An item of the output of `count`.
#[derive(serde::Deserialize)]
struct Numbered {
    #[expect(dead_code, reason = "it is there to be decoded")]
    n: u64,
}

/// The number of refusals, 0 or 1, because the call had taken effect before.
fn refused<T>(again: Result<T, Error>) -> usize {
    match again {
        Ok(_) => 0,
        Err(error) if matches!(error.kind(), ErrorKind::Graphql | ErrorKind::NotFound) => 1,
        Err(error) => panic!("the observer could not read the result: {error}"),
    }
}

fn template() -> NewTemplate {
    NewTemplate::pod("matrix", "image:1").container_disk_gb(1).volume_gb(1)
}
