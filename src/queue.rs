//! Queue interface of serverless endpoints: `{base_url}/v2/{endpoint_id}/…`.

mod context;
mod endpoint;
pub(crate) mod gateway;
pub(crate) mod job;
mod lifespan;
mod operations;
mod policy;
mod poll_rate;
mod polling;
mod record;
mod retry_listeners;
mod run_all;
mod status;
mod stream;
pub(crate) mod submission;
mod transient_failures;
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

pub use endpoint::{Endpoint, Health, JobCounts, Purged, WorkerCounts};
pub use job::{Job, StatusRequest};
pub use policy::Policy;
pub use polling::Polling;
pub use record::{JobFailure, JobRecord};
pub use run_all::{Finished, RunAll};
pub use status::{JobStatus, UndocumentedStatus};
pub use stream::{JobStream, Metrics, StreamChunk};
pub use submission::{Run, RunSync, S3Config};
pub use wait::{Notifier, RemoteCancel, Wait};
