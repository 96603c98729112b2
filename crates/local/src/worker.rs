//! Workers: handlers within the service, and worker processes with their logs.

mod command;
mod handler;
mod local_job;
mod processes;
mod worker_log;

pub(crate) use command::CommandHandler;
pub(crate) use handler::{
    ClosureHandler, Handler, HandlerOutcome, StreamHandler, builtins, run_handler,
};
pub(crate) use local_job::{HandlerReport, JobJson, PolicyJson, WorkerId};
pub(crate) use processes::{WorkerEnvironment, WorkerProgram};
pub(crate) use worker_log::{LogListener, WorkerLog};

pub use handler::{FailedWithOutput, HandlerError};
pub use local_job::{JobContext, JobPolicy, LocalJob, S3Config};
pub use worker_log::{LogSource, WorkerLogLine};
