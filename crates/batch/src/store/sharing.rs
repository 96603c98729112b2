//! Shared store: leases, recovery, locks and outages of a journal that several processes share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::records::Input;
use crate::error::Result;
use crate::state::State;

/// The name of the note that says that a shared store has lost changes, and what follows.
pub(crate) const LOST: &str = "lost";

/// The name of the note that says that results have been imported since then: those of one process.
pub(crate) const IMPORTED: &str = "imported";

/// Operations of a [`Store`](super::Store) that several processes share.
///
/// Each process has a lease, which every change renews. Once it has expired, any other process can
/// recover its inputs: nothing that the former owner writes afterwards takes effect (it is fenced off),
/// and its changes fail with [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted), until it
/// rejoins under a new lease.
///
/// Inputs that are being submitted, or outstanding, belong to the process that claimed or
/// recovered them. Times are compared by the clock of the store alone.
pub trait Sharing {
    /// Says where this process writes its results (a token that no other results have), and what
    /// becomes of inputs that a process was submitting when it lost its lease:
    /// [`State::Unknown`] or [`State::Pending`]. An earlier process with the same results is recovered
    /// at once.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn identify(&mut self, results: &str, intents: State) -> Result<()>;

    /// Which change of this process is known to be durable, as a text that
    /// [`check_position`](Self::check_position) reads after a restart; none before the first one.
    fn position(&self) -> Option<String>;

    /// Compares the store with the [`position`](Self::position) of an earlier process with the same
    /// results. If the store does not have that change, it has lost changes: that is recorded as
    /// [`report_loss`](Self::report_loss) does, unless the loss was accepted since that process joined.
    ///
    /// # Errors
    ///
    /// If changes are lost and their loss is not to be accepted, or the store cannot be written.
    fn check_position(&mut self, position: &str) -> Result<()>;

    /// Rejoins under a new lease, with nothing but what it recovers.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn rejoin(&mut self) -> Result<()>;

    /// Recovers the processes whose leases have expired, and returns their outstanding inputs, which
    /// belong to this process from now on.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn recover(&mut self) -> Result<Vec<Input>>;

    /// The outstanding inputs of this process.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn outstanding(&mut self) -> Result<Vec<Input>>;

    /// Whether this process submits this input, or collects its job.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn owns(&mut self, index: u64) -> Result<bool>;

    /// How many other processes have a lease, or have crashed and were not recovered yet.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn peers(&mut self) -> Result<u64>;

    /// The outage of the store, which can be read while it is waited for.
    fn outage(&self) -> Outage;

    /// How often the lease must be renewed while nothing is written.
    fn renew_every(&self) -> Duration;

    /// Renews the lease.
    ///
    /// # Errors
    ///
    /// If the lease was lost, or the store cannot be written.
    fn renew(&mut self) -> Result<()>;

    /// Gives up the lease: other processes may recover what is outstanding. The next change
    /// begins a new lease.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn release(&mut self) -> Result<()>;

    /// Records that the store has lost changes that were durable, so that every process is refused, also
    /// one that joins later, until that is accepted.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn report_loss(&mut self) -> Result<()>;

    /// Whether this process accepts such a loss: the store had one when it joined, or the process has
    /// reported one, and it was told to accept it.
    fn accepts_loss(&self) -> bool;

    /// Refuses to accept a loss while there are results that were not imported since. Accepts none any
    /// more where there is none.
    ///
    /// # Errors
    ///
    /// If results of other processes were not imported, and they are not to be given up.
    fn check_loss(&mut self) -> Result<()>;

    /// Accepts the loss, if this process does: other processes can join again. A commit that claims
    /// inputs does the same.
    ///
    /// # Errors
    ///
    /// If the store cannot be written, or as [`check_loss`](Self::check_loss) does.
    fn accept_loss(&mut self) -> Result<()>;

    /// The time by the store's clock, in milliseconds of Unix time.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn time(&mut self) -> Result<u64>;

    /// The notes with this name that [`Store::own_note`](super::Store::own_note) reads in each
    /// process: in those that are at work, or in all that ever were.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn own_notes(&mut self, name: &str, at_work: bool) -> Result<Vec<String>>;

    /// The inputs with these results that ended other than with an output, from index `from` on, at
    /// most `limit`, by index: what this process, or an earlier one with the same results, ended.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn failures(&mut self, from: u64, limit: usize) -> Result<Vec<Input>>;

    /// Begins changes that take effect together, once [`unlock`](Self::unlock) is called. Until then
    /// no other process is here, and inputs that are read are not changed by others.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn lock(&mut self) -> Result<()>;

    /// Ends what [`lock`](Self::lock) began: the changes take effect, or are discarded.
    ///
    /// # Errors
    ///
    /// If the store cannot be written. The changes are discarded then.
    fn unlock(&mut self, keep: bool) -> Result<()>;
}

/// A failure this long after the one before is another outage: the time in between is unknown.
const APART: Duration = Duration::from_secs(60);

/// The divisor of the patience of a process that must stop.
const SHORTENED: u32 = 30;

/// Whether a [shared store](Sharing) is unreachable. The store [reports](Self::failed) it; its
/// waiters see why, and can shorten the wait. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Outage(Arc<Mutex<OutageState>>);

#[derive(Debug, Default)]
struct OutageState {
    /// The first failure, if nothing has succeeded since, and the last one.
    failed: Option<(Instant, Instant)>,
    why: String,
    is_given_up: bool,
    is_shortened: bool,
}

impl Outage {
    fn known(&self) -> MutexGuard<'_, OutageState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the store has been unreachable, and why. `None` if it responded last.
    #[must_use]
    pub fn so_far(&self) -> Option<(Duration, String)> {
        let known = self.known();
        known.failed.map(|(first, _)| (first.elapsed(), known.why.clone()))
    }

    /// Whether the store is to be waited for as long as its patience lasts (as at first), or for a
    /// thirtieth of that: ten seconds of five minutes.
    pub fn wait(&self, patiently: bool) {
        self.known().is_shortened = !patiently;
    }

    /// Reports a failure, in a store with this patience. Whether to retry.
    pub fn failed(&self, why: String, patience: Duration) -> bool {
        let mut known = self.known();
        let now = Instant::now();
        let first = match known.failed {
            Some((first, last)) if now - last < APART => first,
            _ => now,
        };
        (known.failed, known.why) = (Some((first, now)), why);
        let patience = if known.is_shortened { patience / SHORTENED } else { patience };
        let is_over = now - first >= patience;
        // An attempt without patience tells nothing about the outage.
        known.is_given_up |= is_over && patience > Duration::ZERO;
        !is_over
    }

    /// Reports that the store has responded.
    pub fn ended(&self) {
        let mut known = self.known();
        (known.failed, known.is_given_up) = (None, false);
    }

    /// Whether patience has ended: remaining work is attempted once, briefly.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.known().is_given_up
    }
}
