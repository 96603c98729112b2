//! Command-line program `podqueue-regenerate`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use podqueue_codegen::{Build, Dates, Pages};
use podqueue_regenerate::{Committed, Error, Regenerate, UntypedReport};

/// Exit code of a run that needs attention: drift with --check, or queries that no longer validate.
const ATTENTION: u8 = 1;
/// Exit code of a failure to fetch, read or write. (2 is for invalid arguments.)
const FAILURE: u8 = 3;

/// Fetches the current REST description and GraphQL schema, prints the changes since the ones in
/// openapi/ and schema/, what they break and which queries no longer validate, and writes them
/// there. With --into it generates code from REST descriptions instead, to be committed; with
/// --report it says which values of that code are untyped.
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
        3  something could not be fetched, read, generated or written"
)]
#[command(group = clap::ArgGroup::new("sources").required(true).multiple(true))]
#[command(group = clap::ArgGroup::new("code").args(["into", "report"]))]
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

    /// Generate the code of the descriptions into a folder such as src/generated, a file for each
    /// tag. `mod generated;` brings it in, and it needs podqueue-runtime alone.
    #[arg(long, value_name = "FOLDER", group = "sources", conflicts_with = "rest")]
    into: Option<PathBuf>,

    /// Print a line for each untyped value of the code of the descriptions, with its place and the
    /// reason, and a last line with the counts. Nothing is written.
    #[arg(long, group = "sources", conflicts_with_all = ["rest", "into", "check", "dry_run"])]
    report: bool,

    /// With --into or --report, only these operations and the types that they need: an operationId,
    /// "METHOD /path" or "tag:NAME". May be given several times.
    #[arg(long, value_name = "SELECTOR", requires = "code", conflicts_with = "rest")]
    only: Vec<String>,

    /// With --into or --report, how the pages of a list follow each other, where their names do not
    /// make it certain: "listShops=cursor(from, page.last).items(shops)". The selector is one of
    /// --only, and the rest is written as in a build script, without quotes. May be given several
    /// times.
    #[arg(
        long,
        value_name = "SELECTOR=PAGES",
        requires = "code",
        conflicts_with = "rest",
        value_parser = pages
    )]
    pages: Vec<(String, Pages)>,

    /// With --into or --report, dates and times as types of this crate; they are texts by default.
    #[arg(long, value_name = "CRATE", requires = "code", conflicts_with = "rest")]
    dates: Option<DateCrate>,

    /// With --into or --report, UUIDs as `uuid::Uuid`; they are texts by default.
    #[arg(long, requires = "code", conflicts_with = "rest")]
    uuids: bool,

    /// With --into, the types alone: no calls and no handle.
    #[arg(long, requires = "into")]
    types_alone: bool,

    /// Write nothing, and exit with 1 if anything changed or queries no longer validate: for a CI
    /// job. With --into, a line says of each file that is stale, missing or extra what to do.
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

    /// With --into or --report, the files and folders of the descriptions, that of --openapi by
    /// default.
    #[arg(value_name = "DESCRIPTION", requires = "code", conflicts_with = "rest")]
    descriptions: Vec<PathBuf>,
}

/// The crates that have types of dates and times.
#[derive(Clone, Copy, ValueEnum)]
enum DateCrate {
    Chrono,
    Jiff,
    Time,
}

/// A selector and the pages of what it selects.
fn pages(text: &str) -> Result<(String, Pages), String> {
    let (selector, pages) = text
        .rsplit_once('=')
        .ok_or("write an operation and its pages: \"listPets=cursor(after, next)\"")?;
    Ok((selector.trim().to_owned(), pages.parse()?))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.into {
        Some(folder) => commit(&arguments, folder),
        None if arguments.report => report(&arguments),
        None => compare(arguments),
    };
    outcome.unwrap_or_else(|failure| {
        let _ = writeln!(io::stderr(), "podqueue-regenerate: {failure}");
        ExitCode::from(FAILURE)
    })
}

/// Compares the stored description and schema with the current ones.
fn compare(arguments: Arguments) -> Result<ExitCode, Error> {
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
    let found = regenerate.compare()?;
    if !arguments.check && !arguments.dry_run {
        found.write()?;
    }
    // With standard output closed, the exit code still reports the result.
    let _ = write!(io::stdout(), "{found}");
    let attention = (arguments.check && found.has_drift()) || !found.invalid_queries().is_empty();
    Ok(attention_if(attention && !arguments.dry_run))
}

/// Generates the code of descriptions into a folder, or compares it with the folder.
fn commit(arguments: &Arguments, folder: &Path) -> Result<ExitCode, Error> {
    let generated = Committed::generate(&build(arguments), folder)?;
    let mut out = io::stdout();
    for warning in generated.warnings() {
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    if arguments.check || arguments.dry_run {
        let differences = generated.differences()?;
        differences.iter().for_each(|it| _ = writeln!(out, "{it}"));
        return Ok(attention_if(!differences.is_empty() && arguments.check));
    }
    for path in generated.write()? {
        let participle = if path.exists() { "written" } else { "removed" };
        let _ = writeln!(out, "{participle}: {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the untyped values of the code of descriptions.
fn report(arguments: &Arguments) -> Result<ExitCode, Error> {
    let untyped = UntypedReport::of(&build(arguments))?;
    let _ = write!(io::stdout(), "{untyped}");
    Ok(ExitCode::SUCCESS)
}

/// The settings of the generator, as a build script would state them: all selectors are of all
/// descriptions.
fn build(arguments: &Arguments) -> Build {
    let default = [arguments.openapi.clone()];
    let places: &[PathBuf] = match arguments.descriptions.as_slice() {
        [] => &default,
        given => given,
    };
    let mut build = Build::new().rest_of(places);
    if !arguments.only.is_empty() {
        build = build.only(&arguments.only);
    }
    for (selector, pages) in &arguments.pages {
        build = build.pages(selector, pages.clone());
    }
    if let Some(dates) = arguments.dates {
        build = build.dates(match dates {
            DateCrate::Chrono => Dates::Chrono,
            DateCrate::Jiff => Dates::Jiff,
            DateCrate::Time => Dates::Time,
        });
    }
    if arguments.uuids {
        build = build.uuids();
    }
    if arguments.types_alone { build.types_alone() } else { build }
}

fn attention_if(attention: bool) -> ExitCode {
    if attention { ExitCode::from(ATTENTION) } else { ExitCode::SUCCESS }
}
