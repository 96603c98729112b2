//! The port of the service, which can be closed for a while: then the operating system refuses
//! connections, as it does for a service that is down.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::Poll;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

use super::connection::{BreakableStream, Line, Strangers};
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
    /// None while the door is closed.
    listener: Option<TcpListener>,
    /// For how long the door is to close.
    close_for: Option<Duration>,
    /// Whether it has closed for good.
    shut: bool,
    /// The connections that are open, and some that were, the oldest first.
    lines: Vec<Weak<Line>>,
}

impl State {
    /// Stops listening. A process that was started a moment ago, by whoever, still has all sockets
    /// of this one: so the socket itself stops, and not just this process's hold on it.
    fn close(&mut self) {
        let Some(listener) = self.listener.take() else { return };
        // Where a system does not know this of a socket that listens, closing it has to do.
        #[cfg(unix)]
        let _ = rustix::net::shutdown(&listener, rustix::net::Shutdown::Both);
        drop(listener);
    }
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

    /// Stops listening for good. The port is free when this returns.
    pub(crate) fn shut(&self) {
        let mut state = locked(&self.state);
        state.shut = true;
        state.close();
    }

    /// Resets the connections that are open.
    fn cut_all(&self) {
        let lines = std::mem::take(&mut locked(&self.state).lines);
        lines.iter().filter_map(Weak::upgrade).for_each(|line| line.cut());
    }

    fn open(&self, listener: TcpListener) {
        let mut state = locked(&self.state);
        if !state.shut {
            state.listener = Some(listener);
        }
    }

    async fn accepted(&self) -> io::Result<TcpStream> {
        poll_fn(|context| match &locked(&self.state).listener {
            Some(listener) => listener.poll_accept(context).map_ok(|(stream, _)| stream),
            None => Poll::Pending,
        })
        .await
    }
}

/// The listener, as long as the door is open.
pub(crate) struct Door {
    address: SocketAddr,
    max_connections: usize,
    closer: Arc<Closer>,
    strangers: Arc<Strangers>,
}

impl Door {
    pub(crate) fn new(
        listener: TcpListener,
        address: SocketAddr,
        max_connections: usize,
        closer: Arc<Closer>,
    ) -> Self {
        closer.open(listener);
        Self { address, max_connections, closer, strangers: Arc::default() }
    }

    /// The next connection.
    pub(crate) async fn accept(&self) -> BreakableStream {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.closer.asked.notified() => {
                    self.stay_closed().await;
                    continue;
                }
                accepted = self.closer.accepted() => accepted,
            };
            match accepted {
                Ok(stream) => {
                    // Without it small responses may wait for an acknowledgement; a refusal to
                    // set it costs speed only.
                    let _ = stream.set_nodelay(true);
                    let line = Arc::new(Line::new(self.strangers.clone()));
                    if self.admit(&line) {
                        return BreakableStream::new(stream, line);
                    }
                    // Too many at once: this one is reset.
                    let _ = stream.set_zero_linger();
                }
                Err(error) if is_of_the_peer(&error) => {}
                // Most likely there are no more file descriptors.
                Err(_) => {
                    make_room(&mut locked(&self.closer.state).lines);
                    tokio::time::sleep(BETWEEN_TRIES).await;
                }
            }
        }
    }

    /// Notes a connection, so that closing the door resets it. Where there are too many, one that
    /// waits for its peer makes room; false where there is none.
    fn admit(&self, line: &Arc<Line>) -> bool {
        let lines = &mut locked(&self.closer.state).lines;
        if lines.len() >= self.max_connections || lines.len() == lines.capacity() {
            lines.retain(|line| line.strong_count() > 0);
        }
        let has_room = lines.len() < self.max_connections || make_room(lines);
        if has_room {
            lines.push(Arc::downgrade(line));
        }
        has_room
    }

    async fn stay_closed(&self) {
        locked(&self.closer.state).close();
        // A socket that is bound and does not listen keeps the port from all others, until it is
        // the one that listens again: only some systems would bind another one beside it. Without
        // it the door reopens all the same, once the port is free.
        let placeholder = bound(self.address);
        let closer = &self.closer;
        while let Some(time) = { locked(&closer.state).close_for.take() } {
            closer.cut_all();
            closer.closed.notify_waiters();
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = closer.asked.notified() => {}
            }
        }
        let mut again = placeholder.and_then(|socket| socket.listen(BACKLOG));
        let listener = loop {
            match again {
                Ok(listener) => break listener,
                Err(_) => tokio::time::sleep(BETWEEN_TRIES).await,
            }
            again = listener(self.address);
        };
        closer.open(listener);
    }
}

/// Resets the oldest connection that waits for its peer, and rather one whose peer has not shown a key
/// than one whose peer has: connections without a key must not displace those of clients. Says whether
/// there was one.
fn make_room(lines: &mut Vec<Weak<Line>>) -> bool {
    let waiting = |(index, line): (usize, &Weak<Line>)| {
        let line = line.upgrade().filter(|line| !line.is_answering())?;
        Some((line.is_authorized(), index))
    };
    let Some((_, index)) = lines.iter().enumerate().filter_map(waiting).min() else {
        return false;
    };
    if let Some(line) = lines.remove(index).upgrade() {
        line.cut();
    }
    true
}

/// Whether accepting failed for this one connection only.
fn is_of_the_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
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
