//! A handler that streams its output, and a client that prints it as it arrives.
//!
//! `cargo run --example streaming`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::io::Write;
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::Client;
use podqueue_local::{LocalJob, LocalService};
use serde::Deserialize;
use serde_json::{Value, json};

const VERSE: &str = "The lamp turns round, the water sleeps, and someone counts the ships.";

#[derive(Deserialize)]
struct Token {
    text: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let local = LocalService::builder()
        .endpoint("poet", |job: LocalJob| async move {
            for word in VERSE.split_inclusive(' ') {
                job.sleep(Duration::from_millis(30)).await;
                job.emit(json!({"text": word})).await;
            }
            Ok(Value::Null)
        })
        .start()
        .await?;
    let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;

    let mut tokens = client.endpoint("poet").run(json!({})).stream::<Token>();
    let mut read = 0;
    while let Some(chunk) = tokens.next().await {
        let chunk = chunk?;
        print!("{}", chunk.output.text);
        std::io::stdout().flush()?;
        read += 1;
    }
    println!("\n({read} chunks; the stream ended with the job.)");
    Ok(())
}
