//! Lifespan of a job: the time for which the service keeps it and its result, as far as its handle
//! knows.
//!
//! The expiry of the ttl follows from elapsed monotonic time alone, since the time of day may be
//! set while a job runs. Points in time that callers see are times of day.

use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::gateway::is_from_gateway;
use super::{JobStatus, Policy};
use crate::error::{Error, ErrorKind};

/// The retention of the result of an asynchronous job.
pub(super) const RETENTION: Duration = Duration::from_secs(30 * 60);

/// The retention of the result of a synchronous job: as long as its wait, within this range.
const SYNC_RETENTION: RangeInclusive<Duration> =
    Duration::from_secs(60)..=Duration::from_secs(5 * 60);

/// The minimum retention of the result of this job.
pub(super) fn min_retention(job_id: &str) -> Duration {
    if job_id.starts_with("sync-") { *SYNC_RETENTION.start() } else { RETENTION }
}

/// The lifespan of a job, shared by all clones of its handle.
#[derive(Debug)]
pub(super) struct Lifespan(Mutex<Observed>);

#[derive(Debug)]
struct Observed {
    /// True if the service was seen to know the job.
    seen: bool,
    /// The time at which the service accepted the job, if this handle comes from the submission.
    accepted: Option<SystemTime>,
    /// The time at which this process got that response: not before the acceptance.
    known_since: Option<Instant>,
    ttl: Duration,
    retention: Duration,
    /// The time at which the job was last seen unfinished.
    last_unfinished: Option<SystemTime>,
    /// The end, if the job was seen to have ended, and its earliest time, if known.
    ended: Option<Option<SystemTime>>,
}

/// The reason why the service no longer has a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expiry {
    /// The job finished, and its result has expired.
    Result,
    /// The ttl has run out.
    Ttl,
    /// Either of these, or the job was purged from the queue.
    Unknown,
}

impl Lifespan {
    /// The lifespan of a job of which only the id is known.
    pub(super) fn unknown(job_id: &str) -> Self {
        Self(Mutex::new(Observed {
            seen: false,
            accepted: None,
            known_since: None,
            ttl: Policy::DEFAULT_TTL,
            retention: min_retention(job_id),
            last_unfinished: None,
            ended: None,
        }))
    }

    /// Records that the job was accepted, with this ttl, if any.
    pub(super) fn accepted(&self, at: SystemTime, ttl: Option<Duration>) {
        let mut known = self.known();
        known.accepted = Some(at);
        known.known_since = Some(Instant::now());
        known.ttl = ttl.unwrap_or(Policy::DEFAULT_TTL);
    }

    /// Records that the job is synchronous, with this requested wait.
    pub(super) fn waited_for(&self, wait: Duration) {
        self.known().retention = wait.clamp(*SYNC_RETENTION.start(), *SYNC_RETENTION.end());
    }

    /// Records a new ttl, which counts from the submission.
    pub(super) fn set_ttl(&self, ttl: Duration) {
        self.known().ttl = ttl;
    }

    /// Records that the service knows the job.
    pub(super) fn saw(&self) {
        self.known().seen = true;
    }

    /// Records a status that the service reported at some time between `asked` and `now`, which may
    /// be long after the response arrived, because the caller polls the call late. `took` is the
    /// reported time from the submission to the end.
    pub(super) fn observe(
        &self,
        status: JobStatus,
        took: Option<Duration>,
        asked: SystemTime,
        now: SystemTime,
    ) {
        self.known().observe(status, took, asked, now);
    }

    /// The error of a call about the job: a job that is not found though it was seen before has
    /// expired. A web page comes from a gateway, and is not about the job.
    pub(super) fn explain(&self, error: Error) -> Error {
        let is_page =
            is_from_gateway(&error) && error.unredacted_body().is_some_and(|body| !body.is_empty());
        if error.kind() != ErrorKind::NotFound || is_page || !self.known().seen {
            return error;
        }
        let message = format!("{}; {}", error.message(), self.expiry().as_str());
        error.with_kind(ErrorKind::JobExpired).with_message(message)
    }

    /// Returns true if the ttl has certainly expired: never for a handle that was rebuilt from an
    /// id.
    pub(super) fn is_ttl_expired(&self) -> bool {
        let known = self.known();
        known.known_since.is_some_and(|since| since.elapsed() >= known.ttl)
    }

    pub(super) fn expires_at(&self) -> Option<SystemTime> {
        self.known().expires_at()
    }

    pub(super) fn result_expires_at(&self) -> Option<SystemTime> {
        let known = self.known();
        let kept_until = known.ended??.checked_add(known.retention)?;
        Some(known.expires_at().map_or(kept_until, |ttl_expires| ttl_expires.min(kept_until)))
    }

    /// The reason why the job has expired, if it has.
    fn expiry(&self) -> Expiry {
        if self.is_ttl_expired() {
            Expiry::Ttl
        } else if self.known().ended.is_some() {
            Expiry::Result
        } else {
            Expiry::Unknown
        }
    }

    fn known(&self) -> MutexGuard<'_, Observed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observed {
    fn expires_at(&self) -> Option<SystemTime> {
        self.accepted?.checked_add(self.ttl)
    }

    fn observe(
        &mut self,
        status: JobStatus,
        took: Option<Duration>,
        asked: SystemTime,
        now: SystemTime,
    ) {
        self.seen = true;
        if !status.is_terminal() {
            self.last_unfinished = Some(asked);
            self.ended = None;
        } else if self.ended.is_none() {
            let earliest = self.last_unfinished.or(self.accepted);
            let told =
                self.accepted.zip(took).and_then(|(accepted, took)| accepted.checked_add(took));
            // A job that was retried took longer than its record says.
            self.ended = Some(match (earliest, told) {
                (Some(earliest), Some(told)) => Some(told.min(now).max(earliest)),
                (earliest, _) => earliest,
            });
        }
    }
}

impl Expiry {
    fn as_str(self) -> &'static str {
        match self {
            Self::Result => "the job finished, and its result has expired",
            Self::Ttl => "the job existed before, but its ttl has expired",
            Self::Unknown => {
                "the job existed before: its ttl or its result has expired, or it was \
                 purged from the queue"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const MINUTE: Duration = Duration::from_secs(60);

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn observe(lifespan: &Lifespan, status: JobStatus, took: Option<Duration>, now: SystemTime) {
        lifespan.observe(status, took, now, now);
    }

    #[test]
    fn the_ttl_counts_from_the_submission_and_can_be_set_anew() {
        let lifespan = Lifespan::unknown("j");
        assert_eq!(lifespan.expires_at(), None);
        lifespan.accepted(at(100), None);
        assert_eq!(lifespan.expires_at(), Some(at(100 + 24 * 60 * 60)));
        lifespan.accepted(at(100), Some(10 * SECOND));
        assert_eq!(lifespan.expires_at(), Some(at(110)));
        lifespan.set_ttl(MINUTE);
        assert_eq!(lifespan.expires_at(), Some(at(160)));
    }

    #[test]
    fn a_result_is_kept_from_the_end_of_the_job_as_long_as_the_interface_says() {
        for (job_id, wait, kept) in [
            ("j", None, 30 * MINUTE),
            ("sync-j", None, MINUTE),
            ("sync-j", Some(SECOND), MINUTE),
            ("sync-j", Some(90 * SECOND), 90 * SECOND),
            ("sync-j", Some(300 * SECOND), 5 * MINUTE),
        ] {
            let lifespan = Lifespan::unknown(job_id);
            lifespan.accepted(at(0), None);
            if let Some(wait) = wait {
                lifespan.waited_for(wait);
            }
            observe(&lifespan, JobStatus::InProgress, None, at(40));
            assert_eq!(lifespan.result_expires_at(), None, "it has not ended");
            observe(&lifespan, JobStatus::Completed, None, at(50));
            assert_eq!(lifespan.result_expires_at(), Some(at(40) + kept), "{job_id} {wait:?}");
            observe(&lifespan, JobStatus::Completed, None, at(60));
            assert_eq!(lifespan.result_expires_at(), Some(at(40) + kept), "it ended once");
        }
    }

    #[test]
    fn the_times_of_the_record_tell_when_it_ended_within_what_was_seen() {
        for (took, ended) in [(30, 40), (45, 45), (99, 50)] {
            let lifespan = Lifespan::unknown("j");
            lifespan.accepted(at(0), None);
            observe(&lifespan, JobStatus::InProgress, None, at(40));
            observe(&lifespan, JobStatus::Failed, Some(took * SECOND), at(50));
            assert_eq!(lifespan.result_expires_at(), Some(at(ended) + RETENTION), "{took}");
        }
    }

    #[test]
    fn the_ttl_can_end_a_result_before_its_time() {
        let lifespan = Lifespan::unknown("j");
        lifespan.accepted(at(0), Some(MINUTE));
        observe(&lifespan, JobStatus::Completed, None, at(50));
        assert_eq!(lifespan.result_expires_at(), Some(at(60)));
    }

    #[test]
    fn a_job_that_is_retried_has_not_ended() {
        let lifespan = Lifespan::unknown("j");
        lifespan.accepted(at(0), None);
        observe(&lifespan, JobStatus::Failed, None, at(10));
        observe(&lifespan, JobStatus::InQueue, None, at(20));
        assert_eq!(lifespan.result_expires_at(), None);
        observe(&lifespan, JobStatus::Completed, Some(5 * SECOND), at(30));
        assert_eq!(lifespan.result_expires_at(), Some(at(20) + RETENTION));
    }

    #[test]
    fn a_handle_from_an_id_knows_only_what_it_has_seen() {
        let lifespan = Lifespan::unknown("j");
        observe(&lifespan, JobStatus::Completed, Some(SECOND), at(10));
        assert_eq!((lifespan.expires_at(), lifespan.result_expires_at()), (None, None));
        assert!(lifespan.known().seen);
        let lifespan = Lifespan::unknown("j");
        observe(&lifespan, JobStatus::InQueue, None, at(10));
        observe(&lifespan, JobStatus::Completed, Some(SECOND), at(20));
        assert_eq!(lifespan.result_expires_at(), Some(at(10) + RETENTION));
    }

    #[tokio::test(start_paused = true)]
    async fn the_reason_for_a_missing_job_is_reported_as_far_as_it_is_known() {
        let lifespan = Lifespan::unknown("j");
        lifespan.accepted(at(0), Some(MINUTE));
        tokio::time::advance(59 * SECOND).await;
        assert_eq!(lifespan.expiry(), Expiry::Unknown);
        observe(&lifespan, JobStatus::Completed, None, at(50));
        assert_eq!(lifespan.expiry(), Expiry::Result);
        tokio::time::advance(SECOND).await;
        assert_eq!(lifespan.expiry(), Expiry::Ttl);
    }

    #[test]
    fn a_step_of_the_time_of_day_ends_no_ttl() {
        let lifespan = Lifespan::unknown("j");
        lifespan.accepted(SystemTime::now() - 3 * 24 * 60 * MINUTE, Some(MINUTE));
        assert!(lifespan.expires_at().is_some_and(|at| at < SystemTime::now()));
        assert!(!lifespan.is_ttl_expired(), "it was accepted just now");
    }

    #[tokio::test(start_paused = true)]
    async fn a_ttl_ends_with_its_last_moment() {
        let lifespan = Lifespan::unknown("j");
        assert!(!lifespan.is_ttl_expired(), "it is not known when it began");
        lifespan.accepted(at(0), Some(MINUTE));
        tokio::time::advance(MINUTE - Duration::from_millis(1)).await;
        assert!(!lifespan.is_ttl_expired());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(lifespan.is_ttl_expired());
    }

    #[test]
    fn only_a_job_that_was_seen_has_expired_if_it_is_not_found() {
        use podqueue_runtime::ErrorKind as CallErrorKind;
        let not_found = |kind, body: &'static str| {
            let error = podqueue_runtime::Error::new(kind, "a call", "no job").with_status(404);
            Error::from(error.with_body(body.into(), Default::default()))
        };
        let (unseen, seen) = (Lifespan::unknown("j"), Lifespan::unknown("j"));
        seen.saw();
        for (lifespan, kind, body, expected) in [
            (&unseen, CallErrorKind::NotFound, "{}", ErrorKind::NotFound),
            (&seen, CallErrorKind::NotFound, "{}", ErrorKind::JobExpired),
            (&seen, CallErrorKind::NotFound, "", ErrorKind::JobExpired),
            (&seen, CallErrorKind::NotFound, "<html>", ErrorKind::NotFound),
            (&seen, CallErrorKind::UnexpectedStatus, "{}", ErrorKind::UnexpectedStatus),
        ] {
            let error = lifespan.explain(not_found(kind, body));
            assert_eq!(error.kind(), expected, "{body}");
            let reason = "no job; the job existed before: its ttl or its result has expired";
            assert_eq!(error.message().starts_with(reason), expected == ErrorKind::JobExpired);
        }
    }
}
