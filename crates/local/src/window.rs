//! A part of a long list: whoever shows it needs no more.

/// The longest part.
const MAX_LIMIT: usize = 500;
const DEFAULT_LIMIT: usize = 100;

/// Which part is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

impl Window {
    /// A window of at most 500, by default the first 100.
    pub(crate) fn new(offset: Option<usize>, limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
        Self { offset: offset.unwrap_or(0), limit }
    }

    /// How long a list is, and what is in the window.
    pub(crate) fn of<T>(self, list: impl IntoIterator<Item = T>) -> (usize, Vec<T>) {
        let mut total = 0;
        let mut part = Vec::new();
        for item in list {
            if total >= self.offset && part.len() < self.limit {
                part.push(item);
            }
            total += 1;
        }
        (total, part)
    }
}
