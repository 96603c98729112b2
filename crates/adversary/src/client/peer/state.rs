//! State of a peer that its connections share: the service, the remaining faults and the
//! [`Transcript`] of requests and connections.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::client::plan::Fault;
use crate::client::service::{Operation, Request, Service};

/// State that the connections of a peer share.
pub(super) struct SharedPeer {
    state: Mutex<PeerState>,
    /// Notified at [`FLOOD`] requests.
    pub(super) flood: Notify,
}

/// Number of requests that no plan accounts for.
const FLOOD: usize = 3_000;

pub(super) struct PeerState {
    pub(super) service: Service,
    pub(super) transcript: Transcript,
    faults: BTreeMap<Operation, VecDeque<Fault>>,
    pub(super) connections: Vec<AbortHandle>,
}

impl SharedPeer {
    pub(super) fn new(
        service: Service,
        transcript: Transcript,
        faults: BTreeMap<Operation, VecDeque<Fault>>,
    ) -> Self {
        let state = PeerState { service, transcript, faults, connections: Vec::new() };
        Self { state: Mutex::new(state), flood: Notify::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, PeerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the run of a flood of requests.
    pub(super) fn count(&self, requests: usize) {
        if requests >= FLOOD {
            self.flood.notify_one();
        }
    }
}

impl PeerState {
    pub(super) fn next_fault(&mut self, operation: Operation) -> Fault {
        let faults = self.faults.get_mut(&operation);
        faults.and_then(VecDeque::pop_front).unwrap_or(Fault::None)
    }
}

/// Lets the connection be reset when the stream is dropped.
pub(super) fn reset_on_drop(stream: &TcpStream) {
    let _ = stream.set_zero_linger();
}

/// Log of the requests and connections of a peer.
pub struct Transcript {
    pub began: Instant,
    pub arrivals: Vec<Arrival>,
    /// Connections that the client holds open.
    pub open_connections: BTreeSet<usize>,
    in_flight: BTreeMap<Operation, u64>,
    /// Largest number of concurrent requests by operation.
    pub max_in_flight: BTreeMap<Operation, u64>,
}

/// Request as it arrived, and its result.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub at: Instant,
    pub connection: usize,
    pub operation: Operation,
    /// [`Request::id`].
    pub id: String,
    pub fault: Fault,
    pub took_effect: bool,
    pub outcome: AttemptOutcome,
    /// The client may have received a well-formed response to another request: it followed an
    /// unsolicited response on this connection (response desynchronization), which a client cannot
    /// detect.
    pub desynced: bool,
    /// The client may still wait for the response.
    pub in_flight: bool,
}

/// Outcome of one attempt, as far as the client can know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The request may or may not have taken effect.
    Unknown,
    /// 429, or an HTTP/2 signal that the request was not processed.
    NotProcessed,
    /// Another error response.
    Rejected,
    Success,
}

impl Transcript {
    pub fn new(began: Instant) -> Self {
        Self {
            began,
            arrivals: Vec::new(),
            open_connections: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            max_in_flight: BTreeMap::new(),
        }
    }

    /// Records a request that has arrived, and returns its index.
    pub(super) fn arrived(&mut self, connection: usize, request: &Request, fault: &Fault) -> usize {
        let arrival = Arrival {
            at: Instant::now(),
            connection,
            operation: request.operation,
            id: request.id.clone(),
            fault: fault.clone(),
            took_effect: false,
            outcome: AttemptOutcome::Unknown,
            desynced: false,
            in_flight: true,
        };
        let count = self.in_flight.entry(arrival.operation).or_default();
        *count += 1;
        let max = self.max_in_flight.entry(arrival.operation).or_default();
        *max = (*max).max(*count);
        self.arrivals.push(arrival);
        self.arrivals.len() - 1
    }

    /// Records that the exchange has ended, or that the client no longer waits for it.
    pub(super) fn ended(&mut self, index: usize) {
        let arrival = &mut self.arrivals[index];
        if std::mem::take(&mut arrival.in_flight) {
            *self.in_flight.entry(arrival.operation).or_default() -= 1;
        }
    }

    /// Records that the complete response was written.
    pub(super) fn responded(&mut self, index: usize, outcome: AttemptOutcome) {
        self.ended(index);
        self.arrivals[index].outcome = outcome;
    }

    /// Records that the client closed the connection while the peer still processes the request.
    pub(super) fn abandoned(&mut self, index: usize) {
        self.ended(index);
        self.open_connections.remove(&self.arrivals[index].connection);
    }

    pub fn arrivals_of(&self, operation: Operation, id: &str) -> impl Iterator<Item = &Arrival> {
        self.arrivals
            .iter()
            .filter(move |arrival| arrival.operation == operation && arrival.id == id)
    }

    /// Formats the arrivals, one a line, the first 120 of a long transcript.
    pub fn lines(&self) -> String {
        let mut text = String::new();
        let shown = if self.arrivals.len() > 150 { 120 } else { self.arrivals.len() };
        for arrival in &self.arrivals[..shown] {
            let Arrival {
                at,
                connection,
                operation,
                id,
                fault,
                took_effect,
                outcome,
                desynced,
                ..
            } = arrival;
            let _ = write!(
                text,
                "{:>10.3}s  #{connection} {operation:?} {id}",
                (*at - self.began).as_secs_f64()
            );
            if *fault != Fault::None {
                let _ = write!(text, "  {fault:?}");
            }
            let _ = write!(text, "  took effect: {took_effect}, {outcome:?}");
            text.push_str(if *desynced { ", desynchronized\n" } else { "\n" });
        }
        if shown < self.arrivals.len() {
            let _ = writeln!(text, "… and {} more", self.arrivals.len() - shown);
        }
        text
    }
}
