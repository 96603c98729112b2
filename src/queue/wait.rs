//! Waiting for a job to end.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::operations::STATUS;
use super::polling::rarest;
use super::{Job, JobRecord, JobStatus, Polling};
use crate::error::{Error, ErrorKind, Result};
use crate::json::is_json;
use crate::observe::Event;

/// How long the service may stay out of reach before a wait without a deadline gives up.
pub(super) const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How long before the deadline the status is asked for a last time.
const LAST_LOOK: Duration = Duration::from_millis(250);

/// Waits for a job to end; made by [`Job::wait`], starts when awaited. Answers the record of the
/// completed job.
///
/// It asks for the status by the client's [`Polling`], taking turns with all other waits on the
/// endpoint, and survives what passes: a broken connection, a 429, a 502, an answer that is no JSON.
/// A `Retry-After` is waited for, but no longer than a third of the time for which a result is kept:
/// 20 seconds for a synchronous job, 10 minutes for any other.
/// Dropping it leaves the job as it is.
///
/// # Errors
///
/// - [`ErrorKind::JobFailed`], [`ErrorKind::JobCancelled`], [`ErrorKind::JobTimedOut`], with the
///   record and the handler's message;
/// - [`ErrorKind::WaitTimedOut`] at the deadline, with the record as last seen;
/// - [`ErrorKind::JobExpired`] where the service does not hold the job any more, with the reason as
///   far as it is known ([`Job::expires_at`], [`Job::result_expires_at`]), and
///   [`ErrorKind::NotFound`] where this handle has never seen it: the id may be wrong;
/// - without a deadline, the last passing failure once the service was out of reach for 15 minutes.
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
    polling: Polling,
}

/// What became of a job at the service when a wait ran out that was asked to cancel it.
#[derive(Debug)]
#[non_exhaustive]
pub enum RemoteCancel {
    /// The service has cancelled the job.
    Cancelled,
    /// The service did not confirm it, for this reason: the job may still run.
    NotConfirmed(Error),
}

impl Wait {
    pub(super) fn new(job: Job) -> Self {
        let polling = job.endpoint().client().polling().clone();
        Self { job, timeout: None, cancel: false, polling }
    }

    /// How long to wait at most. Requests count, too: one that is on its way when the time is over
    /// is given up.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Cancels the job at the service when the time is over. What became of it is told by
    /// [`Error::remote_cancel`]; a job that has ended in the meantime is answered as it ended.
    ///
    /// The wait goes on beyond its timeout until that is known. The cancel is a call like any other:
    /// first it waits for its turn within the rate limits, and the service allows ten cancels a second
    /// on an endpoint, so that of a thousand jobs that time out together the last is cancelled some 90
    /// seconds later. Then its attempts each have the client's
    /// [timeout](crate::ClientBuilder::timeout), and pauses by its [`RetryPolicy`](crate::RetryPolicy)
    /// in between. Where the service refuses because the job has ended, its status is read in the same
    /// way. [`ClientBuilder::call_timeout`](crate::ClientBuilder::call_timeout) bounds both calls, turn
    /// and all; dropping the wait ends it at once.
    pub fn cancel_on_timeout(mut self) -> Self {
        self.cancel = true;
        self
    }

    /// How often to ask, for this wait alone.
    pub fn polling(mut self, polling: Polling) -> Self {
        self.polling = polling;
        self
    }

    #[cfg(feature = "webhook")]
    pub(crate) fn job(&self) -> &Job {
        &self.job
    }

    async fn run(self) -> Result<JobRecord> {
        let (job, started) = (self.job.clone(), Instant::now());
        let mut polls = 0;
        let result = self.look_until_ended(&mut polls).await;
        job.endpoint().client().observer().tell(&Event::WaitEnded {
            endpoint_id: job.endpoint().id(),
            job_id: job.id(),
            polls,
            elapsed: started.elapsed(),
            error: result.as_ref().err().map(Error::kind),
        });
        result
    }

    async fn look_until_ended(self, polls: &mut u64) -> Result<JobRecord> {
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut pauses = self.polling.pauses(self.job.id());
        let pace = self.job.endpoint().pace();
        let mut looked = Instant::now();
        let mut last_seen = None;
        let mut in_reach = Instant::now();
        loop {
            let latest = latest_look(self.job.id(), looked, deadline);
            let _ = timeout_at(latest, pace.turn(self.polling.interval())).await;
            looked = Instant::now();
            *polls += 1;
            self.job.tell_of_poll(&STATUS);
            let status = self.job.look().into_future();
            let answer = match deadline {
                Some(deadline) => match timeout_at(deadline, status).await {
                    Ok(answer) => answer,
                    Err(_) => return self.run_out(last_seen).await,
                },
                None => status.await,
            };
            let mut pause = pauses.next();
            match answer {
                Ok(record) if record.status().is_terminal() => return record.into_result(),
                Ok(record) => {
                    in_reach = Instant::now();
                    last_seen = Some(record);
                }
                Err(error) if may_pass(&error) => {
                    if deadline.is_none() && in_reach.elapsed() > PATIENCE {
                        return Err(error);
                    }
                    pause = pause_after(&error, pause, self.job.id());
                }
                Err(error) => return Err(error),
            }
            let now = Instant::now();
            match deadline {
                Some(deadline) if now + pause + LAST_LOOK > deadline => {
                    // A job that ends during the last pause is still to be seen.
                    let last_look = deadline.checked_sub(LAST_LOOK).unwrap_or(now);
                    if now >= last_look {
                        tokio::time::sleep_until(deadline).await;
                        return self.run_out(last_seen).await;
                    }
                    tokio::time::sleep_until(last_look).await;
                }
                _ => tokio::time::sleep(pause).await,
            }
        }
    }

    /// The time is over.
    async fn run_out(self, last_seen: Option<JobRecord>) -> Result<JobRecord> {
        let cancelled = if self.cancel {
            match self.cancel_now().await {
                Cancel::Ended(record) => return record.into_result(),
                Cancel::Outcome(outcome) => Some(outcome),
            }
        } else {
            None
        };
        let seen = match &last_seen {
            Some(record) => format!("last seen {}", record.status()),
            None => "its status could not be read".to_owned(),
        };
        let fate = match &cancelled {
            None => "it goes on at the service".to_owned(),
            Some(RemoteCancel::Cancelled) => "it was cancelled at the service".to_owned(),
            Some(RemoteCancel::NotConfirmed(error)) => {
                format!("its cancellation was not confirmed, and it may go on ({error})")
            }
        };
        let waited = self.timeout.unwrap_or_default();
        let mut error = Error::new(
            ErrorKind::WaitTimedOut,
            self.job.attempted("wait"),
            format!("the job has not ended after {waited:?} ({seen}); {fate}"),
        )
        .with_job_id(self.job.id());
        if let Some(record) = last_seen {
            error = error.with_record(record);
        }
        if let Some(outcome) = cancelled {
            error = error.with_remote_cancel(outcome);
        }
        Err(error)
    }

    async fn cancel_now(&self) -> Cancel {
        // Without a limit of its own: its turn may be far where many jobs time out together.
        let error = match self.job.cancel().await {
            Ok(_) => return Cancel::Outcome(RemoteCancel::Cancelled),
            Err(error) => error,
        };
        // The service refuses to cancel what has ended, possibly just now.
        if error.kind() == ErrorKind::BadRequest
            && let Ok(record) = self.job.look().await
        {
            return match record.status() {
                JobStatus::Cancelled => Cancel::Outcome(RemoteCancel::Cancelled),
                status if status.is_terminal() => Cancel::Ended(record),
                _ => Cancel::Outcome(RemoteCancel::NotConfirmed(error)),
            };
        }
        Cancel::Outcome(RemoteCancel::NotConfirmed(error))
    }
}

/// When the next look must be, whoever else's turn it is: neither the expiry of the result nor the
/// last look before the deadline waits.
fn latest_look(job_id: &str, looked: Instant, deadline: Option<Instant>) -> Instant {
    let due = looked + rarest(job_id);
    let last_look = deadline.and_then(|deadline| deadline.checked_sub(LAST_LOOK));
    last_look.map_or(due, |last_look| due.min(last_look))
}

/// Whether a later look may fare better: after all that passes, and after an answer that is no JSON
/// at all, which came from something between the service and here.
pub(super) fn may_pass(error: &Error) -> bool {
    let garbled = error.kind() == ErrorKind::Decode
        && error.unredacted_body().is_some_and(|body| !is_json(body));
    error.is_retryable() || garbled
}

/// The pause after a failure that may pass: as long as the service asks for, unless a result could
/// expire meanwhile.
pub(super) fn pause_after(error: &Error, pause: Duration, job_id: &str) -> Duration {
    let asked = error.retry_after().unwrap_or_default();
    pause.max(asked.min(rarest(job_id)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_never_so_late_that_a_result_expires_or_a_deadline_passes() {
        let now = Instant::now();
        let deadline = Some(now + Duration::from_secs(60));
        for (job_id, deadline, seconds) in [
            ("sync-j", None, 20.0),
            ("j", None, 600.0),
            ("sync-j", deadline, 20.0),
            ("j", deadline, 59.75),
        ] {
            let latest = latest_look(job_id, now, deadline) - now;
            assert_eq!(latest.as_secs_f64(), seconds, "{job_id}");
        }
    }
}
