//! Workers: what runs a job's handler.

mod builtin;
mod closure;
mod command;
mod handler;
mod job;
mod outcome;

pub(crate) use builtin::builtins;
pub(crate) use closure::{Closure, Streaming};
pub(crate) use command::Command;
pub(crate) use handler::Handler;
pub(crate) use job::{Reports, WorkerId};
pub(crate) use outcome::{Outcome, run};

pub use handler::HandlerError;
pub use job::{JobContext, JobPolicy, LocalJob, S3Config};
