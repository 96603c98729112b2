//! The job queue: endpoints with their jobs and workers.

mod attached;
mod calendar;
mod endpoint;
mod event;
mod fleet;
mod health;
mod history;
mod job;
mod jobs;
mod openai;
mod report;
mod starts;
mod stream;
mod submission;
mod sync;
mod view;
mod workers;

pub(crate) use attached::{Taken, Unhealthy};
pub(crate) use endpoint::{
    Attachable, Change, Endpoint, EndpointSettings, Kind, Overview, Runner, Shown,
};
pub(crate) use history::ShownChunk;
pub(crate) use job::{Mode, Receipt, Record};
pub(crate) use openai::{OpenAi, openai};
pub(crate) use report::{Chunk, Report};
pub(crate) use submission::{Submission, ttl_of};
pub(crate) use sync::{run_sync, wait_for, wait_of};
pub(crate) use view::{Filter, JobView};

pub use stream::StreamShape;
pub use workers::Workers;
