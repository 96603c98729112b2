//! Poll schedule: a priority queue of outstanding jobs by next poll time. The client's `Polling`
//! does not apply to batches.
//!
//! A job sleeps until its next poll is due; of those that are due, the job whose result may expire
//! first is polled first. Intervals grow with the age of a job, up to 30 seconds, or longer where
//! all jobs together would need more than [`POLLS_PER_SECOND`]; never beyond [`MAX_POLL_INTERVAL`], a
//! sixth of the retention.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::time::Duration;

use podqueue::Job;
use tokio::time::Instant;

use crate::webhook::Ticket;

/// Longest interval between two polls of a job: a sixth of the retention.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(Job::RETENTION.as_secs() / 6);

/// Longest interval, unless so many jobs are outstanding that it must be longer.
const MAX_USUAL_INTERVAL: Duration = Duration::from_secs(30);

const MIN_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Largest number of polls per second of all outstanding jobs together.
const POLLS_PER_SECOND: f64 = 100.0;

/// A job that is outstanding.
#[derive(Clone, Debug)]
pub(super) struct Outstanding {
    pub(super) ticket: Ticket,
    pub(super) job: Job,
    /// Time of acceptance, and of the last poll that found the job unfinished, in milliseconds of
    /// Unix time.
    pub(super) submitted_at: u64,
    pub(super) seen_at: Option<u64>,
    /// `seen_at` as recorded in the journal.
    pub(super) recorded_at: Option<u64>,
    ttl: Duration,
    /// Number of polls in a row that did not find the job.
    pub(super) missing: u32,
    /// Time of the first of the polls in a row that did not succeed.
    pub(super) unseen_since: Option<Instant>,
    /// True if the job was to be cancelled.
    pub(super) is_cancelled: bool,
    /// Time of the next poll; `None` while the job is due, or being polled.
    asleep_until: Option<Instant>,
    /// Time at which it was accepted, resumed or cancelled: the origin of its interval.
    since: Instant,
    /// Time at which this process learned of the acceptance, by the monotonic clock.
    known_since: Instant,
}

impl Outstanding {
    /// Returns a job that this process has just learned of.
    pub(super) fn new(ticket: Ticket, job: Job, submitted_at: u64, ttl: Duration) -> Self {
        let now = Instant::now();
        Self {
            ticket,
            job,
            submitted_at,
            seen_at: None,
            recorded_at: None,
            ttl,
            missing: 0,
            unseen_since: None,
            is_cancelled: false,
            asleep_until: None,
            since: now,
            known_since: now,
        }
    }

    /// Returns the time from which the job or its result may have expired, by the wall clock.
    pub(super) fn may_expire_at(&self) -> u64 {
        let unfinished_at = self.seen_at.unwrap_or(self.submitted_at);
        self.ttl_expires_at().min(after(unfinished_at, Job::RETENTION))
    }

    /// Returns the time at which its ttl expires, by the wall clock.
    pub(super) fn ttl_expires_at(&self) -> u64 {
        after(self.submitted_at, self.ttl)
    }

    /// Returns true if the ttl has certainly expired: it has elapsed on the monotonic clock of this
    /// process. No step of the time of day can make this true, and what elapsed before a restart
    /// does not count.
    pub(super) fn ttl_has_elapsed(&self) -> bool {
        self.known_since.elapsed() > self.ttl
    }
}

/// Returns the time that is this much later, in milliseconds of Unix time.
fn after(at: u64, time: Duration) -> u64 {
    at.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// The outstanding jobs: asleep until their next poll, or due, in the order of expiry.
#[derive(Default)]
pub(super) struct Schedule {
    jobs: HashMap<u64, Outstanding>,
    asleep: BinaryHeap<Reverse<(Instant, u64)>>,
    due: BTreeSet<(u64, u64)>,
    /// Usual duration of a job, from its acceptance to its end.
    usual: Duration,
}

impl Schedule {
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    pub(super) fn has(&self, index: u64) -> bool {
        self.jobs.contains_key(&index)
    }

    pub(super) fn indexes(&self) -> impl Iterator<Item = u64> {
        self.jobs.keys().copied()
    }

    pub(super) fn job(&self, index: u64) -> Option<Job> {
        self.jobs.get(&index).map(|found| found.job.clone())
    }

    /// Makes a job due, whose cancellation the next poll shows.
    pub(super) fn cancelled(&mut self, index: u64) {
        let now = Instant::now();
        if let Some(job) = self.jobs.get_mut(&index) {
            (job.is_cancelled, job.since) = (true, now);
            if let Some(until) = &mut job.asleep_until {
                *until = now;
                self.asleep.push(Reverse((now, index)));
            }
        }
    }

    /// Adds a job that was just accepted: it is polled when it has probably ended.
    pub(super) fn add(&mut self, job: Outstanding) {
        let at = Instant::now() + self.usual.clamp(MIN_POLL_INTERVAL, self.max_interval());
        self.sleep(job, at);
    }

    fn sleep(&mut self, mut job: Outstanding, until: Instant) {
        job.asleep_until = Some(until);
        self.asleep.push(Reverse((until, job.ticket.index)));
        self.jobs.insert(job.ticket.index, job);
    }

    /// Adds a job to poll as soon as possible.
    pub(super) fn add_due(&mut self, job: Outstanding) {
        self.due.insert((job.may_expire_at(), job.ticket.index));
        self.jobs.insert(job.ticket.index, job);
    }

    /// Schedules the next poll of a job that has not ended.
    pub(super) fn keep(&mut self, mut job: Outstanding, least: Duration) {
        let now = Instant::now();
        if let Some(known) = self.jobs.get(&job.ticket.index) {
            // The job may have been cancelled during the poll.
            (job.is_cancelled, job.since) = (known.is_cancelled, known.since);
        }
        let pause =
            ((now - job.since) / 2).max(least).clamp(MIN_POLL_INTERVAL, self.max_interval());
        self.sleep(job, now + pause);
    }

    pub(super) fn remove(&mut self, index: u64) {
        self.jobs.remove(&index);
    }

    /// Updates the usual duration of a job.
    pub(super) fn took(&mut self, time: Duration) {
        self.usual = match self.usual.is_zero() {
            true => time,
            false => self.usual.mul_f64(0.9) + time.min(MAX_POLL_INTERVAL).mul_f64(0.1),
        };
    }

    /// Returns the next job to poll. It stays outstanding until it is removed.
    pub(super) fn next_due(&mut self) -> Option<Outstanding> {
        let now = Instant::now();
        while let Some(Reverse((at, index))) = self.asleep.peek().copied()
            && at <= now
        {
            self.asleep.pop();
            if let Some(job) = self.jobs.get_mut(&index)
                && job.asleep_until == Some(at)
            {
                job.asleep_until = None;
                self.due.insert((job.may_expire_at(), index));
            }
        }
        while let Some((_, index)) = self.due.pop_first() {
            if let Some(job) = self.jobs.get(&index) {
                return Some(job.clone());
            }
        }
        None
    }

    /// Returns the time at which the next poll is due.
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        self.asleep.peek().map(|Reverse((at, _))| *at)
    }

    /// Returns the longest interval, so that all polls together stay within their share of the
    /// limits.
    fn max_interval(&self) -> Duration {
        let all = Duration::from_secs_f64(self.jobs.len() as f64 / POLLS_PER_SECOND);
        all.max(MAX_USUAL_INTERVAL).min(MAX_POLL_INTERVAL)
    }
}
