//! Queue interface of serverless endpoints: `{base_url}/v2/{endpoint_id}/…`.

pub(crate) mod body;
mod cancel;
mod context;
mod endpoint;
pub(crate) mod gateway;
mod health;
pub(crate) mod job;
mod lifespan;
mod many;
mod operations;
mod policy;
mod poll_rate;
mod polling;
mod record;
mod retry;
mod retry_listeners;
mod s3_config;
mod status;
mod status_request;
mod stream;
mod submission;
mod transient;
mod wait;

#[cfg(test)]
#[path = "../crates/runtime/src/fair_queue/tests/explorer.rs"]
mod explorer;
#[cfg(fuzzing)]
pub(crate) mod fuzz;

pub(crate) use context::Context;
pub(crate) use poll_rate::PollRates;
#[cfg(feature = "webhook")]
pub(crate) use retry_listeners::RetryListener;
pub(crate) use retry_listeners::RetryListeners;
#[cfg(feature = "webhook")]
pub(crate) use wait::EndNotifier;

pub use context::QueueAuth;
pub use endpoint::Endpoint;
pub use health::{Health, JobCounts, Purged, WorkerCounts};
pub use job::Job;
pub use many::{Finished, RunAll};
pub use policy::Policy;
pub use polling::Polling;
pub use record::{JobFailure, JobRecord};
pub use s3_config::S3Config;
pub use status::{JobStatus, UndocumentedStatus};
pub use status_request::StatusRequest;
pub use stream::{JobStream, Metrics, StreamChunk};
pub use submission::{Run, RunSync};
pub use wait::{Notifier, RemoteCancel, Wait};
