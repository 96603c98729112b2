//! The connection to the database, which is made again after it has broken.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::task::coop::unconstrained;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, NoTls};

use super::failure::Failure;
use super::target::Target;
use crate::error::{Error, ErrorKind, Result};

/// How long a few statements may take.
const SHORT: Duration = Duration::from_secs(15);

/// The longest pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Connection {
    /// Reads and writes in the background, so that calls can be made from anywhere.
    runtime: Option<Runtime>,
    client: Option<Client>,
    pub(super) target: Target,
    pub(super) patience: Duration,
    /// What a transaction sets for itself, beyond what is the same everywhere.
    pub(super) settings: &'static str,
}

impl Connection {
    pub(super) fn open(target: Target, patience: Duration) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("podqueue-postgres")
            .enable_all()
            .build()
            .map_err(|error| {
                let message = format!("could not start a thread for the database: {error}");
                Error::new(ErrorKind::Journal, message).with_source(error)
            })?;
        let mut this =
            Self { runtime: Some(runtime), client: None, target, patience, settings: "" };
        let setting = this.attempt(SHORT, async |client| {
            let sql = "SELECT current_setting('synchronous_commit')";
            Ok(client.query_typed_one(sql, &[]).await?.get::<_, String>(0))
        });
        let setting = setting.map_err(|failure| this.failed("reach", failure))?;
        if setting == "off" {
            this.settings = "SET LOCAL synchronous_commit = on; ";
        }
        Ok(this)
    }

    /// Does something once. After any failure, the connection is closed: whatever it was in the
    /// middle of is undone.
    pub(super) fn attempt<T>(
        &mut self,
        time: Duration,
        work: impl AsyncFn(&Client) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let client = match self.client.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => self.wait(SHORT, connect(&self.target))?,
        };
        let done = self.wait(time, work(&client));
        if done.is_ok() {
            self.client = Some(client);
        }
        done
    }

    /// Does something that can be done again, until it succeeds or patience ends.
    pub(super) fn persist<T>(
        &mut self,
        work: impl AsyncFn(&Client) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.persist_with(|this| this.attempt(SHORT, &work))
    }

    pub(super) fn persist_with<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (began, mut pause) = (Instant::now(), Duration::from_millis(20));
        loop {
            match attempt(self) {
                Err(Failure::Passing(_)) if began.elapsed() < self.patience => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(PAUSE);
                }
                done => return done,
            }
        }
    }

    /// Whether what was begun over this connection is still there.
    pub(super) fn is_whole(&self) -> bool {
        self.client.as_ref().is_some_and(|client| !client.is_closed())
    }

    /// Ends whatever it is in the middle of.
    pub(super) fn close(&mut self) {
        self.client = None;
    }

    /// The error for the caller: `what` completes "could not".
    pub(super) fn failed(&self, what: &str, failure: Failure) -> Error {
        let target = &self.target;
        match failure {
            Failure::Final(error) if error.kind() != ErrorKind::Journal => error,
            Failure::Final(error) => {
                error.explained(|why| format!("could not {what} the batch in {target}: {why}"))
            }
            Failure::Passing(why) => {
                let message = format!(
                    "could not {what} the batch in {target}: {why}; nothing is lost: run it again once the database can be reached"
                );
                Error::new(ErrorKind::Journal, message)
            }
            Failure::TakenOver => {
                let message = format!(
                    "this process was cut off from {target}, or stopped, for longer than its lease, and another one has taken over its jobs: run the batch again, and it goes on as a new process"
                );
                Error::new(ErrorKind::Interrupted, message)
            }
        }
    }

    /// Waits for a future, from wherever this is called.
    fn wait<T>(
        &self,
        time: Duration,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let _inside = self.runtime.as_ref().map(Runtime::enter);
        let work =
            async { timeout(time, work).await.unwrap_or_else(|_| Err(Failure::silence(time))) };
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
async fn connect(target: &Target) -> std::result::Result<Client, Failure> {
    let config = &target.config;
    if config.get_ssl_mode() == SslMode::Disable {
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection);
        return Ok(client);
    }
    let (client, connection) = config.connect(target.tls.clone()).await?;
    tokio::spawn(connection);
    Ok(client)
}
