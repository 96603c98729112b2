//! Explorer of shared limits: all short runs of two processes and long runs at random, against a
//! service that counts in the worst way for them.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use tokio::time::Instant;

use crate::limiter::concurrency::Concurrency;
use crate::limiter::shared::allocation::{Allocation, ExchangeRequest, Grant, LEASE};
use crate::limiter::shared::local_permits::{ExchangeWaker, LimiterState, LocalPermits};
use crate::limiter::window_log::WindowLog;
use crate::limiter::{ABANDONED_GRACE, Limit, WINDOW};
use crate::test_random::cases;

/// A process, whose state survives when it is stopped and is lost when it crashes.
struct Process {
    id: u64,
    local_permits: LocalPermits,
    log: WindowLog,
    concurrency: Concurrency,
    sent: Vec<usize>,
    waiting: u64,
    exchange: Option<Exchange>,
}

/// An exchange in progress: on the way to the store, or back.
struct Exchange {
    asked_at: Instant,
    report: ExchangeRequest,
    grant: Option<Grant>,
}

/// A request, as the service sees it: counted at any moment from its send to its response.
#[derive(Debug)]
struct Request {
    sent_at: Instant,
    answered_at: Option<Instant>,
}

struct World {
    limit: Limit,
    started: Instant,
    now: Instant,
    allocation: Allocation,
    processes: Vec<Process>,
    requests: Vec<Request>,
    next_id: u64,
    story: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Send(usize),
    Answer(usize),
    Withdraw(usize),
    /// An exchange begins, reaches the store, and its result comes, or is lost.
    Ask(usize),
    Reach(usize),
    Take(usize),
    Lose(usize),
    /// All of it at once.
    Exchange(usize),
    Die(usize),
    Permit(Duration),
}

impl World {
    fn new(limit: Limit, processes: usize) -> Self {
        let started = Instant::now();
        let mut world = Self {
            limit,
            started,
            now: started + Duration::from_secs(1),
            allocation: Allocation::default(),
            processes: Vec::new(),
            requests: Vec::new(),
            next_id: 0,
            story: Vec::new(),
        };
        for _ in 0..processes {
            let process = world.process();
            world.processes.push(process);
        }
        world
    }

    fn process(&mut self) -> Process {
        self.next_id += 1;
        Process {
            id: self.next_id,
            local_permits: LocalPermits::new(Arc::new(ExchangeWaker::default()), self.now),
            log: WindowLog::new(self.now),
            concurrency: Concurrency::new(),
            sent: Vec::new(),
            waiting: 2,
            exchange: None,
        }
    }

    /// Returns true if the operation limiter of a process would admit a request.
    fn has_capacity(&mut self, index: usize) -> bool {
        let (now, limit) = (self.now, self.limit);
        let process = &mut self.processes[index];
        let taken = process.concurrency.taken(now);
        process.log.count(now) < limit.requests
            && limit.concurrent.is_none_or(|most| taken < most)
            && process.local_permits.admits(1, limit.concurrent.map(|_| taken), now).is_ok()
    }

    fn events(&mut self, times: &[Duration]) -> Vec<Event> {
        let mut events: Vec<_> = times.iter().map(|time| Event::Permit(*time)).collect();
        for index in 0..self.processes.len() {
            if self.has_capacity(index) {
                events.extend([Event::Send(index), Event::Withdraw(index)]);
            }
            let process = &self.processes[index];
            if !process.sent.is_empty() {
                events.push(Event::Answer(index));
            }
            match process.exchange {
                Some(Exchange { grant: None, .. }) => events.push(Event::Reach(index)),
                Some(_) => events.extend([Event::Take(index), Event::Lose(index)]),
                None => events.extend([Event::Ask(index), Event::Exchange(index)]),
            }
            events.push(Event::Die(index));
        }
        events
    }

    fn happen(&mut self, event: Event) {
        self.story.push(format!("{:?} {event:?}", self.now - self.started));
        let now = self.now;
        match event {
            Event::Permit(time) => self.now += time,
            Event::Send(index) => {
                let process = &mut self.processes[index];
                process.log.send();
                process.concurrency.take();
                process.local_permits.spend(process.concurrency.open(), now);
                process.sent.push(self.requests.len());
                self.requests.push(Request { sent_at: now, answered_at: None });
            }
            Event::Withdraw(index) => {
                let process = &mut self.processes[index];
                process.local_permits.spend(process.concurrency.open(), now);
                process.local_permits.refund(now, now);
            }
            Event::Answer(index) => {
                let process = &mut self.processes[index];
                let request = process.sent.remove(0);
                let departs = process.log.settle(now);
                process.local_permits.departs(departs);
                process.concurrency.give_back();
                self.requests[request].answered_at.get_or_insert(now);
            }
            Event::Ask(index) => {
                let process = &mut self.processes[index];
                let open = process.concurrency.taken(now);
                let (limit, waiting) = (self.limit, process.waiting);
                let state =
                    LimiterState { limit, waiting, unanswered: process.log.unanswered(), open };
                let report = process.local_permits.report(state, process.id, false, now);
                process.exchange =
                    report.map(|report| Exchange { asked_at: now, report, grant: None });
            }
            Event::Reach(index) => {
                let Some(mut exchange) = self.processes[index].exchange.take() else { return };
                exchange.grant = Some(self.exchange(&exchange.report));
                self.processes[index].exchange = Some(exchange);
            }
            Event::Exchange(index) => {
                for step in [Event::Ask, Event::Reach, Event::Take] {
                    self.happen(step(index));
                }
            }
            Event::Take(index) => {
                let process = &mut self.processes[index];
                let exchange = process.exchange.take();
                if let Some(Exchange { asked_at, grant: Some(grant), .. }) = exchange {
                    process.local_permits.take(&grant, asked_at, now);
                }
            }
            Event::Lose(index) => self.processes[index].exchange = None,
            Event::Die(index) => {
                // The last request of the process may be in flight until then.
                let over = now + ABANDONED_GRACE;
                for request in &self.processes[index].sent {
                    self.requests[*request].answered_at.get_or_insert(over);
                }
                self.processes[index] = self.process();
            }
        }
    }

    fn exchange(&mut self, report: &ExchangeRequest) -> Grant {
        let now = u64::try_from((self.now - self.started).as_micros()).expect("a short run");
        let bytes = serde_json::to_vec(&self.allocation).expect("a record");
        self.allocation = serde_json::from_slice(&bytes).expect("a record");
        self.allocation.exchange(now, self.limit, report)
    }

    /// The service never sees more than it allows.
    fn check(&mut self) {
        // A process that does not renew its lease is taken for crashed.
        for process in &self.processes {
            let over = process.local_permits.until() + ABANDONED_GRACE;
            if over < self.now {
                for request in &process.sent {
                    self.requests[*request].answered_at.get_or_insert(over);
                }
            }
        }
        let late = self.requests.iter().map(|it| it.answered_at.unwrap_or(self.now));
        let early = self.requests.iter().map(|it| it.sent_at);
        for mut counted in [early.collect::<Vec<_>>(), late.collect()] {
            counted.sort_unstable();
            let mut windows = counted.windows(self.limit.requests as usize + 1);
            if windows.any(|some| some[some.len() - 1] - some[0] <= WINDOW) {
                panic!("more requests than allowed: {:#?}", self.story);
            }
        }
        let now = self.now;
        let is_open = |it: &&Request| it.answered_at.is_none_or(|at| at > now);
        let open = self.requests.iter().filter(is_open).count() as u64;
        if self.limit.concurrent.is_some_and(|most| open > most) {
            panic!("{open} requests are open: {:#?}", self.story);
        }
        // Requests that ended long ago need not be checked again.
        if self.requests.len() > 4_000 {
            panic!("the run is too long");
        }
    }

    /// All that was sent is answered, and after a while a new process gets the whole limit.
    fn rest(&mut self) {
        for index in 0..self.processes.len() {
            while !self.processes[index].sent.is_empty() {
                self.happen(Event::Answer(index));
            }
        }
        self.check();
        self.now += Duration::from_secs(15);
        let fresh = self.process();
        self.processes = vec![fresh];
        let mut got = 0;
        for _ in 0..200 {
            self.processes[0].waiting = self.limit.requests;
            self.happen(Event::Exchange(0));
            while self.has_capacity(0) {
                self.happen(Event::Send(0));
                self.happen(Event::Answer(0));
                got += 1;
            }
            self.now += Duration::from_millis(45);
        }
        assert_eq!(got, self.limit.requests, "something was lost: {:#?}", self.story);
        self.check();
    }
}

/// All runs of this many events, on a few processes.
fn explore(limit: Limit, processes: usize, depth: usize, times: &[Duration]) -> usize {
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    let mut runs = 0;
    loop {
        let mut world = World::new(limit, processes);
        for index in 0..processes {
            world.happen(Event::Exchange(index));
        }
        for at in 0..depth {
            let events = world.events(times);
            if at == chosen.len() {
                chosen.push((0, events.len()));
            }
            world.happen(events[chosen[at].0]);
            world.check();
        }
        runs += 1;
        while let Some((choice, of)) = chosen.pop() {
            if choice + 1 < of {
                chosen.push((choice + 1, of));
                break;
            }
        }
        if chosen.is_empty() {
            return runs;
        }
    }
}

#[test]
fn no_limit_is_exceeded_in_any_short_run_of_two_processes() {
    let times = [Duration::from_micros(LEASE), WINDOW - Duration::from_millis(300)];
    let mut runs = 0;
    for (requests, concurrent, depth) in [(1, None, 5), (2, Some(1), 4), (3, None, 4)] {
        runs += explore(Limit { requests, concurrent }, 2, depth, &times);
    }
    assert!(runs > 10_000, "{runs}");
}

#[test]
fn no_limit_is_exceeded_and_nothing_is_lost_in_long_runs() {
    cases(400, |random| {
        let limit = Limit {
            requests: random.u64(1..40),
            concurrent: random.bool().then(|| random.u64(1..8)),
        };
        let mut world = World::new(limit, random.usize(1..5));
        for _ in 0..random.usize(50..800) {
            let event = any(&mut world, random);
            world.happen(event);
            world.check();
        }
        world.rest();
    });
}

fn any(world: &mut World, random: &mut Rng) -> Event {
    let index = random.usize(..world.processes.len());
    world.processes[index].waiting = random.u64(0..6);
    let millis = match random.u8(0..20) {
        0 => random.u64(0..12_000),
        1..3 => random.u64(900..1_100),
        _ => random.u64(0..90),
    };
    let mut events = world.events(&[Duration::from_millis(millis)]);
    events.retain(|event| match event {
        Event::Die(_) => random.u8(0..50) == 0,
        Event::Lose(_) => random.u8(0..10) == 0,
        Event::Withdraw(_) => random.u8(0..5) == 0,
        _ => true,
    });
    events[random.usize(..events.len())]
}
