//! Wait: polls the status of a job until it has ended.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::{Instant, timeout_at};

use super::operations::{CANCEL, STATUS};
use super::poll_rate::PollRate;
use super::polling::{Polling, max_interval};
use super::transient_failures::{TransientFailures, interval_after, is_transient};
use super::{Job, JobRecord, JobStatus};
use crate::error::{Error, ErrorKind, Result};
use crate::observe::Observation;
use podqueue_runtime::__private::require_runtime;

/// The time before the deadline at which the last poll is sent.
const LAST_POLL_LEAD: Duration = Duration::from_millis(250);

/// The age up to which the last status counts as current; if it is older, the wait was not polled,
/// and the error says that the job may still be running.
const RECENT: Duration = Duration::from_secs(5);

/// The first and the longest pause of a wait that is notified.
const NOTIFIED_FIRST: Duration = Duration::from_secs(5);
const NOTIFIED_LONGEST: Duration = Duration::from_secs(2 * 60);

/// A wait for a job to end; returned by [`Job::wait`], it starts when awaited and resolves to the
/// record of the completed job.
///
/// The wait polls the status according to the client's [`Polling`], which all other waits and
/// streams on the endpoint share, and survives transient failures: a broken connection, a 408, a
/// 429, a 502, a gateway's page with 403 or 404 (a body that is not JSON), a response that is not
/// JSON, or a response about another job. A poll that gets no response within 30 seconds, 15 for a
/// synchronous job, or a third of the time left before the deadline, is abandoned and repeated. A
/// `Retry-After` is honored, but for no longer than a third of the time for which a result is kept:
/// 20 seconds for a synchronous job, 10 minutes for any other job. Dropping the wait does not
/// affect the job.
///
/// # Errors
///
/// - [`ErrorKind::JobFailed`], [`ErrorKind::JobCancelled`], [`ErrorKind::JobTimedOut`], with the
///   record and the handler's message;
/// - [`ErrorKind::WaitTimedOut`] at the deadline, with the last record seen, and with the last
///   poll's failure, if it failed, as its source;
/// - [`ErrorKind::JobExpired`] if the job is no longer available, with the reason as far as it is
///   known ([`Job::expires_at`], [`Job::result_expires_at`]), and [`ErrorKind::NotFound`] if this
///   handle has never seen it: the id may be wrong;
/// - without a deadline, the last transient failure once the service has been unreachable for 15
///   minutes.
///
/// ```no_run
/// # async fn example(job: podqueue::Job) -> podqueue::Result<()> {
/// use std::time::Duration;
///
/// let record = job.wait().timeout(Duration::from_secs(600)).cancel_on_timeout().await?;
/// # let _ = record;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct Wait {
    job: Job,
    timeout: Option<Duration>,
    cancel: bool,
    /// `None` for the client's setting.
    polling: Option<Polling>,
    /// The minimum interval between two polls of this wait.
    interval: Duration,
    /// Group that shares a poll rate.
    group: Option<PollGroup>,
    notifier: Option<Notifier>,
}

/// The poll rate of many waits that share a polling setting, in addition to the endpoint's rate.
/// The first wait to poll sets it.
pub(super) type PollGroup = Arc<OnceLock<PollRate>>;

/// The results of the polls so far.
#[derive(Default)]
struct Seen {
    last: Option<JobRecord>,
    /// The error of the last poll, if it failed.
    failure: Option<Error>,
    /// The time at which the last successful poll was sent.
    asked: Option<Instant>,
}

/// The end of the polling of a job.
enum Polled {
    Ended(JobRecord),
    Failed(Error),
    DeadlinePassed(Seen),
}

/// State of the job on the service when a wait with [`Wait::cancel_on_timeout`] timed out.
#[derive(Debug)]
#[non_exhaustive]
pub enum RemoteCancel {
    /// The service has cancelled the job.
    Cancelled,
    /// The service did not confirm the cancellation, for this reason: the job may still be running.
    NotConfirmed(Error),
}

impl Error {
    /// Returns the state of the job on the service, if a wait with [`Wait::cancel_on_timeout`]
    /// timed out.
    #[must_use]
    pub fn remote_cancel(&self) -> Option<&RemoteCancel> {
        self.attached()
    }
}

impl Job {
    /// Waits until the job has ended.
    pub fn wait(&self) -> Wait {
        Wait::new(self.clone())
    }
}

impl Wait {
    fn new(job: Job) -> Self {
        Self {
            job,
            timeout: None,
            cancel: false,
            polling: None,
            interval: Duration::ZERO,
            group: None,
            notifier: None,
        }
    }

    /// The maximum time to wait; unlimited by default. It includes requests: a request in flight
    /// at the deadline is abandoned. With zero, the wait times out without a poll.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Cancels the job on the service when the wait times out. [`Error::remote_cancel`] reports the
    /// outcome; if the job has ended in the meantime, the wait resolves to that result.
    ///
    /// The wait continues beyond its timeout until the outcome is known. The cancellation is a call
    /// like any other. It first waits for the rate limiter: the service allows ten cancellations
    /// per second on an endpoint, so if a thousand jobs time out together, the last is cancelled
    /// some 90 seconds later. Each of its attempts then has the client's
    /// [timeout](crate::ClientBuilder::timeout), with delays from its
    /// [`RetryPolicy`](crate::RetryPolicy) in between. If the service refuses because the job has
    /// ended, or it is unclear whether the job was cancelled, its status is read in the same way.
    /// [`ClientBuilder::call_timeout`](crate::ClientBuilder::call_timeout) bounds both calls,
    /// waiting for the rate limiter included; dropping the wait ends it at once.
    pub fn cancel_on_timeout(mut self) -> Self {
        self.cancel = true;
        self
    }

    /// Sets the intervals at which this wait polls: no more often than its
    /// [`per_second`](Polling::per_second), in order with all other waits and streams on the
    /// endpoint, without slowing them down.
    pub fn polling(mut self, polling: Polling) -> Self {
        self.interval = polling.spacing();
        self.polling = Some(polling);
        self
    }

    /// Ends the wait as soon as the service's webhook call for the job has arrived and is
    /// confirmed, with slow polling as a fallback. Pass `&webhooks`, the receiver of the feature
    /// `webhook`.
    ///
    /// The status is read once at the start, in case the job has already ended, and then rarely, in
    /// case the call never arrives: first after 5 seconds, growing to every 2 minutes, unless
    /// [`polling`](Self::polling) is set as well, in either order. The job must have been submitted
    /// with the URL of this receiver, or of another instance behind the same load balancer: polling
    /// covers calls that only the other instance received. A receiver of another endpoint never ends the
    /// wait. Once [`cancel_on_timeout`](Self::cancel_on_timeout) cancels, calls no longer end the
    /// wait.
    ///
    /// ```
    /// # async fn example<T>(job: podqueue::Job, webhooks: T) -> podqueue::Result<()>
    /// # where
    /// #     for<'a> &'a T: Into<podqueue::Notifier>,
    /// # {
    /// use std::time::Duration;
    ///
    /// let record = job.wait().timeout(Duration::from_secs(3_600)).notified_by(&webhooks).await?;
    /// # let _ = record;
    /// # Ok(())
    /// # }
    /// ```
    pub fn notified_by(mut self, notifier: impl Into<Notifier>) -> Self {
        self.notifier = Some(notifier.into());
        self
    }

    /// Adds the wait to a group, in which a polling setting bounds the polls of all waits together.
    pub(super) fn in_group(mut self, group: PollGroup) -> Self {
        self.group = Some(group);
        self
    }

    async fn run(self) -> Result<JobRecord> {
        require_runtime(&self.job.attempted("wait"))?;
        let (job, started) = (self.job.clone(), Instant::now());
        let mut polls = 0;
        let result = self.until_ended(&mut polls).await;
        job.endpoint().context().observer.report(|| Observation::WaitEnded {
            endpoint_id: job.endpoint().id(),
            job_id: job.id(),
            polls,
            elapsed: started.elapsed(),
            error: result.as_ref().err().map(Error::kind),
        });
        result
    }

    /// Ends by a notification or a poll, whichever comes first.
    async fn until_ended(self, polls: &mut u64) -> Result<JobRecord> {
        let polled = match &self.notifier {
            None => self.poll_until_ended(polls).await,
            Some(notifier) => {
                // Before the first poll, so that an end in between is reported.
                let notified = notifier.end_of(&self.job);
                match select(notified, pin!(self.poll_until_ended(polls))).await {
                    Either::Left((record, _)) => Polled::Ended(record.seen_by(&self.job)),
                    Either::Right((polled, _)) => polled,
                }
            }
        };
        match polled {
            Polled::Ended(record) => record.into_result(),
            Polled::Failed(error) => Err(error),
            // The notifier is dropped before: the end that it would report may be this
            // cancellation.
            Polled::DeadlinePassed(seen) => self.time_out(seen).await,
        }
    }

    async fn poll_until_ended(&self, polls: &mut u64) -> Polled {
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let context = self.job.endpoint().context();
        let polling = match (&self.polling, &self.notifier) {
            (Some(polling), _) => polling.clone(),
            (None, None) => context.polling.clone(),
            (None, Some(_)) => context
                .polling
                .clone()
                .initial_interval(NOTIFIED_FIRST)
                .max_interval(NOTIFIED_LONGEST),
        };
        let mut intervals = polling.intervals(max_interval(self.job.id()));
        let rate = self.job.endpoint().poll_rate();
        let group = self.group.as_ref().filter(|_| self.polling.is_some());
        let group = group.map(|group| group.get_or_init(|| PollRate::new(polling.spacing())));
        let mut polled = Instant::now();
        let mut seen = Seen::default();
        let mut outage = TransientFailures::default();
        loop {
            let due = polled + max_interval(self.job.id());
            let latest = latest_poll(due, deadline);
            if let Some(group) = group {
                group.acquire_by(latest).await;
            }
            rate.acquire_by(latest).await;
            polled = Instant::now();
            // The deadline may have passed while this future was not polled.
            if deadline.is_some_and(|deadline| deadline <= polled) {
                return Polled::DeadlinePassed(seen);
            }
            *polls += 1;
            self.job.observe_poll(&STATUS);
            let mut poll = self.job.poll_status().urgent_from(due);
            if let Some(deadline) = deadline {
                poll = poll.within(deadline.saturating_duration_since(polled));
            }
            if seen.failure.as_ref().is_some_and(|error| error.kind() == ErrorKind::ForeignRecord) {
                poll = poll.closing();
            }
            let status = poll.into_future();
            let answer = match deadline {
                Some(deadline) => match timeout_at(deadline, status).await {
                    Ok(answer) => answer,
                    Err(_) => return Polled::DeadlinePassed(seen),
                },
                None => status.await,
            };
            let mut pause = intervals.next().max(self.interval);
            match answer {
                Ok(record) if record.status().is_terminal() => return Polled::Ended(record),
                Ok(record) => {
                    outage.end();
                    seen = Seen { last: Some(record), failure: None, asked: Some(polled) };
                }
                Err(error) if is_transient(self.job.lifespan(), &error) => {
                    if deadline.is_none() && outage.exceeds_limit(self.job.id()) {
                        return Polled::Failed(error);
                    }
                    pause = interval_after(&error, pause, self.job.id());
                    seen.failure = Some(error);
                }
                Err(error) => return Polled::Failed(error),
            }
            let now = Instant::now();
            match deadline {
                Some(deadline) if now + pause + LAST_POLL_LEAD > deadline => {
                    // Polls once more for a job that ends during the last interval.
                    let last_poll = deadline.checked_sub(LAST_POLL_LEAD).unwrap_or(now);
                    if now >= last_poll {
                        tokio::time::sleep_until(deadline).await;
                        return Polled::DeadlinePassed(seen);
                    }
                    tokio::time::sleep_until(last_poll).await;
                }
                _ => tokio::time::sleep(pause).await,
            }
        }
    }

    /// The deadline has passed.
    async fn time_out(self, seen: Seen) -> Result<JobRecord> {
        let is_recent = seen.asked.is_some_and(|asked| asked.elapsed() < RECENT);
        let cancelled = if self.cancel {
            match self.cancel_now().await {
                Cancel::Ended(record) => return record.into_result(),
                Cancel::Outcome(outcome) => Some(outcome),
            }
        } else {
            None
        };
        let last = match &seen.last {
            Some(record) => format!("last seen as {}", record.shown_status()),
            None => "its status could not be read".to_owned(),
        };
        let failure = seen.failure.as_ref().map(Error::message);
        let failure =
            failure.map(|why| format!("; the last poll failed: {why}")).unwrap_or_default();
        let job_state = match &cancelled {
            None if seen.failure.is_some() || !is_recent => {
                "it may still be running on the service".to_owned()
            }
            None => "it continues on the service".to_owned(),
            Some(RemoteCancel::Cancelled) => "it was cancelled on the service".to_owned(),
            Some(RemoteCancel::NotConfirmed(error)) => {
                format!("its cancellation was not confirmed, and it may still be running ({error})")
            }
        };
        let waited = match whole_milliseconds(self.timeout.unwrap_or_default()) {
            // Not in nanoseconds.
            Duration::ZERO => "0s".to_owned(),
            time => format!("{time:?}"),
        };
        let mut error = Error::new(
            ErrorKind::WaitTimedOut,
            self.job.attempted("wait"),
            format!(
                "timed out after {waited} waiting for the job to finish ({last}{failure}); {job_state}"
            ),
        )
        .with_job_id(self.job.id());
        if let Some(record) = seen.last {
            error = error.with_record(record);
        }
        if let Some(failure) = seen.failure {
            error = error.with_source(failure);
        }
        if let Some(outcome) = cancelled {
            error = error.attach(outcome);
        }
        Err(error)
    }

    async fn cancel_now(&self) -> Cancel {
        // Without a timeout: its permit may come late if many jobs time out together.
        let (error, record) = match self.job.cancel().await {
            Ok(record) => {
                let status = record.shown_status();
                let what = format!("the service responded with the job {status}");
                let attempted = self.job.attempted(CANCEL.name());
                (Error::new(ErrorKind::JobNotFinished, attempted, what), Some(record))
            }
            // The service refuses to cancel a job that has ended, possibly just now; and a call
            // whose response was lost or cannot be read may have cancelled it.
            Err(error)
                if error.record().is_none()
                    && (matches!(error.kind(), ErrorKind::BadRequest | ErrorKind::Decode)
                        || error.is_after_unknown_outcome()) =>
            {
                (error, self.job.poll_status().await.ok())
            }
            Err(error) => {
                let record = error.record().cloned();
                (error, record)
            }
        };
        match record {
            Some(record) if record.status() == JobStatus::Cancelled => {
                Cancel::Outcome(RemoteCancel::Cancelled)
            }
            Some(record) if record.status().is_terminal() => Cancel::Ended(record),
            Some(record) => Cancel::Outcome(RemoteCancel::NotConfirmed(error.with_record(record))),
            None => Cancel::Outcome(RemoteCancel::NotConfirmed(error)),
        }
    }
}

/// The time at which the next poll must be sent, with or without a permit: before the result could
/// expire, and before the deadline.
fn latest_poll(due: Instant, deadline: Option<Instant>) -> Instant {
    let last_poll = deadline.and_then(|deadline| deadline.checked_sub(LAST_POLL_LEAD));
    last_poll.map_or(due, |last_poll| due.min(last_poll))
}

/// Reports the end of jobs, so that a [`Wait`](crate::Wait) need not poll for it. Created
/// from the `Webhooks` of the feature `webhook`, and passed to
/// [`Wait::notified_by`](crate::Wait::notified_by).
#[derive(Clone)]
pub struct Notifier(pub(crate) Arc<dyn EndNotifier>);

pub(crate) trait EndNotifier: Send + Sync {
    /// Completes with the record of the ended job, once the end is confirmed, including an end that
    /// is seen after this call, even if the future is first polled later.
    fn end_of(self: Arc<Self>, job: &Job) -> Pin<Box<dyn Future<Output = JobRecord> + Send>>;
}

impl Notifier {
    /// Completes with the record of the ended job, as [`EndNotifier::end_of`] does.
    pub(super) fn end_of(&self, job: &Job) -> Pin<Box<dyn Future<Output = JobRecord> + Send>> {
        Arc::clone(&self.0).end_of(job)
    }
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifier").finish_non_exhaustive()
    }
}

enum Cancel {
    Ended(JobRecord),
    Outcome(RemoteCancel),
}

impl IntoFuture for Wait {
    type Output = Result<JobRecord>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// A duration without the fraction of its last millisecond.
fn whole_milliseconds(time: Duration) -> Duration {
    time - Duration::from_nanos(u64::from(time.subsec_nanos() % 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_is_never_so_late_that_a_result_expires_or_a_deadline_passes() {
        let now = Instant::now();
        let deadline = Some(now + Duration::from_secs(60));
        for (job_id, deadline, seconds) in [
            ("sync-j", None, 20.0),
            ("j", None, 600.0),
            ("sync-j", deadline, 20.0),
            ("j", deadline, 59.75),
        ] {
            let latest = latest_poll(now + max_interval(job_id), deadline) - now;
            assert_eq!(latest.as_secs_f64(), seconds, "{job_id}");
        }
    }
}
