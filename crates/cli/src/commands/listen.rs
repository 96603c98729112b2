//! Command `listen`: delivery of webhook calls to a receiver on this machine.

use std::time::Duration;

use clap::Args;
use futures_util::future::join_all;
use podqueue::webhook::WebhookSender;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_duration;
use crate::interrupt::Signals;
use crate::jobs::delivery_report::DeliveryReport;
use crate::jobs::follow::{WaitOptions, wait_for_end};
use crate::jobs::{Jobs, jobs_noun};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    jobs: Jobs,

    /// The receiver's URL.
    #[arg(long, value_name = "URL")]
    forward_to: String,

    /// The time between two attempts.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s")]
    pause: Duration,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let sender = WebhookSender::new(arguments.forward_to.as_str())?.pause(arguments.pause);
    let jobs = arguments.jobs.handles(context)?;
    context.output.note(
        "each job's call is delivered again, also if the job ended long ago or an earlier run \
         delivered it",
    );
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("waiting for {}", jobs_noun(&jobs)));
    let waiting = WaitOptions::default();
    let deliveries = jobs.iter().map(|job| async {
        let record = wait_for_end(job, &waiting).await?;
        let report = DeliveryReport::new(context, job.id());
        report.outcome(sender.deliver(&record, |it| progress.suspend(|| report.print(it))).await)
    });
    let results = signals.unless(join_all(deliveries)).await;
    drop(progress);
    let mut exit = Exit::Done;
    for result in results? {
        exit = exit.or_worse(match result {
            Ok(()) => Exit::Done,
            Err(failure) => context.output.failure(&failure),
        });
    }
    Ok(exit)
}
