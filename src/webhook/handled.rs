//! What was handled, so that it is recognised when it comes again.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::queue::{JobRecord, JobStatus};

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
}

enum Known {
    /// An end was handled, with a record of this hash.
    Handled { hash: u64, at: Instant, repeats: u32 },
    /// The job was retried, so that the next end is another, whatever its record says.
    Retried,
    /// Nothing that would make a difference.
    Nothing,
}

impl Handled {
    pub(super) fn of_at_most(jobs: usize) -> Self {
        Self { jobs: Mutex::default(), at_most: jobs, hashes: RandomState::new() }
    }

    /// Whether this end of the job was handled before.
    pub(super) fn is_repeat(&self, record: &JobRecord) -> bool {
        let mut jobs = self.jobs();
        let Some(Known::Handled { hash, at, repeats }) = jobs.known.get_mut(record.id()) else {
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

    /// A handler is about to be given an end of this job.
    pub(super) fn begin(&self, job_id: &str) {
        if let Some(known) = self.jobs().known.get_mut(job_id) {
            *known = Known::Nothing;
        }
    }

    /// It has succeeded with this record. Where the job was retried meanwhile, perhaps by the handler,
    /// its next end is another.
    pub(super) fn remember(&self, record: &JobRecord) {
        let handled = Known::Handled { hash: self.hash(record), at: Instant::now(), repeats: 0 };
        let mut jobs = self.jobs();
        let was_retried = matches!(jobs.known.get(record.id()), Some(Known::Retried));
        let known = if was_retried { Known::Nothing } else { handled };
        self.set(&mut jobs, record.id(), known);
    }

    fn retried(&self, job_id: &str) {
        self.set(&mut self.jobs(), job_id, Known::Retried);
    }

    fn set(&self, jobs: &mut Jobs, job_id: &str, known: Known) {
        if jobs.known.insert(job_id.to_owned(), known).is_none() {
            jobs.order.push_back(job_id.to_owned());
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

/// Who wants to know which jobs a client retries: the receivers of their endpoints' webhooks.
#[derive(Default)]
pub(crate) struct Retried(Mutex<Vec<(String, Weak<Handled>)>>);

impl Retried {
    pub(super) fn listen(&self, endpoint_id: &str, handled: &Arc<Handled>) {
        let mut all = self.all();
        all.retain(|(_, listening)| listening.strong_count() > 0);
        all.push((endpoint_id.to_owned(), Arc::downgrade(handled)));
    }

    /// The job is about to be retried.
    pub(crate) fn tell(&self, endpoint_id: &str, job_id: &str) {
        let listening: Vec<_> = {
            let all = self.all();
            let of_this = all.iter().filter(|(endpoint, _)| endpoint == endpoint_id);
            of_this.filter_map(|(_, listening)| listening.upgrade()).collect()
        };
        listening.iter().for_each(|handled| handled.retried(job_id));
    }

    fn all(&self) -> MutexGuard<'_, Vec<(String, Weak<Handled>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
