//! The quick start of the README: submit a job and wait for its result. The local service runs in
//! this process.
//!
//! `cargo run --example hello`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use podqueue::Client;
use podqueue_local::{LocalJob, LocalService};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shout = |job: LocalJob| async move {
        let text = job.input["text"].as_str().ok_or("input.text is required")?;
        Ok(json!(text.to_uppercase()))
    };
    let local = LocalService::builder().api_key("local").endpoint("shout", shout).start().await?;

    let client = Client::builder().api_key("local").base_url(local.base_url()).build()?;
    let job = client.endpoint("shout").run(json!({ "text": "hello" })).await?;
    let output: Value = job.wait().await?.output()?;
    println!("{output}"); // "HELLO"
    Ok(())
}
