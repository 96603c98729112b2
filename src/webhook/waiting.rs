//! Those who wait for a job and want to be told of its end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::queue::JobRecord;

#[derive(Default)]
pub(super) struct Waiting(Mutex<HashMap<String, Vec<oneshot::Sender<JobRecord>>>>);

/// One who waits. When it is dropped, nobody keeps anything for it.
pub(super) struct Ear {
    waiting: Arc<Waiting>,
    id: String,
    told: oneshot::Receiver<JobRecord>,
}

impl Waiting {
    pub(super) fn listen(self: &Arc<Self>, id: &str) -> Ear {
        let (tell, told) = oneshot::channel();
        self.all().entry(id.to_owned()).or_default().push(tell);
        Ear { waiting: Arc::clone(self), id: id.to_owned(), told }
    }

    pub(super) fn tell(&self, record: &JobRecord) {
        let waiting = self.all().remove(record.id());
        for one in waiting.into_iter().flatten() {
            // One that has just given up is not told.
            let _ = one.send(record.clone());
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Vec<oneshot::Sender<JobRecord>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ear {
    /// The record of the job, once it has ended and the service has confirmed it.
    pub(super) async fn told(&mut self) -> JobRecord {
        match (&mut self.told).await {
            Ok(record) => record,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.told.close();
        let mut all = self.waiting.all();
        if let Some(waiting) = all.get_mut(&self.id) {
            waiting.retain(|one| !one.is_closed());
            if waiting.is_empty() {
                all.remove(&self.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Waiting;

    #[test]
    fn who_gives_up_leaves_nothing_behind() {
        let waiting = Arc::new(Waiting::default());
        let one = waiting.listen("j");
        let other = waiting.listen("j");
        drop(one);
        assert_eq!(waiting.all()["j"].len(), 1);
        drop(other);
        assert!(waiting.all().is_empty());
    }
}
