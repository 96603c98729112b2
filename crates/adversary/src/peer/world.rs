//! What all connections of the peer share.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::transcript::Transcript;
use crate::operation::Operation;
use crate::plan::Fault;
use crate::service::Service;

/// What all connections share.
pub(crate) struct World {
    state: Mutex<Inner>,
    too_many: Notify,
}

/// More requests than any plan has reason for.
const MANY: usize = 3_000;

pub(crate) struct Inner {
    pub(crate) service: Service,
    pub(crate) transcript: Transcript,
    faults: BTreeMap<Operation, VecDeque<Fault>>,
    pub(super) connections: Vec<AbortHandle>,
}

impl World {
    pub(super) fn new(
        service: Service,
        transcript: Transcript,
        faults: BTreeMap<Operation, VecDeque<Fault>>,
    ) -> Self {
        let inner = Inner { service, transcript, faults, connections: Vec::new() };
        Self { state: Mutex::new(inner), too_many: Notify::new() }
    }

    /// Waits until more requests have come than any plan has reason for.
    pub(super) async fn is_flooded(&self) {
        self.too_many.notified().await;
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many requests have arrived.
    pub(super) fn count(&self, requests: usize) {
        if requests >= MANY {
            self.too_many.notify_one();
        }
    }
}

impl Inner {
    pub(super) fn next_fault(&mut self, operation: Operation) -> Fault {
        let faults = self.faults.get_mut(&operation);
        faults.and_then(VecDeque::pop_front).unwrap_or(Fault::None)
    }
}

/// The connection is reset when the stream is dropped.
pub(super) fn reset(stream: &TcpStream) {
    let _ = stream.set_zero_linger();
}
