//! What was handled, so that it is recognised when it comes again.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::queue::JobRecord;

/// The jobs that were handled last: for each, a hash of the record as it was then. A job that has
/// been retried since ends with another record.
pub(super) struct Handled {
    jobs: Mutex<Jobs>,
    at_most: usize,
    hashes: RandomState,
}

#[derive(Default)]
struct Jobs {
    hashes: HashMap<String, u64>,
    /// Those that go first are in front.
    order: VecDeque<String>,
}

impl Handled {
    pub(super) fn of_at_most(jobs: usize) -> Self {
        Self { jobs: Mutex::default(), at_most: jobs, hashes: RandomState::new() }
    }

    pub(super) fn contains(&self, record: &JobRecord) -> bool {
        self.jobs().hashes.get(record.id()) == Some(&self.hash(record))
    }

    pub(super) fn remember(&self, record: &JobRecord) {
        let hash = self.hash(record);
        let mut jobs = self.jobs();
        if jobs.hashes.insert(record.id().to_owned(), hash).is_none() {
            jobs.order.push_back(record.id().to_owned());
        }
        while jobs.order.len() > self.at_most
            && let Some(oldest) = jobs.order.pop_front()
        {
            jobs.hashes.remove(&oldest);
        }
    }

    fn hash(&self, record: &JobRecord) -> u64 {
        use std::hash::Hasher;

        let mut hasher = self.hashes.build_hasher();
        record.hash_content(&mut hasher);
        hasher.finish()
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
