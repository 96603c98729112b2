//! Where a batch is, and what helps if something is wrong with it.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use podqueue::ErrorKind as ServiceKind;
use podqueue_batch::{Batch, Error, ErrorKind, Open, Postgres, Reader, Sqlite};

use crate::exit::Exit;
use crate::failure::{Failure, quoted};

/// The name of a batch whose database is named without one.
const UNNAMED: &str = "batch";

/// A batch that exists.
#[derive(Debug, Args)]
pub struct Place {
    /// The batch's results, which `batch run` got as --out.
    pub results: PathBuf,

    /// The batch's journal, if it is not next to the results: a file, or postgres://….
    #[arg(long, value_name = "JOURNAL")]
    journal: Option<Named>,
}

impl Place {
    pub fn journal(&self) -> Journal {
        Journal::of(&self.results, self.journal.as_ref())
    }

    pub fn failure(&self, error: &Error) -> Failure {
        failure(error, &self.results, None)
    }
}

/// A journal as an argument names it: a file, or the URL of a database with the batch's name after #.
#[derive(Clone)]
pub struct Named(String);

impl Named {
    /// Its path, if it is a file.
    pub fn file(&self) -> Option<&Path> {
        (!is_url(&self.0)).then(|| Path::new(&self.0))
    }
}

impl From<String> for Named {
    // Whether a URL is valid is not for the parser of arguments to say, which would print it.
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It may contain a password.
        f.debug_tuple("Named").field(&self.file()).finish()
    }
}

fn is_url(text: &str) -> bool {
    text.contains("://")
}

/// The journal of a batch.
pub enum Journal {
    File(Sqlite),
    Database(Postgres),
}

impl Journal {
    /// That with this name, or the file next to the results.
    pub fn of(results: &Path, named: Option<&Named>) -> Self {
        match named {
            Some(Named(url)) if is_url(url) => {
                let (url, name) = url.split_once('#').unwrap_or((url, UNNAMED));
                Self::Database(Postgres::connect(url, name))
            }
            Some(Named(file)) => Self::File(Sqlite::file(file)),
            None => {
                let mut name = OsString::from(results);
                name.push(".journal");
                Self::File(Sqlite::file(name))
            }
        }
    }

    pub fn open(self) -> Open {
        match self {
            Self::File(file) => Batch::open(file),
            Self::Database(database) => Batch::open(database),
        }
    }

    pub fn read(&self) -> Result<Reader, Error> {
        match self {
            Self::File(file) => Reader::open(file),
            Self::Database(database) => Reader::open(database),
        }
    }

    /// Whether a process runs the batch.
    pub fn is_open(&self) -> Result<bool, Error> {
        match self {
            Self::File(file) => Ok(file.is_open()),
            Self::Database(database) => database.is_open(),
        }
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
