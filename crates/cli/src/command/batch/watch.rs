//! Following a batch that another process runs.

use std::time::{Duration, Instant};

use clap::Args;
use podqueue_batch::{Error, Pace, Reader, Status};
use serde::Serialize;
use tokio::time::sleep;

use super::outage::{Outage, is_outage, warn, why};
use super::place::Place;
use super::summary::{self, LastRun};
use crate::context::Context;
use crate::duration::duration;
use crate::exit::Exit;
use crate::failure::{Failure, translated};
use crate::interrupt::{Signals, blocking};

/// How long a database may be out of reach: as long as those wait for it who run the batch.
const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// How long it may be so at first: the URL may be wrong.
const FIRST: Duration = Duration::from_secs(10);

/// How long nobody may be at work on a batch in a database until nobody runs it: those who were cut
/// off renew their leases once they can.
const IDLE: Duration = Duration::from_secs(3);

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,

    /// The time between two looks, at least 100ms.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1s", allow_hyphen_values = true)]
    interval: Duration,
}

pub async fn watch(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    signals.unless(follow(context, arguments)).await?
}

/// What is seen of a batch at a time.
struct Seen {
    running: bool,
    status: Status,
    pace: Option<Pace>,
    last: LastRun,
}

/// Looks at a batch. A database that cannot be reached is not waited for.
fn look(place: &Place, reader: &mut Option<Reader>) -> Result<Seen, Error> {
    let reader = match reader {
        Some(reader) => reader,
        None => reader.insert(place.journal().impatient().read()?),
    };
    // In this order: once it is not open, the status is the last one.
    let running = place.journal().impatient().is_open()?;
    let status = reader.status()?;
    let pace = reader.pace()?.filter(|_| running);
    Ok(Seen { running, status, pace, last: LastRun::read(reader)? })
}

async fn follow(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { place, interval } = arguments;
    let interval = (*interval).max(Duration::from_millis(100));
    let failed = |error| place.failure(&error);
    let mut reader = None;
    let progress = context.output.progress("reading the journal");
    let mut was_troubled = false;
    let mut outage = Outage::default();
    let mut idle_since = None;
    let (status, running, last) = loop {
        let tried = Instant::now();
        let seen = blocking(|| look(place, &mut reader));
        let Seen { running, status, pace, last } = match seen {
            Ok(seen) => seen,
            Err(error) if is_outage(&error) => {
                let patience = if reader.is_some() { PATIENCE } else { FIRST };
                if outage.failed(tried) >= patience {
                    return Err(failed(error));
                }
                idle_since = None;
                if outage.is_worth_a_word() {
                    warn(context, &progress, &why(&error));
                }
                sleep(interval).await;
                continue;
            }
            Err(error) => return Err(failed(error)),
        };
        outage.ended();
        let rate = pace.as_ref().and_then(|pace| pace.rate);
        let eta = pace.as_ref().and_then(|pace| pace.eta(&status.counts));
        let trouble = pace.and_then(|pace| pace.trouble);
        if context.output.is_json() {
            let eta_seconds = eta.map(|eta| eta.as_secs_f64());
            let trouble = trouble.clone().map(|trouble| translated(trouble).0);
            context.output.json(&StatusShape {
                status: &status,
                running,
                rate,
                eta_seconds,
                trouble,
                last: &last,
            })?;
        }
        if running {
            idle_since = None;
        }
        if status.counts.open() == 0 || (!running && has_ended(place, &mut idle_since)) {
            break (status, running, last);
        }
        progress.say(summary::line(&status.counts, rate, eta));
        let is_troubled = trouble.is_some();
        if let Some(trouble) = trouble.filter(|_| !was_troubled) {
            progress.suspend(|| context.output.warn(trouble));
        }
        was_troubled = is_troubled;
        sleep(interval).await;
    };
    drop(progress);
    if !context.output.is_json() {
        let results = blocking(|| reader.as_mut().map(|reader| place.results(reader)));
        let results = results.transpose().map_err(failed)?.flatten();
        summary::print_status(context, &status, results.as_deref(), None, &last)?;
    }
    if !running && status.counts.open() > 0 {
        context.output.warn(summary::NOBODY);
    }
    summary::advise(context, &status.counts, &place.words());
    Ok(summary::exit(&status.counts))
}

/// Whether nobody has been at work for so long that nobody runs the batch.
fn has_ended(place: &Place, idle_since: &mut Option<Instant>) -> bool {
    !place.is_shared() || idle_since.get_or_insert_with(Instant::now).elapsed() >= IDLE
}

#[derive(Serialize)]
struct StatusShape<'a> {
    #[serde(flatten)]
    status: &'a Status,
    /// Whether a process runs the batch.
    running: bool,
    rate: Option<f64>,
    eta_seconds: Option<f64>,
    /// What goes wrong.
    trouble: Option<String>,
    #[serde(flatten)]
    last: &'a LastRun,
}
