//! Lost lease: a process that was cut off records the outcomes of its submissions after it rejoins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use podqueue::{Client, RetryPolicy};
use podqueue_batch::store::{Ended, Event};
use podqueue_batch::store::{OpenStore, Postgres, Store};
use podqueue_batch::{Batch, JobId, OnUnknown, PostRun, State, Submission, Submit};
use podqueue_pgserver::{Proxy, Server, Traffic};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::durability::{completed, watched};
use crate::rules::change;
use crate::support::{Folder, KEY, counts, endpoint, service, until};

/// Submits nothing before it is released. Of the first three inputs, the first is accepted, the
/// second does not reach the service at its first attempt, and the third is refused.
struct Held {
    asked: Arc<Semaphore>,
    released: Arc<Semaphore>,
}

impl Submit for Held {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        Box::pin(async move {
            self.asked.add_permits(1);
            let was_held = !self.released.is_closed();
            // Closing releases it.
            let _ = self.released.acquire().await;
            match submission.index {
                1 if was_held => {
                    let nowhere = Client::builder().api_key(KEY).base_url("http://127.0.0.1:1");
                    let nowhere = nowhere.build().unwrap().endpoint("double");
                    let run = nowhere.run(&json!({})).retry(RetryPolicy::never());
                    Ok(run.await?.id().to_owned())
                }
                2 => Ok(submission.endpoint.run(&17).await?.id().to_owned()),
                _ => PostRun.submit(submission).await,
            }
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unrecorded_outcomes_are_recorded_after_a_lost_lease() {
    let lease = Duration::from_secs(1);
    let server = Server::start();
    let url = server.create("jobs");
    let proxy = Proxy::start(&server);
    let local = service().start().await.unwrap();
    let folder = Folder::with(3);
    let batch = Batch::open(Postgres::connect(proxy.url("jobs"), "batch").lease(lease))
        .inputs(folder.inputs())
        .results(folder.path("results.jsonl"))
        .on_unknown(OnUnknown::Hold)
        .await
        .unwrap();
    let (asked, released) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let held = Held { asked: Arc::clone(&asked), released: Arc::clone(&released) };
    let run = tokio::spawn(batch.run(endpoint(&local, "double")).submit_with(held));
    asked.acquire_many(3).await.unwrap().forget();

    proxy.set(Traffic::Cut);
    let mut other = Postgres::connect(&url, "batch").lease(lease).open().unwrap();
    other.sharing().unwrap().identify("other", State::Unknown).unwrap();
    while other.tally().unwrap().counts.of(State::Unknown) < 3 {
        other.sharing().unwrap().recover().unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(other);
    proxy.set(Traffic::Passes);
    released.close();

    let report = run.await.unwrap().unwrap();
    assert_eq!(report.interrupted, 1);
    assert_eq!(counts(&batch.status().await.unwrap()), "2 completed, 1 refused");
    assert_eq!(folder.results().into_keys().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(folder.failures().into_keys().collect::<Vec<_>>(), [2]);
    let accepted = local.requests().iter().filter(|it| it.path.ends_with("/run")).count();
    assert_eq!(accepted, 2, "each was submitted once");
}

/// Its results are durable, their commit is not: the process that recovers the jobs may be too late
/// to collect them again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_that_could_not_be_recorded_are_kept_until_the_successor_has_collected_them() {
    let lease = Duration::from_secs(1);
    let server = Server::start();
    let url = server.create("jobs");
    let proxy = Arc::new(Proxy::start(&server));
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let was_cut = Arc::new(AtomicBool::new(false));
    let store = watched(
        Postgres::connect(proxy.url("jobs"), "batch").lease(lease),
        {
            let (proxy, was_cut) = (Arc::clone(&proxy), Arc::clone(&was_cut));
            move |commit| {
                if completed(commit).count() > 0 && !was_cut.swap(true, SeqCst) {
                    proxy.set(Traffic::Cut);
                }
            }
        },
        |_, _| {},
    );
    let batch = Batch::open(store).inputs(folder.inputs());
    let batch = batch.results(folder.path("results.jsonl")).await.unwrap();
    let run = tokio::spawn(batch.run(endpoint(&local, "double")));
    until(async || was_cut.load(SeqCst)).await;

    let mut other = Postgres::connect(&url, "batch").lease(lease).open().unwrap();
    other.sharing().unwrap().identify("other", State::Unknown).unwrap();
    let recovered = loop {
        if let Some(input) = other.sharing().unwrap().recover().unwrap().pop() {
            break input;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    proxy.set(Traffic::Passes);
    while other.sharing().unwrap().peers(true).unwrap() == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let lost = Ended { state: State::Lost, error: None, delay_ms: None, execution_ms: None };
    other.commit(&change(&recovered, Event::Ended(lost))).unwrap();

    let report = run.await.unwrap().unwrap();
    assert_eq!(report.interrupted, 1);
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed");
    assert_eq!(folder.results().len(), 1);
}
