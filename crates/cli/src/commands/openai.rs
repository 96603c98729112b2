//! Command `openai`: a call of an endpoint's OpenAI-compatible interface.

use std::future::IntoFuture;
use std::time::Duration;

use clap::Args;
use futures_util::StreamExt;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{self, parse_duration};
use crate::interrupt::Signals;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    /// The path below /openai, such as v1/chat/completions.
    path: String,

    /// The body: JSON, @FILE, or - for standard input.
    #[arg(default_value = "{}")]
    body: String,

    /// Print the data of each event of a streamed response as it arrives, one per line.
    ///
    /// The body gets "stream": true.
    #[arg(long)]
    stream: bool,

    /// The longest time to wait for the response; a worker may have to start first.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10m")]
    timeout: Duration,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    let body = arguments.body.clone();
    let body = signals.unless_blocked(move || input::json("BODY", &body)).await??;
    let endpoint = context.endpoint(&arguments.endpoint)?;
    let progress = context.output.progress(format!("waiting for {}", endpoint.id()));
    if arguments.stream {
        let call = endpoint.openai_stream(&arguments.path, &body).timeout(arguments.timeout);
        let print = async {
            let mut events = call.await?;
            drop(progress);
            while let Some(event) = events.next().await.transpose()? {
                if event.data == "[DONE]" {
                    break;
                }
                if let Err(failure) = context.output.json_or_text(&event.data) {
                    return Ok(Err(failure));
                }
                if is_error(&event.data) {
                    return Ok(Err(error_event(endpoint.id())));
                }
            }
            Ok(Ok(Exit::Done))
        };
        let done: podqueue::Result<_> = signals.unless(print).await?;
        return done.map_err(|error| Failure::on_endpoint(&error, endpoint.id()))?;
    }
    let call = endpoint.openai_as::<Box<RawValue>>(&arguments.path, &body);
    let response = signals.unless(call.timeout(arguments.timeout).into_future()).await;
    drop(progress);
    let response = response?.map_err(|error| Failure::on_endpoint(&error, endpoint.id()))?;
    context.output.raw_json(response.get())?;
    Ok(Exit::Done)
}

/// Returns true if an event ends a response with an error, in the format of OpenAI.
fn is_error(data: &str) -> bool {
    let event: Option<Value> = serde_json::from_str(data).ok();
    event.is_some_and(|event| event.get("error").is_some_and(|error| !error.is_null()))
}

fn error_event(endpoint: &str) -> Failure {
    // Omits the text of the error, which is not redacted.
    let message = format!(
        "openai on endpoint {endpoint:?}: the response ended with an error, the last line of the \
         output"
    );
    Failure::new(Exit::JobFailed, message)
}
