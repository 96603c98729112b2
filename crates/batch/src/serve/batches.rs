//! Batches: the events of each, and the status that follows from them.
//!
//! ```text
//! batch.json ──▶ validated.json ──▶ finalizing.json ──▶ ended.json
//! validating      │  in_progress      finalizing          completed, expired, cancelled
//!                 └▶ failed             ▲
//!        cancelling.json, expiring.json ┘
//!        cancelling
//! ```
//!
//! A batch that is cancelled while it is validated ends as cancelled, also if its file is invalid.
//!
//! Invariant: each event is written once and never changes. `finalizing.json` decides how the batch
//! ends, and so does the `validated.json` of an invalid file; the decision and a cancel request
//! exclude each other by a lock, so that a batch whose cancellation was confirmed ends as
//! cancelled.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::api::types::{self, BatchStatus, LineError, LineErrors, RequestCounts};
use super::durable::{self, NewFolder};
use super::files::{Files, Page, page, seconds};
use super::ids;
use super::progress::{ErrorOutputs, Progress};
use crate::batch::{Batch, Open};
use crate::error::{Error, ErrorKind, Result};
use crate::status::Reader;
use crate::store::Sqlite;

/// The request for a batch: the first event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) input_file_id: String,
    /// The path of all requests.
    pub(super) endpoint: String,
    pub(super) completion_window: String,
    pub(super) metadata: HashMap<String, String>,
    /// Milliseconds of Unix time, as all times of events.
    pub(super) created_at: u64,
    pub(super) expires_at: u64,
    /// The lifetime of the output files, in seconds.
    pub(super) output_lifetime: Option<u64>,
    /// True if the journal is in a database: elsewhere, it would be another journal.
    pub(super) has_shared_journal: bool,
}

/// The result of the validation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Validated {
    pub(super) at: u64,
    /// Number of requests.
    pub(super) total: u64,
    pub(super) model: Option<String>,
    /// If there are any, no request is made, and the batch has failed unless it was cancelled
    /// before.
    pub(super) errors: Vec<LineError>,
}

/// The time of an event.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) at: u64,
}

/// The decision how a batch ends.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Finalizing {
    pub(super) at: u64,
    pub(super) ending: Ending,
}

/// The end of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    Completed,
    Expired,
    Cancelled,
}

/// The last event.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) at: u64,
    pub(super) output_file_id: Option<String>,
    pub(super) error_file_id: Option<String>,
    pub(super) completed: u64,
    pub(super) failed: u64,
    pub(super) usage: Option<types::Usage>,
}

impl Ended {
    /// The end of a batch none of whose requests was made.
    pub(super) fn without_requests(at: u64) -> Self {
        Self { at, output_file_id: None, error_file_id: None, completed: 0, failed: 0, usage: None }
    }
}

/// The events of a batch so far.
#[derive(Debug)]
pub(super) struct Events {
    pub(super) request: Request,
    pub(super) validated: Option<Validated>,
    pub(super) cancelling: Option<Mark>,
    pub(super) expiring: Option<Mark>,
    pub(super) finalizing: Option<Finalizing>,
    pub(super) ended: Option<Ended>,
}

impl Events {
    /// Returns true if nothing more happens.
    pub(super) fn is_final(&self) -> bool {
        self.ended.is_some() || self.has_failed()
    }

    /// Returns true if the input file is invalid.
    pub(super) fn is_invalid(&self) -> bool {
        self.validated.as_ref().is_some_and(|validated| !validated.errors.is_empty())
    }

    /// Returns true if the input file is invalid, and the batch was not cancelled before that was
    /// known.
    fn has_failed(&self) -> bool {
        self.is_invalid() && self.cancelling.is_none()
    }

    /// The end of the batch if all of its requests have ended now.
    pub(super) fn ending(&self) -> Ending {
        match (&self.cancelling, &self.expiring) {
            (Some(cancelling), Some(expiring)) if expiring.at < cancelling.at => Ending::Expired,
            (Some(_), _) => Ending::Cancelled,
            (None, Some(_)) => Ending::Expired,
            (None, None) => Ending::Completed,
        }
    }

    /// The time since which no more requests are to be made.
    pub(super) fn stopped_at(&self) -> Option<u64> {
        let marks = [&self.cancelling, &self.expiring];
        marks.into_iter().flatten().map(|mark| mark.at).min()
    }

    pub(super) fn status(&self) -> BatchStatus {
        match (&self.ended, &self.finalizing) {
            _ if self.has_failed() => BatchStatus::Failed,
            (Some(_), Some(Finalizing { ending, .. })) => match ending {
                Ending::Completed => BatchStatus::Completed,
                Ending::Expired => BatchStatus::Expired,
                Ending::Cancelled => BatchStatus::Cancelled,
            },
            (None, Some(Finalizing { ending: Ending::Cancelled, .. })) => BatchStatus::Cancelling,
            (_, Some(_)) => BatchStatus::Finalizing,
            (_, None) if self.cancelling.is_some() => BatchStatus::Cancelling,
            (_, None) if self.validated.is_some() => BatchStatus::InProgress,
            (_, None) => BatchStatus::Validating,
        }
    }

    /// The batch as clients see it, with the progress until it has ended.
    pub(super) fn object(self, id: &str, progress: Progress) -> types::Batch {
        let status = self.status();
        let number = |number: u64| Some(i64::try_from(number).unwrap_or(i64::MAX));
        let ended = |ending| {
            let is_so = self.finalizing.as_ref().is_some_and(|it| it.ending == ending);
            self.ended.as_ref().filter(|_| is_so).map(|ended| seconds(ended.at))
        };
        let is_cancelled = self.finalizing.as_ref().is_none_or(|it| it.ending == Ending::Cancelled);
        let (cancelled_at, completed_at) = (ended(Ending::Cancelled), ended(Ending::Completed));
        let expired_at = ended(Ending::Expired);
        let (has_failed, is_invalid) = (self.has_failed(), self.is_invalid());
        let validated_at = self.validated.as_ref().map(|validated| seconds(validated.at));
        let total = self.validated.as_ref().filter(|_| !is_invalid).map_or(0, |it| it.total);
        let Progress { completed, failed } = match &self.ended {
            Some(ended) => Progress { completed: ended.completed, failed: ended.failed },
            None => progress,
        };
        let request = self.request;
        let (model, errors) = self.validated.map_or((None, Vec::new()), |it| (it.model, it.errors));
        let errors = LineErrors { object: Some("list".to_owned()), data: errors };
        let (output_file_id, error_file_id, usage) = match self.ended {
            Some(ended) => (ended.output_file_id, ended.error_file_id, ended.usage),
            None => (None, None, None),
        };
        types::Batch {
            id: Some(id.to_owned()),
            object: Some("batch".to_owned()),
            endpoint: Some(request.endpoint),
            model,
            errors: has_failed.then_some(errors),
            input_file_id: Some(request.input_file_id),
            completion_window: Some(request.completion_window),
            status: Some(status),
            output_file_id,
            error_file_id,
            created_at: Some(seconds(request.created_at)),
            in_progress_at: validated_at.filter(|_| !is_invalid),
            expires_at: Some(seconds(request.expires_at)),
            finalizing_at: self.finalizing.map(|finalizing| seconds(finalizing.at)),
            completed_at,
            failed_at: validated_at.filter(|_| has_failed),
            expired_at,
            cancelling_at: self.cancelling.filter(|_| is_cancelled).map(|mark| seconds(mark.at)),
            cancelled_at,
            request_counts: Some(RequestCounts {
                total: number(total),
                completed: number(completed),
                failed: number(failed),
            }),
            usage,
            metadata: request.metadata,
        }
    }
}

/// Location of the journals of batches.
#[derive(Clone)]
pub(super) enum Journals {
    /// In the folder of each batch.
    Folder,
    /// In a database, by the id of each batch.
    #[cfg(feature = "postgres")]
    Database(String),
}

impl Journals {
    /// Returns true if several servers may work on a batch.
    pub(super) fn are_shared(&self) -> bool {
        !matches!(self, Self::Folder)
    }
}

/// The batches of an owner.
pub(super) struct Batches {
    owner: PathBuf,
}

impl Batches {
    pub(super) fn of(owner: &Path) -> Self {
        Self { owner: owner.to_owned() }
    }

    fn folder(&self) -> PathBuf {
        self.owner.join("batches")
    }

    /// A batch, unless there is none.
    pub(super) fn find(&self, id: &str) -> Option<BatchFolder> {
        let found = BatchFolder { path: self.folder().join(id), id: id.to_owned() };
        (ids::is_id(ids::BATCH, id) && found.path.is_dir()).then_some(found)
    }

    /// All batches, by their ids.
    pub(super) fn all(&self) -> io::Result<Vec<BatchFolder>> {
        let names = durable::names(&self.folder())?;
        Ok(names.iter().filter_map(|name| self.find(name)).collect())
    }

    /// A page of batches, the newest first.
    pub(super) fn list(&self, after: Option<&str>, limit: usize) -> io::Result<Page<BatchFolder>> {
        let names = durable::names(&self.folder())?.into_iter().rev();
        let is_after = |name: &String| after.is_none_or(|after| name.as_str() < after);
        page(names.filter(is_after), limit, |name| {
            let found = self.find(&name);
            found.as_ref().map(BatchFolder::events).transpose()?;
            Ok(found)
        })
    }

    /// Removes what processes that died have left.
    pub(super) fn sweep(&self) -> io::Result<()> {
        durable::sweep(&self.folder());
        self.all()?.iter().for_each(|batch| durable::sweep(&batch.path));
        Ok(())
    }

    /// Creates a batch, which has the content of its input file also if that file is deleted.
    pub(super) fn create(&self, request: &Request) -> io::Result<BatchFolder> {
        let id = ids::new(ids::BATCH, request.created_at)?;
        let folder = NewFolder::begin(&self.folder())?;
        folder.write(REQUEST, request)?;
        let run = folder.file(RUN);
        durable::create_folder(&run)?;
        let content = Files::of(&self.owner, request.created_at).content(&request.input_file_id);
        std::fs::hard_link(content, run.join(INPUTS))?;
        File::open(&run)?.sync_all()?;
        folder.publish(&id)?;
        Ok(BatchFolder { path: self.folder().join(&id), id })
    }
}

const REQUEST: &str = "batch.json";
const VALIDATED: &str = "validated.json";
const CANCELLING: &str = "cancelling.json";
const EXPIRING: &str = "expiring.json";
const FINALIZING: &str = "finalizing.json";
const ENDED: &str = "ended.json";

/// The folder of inputs, journal and results.
const RUN: &str = "run";
const INPUTS: &str = "inputs.jsonl";

/// The folder of a batch.
#[derive(Clone, Debug)]
pub(super) struct BatchFolder {
    path: PathBuf,
    id: String,
}

impl BatchFolder {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The folder of the owner.
    pub(super) fn owner(&self) -> &Path {
        self.path.parent().and_then(Path::parent).unwrap_or(&self.path)
    }

    /// The events so far. The last is read first: if it is there, so are those before.
    pub(super) fn events(&self) -> io::Result<Events> {
        let ended = self.read(ENDED)?;
        let finalizing = self.read(FINALIZING)?;
        let expiring = self.read(EXPIRING)?;
        let cancelling = self.read(CANCELLING)?;
        let validated = self.read(VALIDATED)?;
        let request = self.read(REQUEST)?.ok_or_else(|| {
            let message = format!("{} is missing", self.path.join(REQUEST).display());
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
        Ok(Events { request, validated, cancelling, expiring, finalizing, ended })
    }

    fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        durable::read(&self.path.join(name))
    }

    pub(super) fn record_validated(&self, validated: &Validated) -> io::Result<()> {
        let _decision = self.decide()?;
        durable::write_once(&self.path.join(VALIDATED), validated).map(drop)
    }

    /// Records that the completion window has passed.
    pub(super) fn record_expiring(&self, at: u64) -> io::Result<()> {
        durable::write_once(&self.path.join(EXPIRING), &Mark { at }).map(drop)
    }

    /// Records a cancel request, unless the batch is ending otherwise. Returns the events then.
    pub(super) fn record_cancelling(&self, at: u64) -> io::Result<Events> {
        let _decision = self.decide()?;
        let events = self.events()?;
        if events.is_final() || events.finalizing.is_some() || events.cancelling.is_some() {
            return Ok(events);
        }
        durable::write_once(&self.path.join(CANCELLING), &Mark { at })?;
        self.events()
    }

    /// Records that all requests have ended.
    pub(super) fn record_finalizing(&self, at: u64) -> io::Result<()> {
        let _decision = self.decide()?;
        let ending = self.events()?.ending();
        durable::write_once(&self.path.join(FINALIZING), &Finalizing { at, ending }).map(drop)
    }

    pub(super) fn record_ended(&self, ended: &Ended) -> io::Result<()> {
        durable::write_once(&self.path.join(ENDED), ended).map(drop)
    }

    /// Excludes other decisions about how the batch ends, for a moment.
    fn decide(&self) -> io::Result<File> {
        let file = self.lock_file("decision.lock")?;
        file.lock()?;
        Ok(file)
    }

    /// Excludes other servers from validating or finalizing the batch, unless one does so now.
    pub(super) fn exclusive(&self) -> io::Result<Option<File>> {
        let file = self.lock_file("work.lock")?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn lock_file(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        crate::files::private(&mut options);
        options.open(self.path.join(name))
    }

    /// The inputs, in the format of the input file.
    pub(super) fn inputs(&self) -> PathBuf {
        self.run().join(INPUTS)
    }

    /// The results of a server.
    pub(super) fn results(&self, server: usize) -> PathBuf {
        self.run().join(format!("results.{server}.jsonl"))
    }

    fn journal(&self) -> Sqlite {
        Sqlite::file(self.run().join("journal"))
    }

    pub(super) fn open(&self, journals: &Journals) -> Open {
        match journals {
            Journals::Folder => Batch::open(self.journal()),
            #[cfg(feature = "postgres")]
            Journals::Database(url) => Batch::open(crate::Postgres::connect(url, &self.id)),
        }
    }

    pub(super) fn reader(&self, journals: &Journals) -> Result<Reader> {
        match journals {
            Journals::Folder => Reader::open(&self.journal()),
            #[cfg(feature = "postgres")]
            Journals::Database(url) => Reader::open(&crate::Postgres::connect(url, &self.id)),
        }
    }

    /// The progress by the journal and the results; `None` if there are none yet, or none any more.
    pub(super) fn progress(&self, journals: &Journals) -> Option<Progress> {
        let is_there = match journals {
            Journals::Folder => !self.journal().is_new(),
            #[cfg(feature = "postgres")]
            Journals::Database(_) => self.inputs().exists(),
        };
        let mut reader = is_there.then(|| self.reader(journals).ok()).flatten()?;
        let counts = reader.status().ok()?.counts;
        ErrorOutputs::default().progress(&counts, &self.run()).ok()
    }

    /// The folder of inputs, journal and results.
    pub(super) fn run(&self) -> PathBuf {
        self.path.join(RUN)
    }

    /// Removes inputs, journal and results of a batch that has ended. The folder is removed last.
    pub(super) fn remove_run(&self, journals: &Journals) -> Result<()> {
        match journals {
            Journals::Folder => {}
            #[cfg(feature = "postgres")]
            Journals::Database(url) => crate::Postgres::connect(url, &self.id).remove()?,
        }
        durable::remove_folder(&self.run()).map(drop).map_err(folder_error)
    }
}

pub(super) fn folder_error(error: io::Error) -> Error {
    let message = format!("could not read or write the folder of the batch: {error}");
    Error::new(ErrorKind::Journal, message).with_source(error)
}
