//! The port of the service, which can be closed for a while: then the operating system refuses
//! connections, as it does for a service that is down.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

use super::connection::Line;
use crate::sync::locked;

const BACKLOG: u32 = 1024;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// How long to wait for a door that its service no longer tends.
const PATIENCE: Duration = Duration::from_secs(1);

/// Closes the door from outside.
#[derive(Debug, Default)]
pub(crate) struct Closer {
    state: Mutex<State>,
    asked: Notify,
    closed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// For how long the door is to close.
    close_for: Option<Duration>,
    /// The connections that are open, and some that were.
    lines: Vec<Weak<Line>>,
}

impl Closer {
    /// Refuses new connections for so long, in real time, and resets those that are open. The
    /// door is closed when this returns.
    pub(crate) async fn close_for(&self, time: Duration) {
        let mut closed = pin!(self.closed.notified());
        closed.as_mut().enable();
        locked(&self.state).close_for = Some(time);
        self.asked.notify_one();
        // A service that has stopped is as good as closed.
        let _ = tokio::time::timeout(PATIENCE, closed).await;
    }

    /// Resets the connections that are open.
    pub(crate) fn cut_all(&self) {
        let lines = std::mem::take(&mut locked(&self.state).lines);
        lines.iter().filter_map(Weak::upgrade).for_each(|line| line.cut());
    }
}

/// The listener, as long as the door is open.
pub(crate) struct Door {
    listener: Option<TcpListener>,
    address: SocketAddr,
    closer: Arc<Closer>,
}

impl Door {
    pub(crate) fn new(listener: TcpListener, address: SocketAddr, closer: Arc<Closer>) -> Self {
        Self { listener: Some(listener), address, closer }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Notes a connection, so that closing the door resets it.
    pub(crate) fn admit(&self, line: &Arc<Line>) {
        let mut state = locked(&self.closer.state);
        if state.lines.len() == state.lines.capacity() {
            state.lines.retain(|line| line.strong_count() > 0);
        }
        state.lines.push(Arc::downgrade(line));
    }

    pub(crate) async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let closer = self.closer.clone();
        loop {
            let Some(listener) = &mut self.listener else {
                self.reopen().await;
                continue;
            };
            tokio::select! {
                biased;
                () = closer.asked.notified() => self.stay_closed().await,
                accepted = Listener::accept(listener) => return accepted,
            }
        }
    }

    async fn stay_closed(&mut self) {
        self.listener = None;
        // A socket that is bound and does not listen keeps the port from all others, until it is
        // the one that listens again: only some systems would bind another one beside it. Without
        // it the door reopens all the same, once the port is free.
        let placeholder = bound(self.address);
        let closer = self.closer.clone();
        while let Some(time) = { locked(&closer.state).close_for.take() } {
            closer.cut_all();
            closer.closed.notify_waiters();
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = closer.asked.notified() => {}
            }
        }
        self.listener = placeholder.and_then(|socket| socket.listen(BACKLOG)).ok();
        if self.listener.is_none() {
            self.reopen().await;
        }
    }

    async fn reopen(&mut self) {
        loop {
            match listener(self.address) {
                Ok(listener) => {
                    self.listener = Some(listener);
                    return;
                }
                Err(_) => tokio::time::sleep(BETWEEN_TRIES).await,
            }
        }
    }
}

/// Listens with room for as many connections at once as the limits allow requests.
pub(crate) fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    bound(address)?.listen(BACKLOG)
}

fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Elsewhere the option would let others take the port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}
