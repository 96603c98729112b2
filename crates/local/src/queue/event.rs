//! What a webhook is called with (interface: "Events").

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::job::{Job, Record};
use super::submission::Submission;
use crate::clock::Moment;

/// The end of a job.
#[derive(Serialize)]
pub(crate) struct Event {
    #[serde(flatten)]
    record: Record,
    #[serde(rename = "input", serialize_with = "input")]
    submission: Arc<Submission>,
    webhook: String,
}

impl Event {
    pub(crate) fn of(job: &Job, webhook: &str, now: Moment) -> Self {
        let submission = job.submission.clone();
        Self { record: job.record(now), submission, webhook: webhook.to_owned() }
    }
}

fn input<S: Serializer>(submission: &Arc<Submission>, to: S) -> Result<S::Ok, S::Error> {
    submission.input.serialize(to)
}
