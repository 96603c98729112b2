//! Those who wait for a job and want to be told of its end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::queue::{JobRecord, is_same_job, without_suffix};

/// By the part of the job's id that has no suffix.
#[derive(Default)]
pub(super) struct Waiting(Mutex<All>);

#[derive(Default)]
struct All {
    ears: HashMap<String, Vec<Listening>>,
    next: u64,
}

struct Listening {
    id: String,
    number: u64,
    tell: oneshot::Sender<JobRecord>,
}

/// One who waits. When it is dropped, nobody keeps anything for it.
pub(super) struct Ear {
    waiting: Arc<Waiting>,
    id: String,
    told: oneshot::Receiver<JobRecord>,
}

impl Waiting {
    pub(super) fn listen(self: &Arc<Self>, id: &str) -> Ear {
        let (tell, told) = oneshot::channel();
        let mut all = self.all();
        let number = all.next;
        all.next += 1;
        let ears = all.ears.entry(without_suffix(id).to_owned()).or_default();
        ears.push(Listening { id: id.to_owned(), number, tell });
        drop(all);
        Ear { waiting: Arc::clone(self), id: id.to_owned(), told }
    }

    /// Those who listen now, to be told of what is seen from now on. Who comes later looks for itself:
    /// the job may have been retried in between.
    pub(super) fn listening(&self) -> u64 {
        self.all().next
    }

    pub(super) fn tell(&self, record: &JobRecord, listening: u64) {
        let mut all = self.all();
        let key = without_suffix(record.id());
        let Some(ears) = all.ears.get_mut(key) else { return };
        let is_meant =
            |ear: &mut Listening| ear.number < listening && is_same_job(&ear.id, record.id());
        let told: Vec<_> = ears.extract_if(.., is_meant).collect();
        if ears.is_empty() {
            all.ears.remove(key);
        }
        drop(all);
        for ear in told {
            // One that has just given up is not told.
            let _ = ear.tell.send(record.clone());
        }
    }

    fn all(&self) -> MutexGuard<'_, All> {
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
        let key = without_suffix(&self.id);
        if let Some(ears) = all.ears.get_mut(key) {
            ears.retain(|ear| !ear.tell.is_closed());
            if ears.is_empty() {
                all.ears.remove(key);
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
        assert_eq!(waiting.all().ears["j"].len(), 1);
        drop(other);
        assert!(waiting.all().ears.is_empty());
    }
}
