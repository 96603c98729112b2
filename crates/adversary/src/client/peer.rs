//! Peer: a server over real sockets that injects the planned fault into each exchange, and records
//! in a [`Transcript`] what it received and which requests took effect.

mod http1;
mod http2;
mod response;
mod state;

pub use state::{Arrival, AttemptOutcome, Transcript};

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use self::state::{SharedPeer, reset_on_drop};
use crate::client::plan::Plan;
use crate::client::service::Service;

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

    /// Returns true if the client holds no connection open.
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
