//! Listening socket, which can refuse connections for a while.
//!
//! A listener that is not accepted from still completes handshakes, so for the operating system to
//! refuse connections, as it does for a service that is down, the socket itself has to be closed
//! and opened again ([`ListenerControl::refuse_connections`]).
//!
//! The listener also bounds the number of open connections: see "Bounds on peers" in
//! [`connection`](super::connection).

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::Poll;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

use super::connection::{BreakableStream, ConnectionState, UnauthenticatedConnections};
use crate::tasks::locked;

const BACKLOG: u32 = 1024;
/// The pause before another attempt at accepting a connection, or at binding the address again.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// Timeout of a caller that waits for the accepting task, which a stopped service does not run.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Closes a listener from outside.
#[derive(Debug, Default)]
pub(crate) struct ListenerControl {
    state: Mutex<ListenerState>,
    requested: Notify,
    closed: Notify,
}

#[derive(Debug, Default)]
struct ListenerState {
    /// The listening socket; `None` while connections are refused.
    socket: Option<TcpListener>,
    /// Requested time of refusing connections.
    refuse_for: Option<Duration>,
    /// True if the listener is closed permanently.
    is_shut_down: bool,
    /// The connections that are open, and some that were, the oldest first.
    connections: Vec<Weak<ConnectionState>>,
}

impl ListenerState {
    /// Stops listening. A process that was just forked still holds all sockets of this process, so
    /// the socket itself is shut down, in addition to closing the descriptor.
    fn close(&mut self) {
        let Some(socket) = self.socket.take() else { return };
        // Best effort: some systems do not support this for a listening socket.
        #[cfg(unix)]
        let _ = rustix::net::shutdown(&socket, rustix::net::Shutdown::Both);
        drop(socket);
    }
}

impl ListenerControl {
    /// Refuses new connections for `time`, in real time, and resets those that are open. The socket
    /// is closed when this returns.
    pub(crate) async fn refuse_connections(&self, time: Duration) {
        let mut closed = pin!(self.closed.notified());
        closed.as_mut().enable();
        locked(&self.state).refuse_for = Some(time);
        self.requested.notify_one();
        // A service that has stopped refuses connections anyway.
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, closed).await;
    }

    /// Stops listening permanently. The port is free when this returns.
    pub(crate) fn shut_down(&self) {
        let mut state = locked(&self.state);
        state.is_shut_down = true;
        state.close();
    }

    /// Resets the connections that are open.
    fn reset_all(&self) {
        let connections = std::mem::take(&mut locked(&self.state).connections);
        connections.iter().filter_map(Weak::upgrade).for_each(|connection| connection.reset());
    }

    fn open(&self, socket: TcpListener) {
        let mut state = locked(&self.state);
        if !state.is_shut_down {
            state.socket = Some(socket);
        }
    }

    async fn accepted(&self) -> io::Result<TcpStream> {
        poll_fn(|context| match &locked(&self.state).socket {
            Some(socket) => socket.poll_accept(context).map_ok(|(stream, _)| stream),
            None => Poll::Pending,
        })
        .await
    }
}

/// Accepts connections.
pub(crate) struct Listener {
    address: SocketAddr,
    max_connections: usize,
    control: Arc<ListenerControl>,
    unauthenticated: Arc<UnauthenticatedConnections>,
}

impl Listener {
    pub(crate) fn new(
        socket: TcpListener,
        address: SocketAddr,
        max_connections: usize,
        control: Arc<ListenerControl>,
    ) -> Self {
        control.open(socket);
        Self { address, max_connections, control, unauthenticated: Arc::default() }
    }

    /// The next connection.
    pub(crate) async fn accept(&self) -> BreakableStream {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.control.requested.notified() => {
                    self.refuse_as_requested().await;
                    continue;
                }
                accepted = self.control.accepted() => accepted,
            };
            match accepted {
                Ok(stream) => {
                    // Without it small responses may wait for an acknowledgement; a refusal to
                    // set it costs speed only.
                    let _ = stream.set_nodelay(true);
                    let connection = Arc::new(ConnectionState::new(self.unauthenticated.clone()));
                    if self.admit(&connection) {
                        return BreakableStream::new(stream, connection);
                    }
                    // All open connections are responding, so the new connection is reset.
                    let _ = stream.set_zero_linger();
                }
                Err(error) if is_of_one_connection(&error) => {}
                // Most likely there are no more file descriptors.
                Err(_) => {
                    evict(&mut locked(&self.control.state).connections);
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
        }
    }

    /// Adds a connection. If there are too many, evicts a connection that waits for its peer;
    /// returns false if there is no such connection.
    fn admit(&self, connection: &Arc<ConnectionState>) -> bool {
        let connections = &mut locked(&self.control.state).connections;
        if connections.len() >= self.max_connections || connections.len() == connections.capacity()
        {
            connections.retain(|connection| connection.strong_count() > 0);
        }
        let is_admitted = connections.len() < self.max_connections || evict(connections);
        if is_admitted {
            connections.push(Arc::downgrade(connection));
        }
        is_admitted
    }

    async fn refuse_as_requested(&self) {
        locked(&self.control.state).close();
        // A bound socket that does not listen reserves the port, until it listens again: only some
        // systems would bind a second socket to the port. If it cannot be bound, the listener still
        // opens again once the port is free.
        let placeholder = bound(self.address);
        let control = &self.control;
        while let Some(time) = { locked(&control.state).refuse_for.take() } {
            control.reset_all();
            control.closed.notify_waiters();
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = control.requested.notified() => {}
            }
        }
        let mut opened = placeholder.and_then(|socket| socket.listen(BACKLOG));
        let socket = loop {
            match opened {
                Ok(socket) => break socket,
                Err(_) => tokio::time::sleep(RETRY_INTERVAL).await,
            }
            opened = listen(self.address);
        };
        control.open(socket);
    }
}

/// Resets the oldest connection that waits for its peer, unauthenticated connections first: those
/// without a key must not displace those of clients. Returns true if a connection was reset.
fn evict(connections: &mut Vec<Weak<ConnectionState>>) -> bool {
    let waiting = |(index, connection): (usize, &Weak<ConnectionState>)| {
        let connection = connection.upgrade().filter(|connection| !connection.is_responding())?;
        Some((connection.is_authenticated(), index))
    };
    let Some((_, index)) = connections.iter().enumerate().filter_map(waiting).min() else {
        return false;
    };
    if let Some(connection) = connections.remove(index).upgrade() {
        connection.reset();
    }
    true
}

/// Returns true if accepting failed for a single connection only.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Listens with a backlog for as many connections at once as the rate limits allow requests.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    bound(address)?.listen(BACKLOG)
}

fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // On Windows the option would let other processes bind the port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}
