//! A wait with a deadline, and the contents of its errors.
//!
//! `cargo run --example waiting`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use podqueue::{Client, ErrorKind, RemoteCancel};
use podqueue_local::LocalService;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let local = LocalService::builder().start().await?;
    let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;

    // A synchronous job whose wait ends first returns its current record, from which to continue.
    let endpoint = client.endpoint("sleep");
    let record = endpoint.run_sync(json!({"ms": 1_500})).wait(Duration::from_secs(1)).await?;
    println!("After the wait: {}.", record.status());
    let record = record.job().wait().await?;
    println!("In the end: {}, {}.", record.status(), record.output::<Value>()?);

    // A deadline that also cancels the job on the service.
    let job = endpoint.run(json!({"ms": 60_000})).await?;
    match job.wait().timeout(Duration::from_millis(300)).cancel_on_timeout().await {
        Err(error) if error.kind() == ErrorKind::WaitTimedOut => {
            let cancelled = matches!(error.remote_cancel(), Some(RemoteCancel::Cancelled));
            println!("{error}. Cancelled: {cancelled}.");
        }
        other => return Err(format!("expected a timeout: {other:?}").into()),
    }

    // A failed job is an error with the reason and the record.
    let failing = client.endpoint("fail").run(json!({"message": "no such model"})).await?;
    match failing.wait().await {
        Err(error) if error.kind() == ErrorKind::JobFailed => {
            let failure = error.job_failure().unwrap_or_default();
            println!("{error}. The handler said: {}.", failure.message);
        }
        other => return Err(format!("expected a failure: {other:?}").into()),
    }

    // Invalid requests are refused before they are sent.
    let refused = endpoint.run_sync(json!({})).wait(Duration::from_secs(3_600)).await;
    match refused {
        Err(error) if error.kind() == ErrorKind::InvalidRequest => println!("{error}."),
        other => return Err(format!("expected a refusal: {other:?}").into()),
    }
    Ok(())
}
