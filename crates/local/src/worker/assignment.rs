//! A job as JSON, as a worker that is a program gets it.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::job::{JobPolicy, LocalJob, S3Config};
use crate::clock::milliseconds;

/// What a program gets of a job. What the submission omitted is not there.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Assignment<'a> {
    pub(crate) id: &'a str,
    pub(crate) input: &'a Value,
    #[serde(skip_serializing_if = "is_default", serialize_with = "policy")]
    pub(crate) policy: JobPolicy,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "s3_config")]
    pub(crate) s3_config: Option<&'a S3Config>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) webhook: Option<&'a str>,
}

impl<'a> Assignment<'a> {
    /// The job without its webhook.
    pub(crate) fn of(job: &'a LocalJob) -> Self {
        Self {
            id: &job.id,
            input: &job.input,
            policy: job.policy,
            s3_config: job.s3_config.as_ref(),
            webhook: None,
        }
    }
}

impl fmt::Display for Assignment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// What is set of a policy, as it is submitted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Policy {
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_timeout: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    low_priority: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct S3<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    access_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_secret: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bucket_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint_url: Option<&'a str>,
}

fn is_default(policy: &JobPolicy) -> bool {
    *policy == JobPolicy::default()
}

impl From<JobPolicy> for Policy {
    fn from(policy: JobPolicy) -> Self {
        let in_milliseconds = |time: Option<Duration>| time.map(milliseconds);
        Self {
            execution_timeout: in_milliseconds(policy.execution_timeout),
            ttl: in_milliseconds(policy.ttl),
            low_priority: policy.low_priority,
        }
    }
}

fn policy<S: Serializer>(policy: &JobPolicy, to: S) -> Result<S::Ok, S::Error> {
    Policy::from(*policy).serialize(to)
}

fn s3_config<S: Serializer>(config: &Option<&S3Config>, to: S) -> Result<S::Ok, S::Error> {
    let config = config.map(|config| S3 {
        access_id: config.access_id.as_deref(),
        access_secret: config.access_secret.as_deref(),
        bucket_name: config.bucket_name.as_deref(),
        endpoint_url: config.endpoint_url.as_deref(),
    });
    config.serialize(to)
}
