//! Job queue: endpoints with their jobs and workers. `router/queue.rs` serves it over HTTP.

mod activity;
mod attached_workers;
mod endpoint;
mod factory;
mod job;
mod job_view;
mod openai;
mod pool;
mod registry;
mod stream;
mod submission;
mod timers;

pub(crate) use attached_workers::{AssignedJob, Unhealthy};
pub(crate) use endpoint::{
    BulkChange, ChangeCounts, Chunk, Endpoint, EndpointSettings, FoundJobs, JobDetails, Overview,
    Report, WorkerKind, WorkerProtocol, WorkerStatus, WorkerView,
};
pub(crate) use factory::{EndpointFactory, EndpointWorkers};
pub(crate) use job::{Mode, Receipt, Record};
pub(crate) use job_view::{HistoryChunk, JobFilter, JobView, cut_json};
pub(crate) use openai::{OpenAiResponse, openai};
pub(crate) use registry::EndpointRegistry;
pub(crate) use submission::{Submission, parse_ttl, parse_wait};

pub use pool::Workers;
pub use stream::StreamShape;
