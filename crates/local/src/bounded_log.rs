//! Bounded log: a ring buffer of numbered entries, limited in number and in bytes.
//!
//! The logs of requests, of webhook deliveries and of worker output, and the history of jobs and
//! chunks, are such logs, so that no peer and no worker can fill the memory. A list in the control
//! plane returns a [`Window`] of one.

use std::collections::VecDeque;

use serde::Serialize;

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 500;

/// The last entries within bounds. An entry keeps its number, which counts all entries from 0.
#[derive(Debug)]
pub(crate) struct BoundedLog<T> {
    entries: VecDeque<T>,
    max_entries: usize,
    max_bytes: usize,
    size_of: fn(&T) -> usize,
    bytes: usize,
    appended: u64,
}

impl<T> BoundedLog<T> {
    pub(crate) fn new(max_entries: usize, max_bytes: usize, size_of: fn(&T) -> usize) -> Self {
        let entries = VecDeque::new();
        Self { entries, max_entries, max_bytes, size_of, bytes: 0, appended: 0 }
    }

    /// Appends an entry, and removes the oldest entries beyond the bounds. Returns its number.
    pub(crate) fn append(&mut self, entry: T) -> u64 {
        let number = self.appended;
        self.appended += 1;
        self.bytes += (self.size_of)(&entry);
        self.entries.push_back(entry);
        while self.entries.len() > self.max_entries || self.bytes > self.max_bytes {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= (self.size_of)(&oldest);
        }
        number
    }

    /// Number of entries so far, kept or not.
    pub(crate) fn appended(&self) -> u64 {
        self.appended
    }

    /// An entry by its number, if it is kept. Its size must not change.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let removed = self.appended - self.entries.len() as u64;
        let index = usize::try_from(number.checked_sub(removed)?).ok()?;
        self.entries.get_mut(index)
    }

    /// The kept entries, the oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.entries.iter()
    }

    /// The kept entries with their numbers, the newest first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = (u64, &T)> {
        (0..self.appended).rev().zip(self.entries.iter().rev())
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// An entry with its number, as a list in the control plane returns it.
#[derive(Serialize)]
pub(crate) struct Numbered<T> {
    number: u64,
    #[serde(flatten)]
    entry: T,
}

impl<T: Clone> From<(u64, &T)> for Numbered<T> {
    fn from((number, entry): (u64, &T)) -> Self {
        Self { number, entry: entry.clone() }
    }
}

/// Window of a list: the part to return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

impl Window {
    /// A window of at most 500 items, by default the first 100.
    pub(crate) fn new(offset: Option<usize>, limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
        Self { offset: offset.unwrap_or(0), limit }
    }

    /// The length of a list, and the items in the window.
    pub(crate) fn of<T>(self, list: impl IntoIterator<Item = T>) -> (usize, Vec<T>) {
        let mut total = 0;
        let mut items = Vec::new();
        for item in list {
            if total >= self.offset && items.len() < self.limit {
                items.push(item);
            }
            total += 1;
        }
        (total, items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entries_are_removed_and_numbers_stay() {
        let mut log = BoundedLog::new(3, 10, |entry: &&str| entry.len());
        let numbers: Vec<u64> = ["a", "b", "c", "d"].map(|entry| log.append(entry)).to_vec();
        assert_eq!(numbers, [0, 1, 2, 3]);
        assert_eq!(log.get_mut(0), None);
        assert_eq!(log.get_mut(1), Some(&mut "b"));
        assert_eq!(log.get_mut(4), None);
        log.append("nine long");
        assert_eq!(log.newest_first().collect::<Vec<_>>(), [(4, &"nine long"), (3, &"d")]);
        assert_eq!((log.bytes(), log.appended()), (10, 5));
        log.append("eleven long");
        assert_eq!((log.iter().count(), log.bytes()), (0, 0));
    }
}
