//! Peers: the open connections of the server, and the one to close where there are too many.
//!
//! It is an idle one, those that never had a key first, and the longest idle first; then one whose
//! peer has not read its response for a while; then one of the key that has the most. A request that
//! the server works on is not cut off otherwise.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::keys::Owner;

/// Largest number of connections.
const MOST: usize = 512;

/// Time after which a response that the peer does not read may be cut off, in milliseconds.
const STALLED: u64 = 60_000;

/// A connection, as its requests and other connections see it.
pub(super) struct Peer {
    began: Instant,
    is_responding: AtomicBool,
    /// The owner that the key of its requests stands for; none without a valid key.
    owner: OnceLock<Owner>,
    /// Milliseconds from the beginning to the last progress.
    active: AtomicU64,
    close: Notify,
}

impl Peer {
    fn new() -> Self {
        Self {
            began: Instant::now(),
            is_responding: AtomicBool::new(false),
            owner: OnceLock::new(),
            active: AtomicU64::new(0),
            close: Notify::new(),
        }
    }

    /// Records that a request had a valid key.
    pub(super) fn mark_authenticated(&self, owner: &Owner) {
        self.owner.get_or_init(|| owner.clone());
    }

    /// Records progress.
    pub(super) fn mark_active(&self) {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.active.store(elapsed, Relaxed);
    }

    /// Returns true while the server works on a request, or its response is not written yet.
    pub(super) fn is_responding(&self) -> bool {
        self.is_responding.load(Relaxed)
    }

    pub(super) fn set_responding(&self, is_responding: bool) {
        self.is_responding.store(is_responding, Relaxed);
    }

    /// Waits until the connection is to be closed for another.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }

    /// Milliseconds since the last progress.
    fn inactive(&self) -> u64 {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        elapsed.saturating_sub(self.active.load(Relaxed))
    }

    /// The order in which connections are closed, the largest first; `None` if it is in use.
    fn dispensability(&self) -> Option<(u8, u64)> {
        let inactive = self.inactive();
        if self.is_responding() {
            return (inactive > STALLED).then_some((0, inactive));
        }
        Some((if self.owner.get().is_some() { 1 } else { 2 }, inactive))
    }
}

/// The open connections.
#[derive(Default)]
pub(super) struct Peers(Mutex<(u64, HashMap<u64, Arc<Peer>>)>);

impl Peers {
    fn lock(&self) -> MutexGuard<'_, (u64, HashMap<u64, Arc<Peer>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection, for which another may be closed; `None` if all are in use, and no owner
    /// has more than half of them.
    pub(super) fn add(&self) -> Option<(u64, Arc<Peer>)> {
        let mut peers = self.lock();
        if peers.1.len() >= MOST {
            let candidates = peers.1.iter();
            let candidates =
                candidates.filter_map(|(number, it)| Some((it.dispensability()?, *number)));
            let number = match candidates.max() {
                Some((_, number)) => number,
                None => of_busiest_owner(&peers.1)?,
            };
            peers.1.remove(&number)?.close.notify_one();
        }
        let (number, peer) = (peers.0, Arc::new(Peer::new()));
        peers.0 += 1;
        peers.1.insert(number, Arc::clone(&peer));
        Some((number, peer))
    }

    pub(super) fn remove(&self, number: u64) {
        self.lock().1.remove(&number);
    }
}

/// The connection without progress for the longest time, of those of the owner that has more than
/// half of them.
fn of_busiest_owner(peers: &HashMap<u64, Arc<Peer>>) -> Option<u64> {
    let mut counts: HashMap<Option<&Owner>, usize> = HashMap::new();
    for peer in peers.values() {
        *counts.entry(peer.owner.get()).or_default() += 1;
    }
    let (busiest, _) = counts.into_iter().find(|(_, count)| count * 2 > peers.len())?;
    let connections = peers.iter().filter(|(_, peer)| peer.owner.get() == busiest);
    connections.max_by_key(|(_, peer)| peer.inactive()).map(|(number, _)| *number)
}
