//! Operation: an operation of the queue, the worker protocol, REST or GraphQL, by name; the account
//! interface and the control plane count as one operation each.

use serde::{Deserialize, Serialize};

/// An operation of the service, by which permissions of keys, rate limits and faults are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Operation {
    /// `POST /v2/{endpoint_id}/run`
    Run,
    /// `POST /v2/{endpoint_id}/runsync`
    #[serde(rename = "runsync")]
    RunSync,
    /// `GET /v2/{endpoint_id}/status/{job_id}`, and `/status-sync` beside it, which is undocumented
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
    /// `POST` or `GET /v2/{endpoint_id}/openai/*`
    #[serde(rename = "openai")]
    OpenAi,
    /// `GET /v2/{endpoint_id}/requests`
    Requests,
    /// `GET /v2/{endpoint_id}/job-take/{worker_id}`
    JobTake,
    /// `GET /v2/{endpoint_id}/job-take-batch/{worker_id}`
    JobTakeBatch,
    /// `GET /v2/{endpoint_id}/job-stop/{worker_id}`
    JobStop,
    /// `POST /v2/{endpoint_id}/job-stream/{worker_id}/{job_id}`
    JobStream,
    /// `POST /v2/{endpoint_id}/job-done/{worker_id}/{job_id}`
    JobDone,
    /// `GET /v2/{endpoint_id}/ping/{worker_id}`
    Ping,
    /// `GET /v1/pods/{podId}`
    GetPod,
    /// `GET /v1/templates/{templateId}`
    GetTemplate,
    /// `POST /graphql`
    #[serde(rename = "graphql")]
    GraphQl,
    /// All paths under `/account`.
    Account,
    /// All paths under `/_local`, if the control plane is enabled.
    Control,
}

impl Operation {
    /// The operations of workers that attach over HTTP.
    pub(crate) const OF_WORKERS: [Self; 6] = [
        Self::JobTake,
        Self::JobTakeBatch,
        Self::JobStop,
        Self::JobStream,
        Self::JobDone,
        Self::Ping,
    ];

    pub(crate) fn is_of_workers(self) -> bool {
        Self::OF_WORKERS.contains(&self)
    }
}
