//! Command `status`: the status of jobs.

use podqueue::Job;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::jobs::{Jobs, call_each, record};

pub async fn run(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    let call = |job: Job| async move { job.status().await };
    call_each(context, jobs, "reading", Failure::from, record::exit, call).await
}
