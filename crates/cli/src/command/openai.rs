//! The OpenAI-compatible interface of an endpoint.

use std::time::Duration;

use clap::Args;

use crate::context::Context;
use crate::duration::duration;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
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

    /// The longest time to wait for the response; a worker may have to start first.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10m")]
    timeout: Duration,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let body = input::json("BODY", &arguments.body)?;
    let endpoint = context.endpoint(&arguments.endpoint)?;
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("waiting for {}", endpoint.id()));
    let call = async { endpoint.openai(&arguments.path, &body).timeout(arguments.timeout).await };
    let response = signals.unless(call).await;
    drop(progress);
    let response = response?.map_err(|error| Failure::on_endpoint(&error, endpoint.id()))?;
    context.output.raw_json(&response.to_string())?;
    Ok(Exit::Done)
}
