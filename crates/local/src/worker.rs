//! Workers: what runs a job's handler.

mod assignment;
mod builtin;
mod closure;
mod command;
mod crew;
mod environment;
mod handler;
mod job;
mod logs;
mod outcome;
mod process;

pub(crate) use assignment::{Assignment, Policy};
pub(crate) use builtin::builtins;
pub(crate) use closure::{Closure, Streaming};
pub(crate) use command::Command;
pub(crate) use crew::Crew;
pub(crate) use environment::Environment;
pub(crate) use handler::Handler;
pub(crate) use job::{Reports, WorkerId};
pub(crate) use logs::{Listener, Logs};
pub(crate) use outcome::{Outcome, run};

pub use handler::HandlerError;
pub use job::{JobContext, JobPolicy, LocalJob, S3Config};
pub use logs::{LogSource, WorkerLog};
pub use outcome::FailedWithOutput;
