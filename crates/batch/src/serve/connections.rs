//! Connections: the open connections of the server, and which one is evicted when there are too
//! many.
//!
//! - More than [`MAX_UNAUTHENTICATED`] connections without a valid key so far: one of them.
//! - Otherwise an idle connection with a key.
//! - If all of these respond to requests: one of the key that has the most, so a key with fewer
//!   loses none.
//!
//! Among candidates, the one without progress for longest is evicted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::keys::Owner;

/// Largest number of connections.
const MAX_CONNECTIONS: usize = 512;

/// Maximum number of connections that have not sent a valid key yet.
const MAX_UNAUTHENTICATED: usize = 128;

/// A connection, as its requests and other connections see it.
pub(super) struct Connection {
    began: Instant,
    is_responding: AtomicBool,
    /// The owner that the key of its requests stands for; none without a valid key.
    owner: OnceLock<Owner>,
    /// Milliseconds from the beginning to the last progress.
    active: AtomicU64,
    close: Notify,
}

impl Connection {
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
}

/// The open connections.
#[derive(Default)]
pub(super) struct Connections(Mutex<(u64, HashMap<u64, Arc<Connection>>)>);

impl Connections {
    fn lock(&self) -> MutexGuard<'_, (u64, HashMap<u64, Arc<Connection>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection, for which another is closed where there are too many.
    pub(super) fn add(&self) -> (u64, Arc<Connection>) {
        let mut connections = self.lock();
        if connections.1.len() >= MAX_CONNECTIONS
            && let Some(closed) =
                to_evict(&connections.1).and_then(|number| connections.1.remove(&number))
        {
            closed.close.notify_one();
        }
        let (number, connection) = (connections.0, Arc::new(Connection::new()));
        connections.0 += 1;
        connections.1.insert(number, Arc::clone(&connection));
        (number, connection)
    }

    pub(super) fn remove(&self, number: u64) {
        self.lock().1.remove(&number);
    }
}

/// The connection to evict for another.
fn to_evict(connections: &HashMap<u64, Arc<Connection>>) -> Option<u64> {
    let mut counts: HashMap<Option<&Owner>, usize> = HashMap::new();
    for connection in connections.values() {
        *counts.entry(connection.owner.get()).or_default() += 1;
    }
    let has_capacity = counts.get(&None).is_none_or(|count| *count <= MAX_UNAUTHENTICATED);
    let candidates = connections
        .iter()
        .filter(|(_, connection)| connection.owner.get().is_none() != has_capacity);
    let closed = candidates.max_by_key(|(_, connection)| {
        let is_idle = !connection.is_responding();
        let share = if is_idle { 0 } else { counts[&connection.owner.get()] };
        (is_idle, share, connection.inactive())
    });
    closed.map(|(number, _)| *number)
}
