//! What the callers were told.

use std::collections::HashSet;
use std::error::Error as _;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use podqueue::{Error, ErrorKind, Job, JobRecord, RemoteCancel};
use serde_json::Value;
use tokio::time::Instant;

use crate::canary;

/// A call, from its start to its end.
#[derive(Clone, Debug)]
pub struct Entry {
    pub call: u64,
    pub kind: Kind,
    /// The job that it is about, where that is known before.
    pub job: Option<String>,
    pub started: Instant,
    pub ended: Option<Instant>,
    /// Until when it was left unpolled, or may have been.
    pub held_until: Option<Instant>,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
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
    /// The events of a stream, and how long they may take in all.
    Events {
        total: Duration,
    },
    RunAll {
        jobs: u64,
    },
    /// One of many.
    OneOfAll,
    GetPod,
    CreateTemplate,
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Unfinished,
    Dropped,
    Panicked,
    Ok(Got),
    Err(Failed),
}

#[derive(Clone, Debug)]
pub enum Got {
    Nothing,
    Job(String),
    Record(Seen),
    Output(Value),
    /// The id of what was created.
    Id(String),
    /// A stream, and whether it came to its end.
    Items {
        items: Vec<Item>,
        ended: bool,
    },
    /// Whether all results of many were taken.
    Many {
        whole: bool,
    },
}

#[derive(Clone, Debug)]
pub enum Item {
    Chunk { output: Value, after_gap: bool },
    Error(Failed),
}

/// A record as it was handed out.
#[derive(Clone, Debug)]
pub struct Seen {
    pub id: String,
    pub status: String,
    pub output: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Failed {
    pub kind: ErrorKind,
    pub job_id: Option<String>,
    pub status: Option<u16>,
    pub record: Option<Seen>,
    /// Whether the service confirmed a cancel at the deadline.
    pub remote_cancel: Option<bool>,
    pub text: String,
}

#[derive(Default)]
pub struct Log {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    entries: Vec<Entry>,
    jobs: Vec<Job>,
    streamed: HashSet<String>,
    leaks: Vec<String>,
    /// Every chunk and error of each stream, also of those that were dropped.
    items: Vec<(usize, Item)>,
}

impl Log {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn begin(&self, call: u64, kind: Kind, job: Option<&Job>) -> usize {
        let mut inner = self.inner();
        inner.entries.push(Entry {
            call,
            kind,
            job: job.map(|job| job.id().to_owned()),
            started: Instant::now(),
            ended: None,
            held_until: None,
            outcome: Outcome::Unfinished,
        });
        inner.entries.len() - 1
    }

    pub fn end(&self, place: usize, outcome: Outcome, held_until: Option<Instant>) {
        let mut inner = self.inner();
        let entry = &mut inner.entries[place];
        entry.ended = Some(Instant::now());
        entry.outcome = outcome;
        entry.held_until = held_until;
    }

    /// The call was dropped, unless it has ended.
    pub fn dropped(&self, place: usize) {
        let mut inner = self.inner();
        let entry = &mut inner.entries[place];
        if matches!(entry.outcome, Outcome::Unfinished) {
            entry.outcome = Outcome::Dropped;
            entry.ended = Some(Instant::now());
        }
    }

    pub fn item(&self, place: usize, item: Item) {
        self.inner().items.push((place, item));
    }

    pub fn items(&self, place: usize) -> Vec<Item> {
        let inner = self.inner();
        let of_this = inner.items.iter().filter(|(of, _)| *of == place);
        of_this.map(|(_, item)| item.clone()).collect()
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.inner().entries.clone()
    }

    pub fn leaks(&self) -> Vec<String> {
        self.inner().leaks.clone()
    }

    /// Forgets the jobs, which hold the client.
    pub fn let_go(&self) {
        self.inner().jobs.clear();
    }

    pub fn knows(&self, job: &Job) {
        self.inner().jobs.push(job.clone());
    }

    pub fn job(&self, index: usize) -> Option<Job> {
        let inner = self.inner();
        if inner.jobs.is_empty() {
            return None;
        }
        inner.jobs.get(index % inner.jobs.len()).cloned()
    }

    /// Whether nobody has streamed from this job yet: two readers would share its chunks.
    pub fn may_stream(&self, job: &Job) -> bool {
        self.inner().streamed.insert(job.id().to_owned())
    }

    /// Keeps what is shown of a value, where it holds what it must not.
    pub fn show(&self, call: u64, value: &dyn Debug) {
        self.look_through(call, &format!("{value:?} {value:#?}"), canary::found_in);
    }

    pub fn record(&self, call: u64, record: &JobRecord) -> Seen {
        self.show(call, record);
        seen(record)
    }

    pub fn failed(&self, call: u64, error: &Error) -> Failed {
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
        self.look_through(call, &shown, canary::found_in);
        if let Some(body) = error.body() {
            self.look_through(call, &format!("{body:?}"), canary::found_in_body);
        }
        Failed {
            kind: error.kind(),
            job_id: error.job_id().map(str::to_owned),
            status: error.status(),
            record: error.record().map(seen),
            remote_cancel: error
                .remote_cancel()
                .map(|outcome| matches!(outcome, RemoteCancel::Cancelled)),
            text: error.to_string(),
        }
    }

    fn look_through(&self, call: u64, shown: &str, find: fn(&str) -> Option<usize>) {
        if let Some(at) = find(shown) {
            let start = shown.floor_char_boundary_before(at.saturating_sub(120));
            let end = shown.floor_char_boundary_before((at + 80).min(shown.len()));
            self.inner().leaks.push(format!("call {call} shows: …{}…", &shown[start..end]));
        }
    }
}

pub(super) fn seen(record: &JobRecord) -> Seen {
    Seen {
        id: record.id().to_owned(),
        status: record.status().to_string(),
        output: record.output_json().and_then(|json| serde_json::from_str(json).ok()),
    }
}

/// `str::floor_char_boundary`, which is newer than the Rust that is stated.
pub(crate) trait FloorCharBoundary {
    fn floor_char_boundary_before(&self, index: usize) -> usize;
}

impl FloorCharBoundary for str {
    fn floor_char_boundary_before(&self, index: usize) -> usize {
        (0..=index.min(self.len())).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}
