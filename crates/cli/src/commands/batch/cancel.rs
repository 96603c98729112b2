//! Command `batch cancel`: cancellation of a batch, which is delegated to the process that runs it,
//! if there is one.

use std::convert::Infallible;
use std::future::IntoFuture;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use podqueue_batch::{Counts, Error, ErrorKind, Reader, State, Status};
use serde_json::json;
use tokio::time::sleep;

use crate::batches::location::BatchLocation;
use crate::batches::outage_warning::with_warning;
use crate::batches::{endpoint, pluralized};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{Signals, on_thread};
use crate::output::Progress;

/// Interval of polls for a cancellation by another process.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Interval of progress updates from the journal.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Time without a change after which the process that should cancel the batch seems to hang.
const STALL_TIMEOUT: Duration = Duration::from_secs(15);

pub async fn run(context: &Context, location: &BatchLocation) -> Result<Exit, Failure> {
    let failed = |error: Error| location.failure(&error);
    let mut signals = Signals::listen()?;
    let endpoint = signals.unless(endpoint(context, location)).await??;
    let progress = context.output.progress(format!("cancelling {}", location.results.display()));
    let journal = location.journal();
    let opening = on_thread(move || {
        let mut reader = journal.read()?;
        let status = reader.status()?;
        Ok((reader, status))
    });
    let (reader, status) = signals.unless(opening).await?.map_err(failed)?;
    let before = status.counts.of(State::Cancelled);
    let reader = Arc::new(Mutex::new(reader));
    let mut is_noted = false;
    let mut stall = StallDetector::default();
    let cancelling = async {
        loop {
            // A cancellation submits nothing, so it leaves the mark of a database with lost
            // changes.
            let opening = location.journal().accepting_loss(true).open().results(&location.results);
            match opening.into_future().await {
                Ok(batch) => match batch.cancel(&endpoint).await {
                    Err(error) if error.kind() == ErrorKind::InUse => {}
                    done => return done.map(drop),
                },
                Err(error) if error.kind() != ErrorKind::InUse => return Err(error),
                Err(_) => {}
            }
            // The process that runs the batch cancels it, but may exit before it does.
            read_on_thread(&reader, Reader::request_cancel).await?;
            if !is_noted {
                is_noted = true;
                let note = "a process runs this batch, and is asked to cancel it";
                progress.suspend(|| context.output.note(note));
            }
            sleep(POLL_INTERVAL).await;
            let counts = read_on_thread(&reader, Reader::status).await?.counts;
            // The total is zero until the process has read its inputs.
            if counts.total() > 0 && counts.open() == 0 {
                return Ok(());
            }
            if stall.should_warn(counts) {
                let warning = "the process that runs this batch has not cancelled it yet: it may be stopped, hang, or still read its inputs. Continue it (with fg where Ctrl-Z stopped it, or else with kill -CONT), or end it (if it is stopped, with kill -KILL): then this command continues";
                progress.suspend(|| context.output.warn(warning));
            }
        }
    };
    let cancelling = async {
        match select(pin!(cancelling), pin!(show_progress(&reader, &progress, before))).await {
            Either::Left((done, _)) => done?,
            Either::Right((never, _)) => match never {},
        }
        read_on_thread(&reader, Reader::status).await
    };
    let done = signals.unless(with_warning(context, location, &progress, cancelling)).await;
    drop(progress);
    let counts = done?.map_err(failed)?.counts;
    let cancelled = counts.of(State::Cancelled).saturating_sub(before);
    let outstanding = counts.of(State::Submitted);
    if context.output.is_json() {
        context.output.json(&json!({ "cancelled": cancelled, "outstanding": outstanding }))?;
    } else {
        context.output.line(format_args!("cancelled {}", pluralized(cancelled, "input")))?;
    }
    if outstanding > 0 {
        context.output.hint(format!(
            "{} had ended already, or belong to another service: the next run collects them",
            pluralized(outstanding, "job")
        ));
    }
    Ok(Exit::Done)
}

/// Shows the number of inputs cancelled since `before`: a call for each job takes a while, since
/// the service allows ten per second.
async fn show_progress(
    reader: &Arc<Mutex<Reader>>,
    progress: &Progress,
    before: u64,
) -> Infallible {
    loop {
        sleep(PROGRESS_INTERVAL).await;
        if let Ok(Status { counts, .. }) = read_on_thread(reader, Reader::status).await {
            let cancelled = counts.of(State::Cancelled).saturating_sub(before);
            let outstanding = counts.of(State::Submitted);
            progress.set_message(&format!("cancelled {cancelled}, {outstanding} outstanding"));
        }
    }
}

/// Reads the journal on another thread.
async fn read_on_thread<T: Send + 'static>(
    reader: &Arc<Mutex<Reader>>,
    read: impl FnOnce(&mut Reader) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let reader = Arc::clone(reader);
    on_thread(move || read(&mut reader.lock().unwrap_or_else(PoisonError::into_inner))).await
}

/// Detection of a batch whose state has not changed for a while.
#[derive(Default)]
struct StallDetector {
    since: Option<(Instant, Counts)>,
    is_reported: bool,
}

impl StallDetector {
    /// Returns true if a warning is due: once, after the timeout.
    fn should_warn(&mut self, counts: Counts) -> bool {
        match self.since {
            Some((since, before)) if before == counts => {
                let is_new = !self.is_reported && since.elapsed() >= STALL_TIMEOUT;
                self.is_reported |= is_new;
                is_new
            }
            _ => {
                self.since = Some((Instant::now(), counts));
                false
            }
        }
    }
}
