//! The connection to the database, which is made again after it has broken.

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

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(15);

/// What a user needs who connects.
const CONNECT_RIGHT: &str = "; the user needs the right to connect (GRANT CONNECT ON DATABASE)";

/// How long a response may take to be read that has arrived.
const LATE: Duration = Duration::from_millis(200);

/// A connection to a database, which is made when it is needed. It can be used from anywhere, inside
/// an async runtime and outside of one, and blocks.
pub struct Connection {
    /// Reads and writes in the background, so that calls can be made from anywhere.
    runtime: Option<Runtime>,
    client: Option<Client>,
    target: Target,
}

impl Connection {
    /// One to this database, which is not connected yet.
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

    /// Does something once, within this time; connecting, if that is necessary, may take the same
    /// time again, and 15 seconds at most. After any failure, the connection is closed: whatever it
    /// was in the middle of is undone.
    ///
    /// # Errors
    ///
    /// What the work returned, or why the database could not be reached, or that it did not respond.
    pub fn attempt<T, E: From<Failure>>(
        &mut self,
        time: Duration,
        work: impl AsyncFnOnce(&Client) -> Result<T, E>,
    ) -> Result<T, E> {
        let client = match self.client.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => self.wait(time.min(CONNECT), connect(&self.target))?,
        };
        let done = self.wait(time, work(&client));
        if done.is_ok() {
            self.client = Some(client);
        }
        done
    }

    /// Whether what was begun over this connection is still there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.client.as_ref().is_some_and(|client| !client.is_closed())
    }

    /// Ends whatever it is in the middle of.
    pub fn close(&mut self) {
        self.client = None;
    }

    /// Waits for a future, from wherever this is called.
    fn wait<T, E: From<Failure>>(
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
            // A process that was stopped finds its time over and the response there, unread.
            let done = timeout(LATE, work).await;
            done.unwrap_or_else(|_| Err(Failure::silence(time).into()))
        };
        // A task that calls this has a budget, which waiting here would never renew.
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
        // Where an ordinary end would have to wait, which an async caller may not do.
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

/// Connects; the connection is driven in the background.
async fn connect(target: &Target) -> Result<Client, Failure> {
    let config = &target.config;
    let refused = |error| Failure::without_right(error, CONNECT_RIGHT);
    let Some(tls) = target.tls.as_ref().cloned() else {
        let (client, connection) = config.connect(NoTls).await.map_err(refused)?;
        tokio::spawn(connection);
        return Ok(client);
    };
    let (client, connection) = config.connect(tls).await.map_err(refused)?;
    tokio::spawn(connection);
    Ok(client)
}
