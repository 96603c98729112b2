//! Where a batch is, and what helps if something is wrong with it.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use podqueue::{ErrorKind as ServiceKind, SharedLimits};
use podqueue_batch::store::OpenStore;
use podqueue_batch::{Batch, Error, ErrorKind, Open, Postgres, Reader, Sqlite};
use podqueue_limits::PostgresLimits;

use crate::exit::Exit;
use crate::failure::{Failure, quoted, translated};

/// How long a submission waits for limits that are out of reach: then it is pending again, and the
/// run says why.
const PATIENCE: Duration = Duration::from_secs(5);

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

    /// Whether several machines may have results of it.
    pub fn is_shared(&self) -> bool {
        self.journal.as_ref().is_some_and(|named| named.file().is_none())
    }

    /// What names it in a command.
    pub fn words(&self) -> String {
        words(&self.results, self.journal.as_ref())
    }

    /// The results, unless each of several machines has some: where they are named, or else where they
    /// were written. They may have been moved with their journal, which has their old path.
    pub fn results(&self, reader: &mut Reader) -> Result<Option<PathBuf>, Error> {
        if self.is_shared() {
            return Ok(None);
        }
        if self.results.is_file() { Ok(Some(self.results.clone())) } else { reader.results() }
    }

    pub fn failure(&self, error: &Error) -> Failure {
        let failure = failure(error, &self.words(), None);
        match self.is_of_a_database_not_named() {
            true => failure.hint(
                "these results belong to a batch whose journal is in a database: name it with --journal postgres://…",
            ),
            false => failure,
        }
    }

    /// Whether no journal is named, and there is none next to the results, but what only the results
    /// of a batch in a database have.
    fn is_of_a_database_not_named(&self) -> bool {
        let exists = |ending| beside(&self.results, ending).exists();
        self.journal.is_none() && exists(".writer") && !exists(".journal")
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

    /// As it is shown, a database without the URL, which may contain a password.
    fn shown(&self) -> String {
        match database(&self.0) {
            Some((url, name)) => {
                let scheme = url.split_once("://").map_or("postgres", |(scheme, _)| scheme);
                quoted(&format!("{scheme}://…#{name}"))
            }
            None => quoted(&self.0),
        }
    }

    /// The rate limits that all who use the same database keep together, if it is one.
    pub fn limits(&self) -> Result<Option<SharedLimits>, Failure> {
        let Some((url, _)) = database(&self.0) else { return Ok(None) };
        let store = PostgresLimits::connect(url);
        let store = store.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(SharedLimits::new(store).patience(PATIENCE)))
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

/// The URL of a database, and the batch's name, if this is one. A # before an @ is in a password.
fn database(text: &str) -> Option<(&str, &str)> {
    let (user, place) = text.split_at(text.rfind('@').unwrap_or_default());
    let named = || match place.split_once('#') {
        Some((place, name)) => (&text[..user.len() + place.len()], name),
        None => (text, UNNAMED),
    };
    is_url(text).then(named)
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
        match named.map(|Named(text)| (text, database(text))) {
            Some((_, Some((url, name)))) => Self::Database(Postgres::connect(url, name)),
            Some((file, None)) => Self::File(Sqlite::file(file)),
            None => Self::File(Sqlite::file(beside(results, ".journal"))),
        }
    }

    /// The same, but a database that cannot be reached is not waited for.
    pub fn impatient(self) -> Self {
        match self {
            Self::File(file) => Self::File(file),
            Self::Database(database) => Self::Database(database.patience(Duration::ZERO)),
        }
    }

    /// The same, also if it is in a database that has lost changes: `all` of them, or only once the
    /// results of all machines are imported.
    pub fn accepting_loss(self, all: bool) -> Self {
        match self {
            Self::Database(database) if all => Self::Database(database.accept_loss_of_results()),
            Self::Database(database) => Self::Database(database.accept_loss()),
            file @ Self::File(_) => file,
        }
    }

    /// Whether there is nothing of the batch yet.
    pub fn is_new(&self) -> Result<bool, Error> {
        match self {
            Self::File(file) => file.is_new(),
            Self::Database(database) => database.is_new(),
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

/// A file next to the results.
fn beside(results: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(results);
    name.push(ending);
    name.into()
}

/// What names a batch in a command.
pub fn words(results: &Path, journal: Option<&Named>) -> String {
    let journal = journal.map(|it| format!(" --journal {}", it.shown())).unwrap_or_default();
    format!("{}{journal}", quoted(&results.to_string_lossy()))
}

/// What helps after a failure of the batch with this name, on an endpoint if that matters.
pub fn failure(error: &Error, batch: &str, endpoint: Option<&str>) -> Failure {
    let service = error.service().map(podqueue::Error::kind);
    let exit = match (error.kind(), service) {
        (_, Some(kind)) => Exit::of(kind),
        (ErrorKind::Settings | ErrorKind::Inputs | ErrorKind::InputsChanged, None) => Exit::Usage,
        _ => Exit::Error,
    };
    let (message, hint) = translated(error.to_string());
    let mut failure = Failure::new(exit, message);
    if let Some(hint) = hint {
        failure = failure.hint(hint);
    }
    match (error.kind(), service) {
        (ErrorKind::InUse, _) => {
            failure.hint(format!("to see how it goes: podqueue batch watch {batch}"))
        }
        (_, Some(ServiceKind::Unauthorized | ServiceKind::NotFound | ServiceKind::Connect)) => {
            let endpoint = endpoint.map(|id| format!(" {}", quoted(id))).unwrap_or_default();
            failure.hint(format!("to find out why: podqueue doctor{endpoint}"))
        }
        _ => failure,
    }
}
