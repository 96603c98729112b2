//! Admission: when inputs are claimed and submitted.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue::{Client, RateLimits};
use podqueue_batch::Batch;
use podqueue_batch::store::Event;
use podqueue_local::{Fault, Operation};

use crate::durability::watched;
use crate::faulty_services::requests;
use crate::paced::{Paced, PacedRun, begin};
use crate::support::{Folder, KEY};

/// A quarter of what `/run` allows in ten seconds goes out at once, and the rest evenly.
const BURST: usize = 250;

#[tokio::test]
async fn permits_within_a_moment_are_claimed_together() {
    const INPUTS: usize = BURST + 60;
    let service = Paced::start(|builder| builder);
    service.permits.add_permits(INPUTS);
    let folder = Folder::with(INPUTS as u64);
    let claims = Arc::new(Mutex::new(Vec::new()));
    let counted = Arc::clone(&claims);
    let store = watched(
        folder.journal(),
        |_| {},
        move |commit, claimed| {
            if commit.claim.is_some() && !claimed.is_empty() {
                counted.lock().unwrap().push(claimed.len());
            }
        },
    );
    let open = Batch::open(store).inputs(folder.inputs()).results(folder.path("results.jsonl"));
    let batch = open.await.unwrap();
    let client = Client::builder().api_key(KEY).base_url(service.local.base_url()).build();
    let mut run = PacedRun::begin(batch.run(client.unwrap().endpoint("paced")));
    // Slower than real time, in which claims are committed.
    let (step, real) = (Duration::from_millis(1), Duration::from_millis(5));
    for _ in 0..4_000 {
        run.advance(step, real).await;
        if folder.results().len() == INPUTS {
            break;
        }
    }
    assert_eq!(folder.results().len(), INPUTS);
    let mut claimed = 0;
    let mut late = claims.lock().unwrap().clone();
    late.retain(|inputs| {
        claimed += inputs;
        claimed > BURST + 10
    });
    // A permit comes every ten milliseconds.
    let usual = late.iter().sum::<usize>() as f64 / late.len() as f64;
    assert!(usual > 1.7, "{usual}: {late:?}");
}

/// A permit that comes before a 429 is recorded, which makes its input pending again, claims
/// nothing.
#[tokio::test]
async fn a_429_pauses_before_it_is_recorded() {
    let service = Paced::start(|builder| builder);
    let refused = Fault::response(429, "{}").header("retry-after", "60");
    service.local.add_fault(refused.on(Operation::Run).times(1));
    service.permits.add_permits(1);
    let folder = Folder::with(1);
    let (record, recorded) = std::sync::mpsc::channel();
    let recorded = Mutex::new(recorded);
    let store = watched(
        folder.journal(),
        move |commit| {
            if commit.changes.iter().any(|change| matches!(change.event, Event::NotSent)) {
                // A test that has failed does not hold the record back.
                let _ = recorded.lock().unwrap().recv();
            }
        },
        |_, _| {},
    );
    let open = Batch::open(store).inputs(folder.inputs()).results(folder.path("results.jsonl"));
    let batch = open.await.unwrap();
    let client = Client::builder().api_key(KEY).base_url(service.local.base_url());
    // Two in ten seconds: the next permit comes when the first input has been refused.
    let client = client.rate_limits(RateLimits::new().share(0.002)).build().unwrap();
    let mut run = PacedRun::begin(batch.run(client.endpoint("paced")));
    let (step, real) = (Duration::from_secs(1), Duration::from_millis(2));
    while requests(&service.local, "/run") == 0 {
        run.advance(Duration::ZERO, real).await;
    }
    for _ in 0..20 {
        run.advance(step, 10 * real).await;
    }
    record.send(()).unwrap();
    drop(record);
    for second in 20..55 {
        run.advance(step, 10 * real).await;
        assert_eq!(requests(&service.local, "/run"), 1, "after {second} s");
    }
    for _ in 0..100 {
        run.advance(step, 10 * real).await;
        if folder.results().len() == 1 {
            return;
        }
    }
    panic!("it was not submitted again: {}", requests(&service.local, "/run"));
}

#[tokio::test]
async fn a_retry_after_of_an_hour_is_capped_at_five_minutes() {
    let service = Paced::start(|builder| builder);
    let refused = Fault::response(429, "{}").header("retry-after", "3600");
    service.local.add_fault(refused.on(Operation::Run).times(1));
    service.permits.add_permits(1);
    let (folder, mut run) = begin(&service, 1).await;
    let submitted = || requests(&service.local, "/run");
    let (step, real) = (Duration::from_secs(1), Duration::from_millis(2));
    while submitted() == 0 {
        run.advance(Duration::ZERO, real).await;
    }
    for second in 0..290 {
        run.advance(step, real).await;
        assert_eq!(submitted(), 1, "after {second} s");
    }
    for _ in 0..100 {
        run.advance(step, 10 * real).await;
        if folder.results().len() == 1 {
            return;
        }
    }
    panic!("it was not submitted again: {}", submitted());
}
