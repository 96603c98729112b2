//! Views of jobs for the page: a cheap copy of a job, taken under the lock of its endpoint, and
//! then searched and serialized without it. [`History`] keeps what the page shows of expired jobs
//! and fetched chunks.

use std::io::{self, Write};
use std::sync::Arc;

use reqwest::Url;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::activity::Activity;
use super::job::{Job, JobId, Status, Times, WallTimes, WorkerLabel};
use super::submission::Submission;
use crate::bounded_log::BoundedLog;
use crate::clock::{Moment, milliseconds, wall_milliseconds};
use crate::error::Refusal;
use crate::worker::PolicyJson;

/// The state of an expired job, of which only the times are kept.
const EXPIRED: &str = "EXPIRED";
/// The characters of an input, or of an error, in a list.
const PREVIEW_CHARACTERS: usize = 200;

/// A copy of a job at some moment, which shares its values.
#[derive(Clone, Debug)]
pub(crate) struct JobView {
    /// The number of the job within its endpoint, in the order of submission.
    pub(crate) number: u64,
    pub(crate) id: JobId,
    /// The status of the job; `None` if the job has expired.
    pub(crate) status: Option<Status>,
    pub(crate) times: Times,
    pub(crate) retried: u32,
    pub(crate) worker: Option<WorkerLabel>,
    pub(crate) has_webhook: bool,
    pub(crate) submission: Option<Arc<Submission>>,
    pub(crate) output: Option<Arc<Value>>,
    pub(crate) error: Option<Arc<str>>,
}

impl JobView {
    pub(crate) fn of(job: &Job) -> Self {
        let (output, error) = job.result();
        Self {
            number: job.number(),
            id: job.id.clone(),
            status: Some(job.status()),
            times: job.times(),
            retried: job.retried(),
            worker: job.worker().cloned(),
            has_webhook: job.submission.webhook.is_some(),
            submission: Some(job.submission.clone()),
            output: output.cloned(),
            error: error.cloned(),
        }
    }

    pub(crate) fn status_text(&self) -> &'static str {
        self.status.map_or(EXPIRED, Status::text)
    }

    fn worker_text(&self) -> Option<String> {
        let (number, name) = self.worker.as_ref()?;
        Some(name.as_ref().map_or_else(|| format!("worker-{number}"), ToString::to_string))
    }

    /// The policy, as it was submitted.
    pub(crate) fn policy(&self) -> Option<PolicyJson> {
        self.submission.as_ref().map(|submission| submission.policy.into())
    }

    pub(crate) fn webhook(&self) -> Option<&Url> {
        self.submission.as_ref()?.webhook.as_ref()
    }

    pub(crate) fn has_s3_config(&self) -> bool {
        self.submission.as_ref().is_some_and(|submission| submission.s3_config.is_some())
    }

    /// The beginning of the input, for a list.
    pub(crate) fn preview(&self) -> Option<String> {
        self.input().map(|input| beginning(input, PREVIEW_CHARACTERS))
    }

    /// The first line of the error that is not blank, for a list.
    pub(crate) fn error_line(&self) -> Option<String> {
        let line = self.error.as_deref()?.lines().find(|line| !line.trim().is_empty())?;
        Some(line.chars().take(PREVIEW_CHARACTERS).collect())
    }

    pub(crate) fn input(&self) -> Option<&Value> {
        Some(&self.submission.as_ref()?.input)
    }

    /// The past and future events of the job with their times, those of the past also on the
    /// computer's clock.
    pub(crate) fn timeline(&self) -> Vec<Value> {
        let Times { submitted, queued, started, ended, times_out, expires, wall } = self.times;
        let is_expired = self.status.is_none();
        let past = [
            ("submitted", Some(submitted), wall.submitted),
            ("queued", (self.retried > 0).then_some(queued), wall.queued),
            ("started", started, wall.started),
            ("ended", ended, wall.ended),
            ("expired", is_expired.then_some(expires), wall.expired),
        ];
        let ahead = [
            ("timesOut", times_out.filter(|at| *at < expires)),
            ("expires", (!is_expired).then_some(expires)),
        ];
        let past = past.into_iter().filter_map(|(state, at, wall)| {
            at.map(|at| json!({ "state": state, "atMs": milliseconds(at), "wallMs": wall }))
        });
        let ahead = ahead.into_iter().filter_map(|(state, at)| {
            at.map(|at| json!({ "state": state, "atMs": milliseconds(at) }))
        });
        past.chain(ahead).collect()
    }
}

impl Serialize for JobView {
    /// The job without input, output and error.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let in_milliseconds = |at: Option<Moment>| at.map(milliseconds);
        let mut row = serializer.serialize_struct("JobView", 9)?;
        row.serialize_field("id", &*self.id)?;
        row.serialize_field("status", self.status_text())?;
        row.serialize_field("createdMs", &milliseconds(self.times.submitted))?;
        row.serialize_field("startedMs", &in_milliseconds(self.times.started))?;
        row.serialize_field("endedMs", &in_milliseconds(self.times.ended))?;
        row.serialize_field("expiresMs", &milliseconds(self.times.expires))?;
        row.serialize_field("retried", &self.retried)?;
        row.serialize_field("worker", &self.worker_text())?;
        row.serialize_field("webhook", &self.has_webhook)?;
        row.end()
    }
}

/// Filter of jobs by state and text.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobFilter {
    /// All states if empty.
    statuses: Vec<&'static str>,
    search: Option<Search>,
}

#[derive(Clone, Debug)]
struct Search {
    text: String,
    /// The forms in which it may occur in the JSON of a value.
    in_json: Vec<String>,
}

impl Search {
    fn of(text: String) -> Self {
        let quoted = Value::from(text.as_str()).to_string();
        let within_a_string = quoted[1..quoted.len() - 1].to_owned();
        let mut in_json = vec![text.clone(), within_a_string, without_formatting(&text)];
        in_json.sort_unstable();
        in_json.dedup();
        Self { text, in_json }
    }
}

/// JSON without the white space that pages and editors format it with.
fn without_formatting(text: &str) -> String {
    let mut compact = String::new();
    for c in text.chars() {
        if matches!(c, ']' | '}') {
            compact.truncate(compact.trim_end().len());
        }
        if !c.is_whitespace() || !compact.ends_with(['{', '[', ',', ':']) {
            compact.push(c);
        }
    }
    compact
}

impl JobFilter {
    /// Parses a list of states and a text to search for. A blank value does not restrict the jobs.
    pub(crate) fn parse(statuses: &str, search: &str) -> Result<Self, Refusal> {
        let mut known = Status::ALL.iter().map(|status| status.text()).chain([EXPIRED]);
        let status = |name: &str| {
            known.clone().find(|known| *known == name).ok_or_else(|| {
                let all: Vec<&str> = known.by_ref().collect();
                Refusal::invalid(format!("status must be a list of {}", all.join(", ")))
            })
        };
        let names = statuses.split(',').map(str::trim).filter(|name| !name.is_empty());
        let statuses = names.map(status).collect::<Result<_, _>>()?;
        let text = search.trim().to_ascii_lowercase();
        let search = (!text.is_empty()).then(|| Search::of(text));
        Ok(Self { statuses, search })
    }

    /// Returns true if jobs in a state match; none is the state of an expired job.
    pub(crate) fn matches_status(&self, status: Option<Status>) -> bool {
        let status = status.map_or(EXPIRED, Status::text);
        self.statuses.is_empty() || self.statuses.contains(&status)
    }

    /// Returns true if the jobs have to be searched, which is slow for large values.
    pub(crate) fn has_search(&self) -> bool {
        self.search.is_some()
    }

    /// Returns true if the id, the error, or the JSON of the input or output contains the text,
    /// ignoring case.
    pub(crate) fn matches_text(&self, job: &JobView) -> bool {
        let Some(Search { text, in_json }) = &self.search else { return true };
        let is_in = |value: &str| value.to_ascii_lowercase().contains(text);
        let is_in_value = |value: &Value| {
            let json = value.to_string().to_ascii_lowercase();
            in_json.iter().any(|text| json.contains(text))
        };
        is_in(&job.id)
            || job.error.as_deref().is_some_and(is_in)
            || job.input().is_some_and(is_in_value)
            || job.output.as_deref().is_some_and(is_in_value)
    }
}

/// The largest number of expired jobs.
const MAX_EXPIRED: usize = 1000;
/// The largest size of all kept chunks of the endpoint, in bytes.
const MAX_CHUNK_BYTES: usize = 16 * 1024 * 1024;
/// The largest number of chunks of a job that are shown.
const MAX_CHUNKS: usize = 1000;

/// The output of a chunk, as JSON. A clone is cheap.
#[derive(Clone, Debug)]
pub(crate) struct HistoryChunk(Arc<RawValue>);

impl HistoryChunk {
    /// Returns `None` if the output cannot be serialized.
    pub(super) fn of(output: &Value) -> Option<Self> {
        to_raw_value(output).ok().map(|output| Self(output.into()))
    }

    /// In bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.get().len()
    }
}

impl Serialize for HistoryChunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The expired jobs, the last chunks and the activity of an endpoint, kept for the page.
#[derive(Debug)]
pub(super) struct History {
    pub(super) activity: Activity,
    expired: BoundedLog<JobView>,
    chunks: BoundedLog<KeptChunk>,
}

#[derive(Debug)]
struct KeptChunk {
    job: JobId,
    attempt: u64,
    output: HistoryChunk,
}

impl KeptChunk {
    fn size(&self) -> usize {
        size_of::<Self>() + self.output.len()
    }
}

impl Default for History {
    fn default() -> Self {
        Self {
            activity: Activity::default(),
            expired: BoundedLog::new(MAX_EXPIRED, usize::MAX, |_| 0),
            chunks: BoundedLog::new(usize::MAX, MAX_CHUNK_BYTES, KeptChunk::size),
        }
    }
}

impl History {
    /// Keeps an expired job, without its values.
    pub(super) fn expire(&mut self, job: &Job) {
        let view = JobView::of(job);
        let wall = WallTimes { expired: wall_milliseconds(), ..view.times.wall };
        self.expired.append(JobView {
            times: Times { wall, ..view.times },
            status: None,
            submission: None,
            output: None,
            error: None,
            ..view
        });
    }

    /// The expired jobs, the oldest first.
    pub(super) fn expired(&self) -> impl ExactSizeIterator<Item = &JobView> {
        self.expired.iter()
    }

    pub(super) fn add_chunk(&mut self, job: &Job, output: HistoryChunk) {
        self.chunks.append(KeptChunk { job: job.id.clone(), attempt: job.attempt, output });
    }

    /// The last chunks of the current attempt of a job, the oldest first.
    pub(super) fn chunks(&self, job: &Job) -> Vec<HistoryChunk> {
        let most = usize::try_from(job.chunks()).unwrap_or(MAX_CHUNKS).min(MAX_CHUNKS);
        let of_job = self.chunks.iter().rev();
        let of_job = of_job.filter(|chunk| chunk.attempt == job.attempt && chunk.job == job.id);
        let mut chunks: Vec<_> = of_job.take(most).map(|chunk| chunk.output.clone()).collect();
        chunks.reverse();
        chunks
    }
}

/// The first characters of a value's JSON. The rest is not serialized.
fn beginning(value: &impl Serialize, characters: usize) -> String {
    let mut excerpt =
        JsonExcerpt { kept: Vec::new(), most: 4 * characters, length: 0, stops_when_full: true };
    // Serialization ends with an error once enough is written.
    let _ = serde_json::to_writer(&mut excerpt, value);
    excerpt.text().chars().take(characters).collect()
}

/// Cuts the JSON of a value at a number of bytes. Returns the text and the whole length; none if
/// the value is not longer.
pub(crate) fn cut_json(value: &impl Serialize, bytes: usize) -> Option<(String, usize)> {
    let mut excerpt =
        JsonExcerpt { kept: Vec::new(), most: bytes, length: 0, stops_when_full: false };
    // The service's values have nothing that JSON could not express.
    let _ = serde_json::to_writer(&mut excerpt, value);
    (excerpt.length > bytes).then(|| (excerpt.text().to_owned(), excerpt.length))
}

struct JsonExcerpt {
    kept: Vec<u8>,
    most: usize,
    length: usize,
    /// True if the length of the rest is not needed.
    stops_when_full: bool,
}

impl JsonExcerpt {
    /// The kept text, without an incomplete character at its end.
    fn text(&self) -> &str {
        std::str::from_utf8(&self.kept)
            .or_else(|error| std::str::from_utf8(&self.kept[..error.valid_up_to()]))
            .unwrap_or_default()
    }
}

impl Write for JsonExcerpt {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let capacity = self.most - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(capacity)]);
        self.length += bytes.len();
        if self.stops_when_full && bytes.len() > capacity {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_never_split() {
        assert_eq!(beginning(&"ééé", 3), "\"éé");
        assert_eq!(beginning(&[1, 2], 200), "[1,2]");
        assert_eq!(cut_json(&"ééé", 4), Some(("\"é".to_owned(), 8)));
        assert_eq!(cut_json(&"ééé", 8), None);
    }
}
