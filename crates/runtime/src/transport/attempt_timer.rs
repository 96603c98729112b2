//! Timer of an attempt: one deadline for all of its steps.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// The maximum deadline: a longer deadline is no limit in practice, and could overflow the clock.
const MAX_TIMEOUT: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// A timer that fires this late shows that no task could run until then: the process was stopped,
/// the machine was suspended, or the runtime was blocked. The deadline is then extended once, by
/// this time, to read what has arrived.
const STALL_GRACE: Duration = Duration::from_millis(200);

/// The deadline of an attempt, shared by all of its steps and kept by one timer.
pub(super) struct AttemptTimer<'a> {
    timeout: Duration,
    /// The maximum time in which no data arrives.
    idle_timeout: Option<Duration>,
    until: Instant,
    timer: Pin<&'a mut Sleep>,
    was_extended: bool,
}

/// A deadline has passed.
#[derive(Debug)]
pub(super) struct TimedOut {
    timeout: Duration,
}

/// The timer of an attempt with this timeout, to be pinned.
pub(super) fn timer(now: Instant, timeout: Duration) -> Sleep {
    sleep_until(now + timeout.min(MAX_TIMEOUT))
}

impl<'a> AttemptTimer<'a> {
    /// A deadline by this timer, with at most `idle_timeout` for each step.
    pub(super) fn of(
        timer: Pin<&'a mut Sleep>,
        timeout: Duration,
        idle_timeout: Option<Duration>,
    ) -> Self {
        Self { timeout, idle_timeout, until: timer.deadline(), timer, was_extended: false }
    }

    /// The output of a step, unless the deadline passes before. The caller pins it, so that it is
    /// moved only once.
    pub(super) fn limit<F: Future>(
        &mut self,
        mut step: Pin<&mut F>,
    ) -> impl Future<Output = Result<F::Output, TimedOut>> {
        let timeout = self.start_step();
        poll_fn(move |context| match step.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending => self.poll_over(context).map(|()| Err(TimedOut { timeout })),
        })
    }

    /// Ready once the deadline has passed.
    fn poll_over(&mut self, context: &mut Context<'_>) -> Poll<()> {
        ready!(self.timer.as_mut().poll(context));
        let now = Instant::now();
        if self.was_extended || now < self.timer.deadline() + STALL_GRACE {
            return Poll::Ready(());
        }
        self.was_extended = true;
        self.until = self.until.max(now + STALL_GRACE);
        self.timer.as_mut().reset(self.until);
        self.timer.as_mut().poll(context)
    }

    /// Sets the timer to the end of a step that begins now. Returns the step's timeout, for
    /// messages.
    fn start_step(&mut self) -> Duration {
        let Some(idle_timeout) = self.idle_timeout else { return self.timeout };
        let step_until = Instant::now().checked_add(idle_timeout).filter(|end| *end < self.until);
        let until = step_until.unwrap_or(self.until);
        if self.timer.deadline() != until {
            self.timer.as_mut().reset(until);
        }
        step_until.map_or(self.timeout, |_| idle_timeout)
    }
}

impl TimedOut {
    pub(super) fn after(timeout: Duration) -> Self {
        Self { timeout }
    }

    pub(super) fn before_the_response(&self) -> String {
        format!("timed out after {:?} waiting for the response", self.timeout)
    }

    pub(super) fn before_the_send(&self) -> String {
        format!("timed out after {:?}, before the HTTP client had sent the request", self.timeout)
    }

    pub(super) fn within_the_response(&self) -> String {
        format!("timed out after {:?} while reading the response", self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use futures_util::poll;
    use tokio::time::{advance, sleep};

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(1);

    /// Runs a step that ends this long after a process that was stopped for ten seconds continues.
    /// Returns true if the step ended in time, and the time of the attempt without the stop.
    async fn stopped_for_ten_seconds(ends_after: Duration) -> (bool, Duration) {
        let began = Instant::now();
        let timer = pin!(timer(began, TIMEOUT));
        let mut time = AttemptTimer::of(timer, TIMEOUT, None);
        let stopped = Duration::from_secs(10);
        let mut step = pin!(sleep(stopped + ends_after));
        let mut limited = pin!(time.limit(step.as_mut()));
        assert!(poll!(limited.as_mut()).is_pending());
        advance(stopped).await;
        (limited.await.is_ok(), began.elapsed() - stopped)
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_arrived_while_the_process_was_stopped_is_read() {
        let soon = Duration::from_millis(100);
        assert_eq!(stopped_for_ten_seconds(soon).await, (true, soon));
        assert_eq!(stopped_for_ten_seconds(Duration::from_secs(1)).await, (false, STALL_GRACE));
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_process_that_runs_is_not_extended() {
        let began = Instant::now();
        let timer = pin!(timer(began, TIMEOUT));
        let mut time = AttemptTimer::of(timer, TIMEOUT, None);
        assert!(time.limit(pin!(pending::<()>())).await.is_err());
        assert!(began.elapsed() < TIMEOUT + STALL_GRACE, "{:?}", began.elapsed());
    }
}
