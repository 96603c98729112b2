//! How long an attempt may take.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// The longest time that is kept: an attempt that may take longer has no limit in practice, and a
/// clock need not be able to tell its end.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// The time of one attempt, all of its steps together. One timer keeps it.
pub(super) struct Time<'a> {
    given: Duration,
    /// How long nothing may arrive.
    silence: Option<Duration>,
    until: Instant,
    timer: Pin<&'a mut Sleep>,
}

/// The time is over.
#[derive(Debug)]
pub(super) struct Late {
    given: Duration,
}

/// The timer of an attempt that may take so long from now on, to be pinned.
pub(super) fn timer(now: Instant, given: Duration) -> Sleep {
    sleep_until(now + given.min(LONGEST))
}

impl<'a> Time<'a> {
    /// So much as the timer says, and each step no more than `silence` of it.
    pub(super) fn of(
        timer: Pin<&'a mut Sleep>,
        given: Duration,
        silence: Option<Duration>,
    ) -> Self {
        Self { given, silence, until: timer.deadline(), timer }
    }

    /// What a step comes to, unless the time is over before. It is pinned by the caller, so that it is
    /// moved only once.
    pub(super) fn limit<F: Future>(
        &mut self,
        mut step: Pin<&mut F>,
    ) -> impl Future<Output = Result<F::Output, Late>> {
        let given = self.start_step();
        poll_fn(move |context| match step.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending => self.timer.as_mut().poll(context).map(|()| Err(Late { given })),
        })
    }

    /// Sets the timer to the end of a step that begins now. How long the step may take, for words.
    fn start_step(&mut self) -> Duration {
        let Some(silence) = self.silence else { return self.given };
        let step_until = Instant::now().checked_add(silence).filter(|end| *end < self.until);
        let until = step_until.unwrap_or(self.until);
        if self.timer.deadline() != until {
            self.timer.as_mut().reset(until);
        }
        step_until.map_or(self.given, |_| silence)
    }
}

impl Late {
    pub(super) fn after(given: Duration) -> Self {
        Self { given }
    }

    pub(super) fn no_answer(&self) -> String {
        format!("timed out after {:?} waiting for the response", self.given)
    }

    pub(super) fn not_sent(&self) -> String {
        format!("timed out after {:?}, before the HTTP client had sent the request", self.given)
    }

    pub(super) fn no_whole_answer(&self) -> String {
        format!("timed out after {:?} while reading the response", self.given)
    }
}
