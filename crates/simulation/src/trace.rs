//! Trace of a simulation: what happened when, in virtual time; violations; and the seed's random
//! numbers. A clone is the same trace.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::virtual_time::now;

/// The number of lines that are kept.
const LAST_LINES: usize = 8;

#[derive(Clone)]
pub(crate) struct Trace(Arc<Mutex<Inner>>);

struct Inner {
    random: fastrand::Rng,
    is_printed: bool,
    hash: DefaultHasher,
    lines: u64,
    last: VecDeque<String>,
    figures: Figures,
    violations: Vec<String>,
}

/// The figures of a simulation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) requests: u64,
    /// Exchanges of reports for permits with the store of shared limits.
    pub(crate) exchanges: u64,
    pub(crate) claims: u64,
    pub(crate) recoveries: u64,
    pub(crate) drops: u64,
}

impl Trace {
    pub(crate) fn new(seed: u64, is_printed: bool) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            random: fastrand::Rng::with_seed(seed),
            is_printed,
            hash: DefaultHasher::new(),
            lines: 0,
            last: VecDeque::with_capacity(LAST_LINES),
            figures: Figures::default(),
            violations: Vec::new(),
        })))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws from the seed.
    pub(crate) fn random<T>(&self, draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        draw(&mut self.inner().random)
    }

    /// Appends a line.
    #[allow(clippy::print_stdout, reason = "the trace is the output")]
    pub(crate) fn note(&self, what: fmt::Arguments<'_>) {
        let line = format!("{:.3} {what}", now().as_secs_f64());
        let mut inner = self.inner();
        line.hash(&mut inner.hash);
        inner.lines += 1;
        if inner.is_printed {
            println!("{line}");
        }
        if inner.last.len() == LAST_LINES {
            inner.last.pop_front();
        }
        inner.last.push_back(line);
    }

    /// The last lines, which tell what a run waits for that does not end.
    pub(crate) fn last_lines(&self) -> String {
        self.inner().last.iter().cloned().collect::<Vec<_>>().join("; ")
    }

    /// Records that an invariant does not hold.
    pub(crate) fn violated(&self, what: fmt::Arguments<'_>) {
        self.note(format_args!("VIOLATED: {what}"));
        let line = format!("at {:.3} s: {what}", now().as_secs_f64());
        self.inner().violations.push(line);
    }

    pub(crate) fn count_request(&self) {
        self.inner().figures.requests += 1;
    }

    pub(crate) fn count(&self, count: impl FnOnce(&mut Figures)) {
        count(&mut self.inner().figures);
    }

    pub(crate) fn figures(&self) -> Figures {
        self.inner().figures
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.inner().violations.clone()
    }

    /// The hash of all lines, and their number.
    pub(crate) fn digest(&self) -> (u64, u64) {
        let inner = self.inner();
        (inner.hash.finish(), inner.lines)
    }
}
