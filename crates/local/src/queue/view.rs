//! Jobs as the page shows them: what is taken out of an endpoint cheaply, and then searched and written
//! without keeping others from it.

use std::sync::Arc;

use reqwest::Url;
use serde::Serialize;
use serde::ser::SerializeStruct;
use serde_json::{Value, json};

use super::job::{Job, JobId, Status, Times, WorkerTag};
use super::submission::Submission;
use crate::clock::{Moment, milliseconds};
use crate::excerpt::beginning;
use crate::refusal::Refusal;
use crate::worker::Policy;

/// The state of a job that has expired, of which only its times are left.
const EXPIRED: &str = "EXPIRED";
/// How many characters of an input a list shows.
const PREVIEW: usize = 200;

/// A job as it was at some moment. Its values are shared with it.
#[derive(Clone, Debug)]
pub(crate) struct JobView {
    /// Counts the jobs of the endpoint in the order of their submission.
    pub(crate) number: u64,
    pub(crate) id: JobId,
    /// None where it has expired.
    pub(crate) status: Option<Status>,
    pub(crate) times: Times,
    pub(crate) retried: u32,
    pub(crate) worker: Option<WorkerTag>,
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

    /// What the job was submitted with beside its input, as it was submitted.
    pub(crate) fn policy(&self) -> Option<Policy> {
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
        self.input().map(|input| beginning(input, PREVIEW))
    }

    pub(crate) fn input(&self) -> Option<&Value> {
        Some(&self.submission.as_ref()?.input)
    }

    /// What has happened to the job, and what time will do to it.
    pub(crate) fn timeline(&self) -> Vec<Value> {
        let Times { submitted, queued, started, ended, times_out, expires } = self.times;
        let events = [
            ("submitted", Some(submitted)),
            ("queued", (self.retried > 0).then_some(queued)),
            ("started", started),
            ("ended", ended),
            ("timesOut", times_out.filter(|at| *at < expires)),
            (if self.status.is_some() { "expires" } else { "expired" }, Some(expires)),
        ];
        let event = |(state, at): (&str, Option<Moment>)| {
            at.map(|at| json!({ "state": state, "atMs": milliseconds(at) }))
        };
        events.into_iter().filter_map(event).collect()
    }
}

impl Serialize for JobView {
    /// The job without its values.
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

/// Which jobs are wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// All, where there are none.
    statuses: Vec<&'static str>,
    search: Option<Search>,
}

#[derive(Clone, Debug)]
struct Search {
    text: String,
    /// How it may stand in the JSON of a value.
    in_json: Vec<String>,
}

impl Search {
    fn of(text: String) -> Self {
        let quoted = Value::from(text.as_str()).to_string();
        let within_a_string = quoted[1..quoted.len() - 1].to_owned();
        let mut in_json = vec![text.clone(), within_a_string, without_layout(&text)];
        in_json.sort_unstable();
        in_json.dedup();
        Self { text, in_json }
    }
}

/// JSON without the white space by which pages and editors lay it out.
fn without_layout(text: &str) -> String {
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

impl Filter {
    /// A list of states, and what is searched for; neither narrows the jobs down where it is blank.
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

    /// Whether jobs with a state are wanted; none is that of a job that has expired.
    pub(crate) fn wants(&self, status: Option<Status>) -> bool {
        let status = status.map_or(EXPIRED, Status::text);
        self.statuses.is_empty() || self.statuses.contains(&status)
    }

    /// Whether the jobs have to be searched, which takes as long as they are large.
    pub(crate) fn searches(&self) -> bool {
        self.search.is_some()
    }

    /// Whether what is searched for is in the id, the error, or the JSON of the input or the output.
    /// Capitals do not matter.
    pub(crate) fn finds(&self, job: &JobView) -> bool {
        let Some(Search { text, in_json }) = &self.search else { return true };
        let is_in = |place: &str| place.to_ascii_lowercase().contains(text);
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
