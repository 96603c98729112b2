//! Submission window: a limit of outstanding jobs that follows the rate at which they end.
//!
//! The window holds three minutes of the measured rate, below a ceiling that a full queue halves
//! and time raises. A crash can cost no more jobs than the window holds.

use std::time::Duration;

use tokio::time::Instant;

/// The window at the start, and the smallest window for any rate.
const SMALLEST_WINDOW: usize = 200;

/// Time at the measured rate that the window covers.
const COVERED_TIME: Duration = Duration::from_secs(180);

/// Refusals within this time count once: the submissions in flight are refused together.
const SAME_REFUSAL: Duration = Duration::from_secs(2);

/// The smallest ceiling after a full queue: other users of the account may cause a 429 now and
/// then.
const SMALLEST_CEILING: f64 = 8.0;

/// Interval at which the window grows again, and the factor.
const GROWTH: (Duration, f64) = (Duration::from_secs(5), 1.2);

/// The window.
pub(super) struct Window {
    max: usize,
    rate: f64,
    /// The ceiling, after a full queue.
    ceiling: Option<Ceiling>,
}

struct Ceiling {
    jobs: f64,
    /// Time of the last change of the ceiling.
    at: Instant,
}

impl Window {
    pub(super) fn new(max: usize) -> Self {
        Self { max, rate: 0.0, ceiling: None }
    }

    /// Sets the rate at which jobs end, per second.
    pub(super) fn set_rate(&mut self, rate: f64, now: Instant) {
        self.rate = rate;
        let target = self.target_size();
        if let Some(ceiling) = &mut self.ceiling
            && now - ceiling.at >= GROWTH.0
        {
            ceiling.jobs *= GROWTH.1;
            ceiling.at = now;
            if ceiling.jobs >= target as f64 {
                self.ceiling = None;
            }
        }
    }

    /// Lowers the window: the service refused a submission, with this number of outstanding jobs.
    pub(super) fn queue_is_full(&mut self, outstanding: usize, now: Instant) {
        let is_same = self.ceiling.as_ref().is_some_and(|ceiling| now - ceiling.at < SAME_REFUSAL);
        if !is_same {
            let jobs = (outstanding.min(self.size()) as f64 / 2.0).max(SMALLEST_CEILING);
            self.ceiling = Some(Ceiling { jobs, at: now });
        }
    }

    pub(super) fn size(&self) -> usize {
        let ceiling = self.ceiling.as_ref().map_or(usize::MAX, |ceiling| ceiling.jobs as usize);
        self.target_size().min(ceiling).max(1)
    }

    /// The size without a ceiling.
    fn target_size(&self) -> usize {
        ((self.rate * COVERED_TIME.as_secs_f64()) as usize).max(SMALLEST_WINDOW).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_three_minutes_of_the_rate_within_its_bounds() {
        let now = Instant::now();
        let mut window = Window::new(10_000);
        for (rate, size) in [(0.0, 200), (0.5, 200), (10.0, 1_800), (90.0, 10_000)] {
            window.set_rate(rate, now);
            assert_eq!(window.size(), size, "{rate}");
        }
        let mut small = Window::new(7);
        small.set_rate(90.0, now);
        assert_eq!(small.size(), 7);
    }

    #[test]
    fn a_full_queue_halves_the_window_once_and_it_grows_slowly() {
        let mut now = Instant::now();
        let mut window = Window::new(10_000);
        window.queue_is_full(120, now);
        window.queue_is_full(120, now + SAME_REFUSAL / 2);
        assert_eq!(window.size(), 60, "refused together");
        now += SAME_REFUSAL;
        window.queue_is_full(60, now);
        assert_eq!(window.size(), 30);
        for _ in 0..5 {
            window.set_rate(1.0, now);
            assert_eq!(window.size(), 30);
        }
        let mut steps = 0;
        while window.size() < 200 {
            now += GROWTH.0;
            window.set_rate(1.0, now);
            steps += 1;
        }
        assert!((8..15).contains(&steps), "{steps}");
        for _ in 0..20 {
            now += SAME_REFUSAL;
            window.queue_is_full(1, now);
        }
        assert_eq!(window.size(), 8);
    }
}
