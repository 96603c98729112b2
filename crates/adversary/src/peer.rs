//! Peer: a server over real sockets that injects the planned fault into each exchange, and records
//! in a [`Transcript`] what it received and which requests took effect.

mod http1;
mod http2;
mod response;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, sleep, sleep_until};

use crate::plan::{Fault, Plan};
use crate::service::{Operation, Request, Service};

pub struct Peer {
    pub address: SocketAddr,
    shared: Arc<SharedPeer>,
    accepting: JoinHandle<()>,
}

impl Peer {
    /// Listens on a loopback address of its own, so that no other peer takes its port during a
    /// downtime.
    pub async fn start(plan: &Plan, service: Service) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % 0x00fe_fefe;
        let host = if cfg!(target_os = "linux") {
            Ipv4Addr::from(0x7f01_0101 + number)
        } else {
            Ipv4Addr::LOCALHOST
        };
        let listener = TcpListener::bind((host, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let faults =
            plan.faults.iter().map(|(&operation, list)| (operation, list.clone().into())).collect();
        let transcript = Transcript::new(Instant::now());
        let shared = Arc::new(SharedPeer::new(service, transcript, faults));
        let accepting = tokio::spawn(accept(listener, plan.clone(), Arc::clone(&shared)));
        Self { address, shared, accepting }
    }

    /// Takes the transcript and the service, once the run has ended.
    pub(crate) fn observed(&self) -> (Transcript, Service) {
        let mut state = self.shared.lock();
        let empty = Transcript::new(state.transcript.began);
        (std::mem::replace(&mut state.transcript, empty), std::mem::take(&mut state.service))
    }

    /// Returns whether the client holds no connection open.
    pub(crate) fn is_disconnected(&self) -> bool {
        self.shared.lock().transcript.open_connections.is_empty()
    }

    /// Waits until more requests have arrived than any plan accounts for. Paused time may never
    /// advance then.
    pub async fn flooded(&self) {
        self.shared.flood.notified().await;
    }

    /// Returns the number of tasks of the peer itself.
    pub fn task_count(&self) -> usize {
        let state = self.shared.lock();
        let accepting = usize::from(!self.accepting.is_finished());
        accepting + state.connections.iter().filter(|task| !task.is_finished()).count()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.accepting.abort();
        for connection in &self.shared.lock().connections {
            connection.abort();
        }
    }
}

async fn accept(mut listener: TcpListener, plan: Plan, shared: Arc<SharedPeer>) {
    let began = Instant::now();
    let address = listener.local_addr().expect("an address");
    let mut number = 0;
    let mut downtime = plan.downtime;
    loop {
        let accepted = match downtime {
            Some((from, until)) => tokio::select! {
                biased;
                accepted = listener.accept() => accepted,
                () = sleep_until(began + from) => {
                    downtime = None;
                    drop(listener);
                    sleep_until(began + until).await;
                    listener = listen_again(address).await;
                    continue;
                }
            },
            None => listener.accept().await,
        };
        let Ok((stream, _)) = accepted else { continue };
        let _ = stream.set_nodelay(true);
        number += 1;
        if number <= usize::from(plan.dropped_connections) {
            if number % 2 == 0 {
                reset_on_drop(&stream);
            }
            continue;
        }
        let max_streams = plan.settings.http2.then_some(plan.settings.max_streams);
        let peer = Arc::clone(&shared);
        shared.lock().transcript.open_connections.insert(number);
        let task = tokio::spawn(async move {
            match max_streams {
                Some(streams) => http2::serve(&peer, stream, number, streams).await,
                None => http1::serve(&peer, stream, number).await,
            }
            peer.lock().transcript.open_connections.remove(&number);
        });
        shared.lock().connections.push(task.abort_handle());
    }
}

async fn listen_again(address: SocketAddr) -> TcpListener {
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return listener,
            Err(_) => sleep(Duration::from_millis(1)).await,
        }
    }
}

/// State that the connections of a peer share.
struct SharedPeer {
    state: Mutex<PeerState>,
    /// Notified at [`FLOOD`] requests.
    flood: Notify,
}

/// Number of requests that no plan accounts for.
const FLOOD: usize = 3_000;

struct PeerState {
    service: Service,
    transcript: Transcript,
    faults: BTreeMap<Operation, VecDeque<Fault>>,
    connections: Vec<AbortHandle>,
}

impl SharedPeer {
    fn new(
        service: Service,
        transcript: Transcript,
        faults: BTreeMap<Operation, VecDeque<Fault>>,
    ) -> Self {
        let state = PeerState { service, transcript, faults, connections: Vec::new() };
        Self { state: Mutex::new(state), flood: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, PeerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the run of a flood of requests.
    fn count(&self, requests: usize) {
        if requests >= FLOOD {
            self.flood.notify_one();
        }
    }
}

impl PeerState {
    fn next_fault(&mut self, operation: Operation) -> Fault {
        let faults = self.faults.get_mut(&operation);
        faults.and_then(VecDeque::pop_front).unwrap_or(Fault::None)
    }
}

/// Lets the connection be reset when the stream is dropped.
fn reset_on_drop(stream: &TcpStream) {
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

/// Request as it arrived, and what became of it.
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
    fn arrived(&mut self, connection: usize, request: &Request, fault: &Fault) -> usize {
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
    fn ended(&mut self, index: usize) {
        let arrival = &mut self.arrivals[index];
        if std::mem::take(&mut arrival.in_flight) {
            *self.in_flight.entry(arrival.operation).or_default() -= 1;
        }
    }

    /// Records that the complete response was written.
    fn responded(&mut self, index: usize, outcome: AttemptOutcome) {
        self.ended(index);
        self.arrivals[index].outcome = outcome;
    }

    /// Records that the client closed the connection while the peer still processes the request.
    fn abandoned(&mut self, index: usize) {
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
