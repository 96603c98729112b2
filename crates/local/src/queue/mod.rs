//! The queue interface: `{base_url}/v2/{endpoint_id}/…`.

mod calendar;
mod endpoint;
mod health;
mod job;
mod routes;
mod stream;
mod submission;
mod workers;

pub(crate) use endpoint::{Endpoint, EndpointSettings};
pub(crate) use job::{Job, Mode, Record};
pub(crate) use routes::Route;
pub(crate) use submission::Submission;
pub(crate) use workers::WorkerId;

pub use stream::StreamShape;
pub use submission::{JobPolicy, S3Config};
pub use workers::Workers;
