//! TCP proxy that breaks, stalls or truncates connections to the server.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU16, Ordering};
use std::thread;
use std::time::Duration;

use crate::{Server, url};

/// Interval at which a change of the traffic mode is noticed.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Assumed duration of a commit on the server.
const COMMIT_TIME: Duration = Duration::from_millis(200);

/// Traffic mode of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Traffic {
    /// Data is forwarded.
    Passes = 0,
    /// Connections are closed, and none is accepted.
    Cut = 1,
    /// No data is forwarded, and connections stay open.
    Stalls = 2,
}

/// Proxy in front of a server, on a port of its own.
pub struct Proxy {
    port: u16,
    server: Arc<AtomicU16>,
    traffic: Arc<AtomicU8>,
    loses: Arc<AtomicBool>,
    holds: Arc<AtomicBool>,
    breaks: Arc<BreakPoint>,
}

impl Proxy {
    /// Starts a proxy in front of a server.
    ///
    /// # Panics
    ///
    /// If there is no port for it.
    #[must_use]
    pub fn start(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let traffic = Arc::new(AtomicU8::new(0));
        let loses = Arc::new(AtomicBool::new(false));
        let server = Arc::new(AtomicU16::new(server.port()));
        let (shared, behind) = (Arc::clone(&traffic), Arc::clone(&server));
        let holds = Arc::new(AtomicBool::new(false));
        let (thread_loses, thread_holds) = (Arc::clone(&loses), Arc::clone(&holds));
        let breaks = Arc::<BreakPoint>::default();
        let thread_breaks = Arc::clone(&breaks);
        // The threads end with the process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !is(&shared, Traffic::Passes) {
                    continue;
                }
                if let Ok(server) = TcpStream::connect(("127.0.0.1", behind.load(Ordering::SeqCst)))
                {
                    let discards_responses = Arc::new(AtomicBool::new(false));
                    let (traffic, loses) = (Arc::clone(&shared), Arc::clone(&thread_loses));
                    let (holds, breaks) = (Arc::clone(&thread_holds), Arc::clone(&thread_breaks));
                    let upstream = Direction {
                        traffic,
                        loses,
                        holds,
                        breaks,
                        discards_responses,
                        is_upstream: true,
                    };
                    let downstream = Direction { is_upstream: false, ..upstream.clone() };
                    forward(&client, &server, upstream);
                    forward(&server, &client, downstream);
                }
            }
        });
        Self { port, server, traffic, loses, holds, breaks }
    }

    /// Returns the URL of a database through the proxy.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    /// Leads to another server from now on. Connections that exist stay.
    pub fn lead_to(&self, server: &Server) {
        self.server.store(server.port(), Ordering::SeqCst);
    }

    /// Loses the response to the next commit: the server executes it, and the connection breaks.
    pub fn lose_next_commit(&self) {
        self.loses.store(true, Ordering::SeqCst);
    }

    /// Stalls before the next commit, which does not reach the server: the transaction stays open.
    pub fn hold_next_commit(&self) {
        self.holds.store(true, Ordering::SeqCst);
    }

    /// Breaks the connection at the message of this index, counted from now on. The message does
    /// not arrive at the server, or with `arrives` its response is lost.
    pub fn break_at(&self, message: u32, arrives: bool) {
        self.breaks.arrives.store(arrives, Ordering::SeqCst);
        self.breaks.left.store(i64::from(message) + 1, Ordering::SeqCst);
    }

    /// Returns true if the connection was broken at that message.
    #[must_use]
    pub fn has_broken(&self) -> bool {
        self.breaks.left.load(Ordering::SeqCst) <= 0
    }

    /// Returns true if the commit whose response is to be lost is still to come.
    #[must_use]
    pub fn loses_next_commit(&self) -> bool {
        self.loses.load(Ordering::SeqCst)
    }

    /// Sets the traffic mode.
    pub fn set(&self, traffic: Traffic) {
        self.traffic.store(traffic as u8, Ordering::SeqCst);
    }
}

/// Message at which a connection breaks.
#[derive(Default)]
struct BreakPoint {
    /// Number of messages to the server up to and including that one.
    left: AtomicI64,
    /// The message arrives at the server.
    arrives: AtomicBool,
}

/// Direction of a connection.
#[derive(Clone)]
struct Direction {
    traffic: Arc<AtomicU8>,
    /// The response to the next commit is lost, together with the connection.
    loses: Arc<AtomicBool>,
    /// The proxy stalls before the next commit.
    holds: Arc<AtomicBool>,
    breaks: Arc<BreakPoint>,
    /// Responses of the server are discarded.
    discards_responses: Arc<AtomicBool>,
    /// The direction towards the server.
    is_upstream: bool,
}

impl Direction {
    /// Returns true if the data contains a commit whose response is to be lost.
    fn loses(&self, bytes: &[u8]) -> bool {
        self.commits(bytes) && self.loses.swap(false, Ordering::SeqCst)
    }

    /// Counts a message. If the connection breaks at it, returns true if the message arrives.
    fn breaks(&self) -> Option<bool> {
        let is_last = self.is_upstream && self.breaks.left.fetch_sub(1, Ordering::SeqCst) == 1;
        is_last.then(|| self.breaks.arrives.load(Ordering::SeqCst))
    }

    /// Returns true if the data contains a commit that must not arrive.
    fn holds(&self, bytes: &[u8]) -> bool {
        self.commits(bytes) && self.holds.swap(false, Ordering::SeqCst)
    }

    fn commits(&self, bytes: &[u8]) -> bool {
        let commit = b"COMMIT\0";
        self.is_upstream && bytes.windows(commit.len()).any(|some| some == commit)
    }
}

fn is(now: &AtomicU8, traffic: Traffic) -> bool {
    now.load(Ordering::SeqCst) == traffic as u8
}

/// Forwards data from one end to the other, on a thread of its own.
fn forward(from: &TcpStream, to: &TcpStream, direction: Direction) {
    let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else { return };
    let traffic = Arc::clone(&direction.traffic);
    let _ = from.set_read_timeout(Some(CHECK_INTERVAL));
    let _ = to.set_nodelay(true);
    thread::spawn(move || {
        let mut buffer = [0; 64 * 1024];
        loop {
            if is(&traffic, Traffic::Stalls) {
                thread::sleep(CHECK_INTERVAL);
                continue;
            }
            let read = match from.read(&mut buffer) {
                _ if is(&traffic, Traffic::Cut) => break,
                Ok(0) => break,
                Ok(read) => read,
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    continue;
                }
                Err(_) => break,
            };
            if direction.holds(&buffer[..read]) {
                traffic.store(Traffic::Stalls as u8, Ordering::SeqCst);
            }
            while is(&traffic, Traffic::Stalls) {
                thread::sleep(CHECK_INTERVAL);
            }
            if is(&traffic, Traffic::Cut) {
                break;
            }
            let breaks = direction.breaks();
            if breaks == Some(false) {
                break;
            }
            let loses = breaks.is_some() || direction.loses(&buffer[..read]);
            if loses {
                direction.discards_responses.store(true, Ordering::SeqCst);
            }
            let is_discarded =
                !direction.is_upstream && direction.discards_responses.load(Ordering::SeqCst);
            if !is_discarded && to.write_all(&buffer[..read]).is_err() {
                break;
            }
            if loses {
                thread::sleep(COMMIT_TIME);
                break;
            }
        }
        let _ = from.shutdown(std::net::Shutdown::Both);
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
}
