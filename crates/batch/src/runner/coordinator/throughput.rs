//! Throughput: counts of inputs, and the rate at which they end.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::input_state::{Counts, State};
use crate::progress::MaxFailures;

/// Counts of a run, and their rates.
pub(super) struct Throughput {
    /// The counts of the journal, which include the changes of other processes.
    pub(super) counts: Counts,
    /// Number of inputs that had ended before this run.
    before: u64,
    /// Counted from the events of this run: earlier than the journal's counts, and without copies.
    ended: EndedCounts,
    /// The rate of all inputs, and that of this run's own jobs.
    rate: Rate,
    drain: Rate,
}

/// Number of inputs that have ended, and of those that ended other than with an output.
#[derive(Clone, Copy)]
struct EndedCounts {
    inputs: u64,
    failures: u64,
}

impl EndedCounts {
    fn of(counts: &Counts) -> Self {
        Self { inputs: counts.ended(), failures: counts.failures() }
    }
}

impl Throughput {
    pub(super) fn new(counts: Counts, now: Instant) -> Self {
        let ended = EndedCounts::of(&counts);
        Self { counts, before: ended.inputs, ended, rate: Rate::new(now), drain: Rate::new(now) }
    }

    /// Records that an input has ended, in this state.
    pub(super) fn ended(&mut self, state: State) {
        self.ended.inputs += 1;
        self.ended.failures += u64::from(state.is_failure());
    }

    /// Returns the number of inputs whose end this run has seen, and of those before it.
    pub(super) fn ended_count(&self) -> u64 {
        self.ended.inputs
    }

    /// Returns true if there are more failures than this.
    pub(super) fn exceeds(&self, most: MaxFailures) -> bool {
        let counted = EndedCounts::of(&self.counts);
        let known = if counted.inputs > self.ended.inputs { counted } else { self.ended };
        most.are_exceeded(known.failures, known.inputs)
    }

    /// Measures the rates. Returns the rate of this run's own jobs, per second: jobs that peers
    /// collect do not widen its window.
    pub(super) fn measure(&mut self, now: Instant) -> f64 {
        self.rate.measure(self.counts.ended().saturating_sub(self.before), now);
        self.drain.measure(self.ended.inputs.saturating_sub(self.before), now);
        self.drain.per_second().unwrap_or_default()
    }

    /// Returns the rate of all inputs, per second, once it can be measured.
    pub(super) fn rate(&self) -> Option<f64> {
        self.rate.per_second()
    }
}

/// The time over which the rate is measured.
const SPAN: Duration = Duration::from_secs(120);

/// Shortest interval between measurements.
const STEP: Duration = Duration::from_secs(1);

/// Throughput: inputs that end per second, over the last two minutes, or since the start.
struct Rate {
    /// The number that had ended, and when.
    measured: VecDeque<(Instant, u64)>,
}

impl Rate {
    fn new(now: Instant) -> Self {
        Self { measured: [(now, 0)].into() }
    }

    /// Measures the number that has ended in this run.
    fn measure(&mut self, ended: u64, now: Instant) {
        if self.measured.back().is_some_and(|(at, _)| now - *at < STEP) {
            return;
        }
        self.measured.push_back((now, ended));
        while self.measured.len() > 2 && self.measured.front().is_some_and(|it| now - it.0 > SPAN) {
            self.measured.pop_front();
        }
    }

    /// Returns the rate per second, once it is known.
    fn per_second(&self) -> Option<f64> {
        let ((from, before), (to, after)) = self.measured.front().zip(self.measured.back())?;
        let time = (*to - *from).as_secs_f64();
        (time > 0.0 && after > before).then(|| (after - before) as f64 / time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_two_minutes() {
        let start = Instant::now();
        let mut rate = Rate::new(start);
        assert_eq!(rate.per_second(), None);
        for second in 1..=60 {
            rate.measure(second * 10, start + Duration::from_secs(second));
        }
        assert_eq!(rate.per_second(), Some(10.0));
        for second in 61..=181 {
            rate.measure(600 + (second - 60) * 2, start + Duration::from_secs(second));
        }
        let now = rate.per_second().expect("a rate");
        assert!((2.0..2.2).contains(&now), "{now}");
    }
}
