//! Budgets: the cost of a batch is never above its bound.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::Policy;
use podqueue_batch::{
    Budget, ErrorKind, JobId, OnUnknown, PostRun, Reader, State, Stopped, Submission, Submit,
};
use podqueue_local::{Fault, LocalJob, LocalService, Operation};
use serde_json::json;

use crate::support::{Folder, KEY, counts, endpoint, until};

/// The shortest execution timeout that the service accepts.
const EXECUTION_TIMEOUT: Duration = Duration::from_secs(5);

fn policy() -> Policy {
    Policy::new().execution_timeout(EXECUTION_TIMEOUT)
}

/// The cost of the jobs of a batch, as the service knows it, at a price of one per second.
#[derive(Default)]
struct Spent {
    /// The jobs that may have been accepted and have not ended.
    outstanding: u32,
    executed: Duration,
    max_cost: f64,
}

#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<Spent>>);

impl Ledger {
    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.0.lock().unwrap()
    }

    /// The service of a batch, whose jobs take `ms` milliseconds.
    async fn service(&self) -> LocalService {
        let ledger = self.clone();
        let handler = move |job: LocalJob| {
            let ledger = ledger.clone();
            async move {
                let began = tokio::time::Instant::now();
                tokio::time::sleep(Duration::from_millis(job.input["ms"].as_u64().unwrap())).await;
                let mut spent = ledger.spent();
                spent.outstanding -= 1;
                // In whole milliseconds, as the status of a job has it.
                spent.executed += Duration::from_millis(began.elapsed().as_millis() as u64);
                Ok(json!({}))
            }
        };
        LocalService::builder().api_key(KEY).endpoint("work", handler).start().await.unwrap()
    }
}

/// Submits by `POST /run`, and checks that the longest execution of each job would be paid for.
impl Submit for Ledger {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        {
            let mut spent = self.spent();
            spent.outstanding += 1;
            let at_most = spent.executed + spent.outstanding * EXECUTION_TIMEOUT;
            assert!(
                at_most.as_secs_f64() <= spent.max_cost + 1e-6,
                "it could cost {at_most:?} of {}",
                spent.max_cost
            );
        }
        PostRun.submit(submission)
    }
}

#[tokio::test]
async fn the_cost_of_random_jobs_is_never_above_the_bound() {
    for seed in 0..6 {
        let mut random = fastrand::Rng::with_seed(seed);
        let ledger = Ledger::default();
        let local = ledger.service().await;
        let folder = Folder::new();
        folder.write_inputs((0..60).map(|_| json!({ "ms": random.u64(..12) })));
        let max_cost =
            EXECUTION_TIMEOUT.as_secs_f64() * f64::from(random.u32(1..6)) + random.f64() * 0.2;
        ledger.spent().max_cost = max_cost;
        let lost = Fault::lost_response().on(Operation::Run);
        local.add_fault(lost.probability(0.03, seed));
        let on_unknown = match random.bool() {
            true => OnUnknown::Resubmit,
            false => OnUnknown::Hold,
        };
        let mut ended = None;
        while ended.is_none() {
            // Submissions of a run that was dropped are completed in the background.
            let batch = loop {
                match folder.open().on_unknown(on_unknown.clone()).await {
                    Err(error) if error.kind() == ErrorKind::InUse => {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                    batch => break batch.unwrap(),
                }
            };
            let mut run = batch
                .run(endpoint(&local, "work"))
                .policy(policy())
                .budget(Budget::new(1.0).max_cost(max_cost))
                .submit_with(ledger.clone());
            // Some runs are dropped in the middle.
            let outage_timeout = match random.u8(..3) {
                0 => Duration::MAX,
                _ => Duration::from_millis(random.u64(..200)),
            };
            let driven = async {
                while let Some(progress) = run.next().await {
                    let cost = progress.cost.unwrap();
                    assert!(cost.spent <= cost.at_most && cost.at_most <= max_cost, "{cost:?}");
                }
                run.await
            };
            ended = tokio::time::timeout(outage_timeout, driven).await.ok();
        }
        let report = ended.unwrap().unwrap();
        let cost = report.cost.unwrap();
        assert!(cost.at_most <= max_cost + 1e-6, "seed {seed}: {cost:?} of {max_cost}");
        let is_pending = report.counts.of(State::Pending) > 0;
        assert_eq!(report.stopped, is_pending.then_some(Stopped::OutOfBudget), "seed {seed}");
        // No other job would have been paid for.
        let left = max_cost - cost.at_most;
        assert!(
            !is_pending || left < EXECUTION_TIMEOUT.as_secs_f64(),
            "seed {seed}: {left} is left"
        );
    }
}

#[tokio::test]
async fn a_batch_continues_with_a_larger_budget_and_keeps_its_cost() {
    let ledger = Ledger::default();
    let local = ledger.service().await;
    let folder = Folder::new();
    folder.write_inputs((0..40).map(|_| json!({ "ms": 10 })));
    let batch = folder.open().await.unwrap();
    let run = |max_cost: f64| {
        ledger.spent().max_cost = max_cost;
        let run = batch.run(endpoint(&local, "work")).policy(policy());
        run.budget(Budget::new(1.0).max_cost(max_cost)).submit_with(ledger.clone())
    };
    let none = run(4.99).await.unwrap();
    assert_eq!((none.submitted_now, none.stopped), (0, Some(Stopped::OutOfBudget)));
    let some = run(5.1).await.unwrap();
    assert_eq!(some.stopped, Some(Stopped::OutOfBudget));
    let completed = some.counts.of(State::Completed);
    // Each takes at least 10 ms. No other job would have been paid for.
    assert!((1..=11).contains(&completed), "{}", counts(&batch.status().await.unwrap()));
    let spent = some.cost.unwrap().spent;
    assert!(spent > 5.1 - EXECUTION_TIMEOUT.as_secs_f64() && spent <= 5.1, "{spent}");
    let again = run(5.1).await.unwrap();
    assert_eq!((again.submitted_now, again.cost.unwrap().spent), (0, spent));

    let all = run(1_000.0).await.unwrap();
    assert!(all.is_complete() && all.stopped.is_none(), "{all:?}");
    let cost = all.cost.unwrap();
    assert_eq!(cost.spent, cost.at_most);
    assert!((cost.spent - all.execution.as_secs_f64()).abs() < 1e-6);
}

/// A run that was killed has left them.
#[tokio::test]
async fn jobs_that_are_cancelled_without_a_run_cost_what_they_took() {
    let local = LocalService::builder().api_key(KEY).manual_clock();
    let local = local.endpoint("work", |_| std::future::pending()).start().await.unwrap();
    let folder = Folder::new();
    folder.write_inputs((0..3).map(|_| json!({})));
    let batch = folder.open().await.unwrap();
    let work = endpoint(&local, "work");
    let budget = Budget::new(1.0).max_cost(100.0);
    let run = batch.run(work.clone()).policy(policy()).budget(budget);
    let run = tokio::spawn(run);
    until(async || work.health().await.unwrap().jobs.in_progress == 3).await;
    run.abort();
    let _ = run.await;
    local.clock().advance(Duration::from_secs(2));
    let before = batch.status().await.unwrap().cost.unwrap();
    assert_eq!((before.spent, before.at_most), (0.0, 15.0));
    let cancelled = loop {
        match batch.cancel(&work).await {
            // The dropped run records its last submissions.
            Err(error) if error.kind() == ErrorKind::Settings => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            cancelled => break cancelled.unwrap(),
        }
    };
    assert_eq!(cancelled, 3);
    let cost = batch.status().await.unwrap().cost.unwrap();
    assert_eq!((cost.spent, cost.at_most), (6.0, 6.0));
}

#[tokio::test]
async fn the_cost_of_the_whole_is_estimated_also_for_readers() {
    let ledger = Ledger::default();
    let local = ledger.service().await;
    let folder = Folder::new();
    folder.write_inputs((0..30).map(|_| json!({ "ms": 20 })));
    let batch = folder.open().await.unwrap();
    assert!(batch.status().await.unwrap().cost.is_none(), "there is no price yet");
    let run = batch.run(endpoint(&local, "work")).budget(Budget::new(2.0)).take(10);
    let cost = run.await.unwrap().cost.unwrap();
    let estimate = cost.estimate.unwrap();
    assert!((estimate.expected / cost.spent - 3.0).abs() < 1e-6, "{cost:?}");
    assert!(estimate.low <= estimate.expected && estimate.expected <= estimate.high);
    assert!(estimate.low >= cost.spent);
    let read = Reader::open(&folder.journal()).unwrap().status().unwrap();
    assert_eq!(read.cost, Some(cost));
    let shown = serde_json::to_value(&read).unwrap();
    assert_eq!(shown["cost"], json!(cost.spent));
    assert_eq!(shown["cost_estimate"]["high"], json!(estimate.high));
}

#[tokio::test]
async fn a_budget_that_cannot_be_kept_is_refused() {
    let ledger = Ledger::default();
    let local = ledger.service().await;
    let folder = Folder::with(1);
    let batch = folder.open().await.unwrap();
    for (budget, policy, named) in [
        (Budget::new(1.0).max_cost(9.0), Policy::new(), "execution_timeout"),
        (Budget::new(-1.0), policy(), "-1 is not a price"),
        (Budget::new(f64::NAN), policy(), "NaN is not a price"),
        (Budget::new(1.0).max_cost(f64::INFINITY), policy(), "inf is not a maximum cost"),
    ] {
        let run = batch.run(endpoint(&local, "work")).policy(policy).budget(budget);
        let error = run.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Settings);
        assert!(error.to_string().contains(named), "{error}");
    }
}
