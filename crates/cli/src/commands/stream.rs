//! Command `stream`: the chunks of jobs, as they arrive.

use std::slice;

use clap::Args;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::jobs::Jobs;
use crate::jobs::follow::{WaitOptions, follow_stream, unless_interrupted};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    waiting: WaitOptions,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let jobs = arguments.jobs.handles(context)?;
    let waiting = &arguments.waiting;
    let mut signals = Signals::listen()?;
    let mut exit_code = Exit::Done;
    for job in &jobs {
        let work = follow_stream(context, job, waiting);
        let job = slice::from_ref(job);
        let work = unless_interrupted(context, &mut signals, "stream", job, waiting, work);
        exit_code = match work.await {
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) if failure.message.is_empty() => return Err(failure),
            Err(failure) => exit_code.or_worse(context.output.failure(&failure)),
            Ok(exit) => exit_code.or_worse(exit),
        };
    }
    Ok(exit_code)
}
