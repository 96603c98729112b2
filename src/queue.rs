//! The queue interface of serverless endpoints, written by hand: `{base_url}/v2/{endpoint_id}/…`.

mod body;
mod cancel;
mod endpoint;
pub(crate) mod gateway;
mod health;
pub(crate) mod http_url;
pub(crate) mod job;
mod lifespan;
mod looks;
mod many;
pub(crate) mod notifier;
mod operations;
mod passing;
mod policy;
mod record;
mod retry;
mod s3_config;
mod status;
mod status_request;
mod stream;
mod submission;
mod wait;

#[cfg(fuzzing)]
pub(crate) mod fuzz;

pub use endpoint::Endpoint;
pub use health::{Health, JobCounts, Purged, WorkerCounts};
pub use job::Job;
pub use many::{Finished, RunAll};
pub use notifier::Notifier;
pub use policy::Policy;
pub use record::{JobFailure, JobRecord};
pub use s3_config::S3Config;
pub use status::{JobStatus, UndocumentedStatus};
pub use status_request::StatusRequest;
pub use stream::{JobStream, Metrics, StreamChunk};
pub use submission::{Run, RunSync};
pub use wait::{RemoteCancel, Wait};
