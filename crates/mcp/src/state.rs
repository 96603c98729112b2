//! State of a server, which all of its connections share.

use std::time::Duration;

use podqueue::{Error, ErrorKind};
use serde_json::json;

use crate::arguments::check_id;
use crate::batch_runs::BatchRuns;
use crate::call_journal::CallJournal;
use crate::files::Files;
use crate::permissions::Permissions;
use crate::reply::{Failure, Next};
use crate::service::{Service, ServiceName, Services};
use crate::streams::Streams;

/// Time for which a server that ends waits for the outcomes of its submissions, and the ends of its
/// runs of batches.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// State shared by all connections of a server.
pub(crate) struct State {
    pub(crate) permissions: Permissions,
    pub(crate) services: Services,
    pub(crate) journal: CallJournal,
    pub(crate) streams: Streams,
    pub(crate) files: Files,
    pub(crate) batch_runs: BatchRuns,
}

impl State {
    /// Stops the runs of batches, and waits for the outcomes of submissions that were sent; without
    /// them they would be unknown.
    pub(crate) async fn finish(&self) {
        let mut ended = self.journal.ended();
        let idle = async { while !self.journal.is_idle() && ended.changed().await.is_ok() {} };
        let both = async { tokio::join!(idle, self.batch_runs.close()) };
        let _ = tokio::time::timeout(END_TIMEOUT, both).await;
    }

    /// The service of a call on an endpoint, which must be permitted.
    pub(crate) fn service_of_endpoint(
        &self,
        name: ServiceName,
        endpoint: &str,
    ) -> Result<Service, Failure> {
        check_id("endpoint", endpoint)?;
        self.permissions.check_endpoint(endpoint, name)?;
        self.services.get(name)
    }

    /// The service of a call on a job of an endpoint, which must be permitted.
    pub(crate) fn service_of_job(
        &self,
        name: ServiceName,
        endpoint: &str,
        job_id: &str,
    ) -> Result<Service, Failure> {
        check_id("job_id", job_id)?;
        self.service_of_endpoint(name, endpoint)
    }

    /// The failure of a call of the client.
    pub(crate) fn failure_of(
        &self,
        error: &Error,
        service: ServiceName,
        endpoint: &str,
    ) -> Failure {
        let mut message = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !message.contains(&cause_text) {
                message = format!("{message}: {cause_text}");
            }
            source = cause.source();
        }
        let failure = Failure::new(message);
        let arguments = json!({ "service": service.argument(), "endpoint": endpoint });
        let has_account = self.services.get(service).is_ok_and(|service| service.has_account);
        match error.kind() {
            ErrorKind::NotFound if error.job_id().is_none() && has_account => {
                failure.next(Next::new("endpoints", json!({ "service": service.argument() })))
            }
            ErrorKind::Unauthorized | ErrorKind::Connect | ErrorKind::Redirect => {
                failure.next(Next::new("doctor", arguments))
            }
            ErrorKind::NotFound | ErrorKind::JobExpired => {
                failure.next(Next::new("health", arguments))
            }
            _ => failure,
        }
    }
}
