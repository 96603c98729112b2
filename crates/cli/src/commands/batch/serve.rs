//! Command `batch serve`: the OpenAI-compatible Batch API in front of endpoints.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use podqueue::RateLimits;
use podqueue_batch::ErrorKind;
use podqueue_batch::serve::{Keys, Server};
use serde_json::json;

use crate::batches::location::{JournalArgument, failure};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::settings::{self, read_private_file};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoints: ENDPOINT for any model, MODEL=ENDPOINT for a model.
    #[arg(required = true, value_name = "ENDPOINT")]
    endpoints: Vec<String>,

    /// The address to listen on. Other machines can use the server only with --api-key-file.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// The folder of files and batches, which is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,

    /// The keys of clients: a file with a key, or a name and a key, per line.
    ///
    /// Each name sees its own files and batches only; a key without a name stands for itself.
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,

    /// The database of the journals: postgres://user@host/database. Any number of servers can then
    /// share DIR, at the same path. A password belongs in ~/.pgpass or PGPASSWORD.
    #[arg(long, value_name = "URL")]
    journal: Option<JournalArgument>,

    /// Do not apply the documented rate limits: for a service without them, such as podqueue local.
    #[arg(long)]
    no_rate_limits: bool,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let limits = match arguments.no_rate_limits {
        true => RateLimits::off(),
        false => RateLimits::new(),
    };
    let mut client = settings::client_builder(&context.settings()?)?.rate_limits(limits);
    // Servers that share a database share the limits.
    if let Some(shared) =
        arguments.journal.as_ref().map(JournalArgument::limits).transpose()?.flatten()
    {
        client = client.shared_limits(shared);
    }
    let client = client.build()?;
    let output = context.output.clone();
    let mut builder = Server::builder(&arguments.dir)
        .listen(arguments.listen)
        .on_problem(move |problem| output.warn(problem));
    let (mut has_default, mut models) = (false, HashSet::new());
    for argument in &arguments.endpoints {
        builder = match argument.split_once('=') {
            Some((model, _)) if !models.insert(model) => {
                return Err(Failure::usage(format!(
                    "the model {model} has two endpoints: pass one"
                )));
            }
            Some((model, endpoint)) => builder.model(model, client.endpoint(endpoint)),
            None if has_default => {
                return Err(Failure::usage(
                    "only one endpoint can be for any model: give the others as MODEL=ENDPOINT",
                ));
            }
            None => {
                has_default = true;
                builder.endpoint(client.endpoint(argument))
            }
        };
    }
    if let Some(path) = &arguments.api_key_file {
        let text = read_private_file("file of client keys", path)?;
        let keys = Keys::parse(&text)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        builder = builder.keys(keys);
    }
    if let Some(journal) = &arguments.journal {
        let url = journal.server().ok_or_else(|| {
            Failure::usage(
                "--journal is the URL of a database, without #NAME: each batch has a name of its own",
            )
        })?;
        builder = builder.database(url);
    }
    let mut signals = Signals::listen()?;
    let server = signals.unless(builder.start()).await?.map_err(failed)?;
    let url = format!("http://{}/v1", server.address());
    if context.output.is_json() {
        context.output.json(&json!({ "url": url }))?;
    } else {
        context.output.line(&url)?;
        context.output.note("serving files and batches at this base URL; Ctrl-C stops");
    }
    let _ = signals.unless(std::future::pending::<()>()).await;
    // A second signal does not wait for the requests in progress.
    let _ = signals.unless(server.shutdown()).await;
    Ok(Exit::Done)
}

fn failed(error: podqueue_batch::Error) -> Failure {
    match error.kind() {
        // The hint of other commands is about a batch.
        ErrorKind::InUse => Failure::new(Exit::Error, error.to_string()),
        _ => failure(&error, "", None),
    }
}
