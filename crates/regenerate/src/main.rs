//! Command-line program `podqueue-regenerate`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use podqueue_regenerate::Regenerate;

/// Exit code of a run that needs attention: drift with --check, or queries that no longer validate.
const ATTENTION: u8 = 1;
/// Exit code of a failure to fetch, read or write. (2 is for invalid arguments.)
const FAILURE: u8 = 3;

/// Fetches the current REST description and GraphQL schema, prints the changes since the ones in
/// openapi/ and schema/, what they break and which queries no longer validate, and writes them
/// there.
///
/// The API key is read from PODQUEUE_API_KEY. It is sent to the GraphQL service only.
#[derive(Parser)]
#[command(
    name = "podqueue-regenerate",
    version,
    after_help = "Exit codes:\n  \
        0  nothing changed, or what changed was written and all queries validate\n  \
        1  with --check: something changed, or queries no longer validate;\n     \
           without: queries no longer validate\n  \
        2  invalid arguments\n  \
        3  something could not be fetched, read or written"
)]
#[command(group = clap::ArgGroup::new("sources").required(true).multiple(true))]
struct Arguments {
    /// The current REST description (OpenAPI, YAML or JSON): a URL or a file.
    #[arg(long, value_name = "URL|FILE", group = "sources")]
    rest: Option<String>,

    /// The GraphQL service, which is queried by introspection; or a file of SDL or of an
    /// introspection result.
    #[arg(
        long,
        value_name = "URL|FILE",
        group = "sources",
        env = "PODQUEUE_GRAPHQL_URL",
        hide_env_values = true
    )]
    graphql: Option<String>,

    /// Write nothing, and exit with 1 if anything changed or queries no longer validate: for a
    /// nightly CI job.
    #[arg(long)]
    check: bool,

    /// Write nothing, and exit with 0 in any case.
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,

    /// The folder of the REST description, or its file where the folder holds several.
    #[arg(long, value_name = "FOLDER|FILE", default_value = "openapi")]
    openapi: PathBuf,

    /// The folder of the GraphQL schema.
    #[arg(long, value_name = "FOLDER", default_value = "schema")]
    schema: PathBuf,

    /// The folder of the queries to validate against the current schema.
    #[arg(long, value_name = "FOLDER", default_value = "queries")]
    queries: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let key = std::env::var("PODQUEUE_API_KEY").ok().filter(|key| !key.is_empty());
    let mut regenerate = Regenerate::new()
        .openapi(arguments.openapi)
        .schema(arguments.schema)
        .queries(arguments.queries);
    if let Some(from) = arguments.rest {
        regenerate = regenerate.rest_from(from);
    }
    if let Some(from) = arguments.graphql {
        regenerate = regenerate.graphql_from(from);
    }
    if let Some(key) = key {
        regenerate = regenerate.api_key(key);
    }
    let is_read_only = arguments.check || arguments.dry_run;
    let found = regenerate.compare().and_then(|found| {
        if !is_read_only {
            found.write()?;
        }
        Ok(found)
    });
    match found {
        Ok(found) => {
            // With standard output closed, the exit code still reports the result.
            let _ = write!(io::stdout(), "{found}");
            let attention =
                (arguments.check && found.has_drift()) || !found.invalid_queries().is_empty();
            if attention && !arguments.dry_run {
                ExitCode::from(ATTENTION)
            } else {
                ExitCode::SUCCESS
            }
        }
        Err(failure) => {
            let _ = writeln!(io::stderr(), "podqueue-regenerate: {failure}");
            ExitCode::from(FAILURE)
        }
    }
}
