//! Retrying and cancelling inputs of a batch that no process runs.

use std::convert::Infallible;
use std::future::IntoFuture;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use futures_util::future::{Either, select};
use podqueue::Endpoint;
use podqueue_batch::{Batch, Counts, Error, ErrorKind, Reader, State, Status};
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::outage::warning;
use super::place::Place;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::output::Progress;

/// How often to look whether another process has cancelled its batch.
const LOOK: Duration = Duration::from_millis(200);

/// How often progress is read from the journal.
const FOLLOWED: Duration = Duration::from_millis(500);

/// How long nothing may change until the process that is to cancel its batch seems to be stopped.
const SILENCE: Duration = Duration::from_secs(15);

#[derive(Debug, Args)]
pub struct Retry {
    #[command(flatten)]
    place: Place,

    /// The states to retry: by default all that are in the file of failures, except refused.
    ///
    /// An input that was refused is so again, unless its line was corrected: then run the batch with
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
    /// These may have been accepted before, and then run twice.
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

pub async fn retry(context: &Context, arguments: &Retry) -> Result<Exit, Failure> {
    let place = &arguments.place;
    let endpoint = match arguments.same_jobs {
        true => Some(endpoint(context, place)?),
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
        let failure = place.failure(&error);
        match error.kind() {
            ErrorKind::Inputs | ErrorKind::InputsChanged => failure.hint(format!(
                "to retry the same jobs without their inputs: podqueue batch retry {} --same-jobs",
                place.words()
            )),
            _ => failure,
        }
    };
    let (retried, gone) = change(context, place, "retrying", async |batch| match &endpoint {
        Some(endpoint) => batch.retry_jobs(endpoint).await.map(|done| (done.retried, done.gone)),
        None => batch.retry(&states).await.map(|retried| (retried, 0)),
    })
    .await?
    .map_err(failed)?;
    if context.output.is_json() {
        context.output.json(&json!({ "retried": retried, "gone": gone }))?;
    } else if endpoint.is_some() {
        context.output.line(format_args!(
            "retried {}; the service no longer allows it for {gone}",
            count(retried, "job")
        ))?;
    } else {
        context.output.line(format_args!("{} pending again", count(retried, "input")))?;
    }
    if retried > 0 {
        context.output.hint("now run the batch again, with the same command as before");
    }
    Ok(Exit::Done)
}

pub async fn cancel(context: &Context, place: &Place) -> Result<Exit, Failure> {
    let endpoint = endpoint(context, place)?;
    let failed = |error: Error| place.failure(&error);
    let mut reader = place.journal().read().map_err(failed)?;
    let before = reader.status().map_err(failed)?.counts.of(State::Cancelled);
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("cancelling {}", place.results.display()));
    let reader = Arc::new(Mutex::new(reader));
    let mut is_told = false;
    let mut silence = Silence::default();
    let cancelling = async {
        loop {
            // It submits nothing, and so leaves a batch marked whose database has lost changes.
            let opening = place.journal().accepting_loss(true).open().results(&place.results);
            match opening.into_future().await {
                Ok(batch) => match batch.cancel(&endpoint).await {
                    Err(error) if error.kind() == ErrorKind::InUse => {}
                    done => return done.map(drop),
                },
                Err(error) if error.kind() != ErrorKind::InUse => return Err(error),
                Err(_) => {}
            }
            // Who runs it does it; and may end in between, without having done so.
            apart(&reader, Reader::request_cancel).await?;
            if !is_told {
                is_told = true;
                let note = "a process runs this batch, and is told to cancel it";
                progress.suspend(|| context.output.note(note));
            }
            sleep(LOOK).await;
            let counts = apart(&reader, Reader::status).await?.counts;
            // Before it has read its inputs, there are none.
            if counts.total() > 0 && counts.open() == 0 {
                return Ok(());
            }
            if silence.is_long(counts) {
                let warning = "the process that runs this batch has not cancelled it yet: it may be stopped, hang, or still read its inputs. Continue it (with fg where Ctrl-Z stopped it, or else with kill -CONT), or end it (if it is stopped, with kill -KILL): then this command goes on by itself";
                progress.suspend(|| context.output.warn(warning));
            }
        }
    };
    let cancelling = async {
        match select(pin!(cancelling), pin!(follow(&reader, &progress, before))).await {
            Either::Left((done, _)) => done?,
            Either::Right((never, _)) => match never {},
        }
        apart(&reader, Reader::status).await
    };
    let done = signals.unless(warning(context, place, &progress, cancelling)).await;
    drop(progress);
    let counts = done?.map_err(failed)?.counts;
    let cancelled = counts.of(State::Cancelled).saturating_sub(before);
    let outstanding = counts.of(State::Submitted);
    if context.output.is_json() {
        context.output.json(&json!({ "cancelled": cancelled, "outstanding": outstanding }))?;
    } else {
        context.output.line(format_args!("cancelled {}", count(cancelled, "input")))?;
    }
    if outstanding > 0 {
        context.output.hint(format!(
            "{} had ended already, or belong to another service: the next run collects them",
            count(outstanding, "job")
        ));
    }
    Ok(Exit::Done)
}

/// Shows how many of a batch's inputs are cancelled, beyond those `before`: a call for each job takes its
/// time, since the service allows ten per second.
async fn follow(reader: &Arc<Mutex<Reader>>, progress: &Progress, before: u64) -> Infallible {
    loop {
        sleep(FOLLOWED).await;
        if let Ok(Status { counts, .. }) = apart(reader, Reader::status).await {
            let cancelled = counts.of(State::Cancelled).saturating_sub(before);
            let outstanding = counts.of(State::Submitted);
            progress.say(format!("cancelled {cancelled}, {outstanding} outstanding"));
        }
    }
}

/// Asks the journal on another thread, which is left behind if nobody waits for it any more.
async fn apart<T: Send + 'static>(
    reader: &Arc<Mutex<Reader>>,
    ask: impl FnOnce(&mut Reader) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let reader = Arc::clone(reader);
    let asking =
        spawn_blocking(move || ask(&mut reader.lock().unwrap_or_else(PoisonError::into_inner)));
    asking.await.unwrap_or_else(|panicked| resume_unwind(panicked.into_panic()))
}

/// How long a batch has stayed as it is.
#[derive(Default)]
struct Silence {
    since: Option<(Instant, Counts)>,
    is_said: bool,
}

impl Silence {
    /// Whether nothing has changed for so long that this is to be said, which is once.
    fn is_long(&mut self, counts: Counts) -> bool {
        match self.since {
            Some((since, before)) if before == counts => {
                let is_new = !self.is_said && since.elapsed() >= SILENCE;
                self.is_said |= is_new;
                is_new
            }
            _ => {
                self.since = Some((Instant::now(), counts));
                false
            }
        }
    }
}

/// Opens a batch that exists, and changes it.
async fn change<T>(
    context: &Context,
    place: &Place,
    doing: &str,
    work: impl AsyncFnOnce(&Batch) -> Result<T, Error>,
) -> Result<Result<T, Error>, Failure> {
    let failed = |error: Error| place.failure(&error);
    // Opening it would create a journal where there is none.
    place.journal().read().map_err(failed)?;
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("{doing} {}", place.results.display()));
    let changing = async {
        let batch = place.journal().open().results(&place.results).into_future().await?;
        work(&batch).await
    };
    let changed = signals.unless(warning(context, place, &progress, changing)).await;
    drop(progress);
    Ok(changed?)
}

/// The endpoint that the batch was last run on, which stands for its service.
fn endpoint(context: &Context, place: &Place) -> Result<Endpoint, Failure> {
    let read = || place.journal().read()?.runs();
    let runs = read().map_err(|error| place.failure(&error))?;
    let last = runs.into_iter().max_by_key(|(number, _)| *number);
    // Without a run there is no job, and no endpoint to call.
    context.endpoint(&last.map(|(_, run)| run.endpoint_id).unwrap_or_default())
}

fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
