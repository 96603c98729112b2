//! The environment of a worker that attaches over HTTP: how it finds its endpoint.

use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::clock::milliseconds;

/// What the variables of a worker depend on.
#[derive(Clone)]
pub(crate) struct Environment {
    /// In front of the name of each variable.
    pub(crate) prefix: String,
    pub(crate) base_url: String,
    pub(crate) endpoint: String,
    /// The key with which workers authorize themselves.
    pub(crate) key: String,
    pub(crate) ping_interval: Duration,
}

impl Environment {
    /// The variables by name. One of a worker whose name is not given chooses its own.
    pub(crate) fn variables(&self, worker: Option<&str>) -> Vec<(String, String)> {
        let Self { prefix, base_url, .. } = self;
        let endpoint = utf8_percent_encode(&self.endpoint, NON_ALPHANUMERIC);
        // Workers replace both by names: $ID by theirs where a job is taken, and by that of the job
        // where one is reported on.
        let url = |route: &str| format!("{base_url}/v2/{endpoint}/{route}");
        let of_a_job = |route: &str| url(&format!("{route}/${prefix}POD_ID/$ID?gpu=none"));
        let mut variables = vec![
            ("WEBHOOK_GET_JOB", url("job-take/$ID?gpu=none")),
            ("WEBHOOK_POST_OUTPUT", of_a_job("job-done")),
            ("WEBHOOK_POST_STREAM", of_a_job("job-stream")),
            ("WEBHOOK_PING", url(&format!("ping/${prefix}POD_ID"))),
            ("PING_INTERVAL", milliseconds(self.ping_interval).to_string()),
            ("AI_API_KEY", self.key.clone()),
            ("ENDPOINT_ID", self.endpoint.clone()),
            // There is no GPU to be checked.
            ("SKIP_AUTO_SYSTEM_CHECKS", "true".to_owned()),
            ("SKIP_GPU_CHECK", "true".to_owned()),
            ("LOG_LEVEL", "INFO".to_owned()),
        ];
        if let Some(worker) = worker {
            variables.push(("POD_ID", worker.to_owned()));
            variables.push(("POD_HOSTNAME", worker.to_owned()));
        }
        variables.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)).collect()
    }

    /// The name of a variable that must not be set: with it a worker serves HTTP itself.
    pub(crate) fn forbidden(&self) -> String {
        format!("{}REALTIME_PORT", self.prefix)
    }
}
