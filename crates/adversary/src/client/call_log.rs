//! Call log: every call of every caller, with its start, end and outcome as the caller saw it.
//!
//! Values and errors are scanned for leaked secrets when they are logged.

use std::collections::HashSet;
use std::error::Error as _;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use podqueue::{Error, ErrorKind, Job, JobRecord, RemoteCancel};
use serde_json::Value;
use tokio::time::Instant;

use crate::client::leaks;

/// Call as the log has it.
#[derive(Clone, Debug)]
pub struct LoggedCall {
    pub call: u64,
    pub kind: CallKind,
    /// Id of the job, where it is known before the call.
    pub job: Option<String>,
    pub started: Instant,
    pub ended: Option<Instant>,
    /// End of the last period in which the future was not polled, or may not have been.
    pub unpolled_until: Option<Instant>,
    pub outcome: CallOutcome,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallKind {
    Run {
        at_least_once: bool,
    },
    RunSync {
        wait: Duration,
        output: bool,
    },
    Status,
    Wait {
        timeout: Option<Duration>,
        cancel: bool,
    },
    Stream,
    Cancel,
    Retry,
    Purge,
    Health,
    Requests,
    Openai,
    /// Event stream.
    Events {
        /// Time limit of the whole stream.
        total: Duration,
    },
    RunAll {
        jobs: u64,
    },
    /// A result of `run_all`.
    RunAllItem,
    GetPod,
    CreateTemplate,
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

#[derive(Clone, Debug)]
pub enum CallOutcome {
    Unfinished,
    Dropped,
    Panicked,
    Ok(Returned),
    Err(ReturnedError),
}

/// Value that a call returned.
#[derive(Clone, Debug)]
pub enum Returned {
    Nothing,
    Job(String),
    Record(ReturnedRecord),
    Output(Value),
    /// Id of a created resource.
    Id(String),
    /// Items of a stream.
    Items {
        items: Vec<StreamItem>,
        /// The stream ended, rather than being dropped.
        ended: bool,
    },
    /// Results of `run_all`, each of which has an entry of its own.
    RunAll {
        /// All results were taken.
        complete: bool,
    },
}

#[derive(Clone, Debug)]
pub enum StreamItem {
    Chunk { output: Value, after_gap: bool },
    Error(ReturnedError),
}

/// Job record as a call returned it.
#[derive(Clone, Debug)]
pub struct ReturnedRecord {
    pub id: String,
    pub status: String,
    pub output: Option<Value>,
}

/// Error as a call returned it.
#[derive(Clone, Debug)]
pub struct ReturnedError {
    pub kind: ErrorKind,
    pub job_id: Option<String>,
    pub status: Option<u16>,
    pub record: Option<ReturnedRecord>,
    /// The service confirmed the cancel at the deadline.
    pub remote_cancel: Option<bool>,
    pub text: String,
}

/// Log of all calls.
#[derive(Default)]
pub struct CallLog {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    entries: Vec<LoggedCall>,
    jobs: Vec<Job>,
    streamed: HashSet<String>,
    leaks: Vec<String>,
    /// Chunks and errors by the index of their stream, also those of dropped streams.
    items: Vec<(usize, StreamItem)>,
}

impl CallLog {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the start of a call, and returns the index of its entry.
    pub fn begin(&self, call: u64, kind: CallKind, job: Option<&Job>) -> usize {
        let mut inner = self.inner();
        inner.entries.push(LoggedCall {
            call,
            kind,
            job: job.map(|job| job.id().to_owned()),
            started: Instant::now(),
            ended: None,
            unpolled_until: None,
            outcome: CallOutcome::Unfinished,
        });
        inner.entries.len() - 1
    }

    pub fn end(&self, index: usize, outcome: CallOutcome, unpolled_until: Option<Instant>) {
        let mut inner = self.inner();
        let entry = &mut inner.entries[index];
        entry.ended = Some(Instant::now());
        entry.outcome = outcome;
        entry.unpolled_until = unpolled_until;
    }

    /// Records that a call was dropped, unless it has ended.
    pub fn dropped(&self, index: usize) {
        let mut inner = self.inner();
        let entry = &mut inner.entries[index];
        if matches!(entry.outcome, CallOutcome::Unfinished) {
            entry.outcome = CallOutcome::Dropped;
            entry.ended = Some(Instant::now());
        }
    }

    pub fn item(&self, index: usize, item: StreamItem) {
        self.inner().items.push((index, item));
    }

    pub fn items(&self, index: usize) -> Vec<StreamItem> {
        let inner = self.inner();
        let items = inner.items.iter().filter(|(of, _)| *of == index);
        items.map(|(_, item)| item.clone()).collect()
    }

    pub fn entries(&self) -> Vec<LoggedCall> {
        self.inner().entries.clone()
    }

    pub fn leaks(&self) -> Vec<String> {
        self.inner().leaks.clone()
    }

    /// Drops the jobs, which keep the client alive.
    pub fn forget_jobs(&self) {
        self.inner().jobs.clear();
    }

    pub fn add_job(&self, job: &Job) {
        self.inner().jobs.push(job.clone());
    }

    pub fn job(&self, index: usize) -> Option<Job> {
        let inner = self.inner();
        if inner.jobs.is_empty() {
            return None;
        }
        inner.jobs.get(index % inner.jobs.len()).cloned()
    }

    /// Returns true if the caller is the first to stream from this job. Two readers would share its
    /// chunks.
    pub fn claim_stream(&self, job: &Job) -> bool {
        self.inner().streamed.insert(job.id().to_owned())
    }

    /// Checks the `Debug` output of a value for leaks.
    pub fn check(&self, call: u64, value: &dyn Debug) {
        self.scan(call, &format!("{value:?} {value:#?}"), leaks::find);
    }

    /// Checks a record for leaks, and returns what the invariants need of it.
    pub fn record(&self, call: u64, record: &JobRecord) -> ReturnedRecord {
        self.check(call, record);
        returned_record(record)
    }

    /// Checks an error for leaks, and returns what the invariants need of it.
    pub fn error(&self, call: u64, error: &Error) -> ReturnedError {
        let mut shown = format!("{error}\n{error:?}\n{error:#?}\n");
        let mut source = error.source();
        while let Some(cause) = source {
            shown.push_str(&format!("{cause}\n{cause:?}\n"));
            source = cause.source();
        }
        shown.push_str(&format!(
            "{:?}\n{:?}\n{:?}\n",
            error.graphql(),
            error.record(),
            error.remote_cancel()
        ));
        self.scan(call, &shown, leaks::find);
        if let Some(body) = error.body() {
            self.scan(call, &format!("{body:?}"), leaks::find_in_body);
        }
        ReturnedError {
            kind: error.kind(),
            job_id: error.job_id().map(str::to_owned),
            status: error.status(),
            record: error.record().map(returned_record),
            remote_cancel: error
                .remote_cancel()
                .map(|outcome| matches!(outcome, RemoteCancel::Cancelled)),
            text: error.to_string(),
        }
    }

    fn scan(&self, call: u64, shown: &str, find: fn(&str) -> Option<usize>) {
        if let Some(at) = find(shown) {
            self.inner().leaks.push(format!("call {call} shows: {}", leaks::excerpt(shown, at)));
        }
    }
}

pub(crate) fn returned_record(record: &JobRecord) -> ReturnedRecord {
    ReturnedRecord {
        id: record.id().to_owned(),
        status: record.status().to_string(),
        output: record.output_json().and_then(|json| serde_json::from_str(json).ok()),
    }
}
