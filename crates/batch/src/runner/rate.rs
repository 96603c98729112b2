//! How fast inputs end.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// The time over which the rate is measured.
const SPAN: Duration = Duration::from_secs(120);

/// How far apart measurements are at least.
const STEP: Duration = Duration::from_secs(1);

/// Measures over the last two minutes, or since the start.
pub(super) struct Rate {
    /// When, and how many had ended by then.
    measured: VecDeque<(Instant, u64)>,
}

impl Rate {
    pub(super) fn new(now: Instant) -> Self {
        Self { measured: [(now, 0)].into() }
    }

    /// So many have ended in this run.
    pub(super) fn measure(&mut self, ended: u64, now: Instant) {
        if self.measured.back().is_some_and(|(at, _)| now - *at < STEP) {
            return;
        }
        self.measured.push_back((now, ended));
        while self.measured.len() > 2 && self.measured.front().is_some_and(|it| now - it.0 > SPAN) {
            self.measured.pop_front();
        }
    }

    /// Per second.
    pub(super) fn per_second(&self) -> Option<f64> {
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
