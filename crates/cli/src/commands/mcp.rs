//! Command `mcp`: a Model Context Protocol server for assistants.

use std::env;
use std::future::pending;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use etcetera::BaseStrategy;
use podqueue_mcp::{Action, Server};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{parse_max_cost, parse_price};
use crate::interrupt::Signals;

/// The variable with the token of HTTP.
const TOKEN: &str = "PODQUEUE_MCP_TOKEN";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Actions to allow, separated by commas; without them, the server only reads.
    ///
    /// run: submit jobs. cancel: cancel jobs. batch: run, retry and cancel batches, with --files.
    /// local: start a service on this machine, and do all of that there, at no cost.
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',')]
    allow: Vec<Action>,

    /// The endpoints to which all tools are bounded, separated by commas.
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    endpoints: Option<Vec<String>>,

    /// A folder below which batches read their inputs and write their results; may be repeated.
    ///
    /// A relative path of an assistant is relative to the first of them.
    #[arg(long, value_name = "DIR")]
    files: Vec<PathBuf>,

    /// The price of execution, per second unless it ends in /min or /h.
    #[arg(long, value_name = "PRICE", value_parser = parse_price, requires = "max_cost",
        allow_negative_numbers = true)]
    price: Option<f64>,

    /// The most that all jobs of this server may cost together, since its state folder was created.
    ///
    /// A job reserves its execution timeout, 10 minutes by default, until its execution time is
    /// known; a batch reserves that of all its inputs, or what is left, until its run ends.
    #[arg(long, value_name = "COST", value_parser = parse_max_cost, requires = "price",
        allow_negative_numbers = true)]
    max_cost: Option<f64>,

    /// Serve streamable HTTP on this machine, instead of standard input and output.
    ///
    /// The address is one of this machine alone; by default, the port is free. The URL and the
    /// token that each request must carry are printed on standard error. PODQUEUE_MCP_TOKEN sets
    /// the token.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1)]
    http: Option<Option<SocketAddr>>,

    /// The folder of the call journal, by which a repeated call runs nothing twice.
    ///
    /// By default, podqueue/mcp in the folder for states of programs. Several servers may share it.
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

pub async fn run(context: &Context, arguments: Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    let folder = match arguments.state {
        Some(folder) => folder,
        None => state_folder()?,
    };
    let mut builder =
        Server::builder(folder).allow(arguments.allow.iter().copied()).files(arguments.files);
    let settings = context.settings()?;
    // A service on this machine needs no settings.
    let is_set_up = settings.base_url.is_some() || !arguments.allow.contains(&Action::Local);
    if is_set_up {
        builder = builder.client(context.client_of(&settings)?);
        if settings.account_url.is_some() {
            builder = builder.account();
        }
    }
    if let Some(endpoints) = arguments.endpoints {
        builder = builder.endpoints(endpoints);
    }
    if let (Some(max_cost), Some(price)) = (arguments.max_cost, arguments.price) {
        builder = builder.max_cost(max_cost, price);
    }
    // Each of its failures is about the value of an option.
    let server = builder.build().map_err(|error| Failure::usage(error.to_string()))?;
    let interrupted = async move {
        let _ = signals.unless(pending::<()>()).await;
    };
    let served = match arguments.http {
        None => server.serve_stdio(interrupted).await,
        Some(address) => {
            let address = address.unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
            let token = env::var(TOKEN).ok().map(|token| token.trim().to_owned());
            let token = token.filter(|token| !token.is_empty());
            let is_random = token.is_none();
            let http = server.listen(address, token).await;
            let http = http.map_err(|error| Failure::usage(error.to_string()))?;
            context.output.note(format!("serving {}", http.url()));
            if is_random {
                context.output.note(format!("authorization: Bearer {}", http.token()));
            }
            http.serve(interrupted).await
        }
    };
    served.map(|()| Exit::Done).map_err(|error| failed(&error))
}

fn failed(error: &podqueue_mcp::Error) -> Failure {
    Failure::new(Exit::Error, error.to_string())
}

/// The default folder of the call journal.
fn state_folder() -> Result<PathBuf, Failure> {
    let strategy = etcetera::choose_base_strategy().map_err(|error| {
        Failure::usage(format!("failed to find your home: {error}"))
            .hint("name a folder with --state")
    })?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    Ok(folder.join("podqueue").join("mcp"))
}
