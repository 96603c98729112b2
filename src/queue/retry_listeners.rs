//! Retry listeners: readers of the ends of jobs, which learn which jobs the client retries.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

/// A listener for the jobs of an endpoint that a client retries, so that an earlier end is not
/// taken for the next.
pub(crate) trait RetryListener: Send + Sync {
    /// The job is about to be retried, or has just been.
    fn retried(&self, job_id: &str);
}

/// The listeners of a client, by endpoint.
#[derive(Default)]
pub(crate) struct RetryListeners(Mutex<Vec<(String, Weak<dyn RetryListener>)>>);

impl RetryListeners {
    #[cfg(feature = "webhook")]
    pub(crate) fn listen(&self, endpoint_id: &str, listener: Weak<dyn RetryListener>) {
        let mut all = self.all();
        all.retain(|(_, listening)| listening.strong_count() > 0);
        all.push((endpoint_id.to_owned(), listener));
    }

    /// Notifies the listeners now, before the retry, and again when the returned guard is dropped,
    /// after it: a record that was read in between may show the end before the retry.
    pub(crate) fn during<'a>(&'a self, endpoint_id: &'a str, job_id: &'a str) -> impl Drop + 'a {
        self.notify(endpoint_id, job_id);
        RetryGuard { listeners: self, endpoint_id, job_id }
    }

    fn notify(&self, endpoint_id: &str, job_id: &str) {
        let listening: Vec<_> = {
            let all = self.all();
            let of_this = all.iter().filter(|(endpoint, _)| endpoint == endpoint_id);
            of_this.filter_map(|(_, listening)| listening.upgrade()).collect()
        };
        listening.iter().for_each(|listener| listener.retried(job_id));
    }

    fn all(&self) -> MutexGuard<'_, Vec<(String, Weak<dyn RetryListener>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A retry in flight.
struct RetryGuard<'a> {
    listeners: &'a RetryListeners,
    endpoint_id: &'a str,
    job_id: &'a str,
}

impl Drop for RetryGuard<'_> {
    fn drop(&mut self) {
        self.listeners.notify(self.endpoint_id, self.job_id);
    }
}
