//! Budget of a batch: the price of its executions, the bound of their cost, and an estimate of the
//! whole.
//!
//! A job costs its execution time. How long it was executed is known once its status says so, and
//! until then how long it may be executed at most: the execution timeout of its policy, or its ttl
//! if that is shorter. The *charge* of an attempt is the second number until the first is known,
//! and stays the second if it never is, as for a lost job or an unknown submission. The journal has
//! the sum of all charges ([`Tally::charged_ms`]).
//!
//! Invariant: the sum of all charges is never above the bound. Each claim adds its charges in the
//! transaction in which it compares the sum with the bound, also where several processes share the
//! journal ([`Claim::limit_within`](crate::store::Claim::limit_within)), and nothing else adds
//! charges but [`Batch::retry_jobs`](crate::Batch::retry_jobs). The cost is not above that sum, as
//! far as the service keeps to the timeouts.
//!
//! Checked by `tests/batch/budget.rs`.

use podqueue::Policy;
use serde::Serialize;

use crate::store::Tally;

/// The number of known execution times from which on there is an estimate.
const MIN_TIMED: u64 = 5;

/// Price of a batch's executions, and the bound of their cost, in any currency.
///
/// The price applies to all executions of the batch, those of earlier runs as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    per_second: f64,
    max_cost: Option<f64>,
}

/// Cost of a batch so far, and in the end, at the price of its [`Budget`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cost {
    /// The cost of all executions whose time is known.
    #[serde(rename = "cost")]
    pub spent: f64,
    /// The most that the batch can have cost when the outstanding jobs have ended: with the longest
    /// execution of each, and of each attempt whose time is unknown.
    #[serde(rename = "cost_at_most")]
    pub at_most: f64,
    /// The cost of the whole batch, once there are five execution times to estimate it from.
    #[serde(rename = "cost_estimate")]
    pub estimate: Option<Estimate>,
}

/// Estimated cost of a whole batch: the mean of the execution times so far, for each input that has
/// not ended. The range has two standard deviations on each side, so that about 95 of 100 batches
/// cost what it says, if the inputs so far are like the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The lower end of the range.
    pub low: f64,
    /// The expected cost.
    pub expected: f64,
    /// The upper end of the range.
    pub high: f64,
}

impl Budget {
    /// A budget with this price of a second of execution, without a bound. A price that is not a
    /// number, or below zero, is refused when the run starts.
    #[must_use]
    pub fn new(per_second: f64) -> Self {
        Self { per_second, max_cost: None }
    }

    /// The most that the batch may cost, with what it has cost before. No input is submitted whose
    /// longest execution could exceed it, so the policy of the run must have an
    /// [execution timeout](podqueue::Policy::execution_timeout). A run that cannot submit more ends
    /// with [`Stopped::OutOfBudget`](crate::Stopped::OutOfBudget), once its outstanding jobs have
    /// ended.
    ///
    /// Jobs that are retried by [`Batch::retry_jobs`](crate::Batch::retry_jobs) are not refused,
    /// and count.
    #[must_use]
    pub fn max_cost(self, most: f64) -> Self {
        Self { max_cost: Some(most), ..self }
    }

    pub(crate) fn per_second(&self) -> f64 {
        self.per_second
    }

    /// The bound of the sum of all charges, in milliseconds.
    pub(crate) fn max_charged_ms(&self) -> Option<f64> {
        // Without a price, nothing costs anything.
        self.max_cost.filter(|_| self.per_second > 0.0).map(|most| most / self.per_second * 1_000.0)
    }

    /// Refuses invalid amounts.
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_amount = |amount: f64| amount.is_finite() && amount >= 0.0;
        if !is_amount(self.per_second) {
            return Err(format!(
                "{} is not a price per second: expected 0 or more",
                self.per_second
            ));
        }
        match self.max_cost.filter(|most| !is_amount(*most)) {
            Some(most) => Err(format!("{most} is not a maximum cost: expected 0 or more")),
            None => Ok(()),
        }
    }
}

impl Cost {
    /// The cost of a batch with this tally.
    pub(crate) fn of(tally: &Tally, per_second: f64) -> Self {
        let price = |ms: f64| (ms / 1_000.0 * per_second).max(0.0);
        Self {
            spent: price(tally.execution_ms),
            at_most: price(tally.charged_ms.max(tally.execution_ms)),
            estimate: Estimate::of(tally).map(|[low, expected, high]| Estimate {
                low: price(low),
                expected: price(expected),
                high: price(high),
            }),
        }
    }
}

impl Estimate {
    /// The range and the mean of the execution time of the whole batch, in milliseconds.
    fn of(tally: &Tally) -> Option<[f64; 3]> {
        if tally.timed < MIN_TIMED {
            return None;
        }
        let (timed, open) = (tally.timed as f64, tally.counts.open() as f64);
        let mean = tally.execution_ms / timed;
        let variance = (tally.squares_ms / timed - mean * mean).max(0.0) * timed / (timed - 1.0);
        // The times to come vary, and so does the mean that was measured.
        let deviation = (variance * (open + open * open / timed)).sqrt();
        let expected = tally.execution_ms + open * mean;
        let low = (expected - 2.0 * deviation).max(tally.execution_ms);
        Some([low, expected, expected + 2.0 * deviation])
    }
}

/// The longest execution of a job with this policy, as JSON, in milliseconds.
pub(crate) fn reserve_ms(policy: Option<&serde_json::Value>) -> f64 {
    let of = |name: &str| policy.and_then(|policy| policy.get(name)?.as_f64());
    let default = Policy::DEFAULT_EXECUTION_TIMEOUT.as_secs_f64() * 1_000.0;
    let timeout = of("executionTimeout").unwrap_or(default);
    of("ttl").map_or(timeout, |ttl| timeout.min(ttl))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input_state::{Counts, State};

    fn tally(times: &[f64], open: u64) -> Tally {
        let mut counts = Counts::default();
        counts.set(State::Completed, times.len() as u64);
        counts.set(State::Pending, open);
        Tally {
            counts,
            execution_ms: times.iter().sum(),
            timed: times.len() as u64,
            squares_ms: times.iter().map(|time| time * time).sum(),
            charged_ms: times.iter().sum::<f64>() + 1_000.0,
            ..Tally::default()
        }
    }

    #[test]
    fn the_whole_is_estimated_from_the_times_so_far() {
        assert_eq!(Cost::of(&tally(&[500.0; 4], 10), 2.0).estimate, None);
        let cost = Cost::of(&tally(&[500.0; 5], 10), 2.0);
        assert_eq!((cost.spent, cost.at_most), (5.0, 7.0));
        let same = Estimate { low: 15.0, expected: 15.0, high: 15.0 };
        assert_eq!(cost.estimate, Some(same));
        // A standard deviation of 100 ms: 2 * 0.1 * sqrt(100 + 100 * 100 / 25) seconds.
        let times: Vec<_> = (0..25).map(|number| [400.0, 500.0, 600.0][number % 3]).collect();
        let cost = Cost::of(&tally(&times, 100), 1.0);
        let estimate = cost.estimate.expect("an estimate");
        let half = (estimate.high - estimate.low) / 2.0;
        assert!((half / 4.47 - 1.0).abs() < 0.2, "{estimate:?}");
        assert!((estimate.expected / 62.5 - 1.0).abs() < 0.02, "{estimate:?}");
        // Nothing is left: the cost is known.
        let ended = Cost::of(&tally(&times, 0), 1.0);
        let estimate = ended.estimate.expect("an estimate");
        assert_eq!((estimate.low, estimate.high), (ended.spent, ended.spent));
    }

    #[test]
    fn a_job_is_executed_no_longer_than_its_policy_permits() {
        for (policy, reserve) in [
            (None, 600_000.0),
            (Some(json!({})), 600_000.0),
            (Some(json!({ "executionTimeout": 5_000 })), 5_000.0),
            (Some(json!({ "executionTimeout": 50_000, "ttl": 20_000 })), 20_000.0),
            (Some(json!({ "ttl": 86_400_000 })), 600_000.0),
        ] {
            assert_eq!(reserve_ms(policy.as_ref()), reserve, "{policy:?}");
        }
    }

    #[test]
    fn invalid_amounts_are_refused() {
        for budget in [
            Budget::new(-1.0),
            Budget::new(f64::NAN),
            Budget::new(1.0).max_cost(f64::INFINITY),
            Budget::new(1.0).max_cost(-0.5),
        ] {
            budget.check().expect_err("an invalid amount");
        }
        let budget = Budget::new(0.5).max_cost(2.0);
        budget.check().expect("valid");
        assert_eq!(budget.max_charged_ms(), Some(4_000.0));
        assert_eq!(Budget::new(0.0).max_cost(2.0).max_charged_ms(), None);
    }
}
