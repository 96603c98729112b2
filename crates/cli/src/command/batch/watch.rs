//! Following a batch that another process runs.

use std::collections::VecDeque;
use std::time::Duration;

use clap::Args;
use podqueue_batch::{Counts, Reader};
use tokio::time::{Instant, sleep};

use super::place::Place;
use super::summary;
use crate::context::Context;
use crate::duration::duration;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;

/// The time over which the rate is measured.
const MEASURED: Duration = Duration::from_secs(120);

/// After how long without a change to say so.
const STILL: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,

    /// The time between two looks, at least 100ms.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1s")]
    interval: Duration,
}

pub async fn watch(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    signals.unless(follow(context, arguments)).await?
}

async fn follow(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { place, interval } = arguments;
    let failed = |error| place.failure(&error);
    let mut reader = Reader::open(&place.journal()).map_err(failed)?;
    let progress = context.output.progress("reading the journal");
    let mut rates = Rates::default();
    let status = loop {
        let status = reader.status().map_err(failed)?;
        if summary::outstanding(&status.counts) == 0 {
            break status;
        }
        if context.output.is_json() {
            context.output.json(&status)?;
        }
        let (rate, eta) = rates.measure(&status.counts);
        progress.say(summary::line(&status.counts, rate, eta));
        if rates.nothing_changes() {
            let note = "nothing has changed for a minute: does a process still run this batch?";
            progress.suspend(|| context.output.note(note));
        }
        sleep((*interval).max(Duration::from_millis(100))).await;
    };
    drop(progress);
    let results = reader.results().map_err(failed)?;
    summary::print_status(context, &status, results.as_deref())?;
    summary::advise(context, &status.counts, &place.results);
    Ok(summary::exit(&status.counts))
}

/// How many inputs ended, and when.
#[derive(Default)]
struct Rates {
    looks: VecDeque<(Instant, u64)>,
    last: Counts,
    changed: Option<Instant>,
}

impl Rates {
    /// The rate per second, and how long the rest takes at this rate.
    fn measure(&mut self, counts: &Counts) -> (Option<f64>, Option<Duration>) {
        let (now, ended) = (Instant::now(), counts.ended());
        if self.changed.is_none() || self.last != *counts {
            (self.last, self.changed) = (*counts, Some(now));
        }
        self.looks.push_back((now, ended));
        while self.looks.front().is_some_and(|(at, _)| *at + MEASURED < now) {
            self.looks.pop_front();
        }
        let Some((at, before)) = self.looks.front() else { return (None, None) };
        // Inputs that are retried have not ended any more.
        let rate = ended.saturating_sub(*before) as f64 / (now - *at).as_secs_f64();
        let rate = Some(rate).filter(|rate| rate.is_finite() && *rate > 0.0);
        let left = summary::outstanding(counts) as f64;
        (rate, rate.and_then(|rate| Duration::try_from_secs_f64(left / rate).ok()))
    }

    /// Whether nothing has changed for so long; says so once.
    fn nothing_changes(&mut self) -> bool {
        let still = self.changed.is_some_and(|at| at.elapsed() > STILL);
        if still {
            self.changed = Some(Instant::now() + Duration::from_secs(u32::MAX.into()));
        }
        still
    }
}
