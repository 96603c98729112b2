//! Manual clock: a test of half an hour of service time that takes a moment.
//!
//! `cargo run --example manual_clock`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use podqueue::{Client, ErrorKind, JobStatus, Policy};
use podqueue_local::LocalService;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let local = LocalService::builder().manual_clock().start().await?;
    let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;

    // The result of an asynchronous job is kept for 30 minutes.
    let job = client.endpoint("echo").run(json!({"kept": "for a while"})).await?;
    job.wait().await?;
    local.clock().advance(Duration::from_secs(29 * 60));
    println!("After 29 minutes the job is {}.", job.status().await?.status());
    local.clock().advance(Duration::from_secs(2 * 60));
    match job.status().await {
        Err(error) if error.kind() == ErrorKind::JobExpired => println!("After 31: {error}."),
        other => return Err(format!("expected the job to have expired: {other:?}").into()),
    }

    // A job that exceeds its execution timeout is aborted.
    let policy = Policy::new().execution_timeout(Duration::from_secs(60));
    let job = client.endpoint("sleep").run(json!({"ms": 3_600_000})).policy(policy).await?;
    while job.status().await?.status() != JobStatus::InProgress {
        tokio::task::yield_now().await;
    }
    local.clock().advance(Duration::from_secs(60));
    println!("A minute later the long one is {}.", job.status().await?.status());
    Ok(())
}
