//! Command `listen`: delivery of webhook calls to a receiver on this machine.

use std::cell::RefCell;
use std::time::Duration;

use clap::Args;
use futures_util::future::join_all;
use podqueue::webhook::{WebhookAttempt, WebhookSender};
use serde_json::json;

use super::follow::{WaitOptions, wait_for_end};
use super::job::{Jobs, jobs_noun};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_duration;
use crate::interrupt::Signals;
use crate::json::one_line;

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
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("waiting for {}", jobs_noun(&jobs)));
    let waiting = WaitOptions::default();
    let deliveries = jobs.iter().map(|job| async {
        let record = wait_for_end(job, &waiting).await?;
        let report = Report::new(context, job.id());
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

/// Prints the attempts at a delivery.
pub struct Report<'a> {
    context: &'a Context,
    job_id: &'a str,
    failure: RefCell<Option<Failure>>,
}

impl<'a> Report<'a> {
    pub fn new(context: &'a Context, job_id: &'a str) -> Self {
        Self { context, job_id, failure: RefCell::default() }
    }

    pub fn print(&self, attempt: &WebhookAttempt) {
        let output = &self.context.output;
        let printed = if output.is_json() {
            output.json(&json!({
                "job_id": self.job_id,
                "attempt": attempt.number,
                "status": attempt.status,
                "error": attempt.error,
            }))
        } else {
            let status = attempt.status.map(|status| status.to_string());
            let what = status.or_else(|| attempt.error.clone()).unwrap_or_default();
            let (id, what) = (one_line(self.job_id), one_line(&what));
            output.line(format_args!("{id}  attempt {}  {what}", attempt.number))
        };
        if let Err(failure) = printed {
            self.failure.replace(Some(failure));
        }
    }

    /// The outcome of the delivery with this last attempt.
    pub fn outcome(&self, last: WebhookAttempt) -> Result<(), Failure> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None if last.is_accepted() => Ok(()),
            None => {
                let message = format!("the receiver did not accept job {}", self.job_id);
                Err(Failure::new(Exit::Error, message).hint(match last.status {
                    Some(_) => "it must respond with 200",
                    None => "check the URL, and that the receiver runs",
                }))
            }
        }
    }
}
