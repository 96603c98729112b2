//! Deliveries of an endpoint: for each job the delivery in progress, the waits to notify, and the
//! ends that were handled.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, oneshot};
use tokio::time::Instant;

use crate::queue::job::{is_same_job, without_suffix};
use crate::queue::{EndNotifier, Job, JobRecord, JobStatus, RetryListener};

/// The number of times that the service retries a delivery of the same end of a job, and the time
/// in which it does. A delivery beyond either is taken for another end: handled twice is better
/// than never.
const REDELIVERIES: u32 = 2;
const REDELIVERED_WITHIN: Duration = Duration::from_secs(60);

/// The state of an endpoint's deliveries, by job.
pub(super) struct Deliveries {
    endpoint_id: Box<str>,
    jobs: Mutex<Jobs>,
    /// The capacity for handled ends.
    capacity: usize,
    hashes: RandomState,
}

#[derive(Default)]
struct Jobs {
    /// By the id without its suffix.
    known: HashMap<String, JobEntry>,
    /// The jobs with a handled end, oldest first.
    handled: BTreeMap<u64, String>,
    /// The number of the last wait or handled end.
    last: u64,
}

#[derive(Default)]
struct JobEntry {
    /// The lock of a job's deliveries, held by the delivery in progress and shared by those that
    /// wait.
    lock: Weak<AsyncMutex<()>>,
    /// The number of retries of the job since it is known.
    retries: u64,
    waiting: Vec<Waiting>,
    handled: Option<Handled>,
}

struct Waiting {
    number: u64,
    id: String,
    notify: oneshot::Sender<JobRecord>,
}

/// A handled end of a job: its status and the hash of its record. Forgotten when the job is
/// retried: the next end is a different end, even with an identical record.
struct Handled {
    number: u64,
    status: JobStatus,
    hash: u64,
    at: Instant,
    repeats: u32,
}

/// A delivery in progress: the only delivery of its job until it is dropped.
pub(super) struct Delivery {
    deliveries: Arc<Deliveries>,
    key: String,
    lock: Option<OwnedMutexGuard<()>>,
    /// The retries and the last wait before the read of the job's status.
    retries: u64,
    last: u64,
}

/// A wait to be notified; dropping it removes it.
struct Listener {
    deliveries: Arc<Deliveries>,
    key: String,
    notified: oneshot::Receiver<JobRecord>,
}

impl Deliveries {
    /// The deliveries of an endpoint, with a capacity for handled ends.
    pub(super) fn of(endpoint_id: &str, capacity: usize) -> Self {
        let (jobs, hashes) = (Mutex::default(), RandomState::new());
        Self { endpoint_id: endpoint_id.into(), jobs, capacity, hashes }
    }

    /// Begins a delivery once the earlier deliveries of the same job have ended.
    pub(super) async fn begin(self: Arc<Self>, job_id: &str) -> Delivery {
        let key = without_suffix(job_id).to_owned();
        let lock = {
            let mut jobs = self.jobs();
            let known = jobs.known.entry(key.clone()).or_default();
            let lock = known.lock.upgrade().unwrap_or_default();
            known.lock = Arc::downgrade(&lock);
            lock
        };
        let mut delivery = Delivery { deliveries: self, key, lock: None, retries: 0, last: 0 };
        delivery.lock = Some(lock.lock_owned().await);
        delivery
    }

    fn listen(self: Arc<Self>, job_id: &str) -> Listener {
        let key = without_suffix(job_id).to_owned();
        let (notify, notified) = oneshot::channel();
        let mut jobs = self.jobs();
        let number = jobs.next();
        let waiting = Waiting { number, id: job_id.to_owned(), notify };
        jobs.known.entry(key.clone()).or_default().waiting.push(waiting);
        drop(jobs);
        Listener { deliveries: self, key, notified }
    }

    fn hash(&self, record: &JobRecord) -> u64 {
        self.hashes.hash_one(record.as_bytes())
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EndNotifier for Deliveries {
    fn end_of(self: Arc<Self>, job: &Job) -> Pin<Box<dyn Future<Output = JobRecord> + Send>> {
        if job.endpoint().id() != &*self.endpoint_id {
            // A job with the same id on this endpoint is a different job.
            return Box::pin(std::future::pending());
        }
        let mut listener = self.listen(job.id());
        Box::pin(async move {
            match (&mut listener.notified).await {
                Ok(record) => record,
                Err(_) => std::future::pending().await,
            }
        })
    }
}

impl RetryListener for Deliveries {
    fn retried(&self, job_id: &str) {
        let key = without_suffix(job_id);
        let mut jobs = self.jobs();
        if let Some(known) = jobs.known.get_mut(key) {
            known.retries += 1;
        }
        jobs.forget_handled(key);
    }
}

impl Delivery {
    /// Marks the beginning of a read of the job's status.
    pub(super) fn begin_read(&mut self) {
        let jobs = self.deliveries.jobs();
        self.retries = jobs.retries(&self.key);
        self.last = jobs.last;
    }

    /// Returns true if the job was retried since the read began: then its result is stale.
    pub(super) fn was_retried(&self) -> bool {
        self.deliveries.jobs().retries(&self.key) != self.retries
    }

    /// Notifies the waits that began before the read. A wait that began later polls itself: the job
    /// may have been retried in between.
    pub(super) fn notify(&self, record: &JobRecord) {
        let waiting: Vec<_> = {
            let mut jobs = self.deliveries.jobs();
            let Some(known) = jobs.known.get_mut(&self.key) else { return };
            let is_meant = |waiting: &mut Waiting| {
                waiting.number <= self.last && is_same_job(&waiting.id, record.id())
            };
            known.waiting.extract_if(.., is_meant).collect()
        };
        for waiting in waiting {
            // Fails if the wait has just been dropped.
            let _ = waiting.notify.send(record.clone());
        }
    }

    /// Returns true if this end of the job was handled before. If not, it is about to be, and an
    /// earlier end is forgotten.
    pub(super) fn is_repeat(&self, record: &JobRecord) -> bool {
        let hash = self.deliveries.hash(record);
        let mut jobs = self.deliveries.jobs();
        let known = jobs.known.get_mut(&self.key);
        let handled = known.and_then(|known| known.handled.as_mut());
        let is_repeat =
            handled.is_some_and(|handled| handled.count_delivery(record.status(), hash));
        if !is_repeat {
            jobs.forget_handled(&self.key);
        }
        is_repeat
    }

    /// Records that the handler has succeeded with this record; not if the job was retried in the
    /// meantime, perhaps by the handler, because its next end is a different end.
    pub(super) fn remember(&self, record: &JobRecord) {
        let (status, hash) = (record.status(), self.deliveries.hash(record));
        let mut jobs = self.deliveries.jobs();
        let number = jobs.next();
        let known = jobs.known.get_mut(&self.key);
        let Some(known) = known.filter(|known| known.retries == self.retries) else { return };
        known.handled = Some(Handled { number, status, hash, at: Instant::now(), repeats: 0 });
        jobs.handled.insert(number, self.key.clone());
        while jobs.handled.len() > self.deliveries.capacity
            && let Some(oldest) = jobs.handled.first_entry().map(|oldest| oldest.remove())
        {
            jobs.forget_handled(&oldest);
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        self.lock = None;
        self.deliveries.jobs().remove_if_unused(&self.key);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.notified.close();
        let mut jobs = self.deliveries.jobs();
        if let Some(known) = jobs.known.get_mut(&self.key) {
            known.waiting.retain(|waiting| !waiting.notify.is_closed());
        }
        jobs.remove_if_unused(&self.key);
    }
}

impl Jobs {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn retries(&self, key: &str) -> u64 {
        self.known.get(key).map_or(0, |known| known.retries)
    }

    fn forget_handled(&mut self, key: &str) {
        let known = self.known.get_mut(key);
        if let Some(handled) = known.and_then(|known| known.handled.take()) {
            self.handled.remove(&handled.number);
        }
        self.remove_if_unused(key);
    }

    /// Removes an unused entry.
    fn remove_if_unused(&mut self, key: &str) {
        let is_idle = |known: &JobEntry| {
            known.lock.strong_count() == 0 && known.waiting.is_empty() && known.handled.is_none()
        };
        if self.known.get(key).is_some_and(is_idle) {
            self.known.remove(key);
        }
    }
}

impl Handled {
    /// Counts a delivery, and returns true if it is a redelivery of this end.
    fn count_delivery(&mut self, status: JobStatus, hash: u64) -> bool {
        if self.status != status {
            return false;
        }
        // Only these statuses can be retried, by any client. Any other end is final, even if its
        // record differs from read to read.
        if !matches!(status, JobStatus::Failed | JobStatus::TimedOut) {
            return true;
        }
        // An identical record can be another end.
        if self.hash != hash {
            return false;
        }
        self.repeats += 1;
        self.repeats <= REDELIVERIES && self.at.elapsed() <= REDELIVERED_WITHIN
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn deliveries_of_one_job_follow_each_other_and_leave_nothing_behind() {
        let deliveries = Arc::new(Deliveries::of("ep", 10));
        let begin = |id| Arc::clone(&deliveries).begin(id);
        let first = begin("a").await;
        let other = begin("b").await;
        let moment = Duration::from_millis(5);
        assert!(tokio::time::timeout(moment, begin("a-u1")).await.is_err(), "it is the same job");
        let (second, third) = (begin("a"), begin("a"));
        drop(first);
        drop(second.await);
        drop(third.await);
        assert!(deliveries.jobs().known.keys().eq(["b"]), "only b is in progress");
        drop(other);
        assert!(deliveries.jobs().known.is_empty());
    }

    #[tokio::test]
    async fn a_wait_or_a_delivery_that_is_given_up_leaves_nothing_behind() {
        let deliveries = Arc::new(Deliveries::of("ep", 10));
        let listen = || Arc::clone(&deliveries).listen("j");
        let (one, other) = (listen(), listen());
        drop(one);
        assert_eq!(deliveries.jobs().known["j"].waiting.len(), 1);
        let delivery = Arc::clone(&deliveries).begin("j").await;
        let mut next = Box::pin(Arc::clone(&deliveries).begin("j"));
        assert!((&mut next).now_or_never().is_none());
        drop(delivery);
        drop(next);
        assert_eq!(deliveries.jobs().known.len(), 1, "a wait is left");
        drop(other);
        assert!(deliveries.jobs().known.is_empty());
    }
}
