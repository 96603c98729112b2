//! Warm workers: the minimum of an endpoint's workers, raised for a run and restored after it, also
//! if the run was killed.
//!
//! Before the change, a record of the former numbers is written durably beside the settings file.
//! The run holds a lock on it, which the operating system releases when the process ends. Invariant:
//! as long as the numbers may differ from the former ones, the record exists; it is removed only
//! after they are restored. Each command restores the numbers of the records whose lock is free.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use podqueue::account::{AccountEndpoint, WorkerLimits};
use podqueue::{Error, ErrorKind, RetryPolicy};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::of_settings;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::settings::{self, Selection, Settings, redacted_url};

/// Timeout of restoring the numbers of an endpoint.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(10);

/// Minimum and maximum of workers, as a record has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Limits {
    min: u32,
    max: u32,
}

impl From<Limits> for WorkerLimits {
    fn from(Limits { min, max }: Limits) -> Self {
        Self { min, max }
    }
}

/// The change that a run has made.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The URL of the account interface, without what may be secret in it.
    account_url: String,
    profile: Option<String>,
    /// Digest of the API key: in the account of another key, the endpoint does not exist. Empty in
    /// records of earlier versions.
    #[serde(default)]
    key_digest: String,
    endpoint: String,
    former: Limits,
    set: Limits,
}

impl Record {
    fn is_of(&self, settings: &Settings) -> bool {
        let url = settings.account_url.as_deref().map(redacted_url);
        let without_end = |url: &str| url.trim_end_matches('/').to_owned();
        url.as_deref().map(without_end) == Some(without_end(&self.account_url))
    }

    fn limits(&self) -> (WorkerLimits, WorkerLimits) {
        (self.former.into(), self.set.into())
    }
}

/// Digest of the API key, which does not reveal it.
fn key_digest(settings: &Settings) -> Result<String, Failure> {
    let key = settings.key.read()?;
    let key = key.as_ref().map_or("", |key| key.expose());
    let digest = blake3::derive_key("podqueue-cli 2026 key of a keep-warm record", key.as_bytes());
    Ok(blake3::Hash::from(digest).to_hex()[..16].to_owned())
}

/// A record on disk. Its lock is held until it is dropped.
#[derive(Debug)]
struct RecordFile {
    path: PathBuf,
    _locked: File,
}

impl RecordFile {
    /// Writes a record durably, with its lock held.
    fn create(folder: &Path, record: &Record) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        folder.parent().map_or(Ok(()), sync_folder)?;
        let mut file =
            tempfile::Builder::new().prefix("run-").suffix(".new").tempfile_in(folder)?;
        // Before it has the name by which other processes find it.
        file.as_file().lock()?;
        file.write_all(&serde_json::to_vec(record)?)?;
        file.as_file().sync_all()?;
        let path = file.path().with_extension(EXTENSION);
        let locked = file.persist_noclobber(&path)?;
        sync_folder(folder)?;
        Ok(Self { path, _locked: locked })
    }

    fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        self.path.parent().map_or(Ok(()), sync_folder)
    }
}

const EXTENSION: &str = "json";

/// Makes the names in a folder durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    // The parent of a relative path may be empty.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// A record that was found.
enum Found {
    /// The process of the record runs.
    Live(Record),
    Abandoned(RecordFile, Record),
}

/// The folder of the records, beside the settings file.
fn folder() -> Result<PathBuf, Failure> {
    Ok(settings::path()?.with_file_name("keep-warm"))
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension() == Some(OsStr::new(EXTENSION))).collect()
}

/// Reads a record, and locks it if its process has ended; `None` if it was removed meanwhile.
fn find(path: &Path) -> io::Result<Option<Found>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let record: Record = serde_json::from_str(&text)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(Some(Found::Live(record))),
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    // Another process may have restored the numbers between opening and locking.
    let found = Found::Abandoned(RecordFile { path: path.to_owned(), _locked: file }, record);
    Ok(path.exists().then_some(found))
}

/// Workers that are kept warm. [`restore`](Self::restore) must be called; if the process dies
/// before, the next command does it.
#[derive(Debug)]
pub struct WarmWorkers {
    endpoint: AccountEndpoint,
    record: Record,
    file: RecordFile,
}

impl WarmWorkers {
    /// Raises the minimum of an endpoint's workers, unless it is as high already, or another run on
    /// this machine keeps workers of the endpoint warm: then nothing is changed.
    pub async fn start(
        context: &Context,
        signals: &mut Signals,
        id: &str,
        workers: u32,
    ) -> Result<Option<Self>, Failure> {
        let settings = context.settings()?;
        let account = of_settings(context, &settings)?;
        let endpoint = account.endpoint(id);
        let present = signals.unless(async { account.get_endpoint(id).await }).await??;
        let present = present.workers.unwrap_or_default();
        let known = |number: Option<i64>| number.and_then(|it| u32::try_from(it).ok());
        let (Some(min), Some(max)) = (known(present.min), known(present.max)) else {
            let message = "the service does not say how many workers the endpoint has";
            return Err(Failure::new(Exit::Error, message));
        };
        let former = Limits { min, max };
        let set = Limits { min: workers, max: max.max(workers) };
        let record = Record {
            account_url: settings.account_url.as_deref().map(redacted_url).unwrap_or_default(),
            profile: settings.profile.clone(),
            key_digest: key_digest(&settings)?,
            endpoint: id.to_owned(),
            former,
            set,
        };
        let folder = folder()?;
        for path in paths(&folder) {
            let is_same =
                |other: &Record| other.endpoint == id && other.account_url == record.account_url;
            match find(&path) {
                Ok(Some(Found::Live(other))) if is_same(&other) => {
                    context.output.warn(format_args!(
                        "another run keeps {} workers of {id} warm until it ends; this run changes \
                         nothing",
                        other.set.min,
                    ));
                    return Ok(None);
                }
                Ok(Some(Found::Abandoned(_, other))) if is_same(&other) => {
                    return Err(Failure::new(
                        Exit::Error,
                        format!("an earlier run left {id} with {} warm workers", other.set.min),
                    )
                    .hint("the next command tries again to restore its numbers"));
                }
                _ => {}
            }
        }
        if min >= workers {
            context.output.note(format_args!("{id} keeps {min} workers warm already"));
            return Ok(None);
        }
        let file = RecordFile::create(&folder, &record).map_err(|error| {
            let folder = folder.display();
            let message = format!("failed to record the present numbers in {folder}: {error}");
            Failure::new(Exit::Error, message)
                .hint("the workers were not changed: without the record, a kill would leave them")
        })?;
        let warm = Self { endpoint, record, file };
        let scaling = async { warm.endpoint.scale(set.min, set.max).await };
        match signals.unless(scaling).await {
            Ok(Ok(scaled)) => {
                // The record replaces the guard.
                scaled.keep();
                context.output.note(format_args!(
                    "keeping {} workers of {id} warm: {} to {} workers, until the run ends",
                    set.min, set.min, set.max
                ));
                Ok(Some(warm))
            }
            Ok(Err(error)) if error.kind() == ErrorKind::OutcomeUnknown => {
                warm.restore(context, signals).await;
                Err(error.into())
            }
            Ok(Err(error)) => {
                // Refused: nothing has changed.
                let _ = warm.file.remove();
                Err(error.into())
            }
            Err(interrupted) => {
                warm.restore(context, signals).await;
                Err(interrupted.into())
            }
        }
    }

    /// Restores the former numbers. If that fails, the record stays, for the next command.
    pub async fn restore(self, context: &Context, signals: &mut Signals) {
        let Self { endpoint, record, file } = self;
        let restoring = signals.unless(restore(&endpoint, &record));
        let failed = match restoring.await {
            Ok(Ok(outcome)) => return outcome.report(context, &record, file),
            Ok(Err(failure)) => failure.message,
            Err(_) => "interrupted".to_owned(),
        };
        context.output.warn(format_args!(
            "{} may still have {} warm workers, which cost: {failed}; the next command restores its \
             numbers",
            record.endpoint, record.set.min,
        ));
    }
}

/// The outcome of a restoration.
enum Outcome {
    Restored,
    /// The numbers were changed by others since the run began.
    LeftAlone,
    /// The endpoint no longer exists.
    Deleted,
}

impl Outcome {
    fn report(&self, context: &Context, record: &Record, file: RecordFile) {
        let Record { endpoint, former, set, .. } = record;
        match self {
            Self::Restored => context.output.note(format_args!(
                "{endpoint} has {} to {} workers again",
                former.min, former.max
            )),
            Self::LeftAlone => context.output.warn(format_args!(
                "the numbers of workers of {endpoint} were changed since they were set to {} to {}, \
                 and are left as they are; before, they were {} to {}",
                set.min, set.max, former.min, former.max
            )),
            Self::Deleted => {
                context.output.note(format_args!("{endpoint} no longer exists, nor do its workers"));
            }
        }
        let path = file.path.display().to_string();
        if let Err(error) = file.remove() {
            context.output.warn(format_args!("failed to delete {path}: {error}"));
        }
    }
}

async fn restore(endpoint: &AccountEndpoint, record: &Record) -> Result<Outcome, Failure> {
    let (former, set) = record.limits();
    let mut scaled = endpoint.scaled(former, set);
    let restored: Option<Result<bool, Error>> =
        timeout(RESTORE_TIMEOUT, scaled.restore()).await.ok();
    // The record replaces the guard.
    scaled.keep();
    match restored {
        Some(Ok(true)) => Ok(Outcome::Restored),
        Some(Ok(false)) => Ok(Outcome::LeftAlone),
        Some(Err(error)) if error.kind() == ErrorKind::NotFound => Ok(Outcome::Deleted),
        Some(Err(error)) => Err(error.into()),
        None => Err(Failure::new(
            Exit::Error,
            "the service, or its rate limit, did not let it happen in time",
        )),
    }
}

/// Restores the numbers of workers of each run that was killed before it did so. A failure is a
/// warning, and the next command tries again.
pub async fn restore_abandoned(context: &Context) {
    let Ok(folder) = folder() else { return };
    for path in paths(&folder) {
        match find(&path) {
            Ok(None | Some(Found::Live(_))) => {}
            Ok(Some(Found::Abandoned(file, record))) => {
                match restore_record(context, &record, &file.path).await {
                    Ok(outcome) => outcome.report(context, &record, file),
                    Err(failure) => {
                        context.output.warn(format_args!(
                            "a run that was killed left {} with {} warm workers, which cost, and \
                             restoring {} to {} failed: {}",
                            record.endpoint,
                            record.set.min,
                            record.former.min,
                            record.former.max,
                            failure.message
                        ));
                        failure.hints.iter().for_each(|hint| context.output.hint(hint));
                    }
                }
            }
            Err(error) => {
                let path = path.display();
                context.output.warn(format_args!(
                    "failed to read which workers a killed run kept warm, from {path}: {error}"
                ));
                context.output.hint(format_args!(
                    "see with `podqueue endpoint list` whether a minimum of workers is to be lowered, \
                     then delete {path}"
                ));
            }
        }
    }
}

async fn restore_record(
    context: &Context,
    record: &Record,
    path: &Path,
) -> Result<Outcome, Failure> {
    // A key is never sent to a URL that it does not belong to.
    let active = context.settings().ok().filter(|settings| record.is_of(settings));
    let of_profile = || {
        let selection = Selection::of_profile(Some(record.profile.clone()?));
        Settings::read(&selection).ok().filter(|settings| record.is_of(settings))
    };
    // The key of the run, rather than that of another account at the same URL.
    let settings = match active {
        Some(active) if active.profile == record.profile => Some(active),
        active => of_profile().or(active),
    };
    let settings = settings.ok_or_else(|| {
        let url = &record.account_url;
        Failure::usage(format!("the settings do not name {url}"))
            .hint(format!("run any command with PODQUEUE_ACCOUNT_URL={url} and its key"))
            .hint(format!("if that service no longer exists: delete {}", path.display()))
    })?;
    let builder = settings::client_builder(&settings)?.retry(RetryPolicy::never());
    let account = builder.timeout(RESTORE_TIMEOUT).build()?.account();
    let outcome = restore(&account.endpoint(&record.endpoint), record).await?;
    if matches!(outcome, Outcome::Deleted) && key_digest(&settings)? != record.key_digest {
        let path = path.display();
        return Err(Failure::usage("the account of the present key does not have the endpoint")
            .hint("run any command with the key of that run")
            .hint(format!("if the endpoint no longer exists: delete {path}")));
    }
    Ok(outcome)
}
