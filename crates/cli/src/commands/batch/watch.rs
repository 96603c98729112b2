//! Command `batch watch`: the progress of a batch that another process runs.

use std::time::{Duration, Instant};

use clap::Args;
use podqueue_batch::{Error, LiveProgress, Reader, Status};
use serde::Serialize;
use tokio::time::sleep;

use crate::batches::location::{BatchLocation, Journal};
use crate::batches::outage_warning::{OutageWarning, is_outage, reason, warn};
use crate::batches::summary::{self, LastRun};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, translate_setting};
use crate::input::parse_duration;
use crate::interrupt::{Signals, blocking, on_thread};

/// Maximum outage of the database: as long as a run waits for it.
const MAX_OUTAGE: Duration = Duration::from_secs(5 * 60);

/// Maximum outage before the first connection: the URL may be wrong.
const MAX_CONNECT_OUTAGE: Duration = Duration::from_secs(10);

/// Time without a lease on a batch in a database after which no process runs it: disconnected
/// processes renew their leases when they reconnect.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    location: BatchLocation,

    /// The time between two reads, at least 100ms.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "1s", allow_hyphen_values = true)]
    interval: Duration,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    signals.unless(poll(context, arguments)).await?
}

/// A snapshot of a batch.
struct Snapshot {
    running: bool,
    status: Status,
    live: Option<LiveProgress>,
    last: LastRun,
}

/// Reads a snapshot. Fails immediately if the database is unreachable.
fn snapshot(journal: &Journal, reader: &mut Option<Reader>) -> Result<Snapshot, Error> {
    let reader = match reader {
        Some(reader) => reader,
        None => reader.insert(journal.read()?),
    };
    // In this order: the status read after the process has exited is final.
    let running = journal.is_open()?;
    let status = reader.status()?;
    let live = reader.live_progress()?.filter(|_| running);
    Ok(Snapshot { running, status, live, last: LastRun::read(reader)? })
}

async fn poll(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { location, interval } = arguments;
    let interval = (*interval).max(Duration::from_millis(100));
    let failed = |error| location.failure(&error);
    let mut reader: Option<Reader> = None;
    let progress = context.output.progress("reading the journal");
    let mut had_error = false;
    let mut outage = OutageWarning::default();
    let mut idle_since = None;
    let (status, running, last) = loop {
        let tried = Instant::now();
        let read;
        (reader, read) = on_thread({
            let journal = location.journal().without_patience();
            move || {
                let read = snapshot(&journal, &mut reader);
                (reader, read)
            }
        })
        .await;
        let Snapshot { running, status, live, last } = match read {
            Ok(snapshot) => snapshot,
            Err(error) if is_outage(&error) => {
                let outage_timeout = if reader.is_some() { MAX_OUTAGE } else { MAX_CONNECT_OUTAGE };
                if outage.record_failure(tried) >= outage_timeout {
                    return Err(failed(error));
                }
                idle_since = None;
                if outage.should_warn() {
                    warn(context, &progress, &reason(&error));
                }
                sleep(interval).await;
                continue;
            }
            Err(error) => return Err(failed(error)),
        };
        outage.record_success();
        let rate = live.as_ref().and_then(|live| live.rate);
        let eta = live.as_ref().and_then(|live| live.eta(&status.counts));
        let error_summary = live.and_then(|live| live.error);
        if context.output.is_json() {
            let eta_seconds = eta.map(|eta| eta.as_secs_f64());
            let error_summary = error_summary.clone().map(|error| translate_setting(error).0);
            context.output.json(&WatchShape {
                status: &status,
                running,
                rate,
                eta_seconds,
                error_summary,
                last: &last,
            })?;
        }
        if running {
            idle_since = None;
        }
        if status.counts.open() == 0 || (!running && has_ended(location, &mut idle_since)) {
            break (status, running, last);
        }
        progress.set_message(&summary::progress_line(
            &status.counts,
            rate,
            eta,
            status.cost.as_ref(),
        ));
        let has_error = error_summary.is_some();
        if let Some(error) = error_summary.filter(|_| !had_error) {
            progress.suspend(|| context.output.warn(error));
        }
        had_error = has_error;
        sleep(interval).await;
    };
    drop(progress);
    if !context.output.is_json() {
        let results = blocking(|| reader.as_mut().map(|reader| location.results(reader)));
        let results = results.transpose().map_err(failed)?.flatten();
        summary::print_status(context, &status, results.as_deref(), None, &last)?;
    }
    if !running && status.counts.open() > 0 {
        context.output.warn(summary::NOT_RUNNING);
    }
    summary::advise(context, &status.counts, &location.arguments());
    Ok(summary::exit(&status.counts))
}

/// Returns true if no process has held a lease for so long that no process runs the batch.
fn has_ended(location: &BatchLocation, idle_since: &mut Option<Instant>) -> bool {
    !location.is_shared() || idle_since.get_or_insert_with(Instant::now).elapsed() >= IDLE_TIMEOUT
}

#[derive(Serialize)]
struct WatchShape<'a> {
    #[serde(flatten)]
    status: &'a Status,
    /// True if a process runs the batch.
    running: bool,
    rate: Option<f64>,
    eta_seconds: Option<f64>,
    /// The persistent error, if there is one.
    error_summary: Option<String>,
    #[serde(flatten)]
    last: &'a LastRun,
}
