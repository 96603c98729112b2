//! A local service and a client of it.

use std::time::Duration;

use podqueue::{Client, ClientBuilder, Job, JobStatus, Polling};
use podqueue_local::{Builder, HandlerError, LocalJob, LocalService};
use serde_json::{Value, json};

pub const KEY: &str = "local-key";

/// The settings of a service with the handlers that the tests need beside the built-in ones.
pub fn service() -> Builder {
    LocalService::builder()
        .api_key(KEY)
        .endpoint("gate", |job: LocalJob| async move {
            job.cancelled().await;
            Err(HandlerError::from("cancelled"))
        })
        .endpoint("second-time", |job: LocalJob| async move {
            match job.attempt() {
                1 => Err(HandlerError::from("not yet")),
                attempt => Ok(json!({"attempt": attempt, "input": job.input})),
            }
        })
        .endpoint("half-done", |job: LocalJob| async move {
            job.progress(json!({"percent": 50}));
            job.emit(json!("half")).await;
            job.cancelled().await;
            Ok(Value::Null)
        })
        .endpoint("storage", |job: LocalJob| async move {
            let storage = job.s3_config.as_ref().ok_or("no s3Config")?;
            Ok(json!({"bucket": storage.bucket_name}))
        })
        .endpoint("stalled", |_| async { Ok(Value::Null) })
        .workers_of("stalled", podqueue_local::Workers::between(0, 0))
}

pub fn settings(local: &LocalService) -> ClientBuilder {
    let moment = Duration::from_millis(1);
    let builder = Client::builder();
    #[cfg(feature = "account")]
    let builder = builder.account_url(local.account_url());
    builder
        .api_key(KEY)
        .base_url(local.base_url())
        .rest_url(local.rest_url())
        .graphql_url(local.graphql_url())
        .polling(Polling::new().initial_interval(moment).max_interval(10 * moment))
}

pub fn client(local: &LocalService) -> Client {
    settings(local).build().unwrap()
}

/// Waits until the job has this status: until the service's tasks have run.
pub async fn until(job: &Job, status: JobStatus) {
    for _ in 0..10_000 {
        if job.status().await.unwrap().status() == status {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{} never was {status}", job.id());
}

/// Slows the auto-advancing clock to at most 100 times real time, until it is dropped. The network
/// between client and service is real, and a slow connection would otherwise time out at once.
pub struct HeldBack(tokio::task::JoinHandle<()>);

impl HeldBack {
    pub fn new() -> Self {
        Self(tokio::spawn(async {
            let real = Duration::from_micros(200);
            loop {
                tokio::time::sleep(100 * real).await;
                // The clock does not jump while this runs.
                let _ = tokio::task::spawn_blocking(move || std::thread::sleep(real)).await;
            }
        }))
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        self.0.abort();
    }
}
