//! Timers: a priority queue by due time, with at most one timer for each key.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use crate::clock::Moment;

/// Timers by key, in the order of their due times.
#[derive(Debug)]
pub(crate) struct Timers<K> {
    by_time: BTreeSet<(Moment, K)>,
    by_key: HashMap<K, Moment>,
}

impl<K> Default for Timers<K> {
    fn default() -> Self {
        Self { by_time: BTreeSet::new(), by_key: HashMap::new() }
    }
}

/// Releases memory of a table that once had many more entries. The cost is amortized over the
/// removals.
pub(crate) fn shrink<K: Eq + Hash, V>(table: &mut HashMap<K, V>) {
    const SMALL: usize = 1024;
    if table.capacity() > SMALL && table.len() < table.capacity() / 8 {
        table.shrink_to(SMALL.max(table.len() * 2));
    }
}

impl<K: Clone + Ord + Hash> Timers<K> {
    /// Sets the due time of `key`, replacing an earlier due time.
    pub(crate) fn set(&mut self, key: K, due: Moment) {
        if let Some(before) = self.by_key.insert(key.clone(), due) {
            if before == due {
                return;
            }
            let entry = (before, key);
            self.by_time.remove(&entry);
            self.by_time.insert((due, entry.1));
        } else {
            self.by_time.insert((due, key));
        }
    }

    pub(crate) fn remove(&mut self, key: K) {
        if let Some(due) = self.by_key.remove(&key) {
            self.by_time.remove(&(due, key));
            shrink(&mut self.by_key);
        }
    }

    /// The earliest due time.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.by_time.first().map(|(due, _)| *due)
    }

    /// The timers in the order of their due times.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Moment, K)> {
        self.by_time.iter()
    }

    /// Removes and returns the earliest timer, if it is due by `now`.
    pub(crate) fn pop_due(&mut self, now: Moment) -> Option<(Moment, K)> {
        if self.next()? > now {
            return None;
        }
        let (due, key) = self.by_time.pop_first()?;
        self.by_key.remove(&key);
        shrink(&mut self.by_key);
        Some((due, key))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn timers_are_popped_in_order_and_the_last_due_time_counts() {
        let second = Duration::from_secs;
        let mut timers = Timers::default();
        timers.set("a", second(3));
        timers.set("b", second(2));
        timers.set("c", second(1));
        timers.set("a", second(1));
        timers.remove("c");
        assert_eq!(timers.next(), Some(second(1)));
        assert_eq!(timers.pop_due(Duration::ZERO), None);
        assert_eq!(timers.pop_due(second(9)), Some((second(1), "a")));
        assert_eq!(timers.pop_due(second(9)), Some((second(2), "b")));
        assert_eq!(timers.pop_due(second(9)), None);
    }
}
