//! Command `graphql`: execution of any GraphQL document.

use std::collections::BTreeMap;
use std::future::IntoFuture;

use clap::Args;
use podqueue::ErrorKind;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{pair, read_file, read_stdin, value_of};
use crate::interrupt::Signals;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The file with the document; - for standard input.
    file: String,

    /// A variable; can be repeated.
    ///
    /// A value that is not JSON is a string; @FILE stands for the text of a file.
    #[arg(long = "var", value_name = "NAME=VALUE")]
    variables: Vec<String>,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    let document = match arguments.file.as_str() {
        "-" => signals.unless_blocked(read_stdin).await??,
        path => read_file(path)?,
    };
    let mut variables = BTreeMap::new();
    for variable in &arguments.variables {
        let (name, value) = pair("--var", variable)?;
        let value = value_of(value)?;
        // Refuses a number that is out of range, for example.
        serde_json::from_str::<Value>(value.get()).map_err(|error| {
            Failure::usage(format!("the value of --var {name} cannot be sent: {error}"))
        })?;
        variables.insert(name, value);
    }
    let client = context.client()?;
    let call = client.graphql().raw_as::<Box<RawValue>>(document, &variables);
    let call = signals.unless_sent(call.into_future());
    let data =
        context.output.with_progress("waiting for the response", call).await?.or_else(|error| {
            // Partial data is printed, too.
            let partial =
                error.graphql().and_then(|failure| failure.partial_data::<Box<RawValue>>().ok()?);
            if let Some(data) = partial.filter(|_| error.kind() == ErrorKind::Graphql) {
                context.output.raw_json(data.get())?;
            }
            Err(Failure::from(error))
        })?;
    context.output.raw_json(data.get())?;
    Ok(Exit::Done)
}
