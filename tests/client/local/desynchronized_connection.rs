//! A desynchronized connection: each response on it belongs to the previous request.

use std::time::Duration;

use podqueue::{Client, Job, JobRecord, Result};
use podqueue_local::{Fault, LocalService, Operation};
use serde_json::json;

use crate::local::support::{client, service, settings};

async fn done(client: &Client, name: &str) -> Job {
    let job = client.endpoint("echo").run(&json!({"name": name})).await.unwrap();
    job.wait().await.unwrap();
    job
}

/// Two jobs that have ended, and a connection on which the next response is the record of the
/// first.
async fn desynchronized() -> (LocalService, Job, Job) {
    let local = service().start().await.unwrap();
    let observer = client(&local);
    let (first, second) = (done(&observer, "first").await, done(&observer, "second").await);
    let client = settings(&local).build().unwrap();
    let of = |job: &Job| client.endpoint("echo").job(job.id());
    let (first, second) = (of(&first), of(&second));
    local.add_fault(Fault::out_of_step().on(Operation::Status).times(1));
    assert_eq!(name(&first.status().await.unwrap()), "first");
    (local, first, second)
}

fn name(record: &JobRecord) -> String {
    record.output::<serde_json::Value>().unwrap()["name"].as_str().unwrap().to_owned()
}

fn assert_not_taken(result: Result<JobRecord>) {
    match result {
        Ok(record) => assert_eq!(name(&record), "second"),
        Err(error) => assert_eq!(format!("{:?}", error.kind()), "ForeignRecord", "{error}"),
    }
}

#[tokio::test]
async fn the_record_of_another_job_is_not_this_ones_status() {
    let (_local, _, second) = desynchronized().await;
    assert_not_taken(second.status().await);
    // The connection is synchronized again.
    assert_eq!(name(&second.status().await.unwrap()), "second");
}

#[tokio::test]
async fn the_record_of_another_job_does_not_end_a_wait() {
    let (_local, _, second) = desynchronized().await;
    let record = second.wait().timeout(Duration::from_secs(60)).await.unwrap();
    assert_eq!((record.id(), name(&record).as_str()), (second.id(), "second"));
}

#[tokio::test]
async fn a_job_on_another_connection_is_not_disturbed() {
    let (local, first, second) = desynchronized().await;
    let undisturbed = client(&local).endpoint("echo").job(second.id());
    assert_eq!(name(&undisturbed.status().await.unwrap()), "second");
    assert_eq!(name(&first.status().await.unwrap()), "first");
}
