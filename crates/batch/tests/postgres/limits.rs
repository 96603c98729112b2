//! Shared limits that are unreachable.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use podqueue::{ChangeRecords, Client, LimitStore, SharedLimits, StoreError};
use podqueue_batch::{Batch, State};

use crate::durability::watched;
use crate::support::{Folder, KEY, service};

/// Longest wait of a submission for the limits.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);

struct Unreachable;

impl LimitStore for Unreachable {
    fn name(&self) -> String {
        "a store".to_owned()
    }

    fn exchange(&mut self, _: &[String], _: ChangeRecords<'_>) -> Result<(), StoreError> {
        Err("it is unreachable".into())
    }
}

#[tokio::test]
async fn unreachable_limits_delay_inputs_no_longer_than_one_permit() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(20);
    let (claimed, claims) = mpsc::channel();
    let store = watched(
        folder.journal(),
        |_| {},
        move |commit, inputs| {
            if commit.claim.is_some() && !inputs.is_empty() {
                let _ = claimed.send(Instant::now());
            }
        },
    );
    let open = Batch::open(store).inputs(folder.inputs()).results(folder.path("results.jsonl"));
    let batch = open.await.unwrap();
    let limits = SharedLimits::new(Unreachable).store_timeout(STORE_TIMEOUT);
    let client = Client::builder().api_key(KEY).base_url(local.base_url()).shared_limits(limits);
    let run = batch.run(client.build().unwrap().endpoint("double"));
    let (stopper, began) = (run.stopper(), Instant::now());
    let run = tokio::spawn(run.into_future());
    let first = tokio::task::spawn_blocking(move || claims.recv().unwrap()).await.unwrap();
    assert!(first - began < STORE_TIMEOUT * 2, "{:?}", first - began);
    stopper.stop();
    let report = run.await.unwrap().unwrap();
    assert_eq!(report.counts.of(State::Pending), 20, "nothing was sent");
}
