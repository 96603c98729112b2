//! A database that is out of reach while a command waits for it.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use podqueue_batch::{Error, ErrorKind};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::place::Place;
use crate::context::Context;
use crate::output::Progress;

/// How long a database must be out of reach before that is worth a word: most of it passes.
const WORTH: Duration = Duration::from_secs(5);

/// How often to look whether it can be reached, which takes a connection.
const LOOK: Duration = Duration::from_secs(2);

/// For how long a database has been out of reach.
#[derive(Default)]
pub struct Outage {
    since: Option<Instant>,
    is_said: bool,
}

impl Outage {
    /// It could not be reached when this was tried. For how long that has been so.
    pub fn failed(&mut self, tried: Instant) -> Duration {
        self.since.get_or_insert(tried).elapsed()
    }

    pub fn ended(&mut self) {
        *self = Self::default();
    }

    /// Whether it has lasted for so long that this is to be said, which is once.
    pub fn is_worth_a_word(&mut self) -> bool {
        let is_long = self.since.is_some_and(|since| since.elapsed() >= WORTH);
        is_long && !std::mem::replace(&mut self.is_said, true)
    }
}

/// Does `work`, which waits for the journal by itself, and warns once if that is in a database that
/// is out of reach.
pub async fn warning<T>(
    context: &Context,
    place: &Place,
    progress: &Progress,
    work: impl Future<Output = T>,
) -> T {
    let looking = async {
        if place.is_shared() {
            warn(context, progress, &out_of_reach(place).await);
        }
    };
    match select(pin!(work), pin!(looking)).await {
        Either::Left((done, _)) => done,
        Either::Right(((), work)) => work.await,
    }
}

/// Waits until the database has been out of reach for a while. Why it is.
async fn out_of_reach(place: &Place) -> String {
    let mut outage = Outage::default();
    loop {
        sleep(LOOK).await;
        let (tried, journal) = (Instant::now(), place.journal().impatient());
        let looked = timeout(WORTH, spawn_blocking(move || journal.is_open())).await;
        let why = match looked {
            Ok(Ok(Err(error))) if is_outage(&error) => why(&error),
            Ok(_) => {
                outage.ended();
                continue;
            }
            Err(_) => "the database does not answer".to_owned(),
        };
        outage.failed(tried);
        if outage.is_worth_a_word() {
            return why;
        }
    }
}

pub fn warn(context: &Context, progress: &Progress, why: &str) {
    progress.suspend(|| context.output.warn(format_args!("waiting for the journal: {why}")));
}

/// What is wrong, without what to do for those who do not wait.
pub fn why(error: &Error) -> String {
    let text = error.to_string();
    text.split("; nothing is lost").next().unwrap_or_default().to_owned()
}

pub fn is_outage(error: &Error) -> bool {
    error.kind() == ErrorKind::Unreachable
}
