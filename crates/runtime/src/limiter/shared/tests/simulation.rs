//! Simulation of processes that share and saturate a limit, in controlled time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::limiter::Limit;
use crate::limiter::operation::OperationLimiter;
use crate::limiter::shared::participant::{BUSY_INTERVAL, Participant};
use crate::limiter::shared::store::{ChangeRecords, LimitStore, SharedLimits, StoreError};
use crate::limiter::tests::simulation::{Count, Service};

/// A store in memory, on the controlled clock.
struct Memory {
    started: Instant,
    records: HashMap<String, Vec<u8>>,
}

impl LimitStore for Memory {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        let mut records: Vec<_> = keys.iter().map(|key| self.records.remove(key)).collect();
        change(self.started.elapsed(), &mut records);
        let changed = keys.iter().cloned().zip(records);
        self.records.extend(changed.filter_map(|(key, record)| Some((key, record?))));
        Ok(())
    }
}

struct World {
    limit: Limit,
    started: Instant,
    service: Arc<Service>,
    settings: SharedLimits,
}

/// A process: it dies with this.
struct Process {
    _tasks: JoinSet<()>,
    /// The number of its requests.
    requests: Arc<AtomicU64>,
}

impl World {
    fn new(requests: u64, concurrent: u64) -> Self {
        let limit = Limit { requests, concurrent: Some(concurrent) };
        let store = Memory { started: Instant::now(), records: HashMap::new() };
        Self {
            limit,
            started: Instant::now(),
            service: Arc::new(Service::new(requests, Count::all(requests), 7)),
            settings: SharedLimits::new(store).account("one"),
        }
    }

    /// A process with this many callers, each of which sends its requests in sequence.
    fn process(&self, callers: usize) -> Process {
        let participant = Arc::new(Participant::new(self.settings.clone(), "one".to_owned()));
        let operation_limiter = participant.operation_limiter("painter", "run", self.limit);
        let mut tasks = JoinSet::new();
        let requests = Arc::<AtomicU64>::default();
        tasks.spawn(exchanges(participant));
        for _ in 0..callers {
            let (service, operation_limiter) =
                (Arc::clone(&self.service), Arc::clone(&operation_limiter));
            let made = Arc::clone(&requests);
            tasks.spawn(async move {
                loop {
                    let pass = OperationLimiter::acquire(
                        Arc::clone(&operation_limiter),
                        Duration::MAX,
                        None,
                    )
                    .await;
                    made.fetch_add(1, Ordering::Relaxed);
                    service.request(pass, 1..10).await;
                }
            });
        }
        Process { _tasks: tasks, requests }
    }

    /// A process that, after a pause, sends a burst as large as the capacity was before the pause.
    fn claims(&self, pause: Duration) -> Process {
        let participant = Arc::new(Participant::new(self.settings.clone(), "one".to_owned()));
        let operation_limiter = participant.operation_limiter("painter", "run", self.limit);
        let mut tasks = JoinSet::new();
        let requests = Arc::<AtomicU64>::default();
        tasks.spawn(exchanges(participant));
        let (service, made) = (Arc::clone(&self.service), Arc::clone(&requests));
        tasks.spawn(async move {
            let mut in_flight = JoinSet::new();
            loop {
                drop(
                    OperationLimiter::acquire(Arc::clone(&operation_limiter), Duration::MAX, None)
                        .await,
                );
                let room = operation_limiter.available(200);
                sleep(pause).await;
                for _ in 0..room {
                    let (service, operation_limiter) =
                        (Arc::clone(&service), Arc::clone(&operation_limiter));
                    let made = Arc::clone(&made);
                    in_flight.spawn(async move {
                        let pass =
                            OperationLimiter::acquire(operation_limiter, Duration::MAX, None).await;
                        made.fetch_add(1, Ordering::Relaxed);
                        service.request(pass, 1..10).await;
                    });
                }
                while in_flight.try_join_next().is_some() {}
            }
        });
        Process { _tasks: tasks, requests }
    }

    async fn until(&self, seconds: u64) {
        sleep_until(self.started + Duration::from_secs(seconds)).await;
    }

    /// The part of the limit that was used in these seconds, in percent; nothing was refused.
    #[expect(clippy::print_stdout, reason = "the figures are what one looks for")]
    fn used(&self, from: u64, to: u64) -> f64 {
        let seen = self.service.seen();
        assert_eq!(seen.refused, 0, "no 429");
        assert!(Some(seen.most_open) <= self.limit.concurrent, "{}", seen.most_open);
        let allowed = self.limit.requests * (to - from) / 10;
        let used = seen.between(self.started, from, to) as f64 / allowed as f64 * 100.0;
        println!("{} per 10 s, {from}..{to} s: {used:.2} %", self.limit.requests);
        used
    }
}

/// The exchange thread.
async fn exchanges(participant: Arc<Participant>) {
    loop {
        participant.waker.clear();
        let began = Instant::now();
        let pause = participant.exchange();
        let due = pause.map(|pause| began + pause.mul_f64(0.8 + 0.4 * fastrand::f64()));
        loop {
            sleep(Duration::from_millis(1)).await;
            let is_requested = participant.waker.is_requested() && began.elapsed() >= BUSY_INTERVAL;
            if is_requested
                || participant.waker.is_urgent()
                || due.is_some_and(|due| due <= Instant::now())
            {
                break;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn four_processes_use_the_whole_limit_together() {
    fastrand::seed(1);
    for (requests, concurrent) in [(1_000, 200), (2_000, 400), (100, 20)] {
        let world = World::new(requests, concurrent);
        let all: Vec<_> = (0..4).map(|_| world.process(60)).collect();
        world.until(120).await;
        drop(all);
        assert!(world.used(30, 120) >= 98.0);
    }
}

#[tokio::test(start_paused = true)]
async fn killed_every_two_seconds_they_use_almost_the_whole_limit() {
    fastrand::seed(2);
    for (requests, concurrent) in [(1_000, 200), (2_000, 400)] {
        let world = World::new(requests, concurrent);
        let mut all: Vec<_> = (0..4).map(|_| world.process(60)).collect();
        for kill in 0..60 {
            world.until(2 * (kill + 1)).await;
            let it = kill as usize % 4;
            all[it] = world.process(60);
        }
        assert!(world.used(30, 120) >= 95.0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_has_the_whole_limit_within_15_seconds_after_the_others_died() {
    fastrand::seed(3);
    let world = World::new(1_000, 200);
    let one = world.process(150);
    let others: Vec<_> = (0..3).map(|_| world.process(150)).collect();
    world.until(40).await;
    drop(others);
    world.until(95).await;
    drop(one);
    assert!(world.used(55, 95) >= 98.0);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_needs_little_gets_it_and_the_others_the_rest() {
    fastrand::seed(4);
    let world = World::new(1_000, 200);
    let busy = world.process(150);
    let needs_little = Arc::new(Participant::new(world.settings.clone(), "one".to_owned()));
    let operation_limiter = needs_little.operation_limiter("painter", "run", world.limit);
    let exchanging = tokio::spawn(exchanges(needs_little));
    let mut longest = Duration::ZERO;
    for second in 5..60 {
        world.until(second).await;
        let asked_at = Instant::now();
        let pass =
            OperationLimiter::acquire(Arc::clone(&operation_limiter), Duration::MAX, None).await;
        longest = longest.max(asked_at.elapsed());
        world.service.request(pass, 1..10).await;
    }
    exchanging.abort();
    drop(busy);
    assert!(longest < Duration::from_millis(600), "{longest:?}");
    assert!(world.used(20, 60) >= 97.0);
}

#[tokio::test(start_paused = true)]
async fn a_process_with_pauses_between_bursts_uses_the_limit_too() {
    fastrand::seed(5);
    for (pause, least) in [(30, 98.0), (100, 98.0), (300, 85.0)] {
        let world = World::new(1_000, 200);
        let all: Vec<_> = (0..4).map(|_| world.claims(Duration::from_millis(pause))).collect();
        world.until(60).await;
        drop(all);
        assert!(world.used(20, 60) >= least, "after {pause} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn each_process_gets_its_share_of_a_small_limit() {
    for seed in 0..5 {
        fastrand::seed(seed);
        let world = World::new(100, 20);
        let mut all = Vec::new();
        for _ in 0..4 {
            sleep(Duration::from_millis(fastrand::u64(0..20))).await;
            all.push(world.process(4));
        }
        world.until(21).await;
        let each: Vec<_> = all.iter().map(|it| it.requests.load(Ordering::Relaxed)).collect();
        assert!(each.iter().all(|one| (45..60).contains(one)), "{each:?}");
    }
}
