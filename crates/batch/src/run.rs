//! Run of a batch, as its caller sees it: a stream of progress and a future of the report.

pub(crate) mod settings;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::Stream;
use podqueue::{Endpoint, Policy};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use self::settings::{Settings, Stop};
use crate::budget::Budget;
use crate::error::{Error, ErrorKind, Result};
use crate::handle_state::HandleState;
use crate::progress::{MaxFailures, Progress, Report};
#[cfg(feature = "object-storage")]
use crate::published_parts::Publication;
use crate::runner;
use crate::submission::{PostRun, Submit};

/// The largest window.
const MAX_WINDOW: usize = 10_000;

/// Number of progress reports that may wait to be read.
const PROGRESS: usize = 4;

/// A run of a batch: a stream of its [`Progress`], and a future of its [`Report`]. Returned by
/// [`Batch::run`](crate::Batch::run); it starts when it is first polled, in a task of its own.
///
/// Dropping it stops submitting; submissions in flight are completed in the background, and until
/// then there can be no other run. To run the batch again in the same process, stop a run with its
/// [`Stopper`] and await it.
///
/// # Errors
///
/// - [`ErrorKind::Service`] if the service refuses all submissions, as for an invalid key;
/// - [`ErrorKind::Unreachable`] if it cannot be reached for 15 minutes, or the database of a shared
///   journal for 5;
/// - [`ErrorKind::Settings`] if a setting is invalid, the endpoint's client has no URL, or another
///   run of the batch is in progress in this process;
/// - the kinds for journals, inputs and results.
///
/// # Panics
///
/// Panics if it is first polled outside a tokio runtime.
#[must_use = "a run does nothing until it is polled"]
pub struct Run {
    planned: Option<(Arc<HandleState>, Settings)>,
    stop: watch::Sender<Stop>,
    progress: Option<mpsc::Receiver<Progress>>,
    task: Option<JoinHandle<Result<Report>>>,
}

/// Stops a [`Run`].
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<Stop>);

impl Run {
    pub(crate) fn new(shared: Arc<HandleState>, endpoint: Endpoint) -> Self {
        let settings = Settings {
            endpoint,
            further_endpoints: Vec::new(),
            step: Arc::new(PostRun),
            policy: None,
            window: MAX_WINDOW,
            max_failures: None,
            take: None,
            budget: None,
            #[cfg(feature = "object-storage")]
            publication: None,
            outage_timeout: Duration::from_secs(15 * 60),
            await_webhooks: Duration::from_secs(60),
        };
        let stop = watch::Sender::new(Stop::Not);
        Self { planned: Some((shared, settings)), stop, progress: None, task: None }
    }

    fn set(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        if let Some((_, settings)) = &mut self.planned {
            set(settings);
        }
        self
    }

    /// The policy of each submission. It is recorded, so that jobs of an earlier run are judged by
    /// the policy that they were submitted with.
    pub fn policy(self, policy: Policy) -> Self {
        self.set(|settings| settings.policy = Some(policy))
    }

    /// The largest number of outstanding jobs, and so the cost of a crash: 10,000 by default. The
    /// actual window is about three minutes of the measured rate, at least 200 jobs, and less while
    /// the service's queue is full. Zero is refused.
    pub fn window(self, jobs: usize) -> Self {
        self.set(|settings| settings.window = jobs)
    }

    /// Stops submitting when there are more failures than this.
    pub fn max_failures(self, most: MaxFailures) -> Self {
        self.set(|settings| settings.max_failures = Some(most))
    }

    /// Largest number of inputs to submit.
    pub fn take(self, inputs: u64) -> Self {
        self.set(|settings| settings.take = Some(inputs))
    }

    /// Price and bound of the cost of the batch. Processes that share a journal share what is
    /// spent; each applies its own bound to the sum.
    pub fn budget(self, budget: Budget) -> Self {
        self.set(|settings| settings.budget = Some(budget))
    }

    /// Publishes the results to a folder of object storage, beside the run:
    ///
    /// - `part-00000.jsonl` and so on, with the lines of the results in their order, each once;
    ///   each part is complete or absent, and never changes. Large outputs are below the same
    ///   folder;
    /// - `failed-00000.jsonl` and so on, with the failures, written at the end of each run;
    /// - `manifest.json`, with all parts, their lines, bytes and digests (BLAKE3), and the counts
    ///   of the batch, written once no input is left. [`Report::manifest`] is its URL. If failed
    ///   inputs are retried later, it is replaced at the end;
    /// - `batch.json`, which says whose folder it is.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     batch: podqueue_batch::Batch,
    /// #     endpoint: podqueue::Endpoint,
    /// # ) -> podqueue_batch::Result<()> {
    /// use podqueue_batch::Object;
    ///
    /// let folder = Object::parse("s3://bucket/out/")?;
    /// let report = batch.run(endpoint).publish_to(folder).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The results file remains, and a storage that is down stops no job: the run ends with the
    /// error, and the next run publishes what is missing, also if no input is left. Parts of
    /// processes that share a journal are `part-PROCESS-00000.jsonl`, with a name of each process;
    /// the process that publishes the last of them writes the manifest.
    ///
    /// # Errors
    ///
    /// The run ends with [`ErrorKind::Storage`] if the credentials are wrong, there is no such
    /// bucket, or the folder or a part is of another batch, mostly before anything is submitted;
    /// with [`ErrorKind::Unreachable`] if the storage could not be reached for three minutes at the
    /// end.
    #[cfg(feature = "object-storage")]
    pub fn publish_to(self, destination: impl Into<Publication>) -> Self {
        let publication = destination.into();
        self.set(|settings| settings.publication = Some(publication))
    }

    /// The step that submits, instead of `POST /run`.
    pub fn submit_with(self, step: impl Submit) -> Self {
        self.set(|settings| settings.step = Arc::new(step))
    }

    /// An endpoint that earlier runs submitted to, from which to collect results. Only needed for
    /// an endpoint of another service: endpoints of the same service are found by their recorded
    /// id.
    pub fn collect_from(self, endpoint: Endpoint) -> Self {
        self.set(|settings| settings.further_endpoints.push(endpoint))
    }

    /// Sets the time for which the service may be unreachable: 15 minutes by default.
    pub fn outage_timeout(self, time: Duration) -> Self {
        self.set(|settings| settings.outage_timeout = time)
    }

    /// With [`OnUnknown::ByWebhook`](crate::OnUnknown::ByWebhook): the time after the last event
    /// for which to wait for calls about unknown inputs, when no other work is left. One minute by
    /// default; it should be longer than a job takes.
    pub fn await_webhooks(self, time: Duration) -> Self {
        self.set(|settings| settings.await_webhooks = time)
    }

    /// A handle that stops this run.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    fn start(&mut self) {
        let Some((shared, settings)) = self.planned.take() else { return };
        let (tell, progress) = mpsc::channel(PROGRESS);
        self.progress = Some(progress);
        let stop = self.stop.clone();
        self.task = Some(tokio::spawn(runner::run(shared, settings, stop, tell)));
    }
}

impl Stopper {
    /// Stops submitting. The run collects the results of all jobs that are outstanding, and ends.
    pub fn stop(&self) {
        self.at_least(Stop::Submitting);
    }

    /// Stops submitting and collecting. The run ends once the responses to submissions in flight
    /// have been recorded: outstanding jobs are collected by the next run.
    pub fn exit(&self) {
        self.at_least(Stop::Collecting);
    }

    fn at_least(&self, stop: Stop) {
        self.0.send_if_modified(|now| {
            let further = stop > *now;
            if further {
                *now = stop;
            }
            further
        });
    }
}

impl Stream for Run {
    type Item = Progress;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Progress>> {
        self.start();
        match &mut self.progress {
            Some(progress) => progress.poll_recv(context),
            None => Poll::Ready(None),
        }
    }
}

impl Future for Run {
    type Output = Result<Report>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Report>> {
        self.start();
        let Some(task) = &mut self.task else {
            let message = "the run has ended, and its report has been taken";
            return Poll::Ready(Err(Error::new(ErrorKind::Settings, message)));
        };
        let ended = ready!(Pin::new(task).poll(context));
        self.task = None;
        Poll::Ready(ended.unwrap_or_else(|end| {
            let message = format!("the run was interrupted: {end}");
            Err(Error::new(ErrorKind::Journal, message))
        }))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.stopper().exit();
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("started", &self.planned.is_none()).finish_non_exhaustive()
    }
}
