//! Who is notified of jobs that are retried.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

/// Something that is told which jobs of an endpoint a client retries.
pub(crate) trait RetriedListener: Send + Sync {
    /// The job is about to be retried, or has just been.
    fn retried(&self, job_id: &str);
}

/// Those who want to know which jobs a client retries, by endpoint.
#[derive(Default)]
pub(crate) struct Retried(Mutex<Vec<(String, Weak<dyn RetriedListener>)>>);

impl Retried {
    #[cfg(feature = "webhook")]
    pub(crate) fn listen(&self, endpoint_id: &str, listener: Weak<dyn RetriedListener>) {
        let mut all = self.all();
        all.retain(|(_, listening)| listening.strong_count() > 0);
        all.push((endpoint_id.to_owned(), listener));
    }

    /// The job is about to be retried, and is or is not when the answer is dropped: whatever was seen
    /// of it until then may be the end that was before.
    pub(crate) fn during<'a>(&'a self, endpoint_id: &'a str, job_id: &'a str) -> impl Drop + 'a {
        self.tell(endpoint_id, job_id);
        Retrying { retried: self, endpoint_id, job_id }
    }

    fn tell(&self, endpoint_id: &str, job_id: &str) {
        let listening: Vec<_> = {
            let all = self.all();
            let of_this = all.iter().filter(|(endpoint, _)| endpoint == endpoint_id);
            of_this.filter_map(|(_, listening)| listening.upgrade()).collect()
        };
        listening.iter().for_each(|listener| listener.retried(job_id));
    }

    fn all(&self) -> MutexGuard<'_, Vec<(String, Weak<dyn RetriedListener>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A retry that is on its way.
struct Retrying<'a> {
    retried: &'a Retried,
    endpoint_id: &'a str,
    job_id: &'a str,
}

impl Drop for Retrying<'_> {
    fn drop(&mut self) {
        self.retried.tell(self.endpoint_id, self.job_id);
    }
}
