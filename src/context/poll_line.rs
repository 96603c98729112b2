//! How often all waits and streams on an endpoint poll, together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use podqueue_runtime::__private::fair_queue::{Admission, Blocked, FairQueue};

/// How much an endpoint that was quiet may catch up on at once.
const CREDIT: Duration = Duration::from_secs(1);

/// The turns of many waits and streams: first come, first served, one per interval. So the polls per
/// second stay the same however many jobs are polled, and only the time between two looks at the same
/// job grows.
#[derive(Debug)]
pub(crate) struct PollLine(FairQueue<Spacing>);

#[derive(Debug)]
struct Spacing {
    next: Instant,
    interval: Duration,
}

impl PollLine {
    pub(crate) fn new(interval: Duration) -> Self {
        let now = Instant::now();
        let next = now.checked_sub(CREDIT).unwrap_or(now);
        Self(FairQueue::new(Spacing { next, interval }))
    }

    /// Waits for a turn, but no longer than until `latest`, when the look cannot be put off any more.
    pub(crate) async fn turn_by(&self, latest: Instant) {
        let _ = timeout_at(latest, self.turn()).await;
    }

    async fn turn(&self) {
        self.0.acquire((), None).await;
    }
}

impl Spacing {
    /// When the next turn is, after what was missed long ago is forgotten.
    fn next(&self, now: Instant) -> Instant {
        self.next.max(now.checked_sub(CREDIT).unwrap_or(now))
    }
}

impl Admission for Spacing {
    type Request = ();
    type Permit = ();

    fn admits(&mut self, callers: u64, now: Instant, _: bool) -> Result<(), Blocked> {
        let others = u32::try_from(callers - 1).unwrap_or(u32::MAX);
        let until = self.next(now) + self.interval.saturating_mul(others);
        if until <= now { Ok(()) } else { Err(Blocked { until: Some(until) }) }
    }

    fn take(&mut self, (): (), now: Instant) {
        self.next = self.next(now) + self.interval;
    }
}

/// The lines of a client's endpoints, by endpoint id. One that nobody uses is forgotten.
#[derive(Debug)]
pub(crate) struct PollLines {
    interval: Duration,
    known: Mutex<HashMap<String, Weak<PollLine>>>,
}

impl PollLines {
    /// Each with a turn per interval.
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, known: Mutex::default() }
    }

    pub(crate) fn of(&self, endpoint_id: &str) -> Arc<PollLine> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = known.get(endpoint_id).and_then(Weak::upgrade) {
            return line;
        }
        known.retain(|_, line| line.strong_count() > 0);
        let line = Arc::new(PollLine::new(self.interval));
        known.insert(endpoint_id.to_owned(), Arc::downgrade(&line));
        line
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt;

    use super::*;
    use crate::context::model::{Subject, explore, wander};

    const INTERVAL: Duration = Duration::from_millis(10);

    /// A line, and when it let somebody go.
    struct Modelled {
        line: Arc<PollLine>,
        turns: Arc<Mutex<Vec<Instant>>>,
    }

    impl Modelled {
        const INTERVAL: Duration = Duration::from_millis(400);

        fn new() -> Self {
            Self { line: Arc::new(PollLine::new(Self::INTERVAL)), turns: Arc::default() }
        }
    }

    impl Subject for Modelled {
        type Turn = ();

        fn longest(&self, _: u32, waiting: u32, frozen: u32) -> Duration {
            let last = self.turns.lock().expect("no panic").last().copied();
            let since = last.map_or(Duration::ZERO, |last| last.elapsed());
            // Timers are late by up to a millisecond.
            let in_time = (Self::INTERVAL + Duration::from_millis(2)) * waiting;
            let in_time = in_time.saturating_sub(since.min(Self::INTERVAL));
            // Those who do not come when they are called, and one that was to keep the time.
            let late = Duration::from_millis(if frozen > 0 { 250 } else { 0 });
            in_time + late
        }

        fn turn(&self, _: bool) -> Pin<Box<dyn Future<Output = ()>>> {
            let (line, turns) = (Arc::clone(&self.line), Arc::clone(&self.turns));
            Box::pin(async move {
                line.turn().await;
                turns.lock().expect("no panic").push(Instant::now());
            })
        }

        fn ways(&self, (): &()) -> usize {
            1
        }

        fn go_on(&self, (): (), _: usize) -> Option<()> {
            None
        }

        fn check(&self) -> Result<(), String> {
            let turns = self.turns.lock().expect("no panic");
            for (count, first) in turns.iter().enumerate() {
                let since = turns.len() - 1 - count;
                let least = (Self::INTERVAL * since as u32).saturating_sub(CREDIT);
                if turns[turns.len() - 1] - *first < least {
                    return Err(format!("too many turns: {turns:?}"));
                }
            }
            Ok(())
        }

        fn check_idle(&self) -> Result<(), String> {
            self.line.turn().now_or_never().ok_or("a turn was lost".to_owned())
        }
    }

    #[test]
    fn no_wait_is_held_up_by_another_in_any_short_run() {
        let runs = explore(Modelled::new, &[false; 5], 4);
        assert!(runs > 1_000, "{runs}");
    }

    #[test]
    fn no_wait_is_held_up_by_another_in_long_runs() {
        wander(Modelled::new, 200);
    }

    #[tokio::test(start_paused = true)]
    async fn ten_thousand_waits_ask_no_faster_than_one_may() {
        const WAITS: usize = 10_000;
        let line = Arc::new(PollLine::new(INTERVAL));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let started = Instant::now();
        for wait in 0..WAITS {
            let (line, asked) = (Arc::clone(&line), Arc::clone(&asked));
            tokio::spawn(async move {
                loop {
                    line.turn().await;
                    asked.lock().expect("no panic").push((wait, started.elapsed()));
                    tokio::time::sleep(Duration::from_secs(3)).await;
                }
            });
        }
        tokio::time::sleep(Duration::from_secs(300)).await;
        let asked = asked.lock().expect("no panic").clone();
        assert!(asked.len() > 29_000, "{} in 300 s", asked.len());
        let mut from = 0;
        for (until, (_, at)) in asked.iter().enumerate() {
            while *at - asked[from].1 > Duration::from_secs(10) {
                from += 1;
            }
            assert!(until - from <= 1_101, "{} in the 10 s before {at:?}", until - from);
        }
        let order: Vec<_> = asked.iter().take(WAITS).map(|(wait, _)| *wait).collect();
        assert!(order.iter().copied().eq(0..WAITS), "first come, first served");
        let mut last = vec![Duration::ZERO; WAITS];
        for (wait, at) in asked {
            let since = at - std::mem::replace(&mut last[wait], at);
            assert!(since <= Duration::from_secs(103), "{wait} was looked at after {since:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_gives_up_leaves_no_gap() {
        let line = Arc::new(PollLine::new(INTERVAL));
        for _ in 0..=100 {
            line.turn().await;
        }
        let turns = Arc::new(AtomicUsize::new(0));
        let waiting: Vec<_> = (0..1_000)
            .map(|_| {
                let (line, turns) = (Arc::clone(&line), Arc::clone(&turns));
                tokio::spawn(async move {
                    line.turn().await;
                    turns.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(5)).await;
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
        tokio::task::yield_now().await;
        let started = Instant::now();
        line.turn().await;
        assert!(started.elapsed() <= INTERVAL, "{:?}", started.elapsed());
        assert!(turns.load(Ordering::Relaxed) <= 1);
    }

    #[tokio::test]
    async fn an_endpoint_has_one_line_as_long_as_it_is_used() {
        let lines = PollLines::new(INTERVAL);
        let line = lines.of("a");
        assert!(Arc::ptr_eq(&line, &lines.of("a")));
        assert!(!Arc::ptr_eq(&line, &lines.of("b")));
        drop(lines.of("c"));
        assert_eq!(lines.known.lock().expect("no panic").len(), 2, "b is forgotten, a is used");
    }
}
