//! Following a batch that another process runs.

use std::time::Duration;

use clap::Args;
use podqueue_batch::Status;
use serde::Serialize;
use tokio::time::sleep;

use super::place::Place;
use super::summary::{self, LastRun};
use crate::context::Context;
use crate::duration::duration;
use crate::exit::Exit;
use crate::failure::{Failure, translated};
use crate::interrupt::Signals;

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

async fn follow(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { place, interval } = arguments;
    let failed = |error| place.failure(&error);
    let mut reader = place.journal().read().map_err(failed)?;
    let progress = context.output.progress("reading the journal");
    let mut was_troubled = false;
    let (status, running, last) = loop {
        // In this order: once it is not open, the status is the last one.
        let running = place.journal().is_open().map_err(failed)?;
        let status = reader.status().map_err(failed)?;
        let pace = reader.pace().map_err(failed)?.filter(|_| running);
        let rate = pace.as_ref().and_then(|pace| pace.rate);
        let eta = pace.as_ref().and_then(|pace| pace.eta(&status.counts));
        let trouble = pace.and_then(|pace| pace.trouble);
        let last = LastRun::read(&mut reader).map_err(failed)?;
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
        if !running || status.counts.open() == 0 {
            break (status, running, last);
        }
        progress.say(summary::line(&status.counts, rate, eta));
        let is_troubled = trouble.is_some();
        if let Some(trouble) = trouble.filter(|_| !was_troubled) {
            progress.suspend(|| context.output.warn(trouble));
        }
        was_troubled = is_troubled;
        sleep((*interval).max(Duration::from_millis(100))).await;
    };
    drop(progress);
    if !context.output.is_json() {
        let results = place.results(&mut reader).map_err(failed)?;
        summary::print_status(context, &status, results.as_deref(), None, &last)?;
    }
    if !running && status.counts.open() > 0 {
        context.output.warn(summary::NOBODY);
    }
    summary::advise(context, &status.counts, &place.words());
    Ok(summary::exit(&status.counts))
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
