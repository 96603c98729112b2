//! The operations of the three interfaces, by name.

use serde::Deserialize;

/// An operation of the service, by which permissions of keys, rate limits and faults are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Operation {
    /// `POST /v2/{endpoint_id}/run`
    Run,
    /// `POST /v2/{endpoint_id}/runsync`
    #[serde(rename = "runsync")]
    RunSync,
    /// `GET /v2/{endpoint_id}/status/{job_id}`
    Status,
    /// `GET /v2/{endpoint_id}/stream/{job_id}`
    Stream,
    /// `POST /v2/{endpoint_id}/cancel/{job_id}`
    Cancel,
    /// `POST /v2/{endpoint_id}/retry/{job_id}`
    Retry,
    /// `POST /v2/{endpoint_id}/purge-queue`
    PurgeQueue,
    /// `GET /v2/{endpoint_id}/health`
    Health,
    /// `POST /v2/{endpoint_id}/openai/*`
    #[serde(rename = "openai")]
    OpenAi,
    /// `GET /v2/{endpoint_id}/requests`
    Requests,
    /// `GET /v1/pods/{podId}`
    GetPod,
    /// `GET /v1/templates/{templateId}`
    GetTemplate,
    /// `POST /graphql`
    #[serde(rename = "graphql")]
    GraphQl,
    /// Everything under `/_local`, if the control plane is enabled.
    Control,
}
