//! The queue interface of serverless endpoints, written by hand: `{base_url}/v2/{endpoint_id}/…`.

mod body;
mod endpoint;
mod health;
mod job;
mod lifespan;
mod many;
mod operations;
mod pace;
mod passing;
mod policy;
mod polling;
mod record;
mod s3_config;
mod status;
mod stream;
mod submission;
mod wait;

#[cfg(fuzzing)]
pub(crate) mod fuzz;

pub use endpoint::Endpoint;
pub use health::{Health, JobCounts, Purged, WorkerCounts};
pub use job::{Job, StatusRequest};
#[cfg(feature = "webhook")]
pub(crate) use job::{is_same_job, without_suffix};
pub use many::{Finished, RunAll};
pub(crate) use pace::Paces;
#[cfg(feature = "webhook")]
pub(crate) use passing::is_not_the_services;
pub use policy::Policy;
pub use polling::Polling;
pub use record::{JobFailure, JobRecord};
pub use s3_config::S3Config;
pub use status::JobStatus;
pub use stream::{JobStream, Metrics, StreamChunk};
pub use submission::{Run, RunSync};
pub use wait::{RemoteCancel, Wait};
