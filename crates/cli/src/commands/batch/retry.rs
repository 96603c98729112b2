//! Command `batch retry`: inputs that did not complete become pending again, or their jobs are
//! retried.

use std::future::IntoFuture;

use clap::{Args, ValueEnum};
use podqueue_batch::{Error, ErrorKind, State};
use serde_json::json;

use crate::batches::location::BatchLocation;
use crate::batches::outage_warning::with_warning;
use crate::batches::{endpoint, pluralized};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{Signals, on_thread};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    location: BatchLocation,

    /// The states to retry: by default all in the file of failures, except refused.
    ///
    /// A refused input is refused again, unless its line was corrected: then run the batch with
    /// --force, retry with --status refused, and run it again.
    #[arg(long = "status", value_name = "STATUS", value_delimiter = ',')]
    states: Vec<Retryable>,

    /// Retry the same jobs at once, where they failed or timed out and the service still has them.
    #[arg(long, conflicts_with = "states")]
    same_jobs: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Retryable {
    Failed,
    Cancelled,
    TimedOut,
    Expired,
    Lost,
    Refused,
    /// Inputs that may have been accepted before, and then run twice.
    Unknown,
}

impl Retryable {
    fn state(self) -> State {
        match self {
            Self::Failed => State::Failed,
            Self::Cancelled => State::Cancelled,
            Self::TimedOut => State::TimedOut,
            Self::Expired => State::Expired,
            Self::Lost => State::Lost,
            Self::Refused => State::Refused,
            Self::Unknown => State::Unknown,
        }
    }
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let location = &arguments.location;
    let mut signals = Signals::listen()?;
    let endpoint = match arguments.same_jobs {
        true => Some(signals.unless(endpoint(context, location)).await??),
        false => None,
    };
    let states: Vec<State> = match arguments.states.as_slice() {
        [] => State::ALL
            .into_iter()
            .filter(|state| state.is_failure() && *state != State::Refused)
            .collect(),
        states => states.iter().map(|state| state.state()).collect(),
    };
    let failed = |error: Error| {
        let failure = location.failure(&error);
        match error.kind() {
            ErrorKind::Inputs | ErrorKind::InputsChanged => failure.hint(format!(
                "to retry the same jobs without their inputs: podqueue batch retry {} --same-jobs",
                location.arguments()
            )),
            _ if error.service().is_some() => failure.hint(format!(
                "jobs before it are retried, and it may be: run the batch again to collect them; how \
                 many: podqueue batch status {}",
                location.arguments()
            )),
            _ => failure,
        }
    };
    // Opening would create a missing journal.
    let journal = location.journal();
    signals.unless(on_thread(move || journal.read())).await?.map_err(failed)?;
    let progress = context.output.progress(format!("retrying {}", location.results.display()));
    let retrying = async {
        let batch = location.journal().open().results(&location.results).into_future().await?;
        match &endpoint {
            Some(endpoint) => {
                batch.retry_jobs(endpoint).await.map(|done| (done.retried, done.not_retriable))
            }
            None => batch.retry(&states).await.map(|retried| (retried, 0)),
        }
    };
    let retried = signals.unless(with_warning(context, location, &progress, retrying)).await;
    drop(progress);
    let (retried, not_retriable) = retried?.map_err(failed)?;
    if context.output.is_json() {
        context.output.json(&json!({ "retried": retried, "not_retriable": not_retriable }))?;
    } else if endpoint.is_some() {
        context.output.line(format_args!(
            "retried {}; the service no longer allows it for {not_retriable}",
            pluralized(retried, "job")
        ))?;
    } else {
        context.output.line(format_args!("{} pending again", pluralized(retried, "input")))?;
    }
    if retried > 0 {
        context.output.hint("now run the batch again, with the same command as before");
    }
    Ok(Exit::Done)
}
