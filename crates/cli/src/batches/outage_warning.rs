//! Outage warning: a single warning while a command waits for an unreachable database.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use podqueue_batch::{Error, ErrorKind};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::location::BatchLocation;
use crate::context::Context;
use crate::output::Progress;

/// Minimum duration of an outage before a warning: most outages are short.
const WARN_AFTER: Duration = Duration::from_secs(5);

/// Interval of connection attempts that check the database.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The warning of an outage: the start of the outage, and whether it is reported.
#[derive(Default)]
pub struct OutageWarning {
    since: Option<Instant>,
    is_reported: bool,
}

impl OutageWarning {
    /// Records a failed attempt that started at this time, and returns the duration of the outage.
    pub fn record_failure(&mut self, tried: Instant) -> Duration {
        self.since.get_or_insert(tried).elapsed()
    }

    /// Records a successful attempt.
    pub fn record_success(&mut self) {
        *self = Self::default();
    }

    /// Returns true if a warning is due: once per outage, after its minimum duration.
    pub fn should_warn(&mut self) -> bool {
        let is_long = self.since.is_some_and(|since| since.elapsed() >= WARN_AFTER);
        is_long && !std::mem::replace(&mut self.is_reported, true)
    }
}

/// Runs `work`, which waits for the journal itself, and warns once if its database is unreachable.
pub async fn with_warning<T>(
    context: &Context,
    location: &BatchLocation,
    progress: &Progress,
    work: impl Future<Output = T>,
) -> T {
    let watching = async {
        if location.is_shared() {
            warn(context, progress, &wait_for_outage(location).await);
        }
    };
    match select(pin!(work), pin!(watching)).await {
        Either::Left((done, _)) => done,
        Either::Right(((), work)) => work.await,
    }
}

/// Waits until the database has been unreachable for a while, and returns the reason.
async fn wait_for_outage(location: &BatchLocation) -> String {
    let mut outage = OutageWarning::default();
    loop {
        sleep(CHECK_INTERVAL).await;
        let (tried, journal) = (Instant::now(), location.journal().without_patience());
        let checked = timeout(WARN_AFTER, spawn_blocking(move || journal.is_open())).await;
        let reason = match checked {
            Ok(Ok(Err(error))) if is_outage(&error) => reason(&error),
            Ok(_) => {
                outage.record_success();
                continue;
            }
            Err(_) => "the database does not respond".to_owned(),
        };
        outage.record_failure(tried);
        if outage.should_warn() {
            return reason;
        }
    }
}

/// Warns that the command waits for the journal.
pub fn warn(context: &Context, progress: &Progress, reason: &str) {
    progress.suspend(|| context.output.warn(format_args!("waiting for the journal: {reason}")));
}

/// The message of an error, without its advice for a program that does not wait.
pub fn reason(error: &Error) -> String {
    let text = error.to_string();
    text.split("; nothing is lost").next().unwrap_or_default().to_owned()
}

pub fn is_outage(error: &Error) -> bool {
    error.kind() == ErrorKind::Unreachable
}
