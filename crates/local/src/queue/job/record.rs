//! A job as the interface returns it.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::mode::JobId;
use super::status::Status;
use super::{Job, Phase};
use crate::clock::{Moment, milliseconds};

/// The job status record of `/status` and `/runsync`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    #[serde(serialize_with = "shared_text")]
    pub(crate) id: JobId,
    pub(crate) status: Status,
    pub(crate) delay_time: u64,
    pub(crate) execution_time: u64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub(crate) output: Option<Arc<Value>>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub(crate) error: Option<Arc<str>>,
}

/// What `/run`, `/cancel` and `/retry` return.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Receipt {
    #[serde(serialize_with = "shared_text")]
    pub(crate) id: JobId,
    pub(crate) status: Status,
}

impl Job {
    /// The job's status record, as it stands.
    pub(crate) fn record(&self, now: Moment) -> Record {
        let (started_at, ended_at) = match self.phase {
            Phase::Queued { .. } => (None, now),
            Phase::Running { started_at, .. } => (Some(started_at), now),
            Phase::Finished { started_at, finished_at, .. } => (started_at, finished_at),
        };
        let started_or_ended = started_at.unwrap_or(ended_at);
        Record {
            id: self.id.clone(),
            status: self.status(),
            delay_time: milliseconds(started_or_ended.saturating_sub(self.queued_at)),
            execution_time: milliseconds(ended_at.saturating_sub(started_or_ended)),
            output: self.output.clone(),
            error: self.error.clone(),
        }
    }
}

fn shared<T, S>(value: &Option<Arc<T>>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Serialize + ?Sized,
    S: Serializer,
{
    value.as_deref().serialize(serializer)
}

fn shared_text<S: Serializer>(value: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value)
}
