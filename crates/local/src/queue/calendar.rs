//! What becomes due, and when.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use crate::clock::Moment;

/// Holds at most one due time for each key, and gives them out in the order of time.
#[derive(Debug)]
pub(crate) struct Calendar<K> {
    by_time: BTreeSet<(Moment, K)>,
    by_key: HashMap<K, Moment>,
}

impl<K> Default for Calendar<K> {
    fn default() -> Self {
        Self { by_time: BTreeSet::new(), by_key: HashMap::new() }
    }
}

/// Gives back the memory of a table that was much fuller once. What it costs is paid for by the
/// removals that emptied it.
pub(crate) fn shrink<K: Eq + Hash, V>(table: &mut HashMap<K, V>) {
    const SMALL: usize = 1024;
    if table.capacity() > SMALL && table.len() < table.capacity() / 8 {
        table.shrink_to(SMALL.max(table.len() * 2));
    }
}

impl<K: Clone + Ord + Hash> Calendar<K> {
    /// Sets the time at which `key` is due, in place of the one that it had.
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

    /// The earliest time at which something is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.by_time.first().map(|(due, _)| *due)
    }

    /// What is due, in the order of time.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Moment, K)> {
        self.by_time.iter()
    }

    /// Takes out the earliest of what is due by `now`.
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
    fn gives_out_in_the_order_of_time_and_keeps_the_last_time_set() {
        let second = Duration::from_secs;
        let mut calendar = Calendar::default();
        calendar.set("a", second(3));
        calendar.set("b", second(2));
        calendar.set("c", second(1));
        calendar.set("a", second(1));
        calendar.remove("c");
        assert_eq!(calendar.next(), Some(second(1)));
        assert_eq!(calendar.pop_due(Duration::ZERO), None);
        assert_eq!(calendar.pop_due(second(9)), Some((second(1), "a")));
        assert_eq!(calendar.pop_due(second(9)), Some((second(2), "b")));
        assert_eq!(calendar.pop_due(second(9)), None);
    }
}
