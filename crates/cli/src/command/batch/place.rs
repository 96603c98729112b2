//! Where a batch is, and what helps if something is wrong with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use podqueue::ErrorKind as ServiceKind;
use podqueue_batch::{Error, ErrorKind, Sqlite};

use crate::exit::Exit;
use crate::failure::{Failure, quoted};

/// A batch that exists.
#[derive(Debug, Args)]
pub struct Place {
    /// The batch's results, which `batch run` got as --out.
    pub results: PathBuf,

    /// The batch's journal, if it is not next to the results.
    #[arg(long, value_name = "FILE", value_parser = journal_file)]
    journal: Option<PathBuf>,
}

impl Place {
    pub fn journal(&self) -> Sqlite {
        journal(&self.results, self.journal.as_deref())
    }

    pub fn failure(&self, error: &Error) -> Failure {
        failure(error, &self.results, None)
    }
}

/// The journal of a batch: next to its results where no other is named.
pub fn journal(results: &Path, journal: Option<&Path>) -> Sqlite {
    match journal {
        Some(journal) => Sqlite::file(journal),
        None => {
            let mut name = OsString::from(results);
            name.push(".journal");
            Sqlite::file(name)
        }
    }
}

pub fn journal_file(text: &str) -> Result<PathBuf, String> {
    match text.contains("://") {
        true => Err("expected a file: journals in databases are not supported".to_owned()),
        false => Ok(text.into()),
    }
}

/// What helps after a failure of a batch with these results, on an endpoint if that matters.
pub fn failure(error: &Error, results: &Path, endpoint: Option<&str>) -> Failure {
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

pub fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}
