//! How soon another worker may start after one ended before it finished any job.

use std::time::Duration;

use crate::clock::Moment;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The starts of an endpoint's workers.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// How many workers have ended since one finished a job.
    failures: u32,
    not_before: Moment,
}

impl Starts {
    /// A worker has finished a job: what it takes to start one is in order.
    pub(super) fn succeed(&mut self) {
        *self = Self::default();
    }

    /// A worker has ended. The first time another one may start at once. Returns how many have
    /// ended, and how long the next one waits.
    pub(super) fn fail(&mut self, now: Moment) -> (u32, Duration) {
        self.failures = self.failures.saturating_add(1);
        let pause = match self.failures {
            1 => Duration::ZERO,
            failures => FIRST_PAUSE.saturating_mul(1 << (failures - 2).min(10)).min(MAX_PAUSE),
        };
        self.not_before = now.saturating_add(pause);
        (self.failures, pause)
    }

    /// When the next one may start, if that is not yet.
    pub(super) fn wait_until(&self, now: Moment) -> Option<Moment> {
        (now < self.not_before).then_some(self.not_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_a_minute_until_a_job_is_finished() {
        let mut starts = Starts::default();
        let pauses: Vec<u64> = (0..9).map(|_| starts.fail(FIRST_PAUSE).1.as_secs()).collect();
        assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(starts.wait_until(FIRST_PAUSE), Some(FIRST_PAUSE + MAX_PAUSE));
        assert_eq!(starts.wait_until(FIRST_PAUSE + MAX_PAUSE), None);
        starts.succeed();
        assert_eq!(starts.fail(Duration::ZERO), (1, Duration::ZERO));
    }
}
