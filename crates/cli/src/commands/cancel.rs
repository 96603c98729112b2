//! Command `cancel`: cancellation of jobs.

use std::future::IntoFuture;

use podqueue::{Job, JobRecord};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupted;
use crate::jobs::{Jobs, call_each};

pub async fn run(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    let exit = |_: &JobRecord| Exit::Done;
    let call = |job: Job| job.cancel().into_future();
    call_each(context, jobs, "cancelling", Interrupted::while_changing, exit, call).await
}
