//! A connection that can be broken.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use crate::{Server, url};

/// How soon a change of traffic is noticed.
const SOON: Duration = Duration::from_millis(5);

/// When a commit has surely been made.
const DONE: Duration = Duration::from_millis(200);

/// What a proxy does with connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Traffic {
    /// It passes on.
    Passes = 0,
    /// Connections are closed, and none is accepted.
    Cut = 1,
    /// Nothing moves, and nothing is closed.
    Stalls = 2,
}

/// Listens on a port, and passes on to a server what comes, as long as it may.
pub struct Proxy {
    port: u16,
    traffic: Arc<AtomicU8>,
    loses: Arc<AtomicBool>,
    holds: Arc<AtomicBool>,
    breaks: Arc<Breaks>,
}

impl Proxy {
    /// Starts one in front of a server.
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
        let (shared, behind) = (Arc::clone(&traffic), server.port());
        let holds = Arc::new(AtomicBool::new(false));
        let (loses_one, holds_one) = (Arc::clone(&loses), Arc::clone(&holds));
        let breaks = Arc::<Breaks>::default();
        let breaks_one = Arc::clone(&breaks);
        // Both end with the process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !is(&shared, Traffic::Passes) {
                    continue;
                }
                if let Ok(server) = TcpStream::connect(("127.0.0.1", behind)) {
                    let is_deaf = Arc::new(AtomicBool::new(false));
                    let (traffic, loses) = (Arc::clone(&shared), Arc::clone(&loses_one));
                    let (holds, breaks) = (Arc::clone(&holds_one), Arc::clone(&breaks_one));
                    let way = Way { traffic, loses, holds, breaks, is_deaf, is_there: true };
                    let back = Way { is_there: false, ..way.clone() };
                    pass(&client, &server, way);
                    pass(&server, &client, back);
                }
            }
        });
        Self { port, traffic, loses, holds, breaks }
    }

    /// The URL of a database behind it.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    /// Loses the response to the next commit: the server makes it, and the connection breaks.
    pub fn lose_next_commit(&self) {
        self.loses.store(true, Ordering::SeqCst);
    }

    /// Stalls when the next commit comes, which the server does not get: whoever makes it stays in
    /// the middle of its transaction.
    pub fn hold_next_commit(&self) {
        self.holds.store(true, Ordering::SeqCst);
    }

    /// Breaks the connection once at this message to the server from now on, the first of which is 0: it
    /// does not get there, or it does, and what comes back is lost.
    pub fn break_at(&self, message: u32, arrives: bool) {
        self.breaks.arrives.store(arrives, Ordering::SeqCst);
        self.breaks.left.store(i64::from(message) + 1, Ordering::SeqCst);
    }

    /// Whether that message has come, and the connection was broken.
    #[must_use]
    pub fn has_broken(&self) -> bool {
        self.breaks.left.load(Ordering::SeqCst) <= 0
    }

    /// Whether that commit has not come yet.
    #[must_use]
    pub fn loses_next_commit(&self) -> bool {
        self.loses.load(Ordering::SeqCst)
    }

    /// Lets it behave so from now on.
    pub fn set(&self, traffic: Traffic) {
        self.traffic.store(traffic as u8, Ordering::SeqCst);
    }
}

/// When a connection breaks.
#[derive(Default)]
struct Breaks {
    /// The number of messages to the server until then, that one included.
    left: AtomicI64,
    /// Whether that one gets there.
    arrives: AtomicBool,
}

/// One direction of a connection.
#[derive(Clone)]
struct Way {
    traffic: Arc<AtomicU8>,
    /// The response to the next commit is lost, together with the connection.
    loses: Arc<AtomicBool>,
    /// All stalls when the next commit comes.
    holds: Arc<AtomicBool>,
    breaks: Arc<Breaks>,
    /// Nothing comes back any more.
    is_deaf: Arc<AtomicBool>,
    /// Whether it leads to the server.
    is_there: bool,
}

impl Way {
    /// Whether this is a commit whose response is to be lost.
    fn loses(&self, bytes: &[u8]) -> bool {
        self.commits(bytes) && self.loses.swap(false, Ordering::SeqCst)
    }

    /// Whether the connection breaks at this message; `Some(true)` if it gets there before.
    fn breaks(&self) -> Option<bool> {
        let is_it = self.is_there && self.breaks.left.fetch_sub(1, Ordering::SeqCst) == 1;
        is_it.then(|| self.breaks.arrives.load(Ordering::SeqCst))
    }

    /// Whether this is a commit that is not to arrive.
    fn holds(&self, bytes: &[u8]) -> bool {
        self.commits(bytes) && self.holds.swap(false, Ordering::SeqCst)
    }

    fn commits(&self, bytes: &[u8]) -> bool {
        let commit = b"COMMIT\0";
        self.is_there && bytes.windows(commit.len()).any(|some| some == commit)
    }
}

fn is(now: &AtomicU8, traffic: Traffic) -> bool {
    now.load(Ordering::SeqCst) == traffic as u8
}

/// Copies from one end to the other.
fn pass(from: &TcpStream, to: &TcpStream, way: Way) {
    let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else { return };
    let traffic = Arc::clone(&way.traffic);
    let _ = from.set_read_timeout(Some(SOON));
    let _ = to.set_nodelay(true);
    thread::spawn(move || {
        let mut buffer = [0; 64 * 1024];
        loop {
            if is(&traffic, Traffic::Stalls) {
                thread::sleep(SOON);
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
            if way.holds(&buffer[..read]) {
                traffic.store(Traffic::Stalls as u8, Ordering::SeqCst);
            }
            while is(&traffic, Traffic::Stalls) {
                thread::sleep(SOON);
            }
            if is(&traffic, Traffic::Cut) {
                break;
            }
            let breaks = way.breaks();
            if breaks == Some(false) {
                break;
            }
            let loses = breaks.is_some() || way.loses(&buffer[..read]);
            if loses {
                way.is_deaf.store(true, Ordering::SeqCst);
            }
            let is_lost = !way.is_there && way.is_deaf.load(Ordering::SeqCst);
            if !is_lost && to.write_all(&buffer[..read]).is_err() {
                break;
            }
            if loses {
                thread::sleep(DONE);
                break;
            }
        }
        let _ = from.shutdown(std::net::Shutdown::Both);
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
}
