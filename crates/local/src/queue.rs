//! The job queue: endpoints with their jobs and workers.

mod calendar;
mod endpoint;
mod event;
mod health;
mod job;
mod stream;
mod submission;
mod sync;
mod workers;

pub(crate) use endpoint::{Endpoint, EndpointSettings};
pub(crate) use job::{Mode, Receipt, Record};
pub(crate) use submission::{Submission, ttl_of};
pub(crate) use sync::{openai, run_sync, wait_of};

pub use stream::StreamShape;
pub use workers::Workers;
