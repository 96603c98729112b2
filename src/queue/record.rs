//! Status record of a job.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Job, JobStatus};
use crate::error::{Error, ErrorKind, Result};
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::json::{
    AdditionalFields, RawField, decode_at, for_each_field, not_decodable,
};
use podqueue_runtime::__private::redact::Redactor;
use podqueue_runtime::lenient;
use podqueue_runtime::{Operation, Reply};

/// A job as reported by the service ([Job status record](crate#the-interface)).
///
/// The output is kept as the raw bytes that were received, and decoded on request, directly into
/// the requested type. Fields that the interface does not document are kept, too.
#[derive(Clone)]
pub struct JobRecord {
    job: Job,
    status: JobStatus,
    output: Option<Bytes>,
    error: Option<Bytes>,
    delay_time: Option<f64>,
    execution_time: Option<f64>,
    undocumented: Arc<AdditionalFields>,
}

/// The fields that are read into a record. A new field needs its name here, a field of
/// [`JobRecord`] with a getter, and its value in `read_fields`, `known_by_status` and `Debug`. A
/// name in this list is no longer among [`JobRecord::other_names`].
const KNOWN: [&str; 6] = ["id", "status", "output", "error", "delayTime", "executionTime"];

/// The number of characters of a handler's message that an error shows: a traceback, but not a
/// whole output.
const MAX_FAILURE_CHARS: usize = 8_000;

/// The number of names of other fields in the `Debug` output.
const MAX_NAMES_SHOWN: usize = 32;

/// A failure as reported by the handler, or by the service on its behalf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobFailure {
    /// The human-readable message.
    pub message: String,
    /// The type of error, such as the name of an exception, if the worker reports it.
    pub error_type: Option<String>,
    /// The traceback, if the worker reports it.
    pub traceback: Option<String>,
}

impl Error {
    /// The job's record: the final record for [`ErrorKind::JobFailed`], [`ErrorKind::JobCancelled`]
    /// and [`ErrorKind::JobTimedOut`], the last record seen for [`ErrorKind::WaitTimedOut`] and
    /// [`ErrorKind::JobNotFinished`].
    #[must_use]
    pub fn record(&self) -> Option<&JobRecord> {
        self.attached()
    }

    /// Returns the handler's report, for [`ErrorKind::JobFailed`] and other errors about a job that
    /// failed: its message alone, without what this error adds to it. The same as
    /// [`JobRecord::failure`] of [`record`](Self::record).
    ///
    /// ```no_run
    /// # async fn example(job: podqueue::Job) {
    /// if let Err(error) = job.wait().await
    ///     && let Some(failure) = error.job_failure()
    /// {
    ///     eprintln!("{}", failure.message);
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn job_failure(&self) -> Option<JobFailure> {
        self.record()?.failure()
    }

    pub(super) fn with_record(self, record: JobRecord) -> Self {
        self.with_job_id(record.id()).attach(record)
    }
}

impl Job {
    /// Reads a record of this job.
    pub(super) fn read(&self, operation: &Operation, reply: &Reply) -> Result<JobRecord> {
        let attempted = self.attempted(operation.name());
        let record = JobRecord::read(&attempted, reply, |id, additional| match id {
            Some(id) if !self.has_id(&id) => Err(self.about_another(operation, &id)),
            // Without an id, it may be the response to a stream.
            None if additional.get("stream").is_some() => {
                Err(self.foreign(operation, "contains chunks of a stream instead of a record"))
            }
            _ => Ok(self.clone()),
        });
        let record = record.map_err(|error| error.with_job_id(self.id()))?;
        record.record_observation(reply.sent_at());
        Ok(record)
    }
}

/// The id of a record. A number is read as its text.
#[derive(Deserialize)]
struct RecordId(#[serde(deserialize_with = "lenient::text")] Option<String>);

impl JobRecord {
    /// Reads a record from a reply about `job`, or about a new job if there is no id yet.
    pub(super) fn read(
        attempted: &Attempted,
        reply: &Reply,
        job: impl FnOnce(Option<String>, &AdditionalFields) -> Result<Job>,
    ) -> Result<Self> {
        Self::read_fields(attempted, reply.body(), job).map_err(|error| error.explained_by(reply))
    }

    fn read_fields(
        attempted: &Attempted,
        body: &Bytes,
        job: impl FnOnce(Option<String>, &AdditionalFields) -> Result<Job>,
    ) -> Result<Self> {
        let mut record_id = None;
        let mut status = None;
        let mut output = None;
        let mut error = None;
        let mut delay_time = None;
        let mut execution_time = None;
        let mut additional = AdditionalFields::of(body.clone(), &KNOWN);
        for field in RawField::named(attempted, body, &KNOWN)? {
            match field.name {
                "id" => record_id = Some(field),
                "status" => status = Some(field),
                "output" => output = field.present(),
                "error" => error = field.present(),
                "delayTime" => delay_time = read_time(attempted, &field, &mut additional),
                "executionTime" => execution_time = read_time(attempted, &field, &mut additional),
                _ => {}
            }
        }
        let record_id =
            record_id.map_or(Ok(RecordId(None)), |id| id.read::<RecordId>(attempted))?.0;
        let job = job(record_id, &additional)?;
        let status = status.map_or(Ok(None), |status| status.read(attempted))?;
        let Some(status) = status else {
            let missing = <serde_json::Error as serde::de::Error>::missing_field("status");
            let error = Error::from(not_decodable(attempted, "status", missing));
            return Err(error.with_job_id(job.id()));
        };
        let undocumented = Arc::new(additional);
        Ok(Self { job, status, output, error, delay_time, execution_time, undocumented })
    }

    /// Records the status and times for all handles of the job, with the time at which the request
    /// was sent.
    pub(super) fn record_observation(&self, asked: SystemTime) {
        let took = self.delay_time().zip(self.execution_time());
        let took = took.map(|(delay, run)| delay.saturating_add(run));
        self.job.lifespan().observe(self.status, took, asked, SystemTime::now());
    }

    /// The status for messages, redacted, because an undocumented status can be any text.
    pub(super) fn shown_status(&self) -> JobStatus {
        match self.status {
            JobStatus::Other(text) => {
                JobStatus::Other(self.job.secrets().redact(text.as_str()).as_str().into())
            }
            documented => documented,
        }
    }

    /// The record of a job of which only the status is known.
    pub(super) fn known_by_status(job: Job, status: JobStatus) -> Self {
        Self {
            job,
            status,
            output: None,
            error: None,
            delay_time: None,
            execution_time: None,
            undocumented: Arc::new(AdditionalFields::of(Bytes::from_static(b"{}"), &KNOWN)),
        }
    }

    /// This record as if it had been read by this handle, which may know more of the job: its
    /// submission, with the secrets in it.
    pub(super) fn seen_by(mut self, job: &Job) -> Self {
        self.job = job.clone();
        self.record_observation(SystemTime::now());
        self
    }

    /// The job's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.job.id()
    }

    /// A handle to the job, to continue with it.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    pub(super) fn into_job(self) -> Job {
        self.job
    }

    /// The job's status at the time of the record.
    #[must_use]
    pub fn status(&self) -> JobStatus {
        self.status
    }

    /// Returns true if the job has succeeded, and the record contains its output.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.status.is_completed()
    }

    /// Returns true if the handler or its worker failed, or the input was invalid: see
    /// [`failure`](Self::failure).
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.status.is_failed()
    }

    /// Decodes the output of a completed job as a `T`. Its shape is defined by the handler.
    ///
    /// A missing output is decoded like `null`: as `()`, an `Option` or a [`serde_json::Value`].
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::JobFailed`], [`ErrorKind::JobCancelled`] or [`ErrorKind::JobTimedOut`] for a
    ///   job that ended so, with the handler's message;
    /// - [`ErrorKind::JobNotFinished`] for a job that has not ended yet: see
    ///   [`progress`](Self::progress);
    /// - [`ErrorKind::Decode`] if the output is not a `T` or not JSON, with the path to the
    ///   offending field. `NaN` and `Infinity`, which Python writes although they are not JSON, are
    ///   read as null; [`output_bytes`](Self::output_bytes) returns what was received.
    pub fn output<T: DeserializeOwned>(&self) -> Result<T> {
        match self.status {
            JobStatus::Completed => {}
            status if status.is_terminal() => return Err(self.clone().into_error()),
            _ => {
                let status = self.shown_status();
                return Err(Error::new(
                    ErrorKind::JobNotFinished,
                    self.job.attempted("output"),
                    format!("the job is {status} and has no output yet: wait for it to finish"),
                )
                .with_record(self.clone()));
            }
        }
        self.decode("output", self.output.as_deref().unwrap_or(b"null"))
    }

    /// Decodes the handler's progress so far, for a job that is still running. The interface
    /// documents an output for completed jobs only; in practice handlers report progress the same
    /// way.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Decode`] if it is not a `T`.
    pub fn progress<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        match &self.output {
            Some(output) if !self.status.is_terminal() => self.decode("progress", output).map(Some),
            _ => Ok(None),
        }
    }

    /// The output as the raw JSON text, whatever the status; `None` if there is none or it is not
    /// UTF-8.
    #[must_use]
    pub fn output_json(&self) -> Option<&str> {
        self.output.as_deref().and_then(|json| std::str::from_utf8(json).ok())
    }

    /// The output as the raw bytes that were received, whatever the status, whether they are JSON
    /// or not.
    #[must_use]
    pub fn output_bytes(&self) -> Option<&[u8]> {
        self.output.as_deref()
    }

    /// The whole record as the raw bytes that were received, unredacted; an empty object if only
    /// the status is known, as for a job whose stream ended in a failure and whose record has
    /// expired.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.undocumented.object()
    }

    /// The failure that the handler reported, if the job failed and reported one. The interface
    /// does not document this field; in practice it is a string, often containing JSON. The API key
    /// is redacted in it; so are the storage credentials and the webhook URL, if the job's handle
    /// was returned by its submission.
    #[must_use]
    pub fn failure(&self) -> Option<JobFailure> {
        let redactor = self.job.secrets().redactor();
        if let Some(error) = &self.error {
            return JobFailure::read(error).map(|failure| failure.redacted(&redactor));
        }
        let output = self.output.as_ref().filter(|_| self.status == JobStatus::Failed)?;
        let inner: ErrorInOutput = decode_at(&self.job.attempted("failure"), "", output).ok()?;
        let failure = JobFailure { message: inner.error, ..JobFailure::default() };
        Some(failure.redacted(&redactor))
    }

    /// Returns the time that the job waited before its execution started. The interface does not
    /// document the unit; it is read as milliseconds, as seen in practice.
    #[must_use]
    pub fn delay_time(&self) -> Option<Duration> {
        self.delay_time.and_then(from_milliseconds)
    }

    /// Returns the time that the execution took. The interface does not document the unit; it is
    /// read as milliseconds, as seen in practice.
    #[must_use]
    pub fn execution_time(&self) -> Option<Duration> {
        self.execution_time.and_then(from_milliseconds)
    }

    /// Decodes a field by its wire name, such as `workerId`, which the interface does not document,
    /// or the raw number in `delayTime`; `None` if it is absent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Decode`] if it is not a `T`.
    pub fn other<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        match self.undocumented.get(name) {
            Some(json) => self.decode(name, json).map(Some),
            None => Ok(None),
        }
    }

    /// The names of all fields that the interface does not document.
    pub fn other_names(&self) -> impl Iterator<Item = &str> {
        self.undocumented.names()
    }

    /// Returns the record, or an error if the job failed, was cancelled or timed out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::JobFailed`], [`ErrorKind::JobCancelled`] or [`ErrorKind::JobTimedOut`].
    pub fn into_result(self) -> Result<Self> {
        match self.status {
            JobStatus::Failed | JobStatus::Cancelled | JobStatus::TimedOut => {
                Err(self.into_error())
            }
            _ => Ok(self),
        }
    }

    fn into_error(self) -> Error {
        let (kind, what) = match self.status {
            JobStatus::Cancelled => (ErrorKind::JobCancelled, "was cancelled"),
            JobStatus::TimedOut => (ErrorKind::JobTimedOut, "timed out"),
            _ => (ErrorKind::JobFailed, "failed"),
        };
        let message = match self.failure() {
            Some(failure) if !failure.message.is_empty() => {
                match failure.message.char_indices().nth(MAX_FAILURE_CHARS) {
                    Some((end, _)) => format!(
                        "{what}: {}… (truncated; see `JobRecord::failure`)",
                        &failure.message[..end]
                    ),
                    None => format!("{what}: {}", failure.message),
                }
            }
            _ => what.to_owned(),
        };
        Error::new(kind, self.job.name(), message).with_record(self)
    }

    fn decode<T: DeserializeOwned>(&self, what: &str, json: &[u8]) -> Result<T> {
        decode_at(&self.job.attempted(what.to_owned()), what, json).map_err(|error| {
            Error::from(error).redacted(&self.job.secrets().redactor()).with_record(self.clone())
        })
    }
}

impl fmt::Debug for JobRecord {
    /// Omits the handler's output, which can be large and can be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut others = Vec::new();
        let redactor = self.job.secrets().redactor();
        self.undocumented.for_each(|name, _| {
            if others.len() < MAX_NAMES_SHOWN {
                others.push(redactor.redact(&name));
            }
        });
        f.debug_struct("JobRecord")
            .field("id", &self.id())
            .field("status", &self.shown_status())
            .field("output_bytes", &self.output.as_ref().map(Bytes::len))
            .field("delay_time", &self.delay_time)
            .field("execution_time", &self.execution_time)
            .field("others", &others)
            .finish_non_exhaustive()
    }
}

/// Reads a time of the record. A time that cannot be read does not fail the record, and stays with
/// the other fields.
fn read_time(
    attempted: &Attempted,
    field: &RawField<'_>,
    additional: &mut AdditionalFields,
) -> Option<f64> {
    match field.read::<Milliseconds>(attempted) {
        Ok(number) => number.0,
        Err(_) => {
            additional.add(field.name);
            None
        }
    }
}

/// A number of milliseconds, which may stand in a string, or null.
#[derive(Deserialize)]
struct Milliseconds(#[serde(deserialize_with = "lenient::number")] Option<f64>);

fn from_milliseconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number / 1_000.0).ok()
}

#[derive(Deserialize)]
struct ErrorInOutput {
    error: String,
}

impl JobFailure {
    fn redacted(mut self, redactor: &Redactor) -> Self {
        self.message = redactor.redact(&self.message);
        for text in [&mut self.error_type, &mut self.traceback].into_iter().flatten() {
            *text = redactor.redact(text);
        }
        self
    }

    /// Reads the `error` of a record: a text, JSON inside a text, or an object; what is not JSON is
    /// taken verbatim.
    fn read(json: &[u8]) -> Option<Self> {
        match json.trim_ascii() {
            b"null" => None,
            json if json.starts_with(b"\"") => {
                let text = serde_json::from_slice::<String>(json);
                let text = text.unwrap_or_else(|_| String::from_utf8_lossy(json).into_owned());
                let inner = Self::in_object(text.as_bytes());
                Some(inner.unwrap_or(Self { message: text, ..Self::default() }))
            }
            json => {
                let message = || String::from_utf8_lossy(json).into_owned();
                let inner = Self::in_object(json);
                Some(inner.unwrap_or_else(|| Self { message: message(), ..Self::default() }))
            }
        }
    }

    /// Without a tree in between: it can be as large as a record.
    fn in_object(json: &[u8]) -> Option<Self> {
        const NAMES: [&str; 7] = [
            "error_message",
            "message",
            "error",
            "error_type",
            "type",
            "error_traceback",
            "traceback",
        ];
        let mut texts = [const { None }; NAMES.len()];
        for_each_field(json, |name, value| {
            if let Some(place) = NAMES.iter().position(|known| *known == name) {
                texts[place] = serde_json::from_slice::<String>(value).ok();
            }
        });
        let [error_message, message, error, error_type, r#type, error_traceback, traceback] = texts;
        Some(Self {
            message: error_message.or(message).or(error)?,
            error_type: error_type.or(r#type),
            traceback: error_traceback.or(traceback),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::JobFailure;

    #[test]
    fn a_failure_is_read_in_every_form_seen_in_practice() {
        for (json, message, error_type) in [
            (r#""out of memory""#, "out of memory", None),
            (
                r#""{\"error_type\":\"<class 'ValueError'>\",\"error_message\":\"no\",\"error_traceback\":\"at 1\"}""#,
                "no",
                Some("<class 'ValueError'>"),
            ),
            (r#"{"message":"no","type":"Boom"}"#, "no", Some("Boom")),
            (r#"["a"]"#, r#"["a"]"#, None),
            (r#"{"message":"no","loss":NaN}"#, "no", None),
            ("oops", "oops", None),
            (r#""{\"other\":1}""#, r#"{"other":1}"#, None),
        ] {
            let failure = JobFailure::read(json.as_bytes()).expect("a failure");
            assert_eq!(failure.message, message, "{json}");
            assert_eq!(failure.error_type.as_deref(), error_type, "{json}");
        }
        assert_eq!(JobFailure::read(b"null"), None);
    }
}
