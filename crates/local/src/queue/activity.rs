//! Activity of an endpoint: the number of jobs and refused requests in each of the last sixty steps
//! of five seconds of real time, for the chart of the page.

use std::collections::VecDeque;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

/// The length of a step, in milliseconds.
const STEP_MS: u64 = 5_000;
const STEPS: usize = 60;

/// The counts of a step.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct ActivityCounts {
    pub(super) submitted: u64,
    pub(super) completed: u64,
    /// With the jobs that timed out.
    pub(super) failed: u64,
    /// The requests that were refused with 429.
    pub(super) throttled: u64,
}

/// The counts of the last steps, the oldest first. The newest step has not ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Activity {
    step_ms: u64,
    steps: VecDeque<ActivityCounts>,
    #[serde(skip)]
    newest_began: Instant,
}

impl Default for Activity {
    fn default() -> Self {
        let steps = [ActivityCounts::default(); STEPS].into();
        Self { step_ms: STEP_MS, steps, newest_began: Instant::now() }
    }
}

impl Activity {
    /// The counts of the step of this moment.
    pub(super) fn now(&mut self) -> &mut ActivityCounts {
        self.advance();
        &mut self.steps[STEPS - 1]
    }

    /// A copy, as of this moment.
    pub(super) fn current(&mut self) -> Self {
        self.advance();
        self.clone()
    }

    fn advance(&mut self) {
        let step = Duration::from_millis(STEP_MS);
        let passed = self.newest_began.elapsed().as_millis() / step.as_millis();
        let passed = u32::try_from(passed).unwrap_or(u32::MAX);
        self.newest_began += step * passed;
        for _ in 0..STEPS.min(passed as usize) {
            self.steps.pop_front();
            self.steps.push_back(ActivityCounts::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_counts_of_five_minutes_are_kept() {
        let mut activity = Activity::default();
        activity.now().submitted += 2;
        tokio::time::advance(Duration::from_secs(9)).await;
        activity.now().failed += 1;
        let counts = |activity: &mut Activity| {
            let steps = activity.current().steps;
            steps.iter().map(|step| (step.submitted, step.failed)).collect::<Vec<_>>()
        };
        let now = counts(&mut activity);
        assert_eq!((now.len(), &now[STEPS - 2..]), (STEPS, &[(2, 0), (0, 1)][..]));
        tokio::time::advance(Duration::from_secs(5 * 57 + 2)).await;
        let later = counts(&mut activity);
        assert_eq!((later[0], later[1]), ((2, 0), (0, 1)));
        tokio::time::advance(Duration::from_secs(1_000_000)).await;
        assert!(counts(&mut activity).iter().all(|step| *step == (0, 0)));
    }
}
