//! Batches: many inputs, and a journal of what becomes of each.

mod change;
mod check;
mod look;
mod run;
mod summary;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use podqueue::ErrorKind as ServiceKind;
use podqueue_batch::{Error, ErrorKind, Sqlite};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Submit the inputs of a file, and collect their results.
    ///
    /// The same command again continues where it was, also after a crash. Ctrl-C stops submitting
    /// and collects what is outstanding; a second one leaves that to the next run.
    Run(run::Arguments),
    /// Count a batch's inputs by state.
    Status(Place),
    /// Follow a batch that another process runs.
    Watch(watch::Arguments),
    /// List the inputs of which it is unknown whether they were accepted.
    Unknown(Place),
    /// Make inputs pending again that did not complete; the next run submits them.
    Retry(change::Retry),
    /// Cancel a batch's pending inputs and outstanding jobs.
    Cancel(Place),
    /// Print the results, ordered.
    Export(look::Export),
}

/// A batch that exists.
#[derive(Debug, Args)]
pub struct Place {
    /// The batch's results, which `batch run` got as --out.
    results: PathBuf,

    /// The batch's journal, if it is not next to the results.
    #[arg(long, value_name = "FILE", value_parser = journal_file)]
    journal: Option<PathBuf>,
}

impl Place {
    fn journal(&self) -> Sqlite {
        journal(&self.results, self.journal.as_deref())
    }

    fn failure(&self, error: &Error) -> Failure {
        failure(error, &self.results, None)
    }
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(arguments) if arguments.dry_run => check::check(context, &arguments).await,
        Command::Run(arguments) => run::run(context, &arguments).await,
        Command::Status(place) => look::status(context, &place),
        Command::Watch(arguments) => watch::watch(context, &arguments).await,
        Command::Unknown(place) => look::unknown(context, &place),
        Command::Retry(arguments) => change::retry(context, &arguments).await,
        Command::Cancel(place) => change::cancel(context, &place).await,
        Command::Export(arguments) => look::export(context, &arguments),
    }
}

/// The journal of a batch: next to its results where no other is named.
fn journal(results: &Path, journal: Option<&Path>) -> Sqlite {
    match journal {
        Some(journal) => Sqlite::file(journal),
        None => {
            let mut name = OsString::from(results);
            name.push(".journal");
            Sqlite::file(name)
        }
    }
}

fn journal_file(text: &str) -> Result<PathBuf, String> {
    match text.contains("://") {
        true => Err("expected a file: journals in databases are not supported".to_owned()),
        false => Ok(text.into()),
    }
}

/// What helps after a failure of a batch with these results, on an endpoint if that matters.
fn failure(error: &Error, results: &Path, endpoint: Option<&str>) -> Failure {
    let service = error.service().map(podqueue::Error::kind);
    let exit = match (error.kind(), service) {
        (_, Some(kind)) => Exit::of(kind),
        (ErrorKind::Settings, None) => Exit::Usage,
        _ => Exit::Error,
    };
    let failure = Failure::new(exit, error.to_string());
    match (error.kind(), service) {
        (ErrorKind::InUse, _) => failure
            .hint(format!("to see how it goes: podqueue batch watch {}", quoted_path(results))),
        (_, Some(ServiceKind::Unauthorized | ServiceKind::NotFound | ServiceKind::Connect)) => {
            let endpoint = endpoint.map(|id| format!(" {}", quoted(id))).unwrap_or_default();
            failure.hint(format!("to find out why: podqueue doctor{endpoint}"))
        }
        _ => failure,
    }
}

fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}
