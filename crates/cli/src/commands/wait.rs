//! Command `wait`: the output of jobs, once they have ended.

use clap::Args;
use futures_util::future::join_all;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::jobs::follow::{self, WaitOptions, unless_interrupted, wait_for_end};
use crate::jobs::{Jobs, jobs_noun, print_each, record};

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
    let work = async {
        if let [job] = jobs.as_slice() {
            return follow::wait(context, job, waiting).await;
        }
        let waits = join_all(jobs.iter().map(|job| wait_for_end(job, waiting)));
        let what = format!("waiting for {}", jobs_noun(&jobs));
        let results = context.output.with_progress(what, waits).await;
        print_each(context, results.into_iter(), record::exit)
    };
    unless_interrupted(context, &mut signals, "wait", &jobs, waiting, work).await
}
