//! Many jobs at once: submitted from a stream of inputs, answered as they end.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};
use serde::Serialize;
use tokio::task::JoinHandle;
use tracing::Instrument;
use tracing::instrument::WithSubscriber;

use super::operations::RUN;
use super::{Endpoint, Job, JobRecord, Policy, Run, S3Config, Wait};
use crate::context::{PollLine, Polling};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::secret_string::SecretString;

/// How many jobs are in flight where nothing else is said.
const CONCURRENCY: usize = 100;

/// The results of many jobs, as they end; made by [`Endpoint::run_all`] and
/// [`Endpoint::run_stream`]. Nothing is submitted before it is polled.
///
/// At most [`concurrency`](Self::concurrency) jobs are in flight: submitted, or about to be, with
/// a result that was not handed out yet. The next input is taken when a result was, so a slow
/// consumer slows down the submissions, and an endless stream of inputs is no harm.
///
/// The jobs in flight are submitted and waited for in tasks of their own, in the tracing span in which
/// this was polled: what takes its time
/// between two results keeps no other result from being read before it expires. However many there
/// are, they ask for their status no more often than [`Polling::per_second`] says.
///
/// A job that fails is a result like any other, and so is one that could not be submitted: an
/// [`Error`] whose kind tells which. The stream ends after the last result. Inputs that panic when they
/// are asked for take no result along: where the panic is caught, all that is in flight comes first, and
/// then they are asked again.
///
/// Dropping it submits nothing more and stops waiting. The jobs that were submitted go on at the
/// service, and a submission that was on its way may or may not have been accepted.
///
/// # Panics
///
/// Polled outside of a Tokio runtime.
#[must_use = "nothing is submitted until it is polled"]
pub struct RunAll<'a, T> {
    endpoint: Endpoint,
    inputs: Option<Pin<Box<dyn Stream<Item = T> + Send + 'a>>>,
    next_index: usize,
    /// The inputs have panicked when they were last polled, and may do so for ever.
    inputs_panicked: bool,
    in_flight: FuturesUnordered<InFlight<T>>,
    concurrency: usize,
    settings: Arc<Settings>,
}

/// What became of one of many jobs.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished<T> {
    /// The place of the input among all inputs, from 0. An input that panics when it is made, or in its
    /// `Serialize`, takes its place along: where the panic is caught, the next input has the next place.
    pub index: usize,
    /// The input.
    pub input: T,
    /// The record of the completed job; or the error of the submission, or of the wait, as
    /// awaiting [`Run`](crate::Run) and [`Wait`](crate::Wait) answer it.
    pub result: Result<JobRecord>,
}

#[derive(Clone, Default)]
struct Settings {
    policy: Option<Policy>,
    s3_config: Option<S3Config>,
    webhook: Option<SecretString>,
    timeout: Option<Duration>,
    cancel_on_timeout: bool,
    at_least_once: bool,
    /// How often to ask, and the turns of all jobs for that.
    polling: Option<(Polling, Arc<PollLine>)>,
    #[cfg(feature = "webhook")]
    webhooks: Option<crate::webhook::Webhooks>,
}

impl Endpoint {
    /// Submits a job for each input, a bounded number at a time, and answers the results as they
    /// come.
    ///
    /// ```no_run
    /// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
    /// use futures_util::StreamExt;
    /// use serde_json::json;
    ///
    /// let prompts = (0..1_000).map(|n| json!({"prompt": format!("lighthouse {n}")}));
    /// let mut results = endpoint.run_all(prompts).concurrency(50);
    /// while let Some(done) = results.next().await {
    ///     match done.result {
    ///         Ok(record) => println!("{}: {}", done.index, record.output::<String>()?),
    ///         Err(error) => eprintln!("{} ({}): {error}", done.index, done.input),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn run_all<'a, I>(&self, inputs: I) -> RunAll<'a, I::Item>
    where
        I: IntoIterator<IntoIter: Send + 'a>,
        I::Item: Serialize,
    {
        self.run_stream(futures_util::stream::iter(inputs))
    }

    /// As [`run_all`](Self::run_all), with inputs that are still to come.
    pub fn run_stream<'a, S>(&self, inputs: S) -> RunAll<'a, S::Item>
    where
        S: Stream<Item: Serialize> + Send + 'a,
    {
        RunAll {
            endpoint: self.clone(),
            inputs: Some(Box::pin(inputs)),
            next_index: 0,
            inputs_panicked: false,
            in_flight: FuturesUnordered::new(),
            concurrency: CONCURRENCY,
            settings: Arc::default(),
        }
    }
}

impl<T> RunAll<'_, T> {
    /// How many jobs are in flight at most; 100 by default. Zero counts as one.
    pub fn concurrency(mut self, jobs: usize) -> Self {
        self.concurrency = jobs.max(1);
        self
    }

    /// The execution policy of each job.
    pub fn policy(self, policy: Policy) -> Self {
        self.set(|settings| settings.policy = Some(policy))
    }

    /// Object-storage settings that are passed on to the worker with each job.
    pub fn s3_config(self, s3_config: S3Config) -> Self {
        self.set(|settings| settings.s3_config = Some(s3_config))
    }

    /// The URL that the service calls when a job has ended, as [`Run::webhook`](crate::Run::webhook)
    /// takes it.
    pub fn webhook(self, url: impl Into<SecretString>) -> Self {
        self.set(|settings| settings.webhook = Some(url.into()))
    }

    /// Lets the service's calls tell of the jobs that have ended, with slow polling as the safety
    /// net. The URL of these webhooks is to be given with [`webhook`](Self::webhook).
    #[cfg(feature = "webhook")]
    pub fn told_by(self, webhooks: &crate::webhook::Webhooks) -> Self {
        self.set(|settings| settings.webhooks = Some(webhooks.clone()))
    }

    /// Submits a job again where it is not known whether it was accepted, at the price that
    /// [`Run::at_least_once`](crate::Run::at_least_once) names: it may run more than once.
    pub fn at_least_once(self) -> Self {
        self.set(|settings| settings.at_least_once = true)
    }

    /// How long each job is waited for at most, from when it was accepted.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.set(|settings| settings.timeout = Some(timeout))
    }

    /// Cancels a job at the service when its time is over, as
    /// [`Wait::cancel_on_timeout`](crate::Wait::cancel_on_timeout) does.
    pub fn cancel_on_timeout(self) -> Self {
        self.set(|settings| settings.cancel_on_timeout = true)
    }

    /// How often to ask, for these jobs alone and all of them together.
    pub fn polling(self, polling: Polling) -> Self {
        let line = Arc::new(PollLine::new(polling.interval()));
        self.set(|settings| settings.polling = Some((polling, line)))
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }
}

impl<T: Serialize> RunAll<'_, T> {
    fn start(&mut self, index: usize, input: T) {
        let run = self.settings.submission(&self.endpoint, &input);
        let settings = Arc::clone(&self.settings);
        let task = async move { settings.wait(run.await?).await };
        let task = tokio::spawn(task.in_current_span().with_current_subscriber());
        let attempted = self.endpoint.attempted(&RUN);
        self.in_flight.push(InFlight { index, input: Some(input), attempted, task });
    }
}

impl Settings {
    fn submission<T: Serialize>(&self, endpoint: &Endpoint, input: &T) -> Run {
        let mut run = endpoint.run(input);
        if let Some(policy) = &self.policy {
            run = run.policy(policy.clone());
        }
        if let Some(s3_config) = &self.s3_config {
            run = run.s3_config(s3_config.clone());
        }
        if let Some(webhook) = &self.webhook {
            run = run.webhook(webhook.clone());
        }
        if self.at_least_once {
            run = run.at_least_once();
        }
        run
    }

    async fn wait(&self, job: Job) -> Result<JobRecord> {
        let mut wait: Wait = job.wait();
        if let Some(timeout) = self.timeout {
            wait = wait.timeout(timeout);
        }
        if self.cancel_on_timeout {
            wait = wait.cancel_on_timeout();
        }
        if let Some((polling, line)) = &self.polling {
            wait = wait.in_line(polling.clone(), Arc::clone(line));
        }
        #[cfg(feature = "webhook")]
        if let Some(webhooks) = &self.webhooks {
            return wait.webhook(webhooks).await;
        }
        wait.await
    }
}

impl<T: Serialize> Stream for RunAll<'_, T> {
    type Item = Finished<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        // Where the panic was caught, what is in flight is not lost: its results come first.
        let results_first = this.inputs_panicked && !this.in_flight.is_empty();
        while !results_first
            && this.in_flight.len() < this.concurrency
            && let Some(inputs) = &mut this.inputs
        {
            // Before it is made and written, either of which may panic: it has had its place all the
            // same.
            let index = this.next_index;
            this.next_index += 1;
            this.inputs_panicked = true;
            let input = inputs.as_mut().poll_next(context);
            this.inputs_panicked = false;
            match input {
                Poll::Ready(Some(input)) => this.start(index, input),
                Poll::Ready(None) => {
                    this.next_index = index;
                    this.inputs = None;
                }
                Poll::Pending => {
                    this.next_index = index;
                    break;
                }
            }
        }
        match ready!(this.in_flight.poll_next_unpin(context)) {
            Some(finished) => Poll::Ready(Some(finished)),
            None if this.inputs.is_none() => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// A job that is submitted and waited for in a task, which ends with this.
struct InFlight<T> {
    index: usize,
    input: Option<T>,
    attempted: Attempted,
    task: JoinHandle<Result<JobRecord>>,
}

/// Nothing in it is pinned but the task's handle, which does not care.
impl<T> Unpin for InFlight<T> {}

impl<T> Future for InFlight<T> {
    type Output = Finished<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = ready!(Pin::new(&mut self.task).poll(context));
        let result = result.unwrap_or_else(|end| {
            let what = if end.is_panic() {
                "its task panicked, in the function that observes the client or in the client \
                 itself: the job may have been submitted"
            } else {
                "its task was shut down with the runtime: the job may have been submitted"
            };
            Err(Error::new(ErrorKind::OutcomeUnknown, &self.attempted, what))
        });
        let index = self.index;
        match self.input.take() {
            Some(input) => Poll::Ready(Finished { index, input, result }),
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for InFlight<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<T> fmt::Debug for RunAll<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunAll")
            .field("endpoint", &self.endpoint.id())
            .field("submitted", &self.next_index)
            .field("in_flight", &self.in_flight.len())
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
    }
}
