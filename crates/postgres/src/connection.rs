//! Connection to a database: established when needed, re-established after a failure, and usable
//! from blocking and asynchronous code.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::coop::unconstrained;
use tokio::time::timeout;
use tokio_postgres::{Client, NoTls};

use crate::failure::Failure;
use crate::target::Target;

/// Timeout of establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Privilege that the user needs to connect.
const CONNECT_PRIVILEGE: &str = "; the user needs the right to connect (GRANT CONNECT ON DATABASE)";

/// Time to read a response that arrived before the timeout, but was not read yet.
const LATE_READ: Duration = Duration::from_millis(200);

/// A connection to a database, established on first use. Its calls block, and work inside and
/// outside of an async runtime.
pub struct Connection {
    /// Drives the connection on a thread of its own, so that a call needs no runtime.
    runtime: Option<Runtime>,
    client: Option<Client>,
    target: Target,
}

impl Connection {
    /// Creates a connection to this database, without connecting yet.
    ///
    /// # Errors
    ///
    /// If its thread cannot be started.
    pub fn new(target: Target) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("podqueue-postgres")
            .enable_all()
            .build()?;
        Ok(Self { runtime: Some(runtime), client: None, target })
    }

    /// The database.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Runs `work` once, within this time; connecting, if necessary, may take the same time again,
    /// and at most 15 seconds. A failure closes the connection, which rolls back an open
    /// transaction.
    ///
    /// # Errors
    ///
    /// The error of the work, a failure to connect, or a timeout.
    pub fn attempt<T, E: From<Failure>>(
        &mut self,
        time: Duration,
        work: impl AsyncFnOnce(&Client) -> Result<T, E>,
    ) -> Result<T, E> {
        let client = match self.client.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => self.block_on(time.min(CONNECT_TIMEOUT), connect(&self.target))?,
        };
        let done = self.block_on(time, work(&client));
        if done.is_ok() {
            self.client = Some(client);
        }
        done
    }

    /// Returns true if the connection is open, and so a transaction begun over it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.client.as_ref().is_some_and(|client| !client.is_closed())
    }

    /// Closes the connection, which rolls back an open transaction.
    pub fn close(&mut self) {
        self.client = None;
    }

    /// Blocks on a future, inside and outside of a runtime.
    fn block_on<T, E: From<Failure>>(
        &self,
        time: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let _inside = self.runtime.as_ref().map(Runtime::enter);
        let work = async {
            let mut work = pin!(work);
            if let Ok(done) = timeout(time, work.as_mut()).await {
                return done;
            }
            // A process that was suspended finds the timeout elapsed and the response unread.
            let done = timeout(LATE_READ, work).await;
            done.unwrap_or_else(|_| Err(Failure::timeout(time).into()))
        };
        // The calling task's cooperative budget is never renewed while this blocks.
        let mut work = pin!(unconstrained(work));
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match work.as_mut().poll(&mut context) {
                Poll::Ready(done) => return done,
                Poll::Pending => thread::park(),
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
        // Dropping the runtime would block, which is not allowed in an async caller.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Connects, and drives the connection in the background.
async fn connect(target: &Target) -> Result<Client, Failure> {
    let config = &target.config;
    let refused = |error| Failure::with_privileges(error, CONNECT_PRIVILEGE);
    let Some(tls) = target.tls.as_ref().cloned() else {
        let (client, connection) = config.connect(NoTls).await.map_err(refused)?;
        tokio::spawn(connection);
        return Ok(client);
    };
    let (client, connection) = config.connect(tls).await.map_err(refused)?;
    tokio::spawn(connection);
    Ok(client)
}
