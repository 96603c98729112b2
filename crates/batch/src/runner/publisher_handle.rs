//! Publisher handle: the publisher that works beside a run, if its results are published. Runs have
//! one without object storage as well; the publisher itself is only there with that feature.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::ProgressReporter;
#[cfg(feature = "object-storage")]
use super::publisher::Publisher;
use crate::error::{Error, ErrorKind, Result};
use crate::handle_state::HandleState;
use crate::progress::Report;
use crate::run::settings::{Settings, Stop};

/// Handle of the publisher of a run, if it has one. A request to it is to publish all that is left;
/// the reply is the URL of the manifest, if there is one.
#[derive(Default)]
pub(super) struct PublisherHandle(Option<mpsc::Sender<oneshot::Sender<Result<Option<String>>>>>);

/// The work of a publisher, which only ends when it is dropped.
pub(super) type PublisherWork = Pin<Box<dyn Future<Output = Infallible> + Send>>;

impl PublisherHandle {
    /// Begins to publish, and returns the work to do beside the run.
    #[cfg_attr(
        not(feature = "object-storage"),
        expect(unused_variables, reason = "there is no object storage")
    )]
    pub(super) async fn begin(
        shared: &Arc<HandleState>,
        settings: &Settings,
        reporter: &ProgressReporter,
    ) -> Result<(Self, PublisherWork)> {
        #[cfg(feature = "object-storage")]
        if let Some(publication) = settings.publication.clone() {
            let publisher = Publisher::begin(shared, publication).await?;
            let (requests, received) = mpsc::channel(1);
            let work = publisher.publish_beside(received, reporter.clone());
            return Ok((Self(Some(requests)), Box::pin(work)));
        }
        Ok((Self::default(), Box::pin(std::future::pending())))
    }

    /// Publishes all that is left of a run that has ended, unless it is told to exit.
    pub(super) async fn finish(
        &self,
        mut report: Report,
        mut stops: watch::Receiver<Stop>,
    ) -> Result<Report> {
        let Some(requests) = &self.0 else { return Ok(report) };
        let (reply, published) = oneshot::channel();
        let publish = async {
            let ended = || Error::new(ErrorKind::Storage, "the publisher has ended unexpectedly");
            requests.send(reply).await.map_err(|_| ended())?;
            published.await.map_err(|_| ended())?
        };
        tokio::select! {
            manifest = publish => report.manifest = manifest?,
            // The next run publishes the rest.
            Ok(_) = stops.wait_for(|stop| *stop == Stop::Collecting) => {}
        }
        Ok(report)
    }
}
