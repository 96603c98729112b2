//! Poll schedule: a priority queue of outstanding jobs by next poll time.
//!
//! A job sleeps until its next poll is due; of those that are due, the job whose result may expire first
//! is polled first. Intervals grow with the age of a job, up to 30 seconds, or longer where all jobs
//! together would need more than [`POLLS_PER_SECOND`]; never beyond [`LONGEST`], a sixth of the retention.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::time::Duration;

use podqueue::Job;
use tokio::time::Instant;

/// How long the result of a job is kept for sure, in milliseconds.
pub(super) const KEPT: u64 = 30 * 60 * 1_000;

/// The ttl of a job without one of its own, in milliseconds.
pub(super) const DEFAULT_TTL: u64 = 24 * 60 * 60 * 1_000;

/// Longest interval between two polls of a job: a sixth of the retention.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Usual longest interval.
const LONG: Duration = Duration::from_secs(30);

const SHORTEST: Duration = Duration::from_millis(50);

/// Largest number of polls per second of all outstanding jobs together.
const POLLS_PER_SECOND: f64 = 100.0;

/// A job that is outstanding.
#[derive(Clone, Debug)]
pub(super) struct Outstanding {
    pub(super) index: u64,
    pub(super) attempt: u64,
    pub(super) job: Job,
    /// When it was accepted, and last seen unfinished, in milliseconds of Unix time.
    pub(super) submitted_at: u64,
    pub(super) seen_at: Option<u64>,
    /// `seen_at` as recorded in the journal.
    pub(super) recorded_at: Option<u64>,
    pub(super) ttl: u64,
    /// How often it was not found.
    pub(super) missing: u32,
    /// Since when no poll has succeeded.
    pub(super) unseen_since: Option<Instant>,
    /// Whether it was to be cancelled.
    pub(super) is_cancelled: bool,
    /// Until when it sleeps; `None` while it is due, or being polled.
    pub(super) asleep_until: Option<Instant>,
    /// When it was accepted, resumed or cancelled: the origin of its interval.
    pub(super) since: Instant,
    /// When this process learned that it was accepted, at which time it was.
    pub(super) known_since: Instant,
}

impl Outstanding {
    /// When the job or its result may have expired, by the wall clock.
    pub(super) fn may_expire_at(&self) -> u64 {
        let unfinished_at = self.seen_at.unwrap_or(self.submitted_at);
        self.dies_at().min(unfinished_at.saturating_add(KEPT))
    }

    /// When its ttl expires, by the wall clock.
    pub(super) fn dies_at(&self) -> u64 {
        self.submitted_at.saturating_add(self.ttl)
    }

    /// Whether its ttl has certainly expired: so much monotonic time has elapsed in this process. No
    /// step of the time of day can make this true, and what elapsed before a restart does not count.
    pub(super) fn ttl_has_elapsed(&self) -> bool {
        self.known_since.elapsed() > Duration::from_millis(self.ttl)
    }
}

/// The outstanding jobs: asleep until their next poll, or due, in the order of expiry.
#[derive(Default)]
pub(super) struct Schedule {
    jobs: HashMap<u64, Outstanding>,
    asleep: BinaryHeap<Reverse<(Instant, u64)>>,
    due: BTreeSet<(u64, u64)>,
    /// How long a job usually takes, from its acceptance to its end.
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
        self.jobs.get(&index).map(|at| at.job.clone())
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
        let at = Instant::now() + self.usual.clamp(SHORTEST, self.longest());
        self.sleep(job, at);
    }

    fn sleep(&mut self, mut job: Outstanding, until: Instant) {
        job.asleep_until = Some(until);
        self.asleep.push(Reverse((until, job.index)));
        self.jobs.insert(job.index, job);
    }

    /// Adds a job to poll as soon as possible.
    pub(super) fn add_due(&mut self, job: Outstanding) {
        self.due.insert((job.may_expire_at(), job.index));
        self.jobs.insert(job.index, job);
    }

    /// Schedules the next poll of a job that has not ended.
    pub(super) fn keep(&mut self, mut job: Outstanding, least: Duration) {
        let now = Instant::now();
        if let Some(known) = self.jobs.get(&job.index) {
            // It may have been cancelled during the poll.
            (job.is_cancelled, job.since) = (known.is_cancelled, known.since);
        }
        let pause = ((now - job.since) / 2).max(least).clamp(SHORTEST, self.longest());
        self.sleep(job, now + pause);
    }

    pub(super) fn remove(&mut self, index: u64) {
        self.jobs.remove(&index);
    }

    /// Updates the usual duration of a job.
    pub(super) fn took(&mut self, time: Duration) {
        self.usual = match self.usual.is_zero() {
            true => time,
            false => self.usual.mul_f64(0.9) + time.min(LONGEST).mul_f64(0.1),
        };
    }

    /// The next job to poll. It stays outstanding until it is removed.
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

    /// When the next poll is due.
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        self.asleep.peek().map(|Reverse((at, _))| *at)
    }

    /// The longest interval, so that all polls together stay within their share of the limits.
    fn longest(&self) -> Duration {
        let all = Duration::from_secs_f64(self.jobs.len() as f64 / POLLS_PER_SECOND);
        all.max(LONG).min(LONGEST)
    }
}
