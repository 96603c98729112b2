//! Clients with shared limits, their exchange threads and threads that call, under all kinds of
//! schedules.
//!
//! - Every call is admitted, and a client can be dropped at any moment: its exchange thread ends.
//! - No more requests are sent than allowed.
//! - Unless a lease was lost meanwhile, clients that sent nothing leave no record: each permit was
//!   returned once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use shuttle::future::block_on;
use shuttle::thread::{JoinHandle, spawn, yield_now};
use tokio::time::Instant;

use super::super::allocation::LEASE;
use super::super::store::{ChangeRecords, LimitStore, SharedLimits, StoreError};
use crate::limiter::operation::Permit;
use crate::limiter::registry::Limiter;
use crate::limiter::{Limit, RateLimits, WINDOW};
use crate::sync::schedules::{check, choose, pass};

/// Longer than any call waits.
const STORE_TIMEOUT: Duration = Duration::from_secs(3_600);

/// The store's records, and the requests of a service.
struct World {
    limit: Limit,
    began: Instant,
    records: Mutex<HashMap<String, Vec<u8>>>,
    lost_lease: AtomicBool,
    sent: Mutex<Vec<Instant>>,
    open: AtomicU64,
    /// The number of calls that have not ended.
    calls: AtomicUsize,
    clients: AtomicUsize,
}

/// A client's view of the store.
struct Memory {
    world: Arc<World>,
    last: Instant,
}

impl LimitStore for Memory {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        yield_now();
        let now = Instant::now();
        let mut records = self.world.records.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed: Vec<_> = keys.iter().map(|key| records.remove(key)).collect();
        change(now - self.world.began, &mut changed);
        let changed = keys.iter().cloned().zip(changed);
        records.extend(changed.filter_map(|(key, record)| Some((key, record?))));
        drop(records);
        yield_now();
        let is_late = now - self.last > Duration::from_micros(LEASE) / 2;
        self.world.lost_lease.fetch_or(is_late, Ordering::Relaxed);
        self.last = now;
        Ok(())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.world.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

impl World {
    fn new(limit: Limit) -> Arc<Self> {
        Arc::new(Self {
            limit,
            began: Instant::now(),
            records: Mutex::default(),
            lost_lease: AtomicBool::new(false),
            sent: Mutex::default(),
            open: AtomicU64::new(0),
            calls: AtomicUsize::new(0),
            clients: AtomicUsize::new(0),
        })
    }

    /// A client like that of another process.
    fn client(self: &Arc<Self>) -> Arc<Limiter> {
        self.clients.fetch_add(1, Ordering::Relaxed);
        let memory = Memory { world: Arc::clone(self), last: Instant::now() };
        let settings = SharedLimits::new(memory).account("one").store_timeout(STORE_TIMEOUT);
        let mut limiter = Limiter::new(RateLimits::new());
        limiter.share(settings, "", "").expect("a thread");
        Arc::new(limiter)
    }

    /// Starts a call of a client, which keeps the client.
    fn call(self: &Arc<Self>, client: &Arc<Limiter>, sends: bool) -> JoinHandle<()> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let (world, client) = (Arc::clone(self), Arc::clone(client));
        spawn(move || {
            if let Some(permit) = world.acquire(&client) {
                yield_now();
                match permit {
                    permit if sends => world.send(permit),
                    unsent => drop(unsent),
                }
            }
            drop(client);
            world.calls.fetch_sub(1, Ordering::Relaxed);
        })
    }

    /// A permit; `None` if the caller left when it had to wait.
    fn acquire(&self, client: &Limiter) -> Option<Permit> {
        let operation_limiter =
            match client.try_acquire(&Arc::from("painter"), "run", self.limit, Duration::MAX) {
                Ok(permit) => return Some(permit),
                Err(operation_limiter) => operation_limiter,
            };
        let acquire = client.acquire(operation_limiter, Duration::MAX, None);
        let permit = match choose(3) {
            0 => block_on(async { acquire.now_or_never() })?,
            _ => block_on(acquire),
        };
        Some(permit.unwrap_or_else(|_| panic!("the store is reachable")))
    }

    /// Sends a request, which ends in different ways.
    fn send(&self, mut permit: Permit) {
        permit.sent();
        let (now, mut sent) =
            (Instant::now(), self.sent.lock().unwrap_or_else(PoisonError::into_inner));
        sent.push(now);
        let counted = sent.iter().filter(|at| now - **at < WINDOW).count() as u64;
        assert!(counted <= self.limit.requests, "more requests than allowed: {sent:?}");
        drop(sent);
        let open = 1 + self.open.fetch_add(1, Ordering::Relaxed);
        assert!(Some(open) <= self.limit.concurrent, "more requests open than allowed");
        yield_now();
        self.open.fetch_sub(1, Ordering::Relaxed);
        match choose(3) {
            0 => drop(permit),
            way => {
                permit.answered();
                yield_now();
                if way == 1 {
                    permit.finished();
                }
            }
        }
    }
}

#[test]
fn calls_are_admitted_and_clients_end_at_any_moment() {
    check(|| {
        let sends = choose(2) == 1;
        let [few, many] = [(2, 1), (20, 4)].map(|(it, open)| Limit::new(it).concurrent(open));
        let world = World::new(if sends && choose(2) == 1 { few } else { many });
        let mut calls = Vec::new();
        for _ in 0..2 {
            let client = world.client();
            calls.extend((0..choose(3)).map(|_| world.call(&client, sends)));
        }
        let until = world.began + Duration::from_secs(120);
        while world.calls.load(Ordering::Relaxed) > 0 {
            assert!(Instant::now() < until, "a call is not admitted");
            (0..8).for_each(|_| yield_now());
            let times = if sends { [3, 30, 300] } else { [1, 5, 20] };
            pass(Duration::from_millis(times[choose(3)]));
        }
        for call in calls {
            call.join().expect("it does not panic");
        }
        // Time stands still: the end of a client waits for no timer.
        for _ in 0..10_000 {
            if world.clients.load(Ordering::Relaxed) > 0 {
                yield_now();
            }
        }
        assert_eq!(world.clients.load(Ordering::Relaxed), 0, "an exchange thread does not end");
        let records = world.records.lock().unwrap_or_else(PoisonError::into_inner);
        let were_returned = records.is_empty() || sends || world.lost_lease.load(Ordering::Relaxed);
        assert!(
            were_returned,
            "permits were lost: {:?}",
            records.values().map(|it| String::from_utf8_lossy(it)).collect::<Vec<_>>()
        );
    });
}
