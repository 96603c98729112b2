//! Batch location: the results and the journal of a batch, and the hints for its failures.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use podqueue::{ErrorKind as ServiceKind, SharedLimits};
use podqueue_batch::{Batch, Error, ErrorKind, Open, Postgres, Reader, Sqlite};
use podqueue_limits::PostgresLimits;

use crate::batches::file_or_object::results_of;
use crate::exit::Exit;
use crate::failure::{Failure, quoted, translate_setting};

/// Timeout of a submission that waits for unreachable shared limits: then it is pending again, and
/// the run reports the reason.
const LIMITS_STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// The default name of a batch in a database.
const DEFAULT_NAME: &str = "batch";

/// The location of an existing batch.
#[derive(Debug, Args)]
pub struct BatchLocation {
    /// The results of the batch, --out of `batch run`.
    #[arg(value_parser = PathBufValueParser::new().map(results_of))]
    pub results: PathBuf,

    /// The journal of the batch, if it is not next to the results: a file, or postgres://….
    #[arg(long, value_name = "JOURNAL")]
    journal: Option<JournalArgument>,
}

impl BatchLocation {
    pub fn journal(&self) -> Journal {
        Journal::of(&self.results, self.journal.as_ref())
    }

    /// Returns true if several machines may have results of the batch.
    pub fn is_shared(&self) -> bool {
        self.journal.as_ref().is_some_and(|named| named.file().is_none())
    }

    /// The arguments that select the batch in a command.
    pub fn arguments(&self) -> String {
        batch_arguments(&self.results, self.journal.as_ref())
    }

    /// The path of the results, unless several machines may have some: the named path, or else the
    /// path in the journal. Moved results have their old path in the journal.
    pub fn results(&self, reader: &mut Reader) -> Result<Option<PathBuf>, Error> {
        if self.is_shared() {
            return Ok(None);
        }
        if self.results.is_file() { Ok(Some(self.results.clone())) } else { reader.results() }
    }

    pub fn failure(&self, error: &Error) -> Failure {
        let failure = failure(error, &self.arguments(), None);
        match self.lacks_database_name() {
            true => failure.hint(
                "these results belong to a batch whose journal is in a database: name it with --journal postgres://…",
            ),
            false => failure,
        }
    }

    /// Returns true if no journal is named or next to the results, but a file that only the results
    /// of a batch in a database have.
    fn lacks_database_name(&self) -> bool {
        let exists = |suffix| sibling(&self.results, suffix).exists();
        self.journal.is_none() && exists(".writer") && !exists(".journal")
    }
}

/// A journal argument: a file, or the URL of a database with the name of the batch after #.
#[derive(Clone)]
pub struct JournalArgument(String);

impl JournalArgument {
    /// The path, if it is a file.
    pub fn file(&self) -> Option<&Path> {
        (!is_url(&self.0)).then(|| Path::new(&self.0))
    }

    /// The URL, if it is that of a database and names no batch.
    pub fn server(&self) -> Option<&str> {
        database(&self.0).map(|(url, _)| url).filter(|url| url.len() == self.0.len())
    }

    /// The argument without the URL of a database, which may contain a password.
    fn shown(&self) -> String {
        match database(&self.0) {
            Some((url, name)) => {
                let scheme = url.split_once("://").map_or("postgres", |(scheme, _)| scheme);
                quoted(&format!("{scheme}://…#{name}"))
            }
            None => quoted(&self.0),
        }
    }

    /// The rate limits that all users of the same database share, if it is one.
    pub fn limits(&self) -> Result<Option<SharedLimits>, Failure> {
        let Some((url, _)) = database(&self.0) else { return Ok(None) };
        let store = PostgresLimits::connect(url);
        let store = store.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(SharedLimits::new(store).store_timeout(LIMITS_STORE_TIMEOUT)))
    }
}

impl From<String> for JournalArgument {
    // An invalid URL is refused later, since the argument parser would print it.
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for JournalArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may contain a password.
        f.debug_tuple("JournalArgument").field(&self.file()).finish()
    }
}

/// The URL of a database and the name of the batch, if this is a URL. A # before an @ is in a
/// password.
fn database(text: &str) -> Option<(&str, &str)> {
    let (user, rest) = text.split_at(text.rfind('@').unwrap_or_default());
    let named = || match rest.split_once('#') {
        Some((url, name)) => (&text[..user.len() + url.len()], name),
        None => (text, DEFAULT_NAME),
    };
    is_url(text).then(named)
}

fn is_url(text: &str) -> bool {
    text.contains("://")
}

/// The journal of a batch.
#[derive(Clone)]
pub enum Journal {
    File(Sqlite),
    Database(Postgres),
}

impl Journal {
    /// The journal of an argument, or the default file next to the results.
    pub fn of(results: &Path, named: Option<&JournalArgument>) -> Self {
        match named.map(|JournalArgument(text)| (text, database(text))) {
            Some((_, Some((url, name)))) => Self::Database(Postgres::connect(url, name)),
            Some((file, None)) => Self::File(Sqlite::file(file)),
            None => Self::File(Sqlite::file(sibling(results, ".journal"))),
        }
    }

    /// Fails immediately if the database is unreachable.
    pub fn without_patience(self) -> Self {
        match self {
            Self::File(file) => Self::File(file),
            Self::Database(database) => Self::Database(database.outage_timeout(Duration::ZERO)),
        }
    }

    /// Accepts that the database has lost changes: all of them, or only those that are in no
    /// results once the results of all machines are imported.
    pub fn accepting_loss(self, all: bool) -> Self {
        match self {
            Self::Database(database) if all => Self::Database(database.accept_loss_of_results()),
            Self::Database(database) => Self::Database(database.accept_loss()),
            file @ Self::File(_) => file,
        }
    }

    /// Returns true if the batch does not exist yet.
    pub fn is_new(&self) -> Result<bool, Error> {
        match self {
            Self::File(file) => Ok(file.is_new()),
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

    /// Returns true if a process runs the batch.
    pub fn is_open(&self) -> Result<bool, Error> {
        match self {
            Self::File(file) => Ok(file.is_open()),
            Self::Database(database) => database.is_open(),
        }
    }
}

/// A file next to the results.
fn sibling(results: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(results);
    name.push(suffix);
    name.into()
}

/// The arguments that select a batch in a command.
pub fn batch_arguments(results: &Path, journal: Option<&JournalArgument>) -> String {
    let journal = journal.map(|it| format!(" --journal {}", it.shown())).unwrap_or_default();
    format!("{}{journal}", quoted(&results.to_string_lossy()))
}

/// The failure of a command for an error of a batch, with hints.
pub fn failure(error: &Error, batch: &str, endpoint: Option<&str>) -> Failure {
    let service = error.service().map(podqueue::Error::kind);
    let exit = match (error.kind(), service) {
        (_, Some(kind)) => Exit::of(kind),
        (ErrorKind::Settings | ErrorKind::Inputs | ErrorKind::InputsChanged, None) => Exit::Usage,
        _ => Exit::Error,
    };
    let (message, hint) = translate_setting(error.to_string());
    let mut failure = Failure::new(exit, message);
    if let Some(hint) = hint {
        failure = failure.hint(hint);
    }
    match (error.kind(), service) {
        (ErrorKind::InUse, _) => {
            failure.hint(format!("to see its progress: podqueue batch watch {batch}"))
        }
        (_, Some(ServiceKind::Unauthorized | ServiceKind::NotFound | ServiceKind::Connect)) => {
            let endpoint = endpoint.map(|id| format!(" {}", quoted(id))).unwrap_or_default();
            failure.hint(format!("to find out why: podqueue doctor{endpoint}"))
        }
        _ => failure,
    }
}
