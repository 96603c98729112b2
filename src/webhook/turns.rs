//! One delivery of a job at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// Whose turn it is, for each job of which a delivery is under way.
#[derive(Default)]
pub(super) struct Turns(Mutex<HashMap<String, Arc<AsyncMutex<()>>>>);

/// The turn of one delivery. The next of the same job follows when it is dropped.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    id: &'a str,
    mine: Option<OwnedMutexGuard<()>>,
}

impl Turns {
    pub(super) async fn take<'a>(&'a self, id: &'a str) -> Turn<'a> {
        let turn = Arc::clone(self.under_way().entry(id.to_owned()).or_default());
        Turn { turns: self, id, mine: Some(turn.lock_owned().await) }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, Arc<AsyncMutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut under_way = self.turns.under_way();
        self.mine = None;
        if under_way.get(self.id).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            under_way.remove(self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Turns;

    #[tokio::test]
    async fn deliveries_of_one_job_follow_each_other_and_leave_nothing_behind() {
        let turns = Turns::default();
        let first = turns.take("a").await;
        let _other = turns.take("b").await;
        let moment = Duration::from_millis(5);
        assert!(tokio::time::timeout(moment, turns.take("a")).await.is_err());
        let second = turns.take("a");
        drop(first);
        drop(second.await);
        assert_eq!(turns.under_way().len(), 1, "only b is under way");
    }
}
