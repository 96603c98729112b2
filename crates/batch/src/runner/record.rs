//! What the journal says of a run.

use podqueue::Endpoint;

use crate::error::{Error, ErrorKind, Result};
use crate::run::Settings;
use crate::store::RunRecord;

impl Settings {
    /// The endpoint that a run submitted to, if this run can reach it.
    pub(super) fn endpoint_of(&self, record: &RunRecord) -> Option<Endpoint> {
        let all = std::iter::once(&self.endpoint).chain(&self.others);
        let mut there = all.filter(|it| it.base_url() == Some(record.base_url.as_str()));
        there.next().map(|endpoint| endpoint.with_id(&record.endpoint_id))
    }
}

pub(super) fn record_of(settings: &Settings, now: u64) -> Result<RunRecord> {
    let Some(base_url) = settings.endpoint.base_url() else {
        let message = "the endpoint's client has no URL: set `base_url` when it is built";
        return Err(Error::new(ErrorKind::Settings, message));
    };
    let policy = settings.policy.as_ref().map(serde_json::to_value).transpose();
    let policy = policy.map_err(|error| {
        Error::new(ErrorKind::Settings, format!("the policy cannot be recorded: {error}"))
    })?;
    Ok(RunRecord {
        endpoint_id: settings.endpoint.id().to_owned(),
        base_url: base_url.to_owned(),
        ttl: policy.as_ref().and_then(|policy| policy.get("ttl")?.as_u64()),
        policy: policy.map(|policy| policy.to_string()),
        started_at: now,
    })
}
