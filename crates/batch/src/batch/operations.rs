//! Operations on a batch that does not run: check, retry and cancel.

use std::collections::HashMap;
use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::iter;
use podqueue::{Endpoint, ErrorKind as ServiceKind, Job, JobRecord, JobStatus, Run};

use super::Batch;
use crate::error::{Error, ErrorKind, Result};
use crate::handle_state::{Guard, cancel_pending, cancelled, settled};
use crate::input_state::State;
use crate::journal::JournalState;
use crate::store::{Ended, Event, Input, PAGE};

/// Calls in flight.
const MAX_CALLS_IN_FLIGHT: usize = 16;

/// Interval at which other processes are observed.
const RECOVERY_INTERVAL: Duration = Duration::from_millis(250);

/// Number of bytes around the input in the body of a submission, at least: `{"input":}`.
const BODY_OVERHEAD: usize = 10;

/// Number of validation errors listed.
const MAX_LISTED_ERRORS: usize = 100;

/// Result of [`Batch::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// Number of inputs that would be submitted.
    pub valid: u64,
    /// Number of inputs that equal an earlier input, and would not be submitted.
    pub copies: u64,
    /// Number of inputs that would be refused.
    pub invalid: u64,
    /// The line and the validation error of the first 100 invalid inputs.
    pub errors: Vec<(u64, String)>,
}

/// Result of [`Batch::retry_jobs`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retried {
    /// Number of jobs that are queued again.
    pub retried: u64,
    /// Number of jobs that the service no longer allows to be retried.
    pub not_retriable: u64,
}

impl Batch {
    /// Checks all pending inputs without submitting any: a dry run.
    ///
    /// # Errors
    ///
    /// If the journal or the inputs cannot be read.
    pub async fn check(&self) -> Result<Checked> {
        let check = self.shared.journal().with(|state| {
            let (mut checked, mut from) = (Checked::default(), 0);
            loop {
                let page = state.store().inputs(&[State::Pending], from, PAGE)?;
                let Some(last) = page.last() else { return Ok(checked) };
                from = last.index + 1;
                for input in &page {
                    let text = state.text(input)?;
                    let rejection = match &input.rejection {
                        Some(rejection) => Some(rejection.clone()),
                        None => match state.shape().parse(&text) {
                            Ok(parsed) => too_large(parsed.input.get().len()),
                            Err(rejection) => Some(rejection),
                        },
                    };
                    match rejection {
                        None if input.same_as.is_some() => checked.copies += 1,
                        None => checked.valid += 1,
                        Some(rejection) => {
                            checked.invalid += 1;
                            if checked.errors.len() < MAX_LISTED_ERRORS {
                                checked.errors.push((input.line, rejection));
                            }
                        }
                    }
                }
            }
        });
        check.await
    }

    /// Makes all inputs in these states pending again, to be submitted as new jobs by the next run,
    /// and returns their number. [`State::Unknown`] may be among them: their earlier
    /// submission may have been accepted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] for any other state that is no failure, or while the batch runs;
    /// [`ErrorKind::InUse`] while another process shares the batch;
    /// [`ErrorKind::Inputs`] and [`ErrorKind::InputsChanged`] if one of these inputs cannot be
    /// read: then none is made pending.
    pub async fn retry(&self, states: &[State]) -> Result<u64> {
        let _guard = self.exclusive().await?;
        if let Some(state) = states.iter().find(|it| !it.is_failure() && **it != State::Unknown) {
            let message = format!("inputs that are {state} cannot be retried");
            return Err(Error::new(ErrorKind::Settings, message));
        }
        let (states, mut retried, mut from) = (states.to_vec(), 0, 0);
        self.require_texts(&states).await?;
        loop {
            let list = states.clone();
            let page = self.shared.journal().with(move |it| it.store().inputs(&list, from, PAGE));
            let page = page.await?;
            let Some(last) = page.last() else {
                self.rewrite_failures().await?;
                return Ok(retried);
            };
            from = last.index + 1;
            retried += page.len() as u64;
            let changes = page.iter().map(|input| settled(input, Event::Resubmit));
            self.shared.journal().apply(changes.collect()).await?;
        }
    }

    /// Retries the jobs that failed or timed out, with `POST /retry`, which keeps their ids; the
    /// next run collects them. The service allows that until their results expire.
    ///
    /// Each is recorded as outstanding before its request is sent, so that the next run collects it
    /// regardless of the outcome of the request, also after a crash.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] while the batch runs, [`ErrorKind::InUse`] while another process
    /// shares it, and [`ErrorKind::Service`] if a call fails in another way than that the job is
    /// gone: no further jobs are retried then.
    pub async fn retry_jobs(&self, endpoint: &Endpoint) -> Result<Retried> {
        let _guard = self.exclusive().await?;
        let (mut done, mut failure) = (Retried::default(), None);
        let jobs = self.jobs(&[State::Failed, State::TimedOut], endpoint).await?;
        self.shared.journal().with(JournalState::accept_loss).await?;
        let has_failed = AtomicBool::new(false);
        let mut calls = iter(jobs)
            .take_while(|_| ready(!has_failed.load(Relaxed)))
            .map(|(input, job)| self.retry_job(input, job))
            .buffer_unordered(MAX_CALLS_IN_FLIGHT);
        while let Some(retried) = calls.next().await {
            match retried {
                Ok(true) => done.retried += 1,
                Ok(false) => done.not_retriable += 1,
                // Calls in flight are completed and recorded.
                Err(error) => {
                    has_failed.store(true, Relaxed);
                    failure.get_or_insert(error);
                }
            }
        }
        self.rewrite_failures().await?;
        failure.map_or(Ok(done), Err)
    }

    /// Retries a job. Returns true if the service still allows it.
    async fn retry_job(&self, input: Input, job: Job) -> Result<bool> {
        let (index, journal) = (input.index, self.shared.journal());
        // Copies wait for the result of their original, as they did before.
        let mut copies = match self.shared.shape().dedupe {
            true => journal.with(move |state| state.store().copies(index)).await?,
            false => Vec::new(),
        };
        copies.retain(|copy| copy.state == input.state);
        let event = Event::Accepted { job_id: job.id().to_owned(), at: self.shared.clock().now() };
        let copies = copies.iter().map(|copy| settled(copy, Event::Resubmit));
        journal.apply(std::iter::once(settled(&input, event)).chain(copies).collect()).await?;
        let Err(error) = job.retry().await else { return Ok(true) };
        if error.kind() != ServiceKind::OutcomeUnknown {
            let Input { state, error, .. } = &input;
            let (state, error) = (*state, error.clone());
            let was = Event::Ended(Ended { state, error, delay_ms: None, execution_ms: None });
            journal.apply(vec![settled(&input, was)]).await?;
        }
        if is_not_retryable(&error) { Ok(false) } else { Err(service_error("retry a job", error)) }
    }

    /// Cancels the batch: its pending inputs are not submitted, and its outstanding jobs are
    /// cancelled. Those that have ended in the meantime are collected by the next run. Returns the
    /// number of cancelled inputs. If another process runs the batch,
    /// [`Reader::request_cancel`](crate::Reader::request_cancel) lets it do the same.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] while the batch runs, [`ErrorKind::InUse`] while another process
    /// shares it, and [`ErrorKind::Service`] if a call fails.
    pub async fn cancel(&self, endpoint: &Endpoint) -> Result<u64> {
        let _guard = self.exclusive().await?;
        let before = self.status().await?.counts.of(State::Cancelled);
        cancel_pending(self.shared.journal()).await?;
        let jobs = self.jobs(&[State::Submitted], endpoint).await?;
        let mut calls = iter(jobs)
            .map(|(input, job)| async move { (input, cancel_job(&job).await) })
            .buffer_unordered(MAX_CALLS_IN_FLIGHT);
        while let Some((input, result)) = calls.next().await {
            match result {
                Ok(record) if record.status() == JobStatus::Cancelled => {
                    let event = cancelled(record.delay_time(), record.execution_time());
                    self.shared.journal().apply(vec![settled(&input, event)]).await?;
                }
                // The job has ended otherwise: the next run collects it.
                Ok(_) => {}
                Err(error) if is_not_retryable(&error) => {}
                Err(error) => return Err(service_error("cancel a job", error)),
            }
        }
        self.rewrite_failures().await?;
        Ok(self.status().await?.counts.of(State::Cancelled) - before)
    }

    /// Makes sure that all inputs in these states can be submitted again.
    async fn require_texts(&self, states: &[State]) -> Result<()> {
        let mut from = 0;
        loop {
            let states = states.to_vec();
            let next = self.shared.journal().with(move |state| {
                let page = state.store().inputs(&states, from, PAGE)?;
                for input in &page {
                    state.text(input).map_err(explain_retry_inputs)?;
                }
                Ok(page.last().map(|last| last.index + 1))
            });
            match next.await? {
                Some(next) => from = next,
                None => return Ok(()),
            }
        }
    }

    async fn rewrite_failures(&self) -> Result<()> {
        self.shared.journal().with(|state| state.rewrite_failures().map(drop)).await
    }

    /// The inputs in these states that are jobs of this endpoint's service.
    async fn jobs(&self, states: &[State], endpoint: &Endpoint) -> Result<Vec<(Input, Job)>> {
        let states = states.to_vec();
        let list = self.shared.journal().with(move |state| {
            Ok((state.store().runs()?, state.store().inputs(&states, 0, usize::MAX)?))
        });
        let (runs, inputs) = list.await?;
        let runs = runs.into_iter().filter(|(_, run)| endpoint.base_url() == Some(&run.base_url));
        let there: HashMap<_, _> =
            runs.map(|(number, run)| (number, endpoint.with_id(run.endpoint_id))).collect();
        let job = |input: Input| {
            let job = there.get(&input.run?)?.job(input.job_id.as_ref()?);
            Some((input, job))
        };
        Ok(inputs.into_iter().filter_map(job).collect())
    }

    /// Excludes runs, here and in other processes that share the journal.
    async fn exclusive(&self) -> Result<Guard> {
        let (closed, _) = tokio::sync::mpsc::unbounded_channel();
        let guard = Guard::begin(&self.shared, closed)?;
        // Processes that have crashed are recovered once their leases were seen to expire.
        while let Peers { all: 1.., at_work } = self.shared.journal().with(recover_peers).await? {
            if at_work > 0 {
                let message = format!(
                    "other processes run this batch ({at_work}, or they crashed just now): wait for them to end, or request that they cancel it"
                );
                return Err(Error::new(ErrorKind::InUse, message));
            }
            tokio::time::sleep(RECOVERY_INTERVAL).await;
        }
        Ok(guard)
    }
}

/// Cancels a job, and reads what it took, which its cost is: the response to a cancellation need not
/// say so.
async fn cancel_job(job: &Job) -> podqueue::Result<JobRecord> {
    let record = job.cancel().await?;
    if record.status() != JobStatus::Cancelled || record.execution_time().is_some() {
        return Ok(record);
    }
    // A status may be older than the cancellation.
    let status = job.status().await.ok();
    Ok(status.filter(|it| it.status() == JobStatus::Cancelled).unwrap_or(record))
}

/// Numbers of other processes that share the journal.
#[derive(Default)]
struct Peers {
    /// All, crashed ones among them.
    all: u64,
    at_work: u64,
}

/// Recovers the processes whose leases have expired, and counts the others.
fn recover_peers(state: &mut JournalState) -> Result<Peers> {
    let Some(sharing) = state.store().sharing() else { return Ok(Peers::default()) };
    match sharing.recover() {
        Err(error) if error.kind() == ErrorKind::Interrupted => state.rejoin()?,
        recovered => drop(recovered?),
    }
    let Some(sharing) = state.store().sharing() else { return Ok(Peers::default()) };
    Ok(Peers { all: sharing.peers(false)?, at_work: sharing.peers(true)? })
}

/// The validation error of an input that exceeds the default payload limit of the client.
fn too_large(input: usize) -> Option<String> {
    let (body, most) = (input + BODY_OVERHEAD, Run::MAX_BODY);
    (body > most).then(|| format!("makes a body of {body} bytes, above the limit of {most} bytes"))
}

/// Returns true if the service has no such job any more, or the job's state permits no retry or
/// cancellation.
fn is_not_retryable(error: &podqueue::Error) -> bool {
    matches!(
        error.kind(),
        ServiceKind::NotFound | ServiceKind::JobExpired | ServiceKind::BadRequest
    )
}

/// Explains that a retry as a new job needs the text of the input.
fn explain_retry_inputs(error: Error) -> Error {
    error.explained(|what| {
        format!("{what}. Nothing was changed: a retry as new jobs submits the inputs again, so restore them first, or run the batch with them where they are now. The jobs that failed or timed out can be retried without them, while the service has them")
    })
}

fn service_error(what: &str, error: podqueue::Error) -> Error {
    Error::new(ErrorKind::Service, format!("could not {what}: {error}")).with_service(error)
}
