//! What an open journal in a database holds.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::loss::OnLoss;
use crate::state::State;

/// The results of a process that did not say where it writes them.
pub(super) const NOWHERE: i64 = 0;

/// An open [`Postgres`](super::Postgres) journal.
pub struct PostgresStore {
    pub(super) connection: Connection,
    /// The batch, its name, and how others call it.
    pub(super) batch: i64,
    pub(super) name: String,
    pub(super) lease: Duration,
    /// Where this process writes its results, and what becomes of interrupted submissions.
    pub(super) results: i64,
    pub(super) intents: State,
    /// This process, as long as it has a lease.
    pub(super) process: Option<Process>,
    /// It was taken over, and has to begin anew.
    pub(super) is_interrupted: bool,
    /// Nobody is taken over before: those who were cut off together can renew their leases.
    pub(super) taking_from: Instant,
    /// What the changes since [`lock`](crate::store::Sharing::lock) have moved.
    pub(super) locked: Option<Delta>,
    pub(super) is_read_only: bool,
    /// What to do about changes that the database has lost.
    pub(super) on_loss: OnLoss,
}

/// This process, as the database knows it.
pub(super) struct Process {
    pub(super) id: i64,
    /// The number of its last change: whether a change was durable whose response was lost.
    pub(super) changes: i64,
    /// The last one that is known to be durable.
    pub(super) durable: i64,
    /// The last loss of changes that was accepted before it joined.
    pub(super) accepted: String,
    /// When it began the change that renewed its lease last.
    pub(super) renewed: Instant,
    /// The inputs that it is submitting.
    pub(super) submitting: HashSet<u64>,
}

impl Process {
    /// Whether so much time has passed that the lease should be renewed.
    pub(super) fn is_due(&self, every: Duration) -> bool {
        self.renewed.elapsed() >= every
    }
}

/// How many inputs a transaction has moved to each state, less those it has moved from there, and
/// what they took.
#[derive(Clone, Debug, Default)]
pub(super) struct Delta {
    pub(super) moved: [i64; State::ALL.len()],
    pub(super) execution_ms: f64,
    pub(super) delay_ms: f64,
}

impl Delta {
    /// So many inputs are in another state.
    pub(super) fn shift(&mut self, from: State, to: State, inputs: usize) {
        let inputs = i64::try_from(inputs).unwrap_or(i64::MAX);
        self.moved[usize::from(from.code())] -= inputs;
        self.moved[usize::from(to.code())] += inputs;
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, moved) in self.moved.iter_mut().zip(other.moved) {
            *sum += moved;
        }
        self.execution_ms += other.execution_ms;
        self.delay_ms += other.delay_ms;
    }
}
