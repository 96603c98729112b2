//! What was handled, so that it is recognised when it comes again.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::context::RetriedListener;
use crate::queue::{JobRecord, JobStatus, is_same_job};

/// How often the service delivers the same end of a job again, and within which time. One that comes
/// beyond either is another end: better twice than not at all.
const REDELIVERIES: u32 = 2;
const REDELIVERED_WITHIN: Duration = Duration::from_secs(60);

/// The jobs that were delivered last.
pub(super) struct Handled {
    jobs: Mutex<Jobs>,
    at_most: usize,
    hashes: RandomState,
}

#[derive(Default)]
struct Jobs {
    known: HashMap<String, Known>,
    /// Those that go first are in front.
    order: VecDeque<String>,
    /// The deliveries that are being settled, and whether the job was retried meanwhile.
    under_way: HashMap<String, bool>,
}

/// An end that was handled, with a record of this hash. It is forgotten when the job is retried: the
/// next end is another, whatever its record says.
struct Known {
    hash: u64,
    at: Instant,
    repeats: u32,
}

/// A delivery that is being settled, the only one of its job.
pub(super) struct UnderWay<'a> {
    handled: &'a Handled,
    id: &'a str,
}

impl Handled {
    pub(super) fn of_at_most(jobs: usize) -> Self {
        Self { jobs: Mutex::default(), at_most: jobs, hashes: RandomState::new() }
    }

    /// Whether this end of the job was handled before.
    pub(super) fn is_repeat(&self, record: &JobRecord) -> bool {
        let mut jobs = self.jobs();
        let Some(Known { hash, at, repeats }) = jobs.known.get_mut(record.id()) else {
            return false;
        };
        if *hash != self.hash(record) {
            return false;
        }
        // Only these can be retried, by whomever, and end in the same words.
        if !matches!(record.status(), JobStatus::Failed | JobStatus::TimedOut) {
            return true;
        }
        *repeats += 1;
        *repeats <= REDELIVERIES && at.elapsed() <= REDELIVERED_WITHIN
    }

    /// A delivery of this job is about to be settled.
    pub(super) fn settle<'a>(&'a self, id: &'a str) -> UnderWay<'a> {
        self.jobs().under_way.insert(id.to_owned(), false);
        UnderWay { handled: self, id }
    }

    /// A handler is about to be given an end of this job.
    pub(super) fn begin(&self, job_id: &str) {
        let mut jobs = self.jobs();
        if jobs.known.contains_key(job_id) {
            jobs.forget(|known| known == job_id);
        }
    }

    /// It has succeeded with this record. Where the job was retried meanwhile, perhaps by the handler,
    /// its next end is another.
    pub(super) fn remember(&self, record: &JobRecord) {
        let handled = Known { hash: self.hash(record), at: Instant::now(), repeats: 0 };
        let mut jobs = self.jobs();
        if jobs.under_way.get(record.id()) == Some(&true) {
            return;
        }
        if jobs.known.insert(record.id().to_owned(), handled).is_none() {
            jobs.order.push_back(record.id().to_owned());
        }
        while jobs.order.len() > self.at_most
            && let Some(oldest) = jobs.order.pop_front()
        {
            jobs.known.remove(&oldest);
        }
    }

    fn hash(&self, record: &JobRecord) -> u64 {
        let mut hasher = self.hashes.build_hasher();
        record.hash_content(&mut hasher);
        hasher.finish()
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RetriedListener for Handled {
    fn retried(&self, job_id: &str) {
        let mut jobs = self.jobs();
        jobs.forget(|known| is_same_job(known, job_id));
        for (id, was_retried) in &mut jobs.under_way {
            *was_retried |= is_same_job(id, job_id);
        }
    }
}

impl Jobs {
    fn forget(&mut self, is_meant: impl Fn(&str) -> bool) {
        let known = self.known.len();
        self.known.retain(|id, _| !is_meant(id));
        if self.known.len() < known {
            self.order.retain(|id| !is_meant(id));
        }
    }
}

impl UnderWay<'_> {
    /// Whether the job was retried since this was asked last: then what was seen of it is old.
    pub(super) fn was_retried(&self) -> bool {
        let mut jobs = self.handled.jobs();
        jobs.under_way.get_mut(self.id).is_some_and(std::mem::take)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.handled.jobs().under_way.remove(self.id);
    }
}
