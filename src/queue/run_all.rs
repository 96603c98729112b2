//! Bulk submission: jobs are submitted from a stream of inputs with bounded concurrency, and their
//! results returned as they finish.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};
use serde::Serialize;
use tokio::task::JoinHandle;
use tracing::Instrument;
use tracing::instrument::WithSubscriber;

use super::operations::RUN;
use super::wait::PollGroup;
use super::{Endpoint, JobRecord, Run, Wait};
use crate::error::{Error, ErrorKind, Result};
use podqueue_runtime::__private::Attempted;

/// The default number of jobs in flight.
const CONCURRENCY: usize = 100;

/// A stream of the results of many jobs, as they finish; returned by [`Endpoint::run_all`] and
/// [`Endpoint::run_stream`]. Nothing is submitted before it is polled.
///
/// At most [`concurrency`](Self::concurrency) jobs are in flight: submitted, or about to be, with a
/// result that has not been yielded yet. The next input is taken once a result has been yielded, so
/// a slow consumer applies backpressure, and the inputs may be endless.
///
/// The jobs in flight are submitted and waited for in separate tasks, in the tracing span in which
/// this stream was polled, so that slow work between two results does not keep other results from
/// being read before they expire. Together they poll no more often than
/// [`Polling::per_second`](crate::Polling::per_second) allows.
///
/// A job that failed is a result like any other, and so is a job that could not be submitted: the
/// [`Error`]'s kind says which. The stream ends after the last result. If the inputs panic when
/// polled or serialized, or a function passed to [`submit`](Self::submit) does, no result is lost:
/// once the panic is caught, everything in flight is yielded first, and then the inputs are polled
/// again.
///
/// Dropping it stops submitting and waiting. Submitted jobs continue on the service, and a
/// submission in flight may or may not have been accepted.
///
/// # Panics
///
/// Panics if it is polled outside a tokio runtime.
#[must_use = "nothing is submitted until it is polled"]
pub struct RunAll<'a, T> {
    endpoint: Endpoint,
    inputs: Option<Pin<Box<dyn Stream<Item = T> + Send + 'a>>>,
    next_index: usize,
    /// The next submission has panicked, in its input or in its settings, and every later
    /// submission may panic, too.
    panicked: bool,
    in_flight: FuturesUnordered<InFlight<T>>,
    concurrency: usize,
    submit: Submit<'a>,
    wait: Waits,
    /// The poll rate that these waits share, if they have their own polling setting.
    group: PollGroup,
}

/// The outcome of one of many jobs.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished<T> {
    /// The zero-based index of the input. An input that panics when it is produced, or in its
    /// `Serialize`, uses up its index: once the panic is caught, the next input gets the next
    /// index.
    pub index: usize,
    /// The input.
    pub input: T,
    /// The record of the completed job, or the error of the submission or of the wait, as for
    /// [`Run`](crate::Run) and [`Wait`](crate::Wait).
    pub result: Result<JobRecord>,
}

/// Changes the submission of each job, or each wait.
type Submit<'a> = Box<dyn FnMut(Run) -> Run + Send + 'a>;
type Waits = Arc<dyn Fn(Wait) -> Wait + Send + Sync>;

impl Endpoint {
    /// Submits a job for each input, a bounded number at a time, and yields the results as the jobs
    /// finish.
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

    /// Like [`run_all`](Self::run_all), for an asynchronous stream of inputs.
    pub fn run_stream<'a, S>(&self, inputs: S) -> RunAll<'a, S::Item>
    where
        S: Stream<Item: Serialize> + Send + 'a,
    {
        RunAll {
            endpoint: self.clone(),
            inputs: Some(Box::pin(inputs)),
            next_index: 0,
            panicked: false,
            in_flight: FuturesUnordered::new(),
            concurrency: CONCURRENCY,
            submit: Box::new(|run| run),
            wait: Arc::new(|wait| wait),
            group: PollGroup::default(),
        }
    }
}

impl<'a, T> RunAll<'a, T> {
    /// The maximum number of jobs in flight; 100 by default. Zero counts as one.
    pub fn concurrency(mut self, jobs: usize) -> Self {
        self.concurrency = jobs.max(1);
        self
    }

    /// Customizes each submission: `.submit(|run| run.policy(…).at_least_once())`. If called more
    /// than once, all changes apply, in order.
    ///
    /// ```
    /// # fn example(endpoint: podqueue::Endpoint, prompts: Vec<serde_json::Value>) {
    /// use std::time::Duration;
    /// use podqueue::Policy;
    ///
    /// let policy = Policy::new().ttl(Duration::from_secs(3_600));
    /// let results = endpoint
    ///     .run_all(prompts)
    ///     .submit(move |run| run.policy(policy.clone()).at_least_once())
    ///     .wait(|wait| wait.timeout(Duration::from_secs(600)).cancel_on_timeout());
    /// # let _ = results;
    /// # }
    /// ```
    pub fn submit(mut self, mut change: impl FnMut(Run) -> Run + Send + 'a) -> Self {
        let mut before = std::mem::replace(&mut self.submit, Box::new(|run| run));
        self.submit = Box::new(move |run| change(before(run)));
        self
    }

    /// Customizes each wait, which starts when the job is accepted: `.wait(move |wait|
    /// wait.timeout(…).notified_by(&webhooks))`. If called more than once, all changes apply, in
    /// order.
    ///
    /// [`Wait::polling`] applies to each wait, and its [`per_second`](crate::Polling::per_second)
    /// to all of them together.
    pub fn wait(mut self, change: impl Fn(Wait) -> Wait + Send + Sync + 'static) -> Self {
        let before = self.wait;
        self.wait = Arc::new(move |wait| change(before(wait)));
        self
    }
}

impl<T: Serialize> RunAll<'_, T> {
    fn start(&mut self, index: usize, input: T) {
        let run = (self.submit)(self.endpoint.run(&input));
        let (change, group) = (Arc::clone(&self.wait), self.group.clone());
        let accepted = Arc::new(OnceLock::new());
        let known = Arc::clone(&accepted);
        let task = async move {
            let job = run.await?;
            _ = known.set(job.id().to_owned());
            change(job.wait().in_group(group)).await
        };
        let task = tokio::spawn(task.in_current_span().with_current_subscriber());
        let attempted = self.endpoint.attempted(&RUN);
        self.in_flight.push(InFlight { index, input: Some(input), attempted, accepted, task });
    }
}

impl<T: Serialize> Stream for RunAll<'_, T> {
    type Item = Finished<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        // If the panic was caught, jobs in flight are not lost: their results come first.
        let results_first = this.panicked && !this.in_flight.is_empty();
        while !results_first
            && this.in_flight.len() < this.concurrency
            && let Some(inputs) = &mut this.inputs
        {
            // Counted before the input is produced and serialized, either of which may panic: a
            // failed start uses up its index.
            let index = this.next_index;
            this.next_index += 1;
            this.panicked = true;
            match inputs.as_mut().poll_next(context) {
                Poll::Ready(Some(input)) => this.start(index, input),
                Poll::Ready(None) => {
                    this.next_index = index;
                    this.inputs = None;
                }
                Poll::Pending => {
                    this.next_index = index;
                    this.panicked = false;
                    break;
                }
            }
            this.panicked = false;
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
    /// The job's id, once it is accepted.
    accepted: Arc<OnceLock<String>>,
    task: JoinHandle<Result<JobRecord>>,
}

/// Only the task's handle is polled pinned, and `JoinHandle` is `Unpin`.
impl<T> Unpin for InFlight<T> {}

impl<T> Future for InFlight<T> {
    type Output = Finished<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = ready!(Pin::new(&mut self.task).poll(context));
        let result = result.unwrap_or_else(|end| {
            let what = if end.is_panic() {
                "its task panicked, in a function passed to `observe` or `wait` or in the client itself: the job may have been submitted"
            } else {
                "its task was shut down with the runtime: the job may have been submitted"
            };
            let error = Error::new(ErrorKind::OutcomeUnknown, &self.attempted, what);
            Err(match self.accepted.get() {
                Some(job_id) => error.with_job_id(job_id),
                None => error,
            })
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
