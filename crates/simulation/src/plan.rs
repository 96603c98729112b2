//! Plan of a simulation, drawn from its seed.

use std::time::Duration;

use podqueue_local::Workers;

/// Treatment of unknown inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    Hold,
    Resubmit,
    ByWebhook,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) processes: usize,
    pub(crate) jobs: Vec<JobPlan>,
    pub(crate) workers: Workers,
    pub(crate) unknown: Unknown,
    /// True if the clients share one account and its limits.
    pub(crate) shares_limits: bool,
    /// Faults of the links, in thousandths of the exchanges.
    pub(crate) link_faults: u32,
    /// The events, each with its time.
    pub(crate) events: Vec<(Duration, Event)>,
    /// True if the batch is cancelled now and then.
    pub(crate) cancels: bool,
    /// True if calls are made besides the runs, and calls, openings and runs are dropped.
    pub(crate) has_drops: bool,
    /// The time after which nothing else happens, and all links work.
    pub(crate) quiet_after: Duration,
    pub(crate) ttl: Duration,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct JobPlan {
    pub(crate) takes: Duration,
    /// The number of its first executions that fail.
    pub(crate) fails: u32,
}

/// An event besides the faults of the links.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The process ends at once, and restarts after a time.
    Kill(usize, Duration),
    /// Its next commit takes effect, and the process learns that its lease was lost.
    LoseResponse(usize),
    /// The process stands still.
    Stop(usize, Duration),
    /// The process does not reach the store.
    CutOff(usize, Duration),
    /// The caller requests an exit, and opens the batch again after a time.
    Exit(usize, Duration),
    /// The caller drops the run, and opens the batch again after a time.
    Drop(usize, Duration),
    /// No process reaches the store.
    StoreDown(Duration),
    /// No process reaches the service.
    ServiceDown(Duration),
}

impl Event {
    /// The process that it is about, if it is about one.
    fn process(&self) -> Option<usize> {
        match self {
            Self::Kill(process, _)
            | Self::LoseResponse(process)
            | Self::Stop(process, _)
            | Self::CutOff(process, _)
            | Self::Exit(process, _)
            | Self::Drop(process, _) => Some(*process),
            Self::StoreDown(_) | Self::ServiceDown(_) => None,
        }
    }
}

impl Plan {
    pub(crate) fn draw(random: &mut fastrand::Rng) -> Self {
        let is_long = random.u32(..4) == 0;
        let jobs = if is_long { random.usize(20..50) } else { random.usize(40..300) };
        let job = |random: &mut fastrand::Rng| {
            let seconds = match (is_long, random.u32(..20)) {
                (true, 0) => random.u64(3_600..4 * 3_600),
                (true, 1..=5) => random.u64(600..2_400),
                (true, 6..=12) => random.u64(60..600),
                (false, 0) => random.u64(10..120),
                _ => random.u64(1..10),
            };
            let takes = Duration::from_millis(seconds * 1_000 + random.u64(..1_000));
            let fails = match random.u32(..40) {
                0 => u32::MAX,
                1..=4 => random.u32(1..3),
                _ => 0,
            };
            JobPlan { takes, fails }
        };
        let jobs: Vec<_> = (0..jobs).map(|_| job(random)).collect();
        let most = random.usize(1..6);
        let workers = Workers::between(random.usize(..most + 1), most)
            .cold_start(Duration::from_secs(random.u64(..40)));
        let longest = if is_long { 1_200 } else { 90 };
        let mut plan = Self {
            processes: random.usize(1..4),
            jobs,
            workers,
            unknown: *random
                .choice(&[Unknown::Hold, Unknown::Resubmit, Unknown::ByWebhook])
                .unwrap_or(&Unknown::Hold),
            shares_limits: random.bool(),
            link_faults: *random.choice(&[0, 5, 20, 60]).unwrap_or(&5),
            events: Vec::new(),
            cancels: random.u32(..4) == 0,
            has_drops: true,
            quiet_after: Duration::from_secs(if is_long { random.u64(1..5) * 3_600 } else { 900 }),
            ttl: Duration::from_secs(24 * 3_600),
        };
        let mean = Duration::from_secs(random.u64(15..longest));
        let mut at = Duration::ZERO;
        loop {
            at += mean.mul_f64(0.1 + 1.8 * random.f64());
            if at >= plan.quiet_after {
                return plan;
            }
            let event = plan.event(random);
            plan.events.push((at, event));
        }
    }

    /// Leaves out a part, for the search for the smallest plan that still fails: `drops`, `faults`
    /// (of the links), `limits` (that are shared), `process` (the last one), `jobs` (their second
    /// half), or the events `FROM..TO`. Returns false if there is no such part.
    pub(crate) fn leave_out(&mut self, part: &str) -> bool {
        match part {
            "drops" => std::mem::take(&mut self.has_drops),
            "faults" => std::mem::take(&mut self.link_faults) > 0,
            "limits" => std::mem::take(&mut self.shares_limits),
            "process" if self.processes > 1 => {
                self.processes -= 1;
                let processes = self.processes;
                self.events.retain(|(_, event)| event.process().is_none_or(|it| it < processes));
                true
            }
            "jobs" if self.jobs.len() > 1 => {
                self.jobs.truncate(self.jobs.len().div_ceil(2));
                true
            }
            _ => {
                let range = part.split_once("..").map(|(from, to)| (from.parse(), to.parse()));
                let Some((Ok(from), Ok(to))) = range else { return false };
                let range: std::ops::Range<usize> = from..to;
                let is_there = !range.is_empty() && range.end <= self.events.len();
                if is_there {
                    self.events.drain(range);
                }
                is_there
            }
        }
    }

    /// A random event.
    fn event(&self, random: &mut fastrand::Rng) -> Event {
        let process = random.usize(..self.processes);
        // Most are short, and some longer than a lease, or than the outage timeout of a store.
        let time = |random: &mut fastrand::Rng| {
            let seconds = *random.choice(&[1, 8, 12, 40, 240, 420]).unwrap_or(&1);
            Duration::from_millis(random.u64(1..seconds * 1_000))
        };
        match random.u32(..12) {
            0..=2 => Event::Kill(process, time(random)),
            3 => Event::LoseResponse(process),
            4 | 5 => Event::Stop(process, time(random)),
            6 | 7 => Event::CutOff(process, time(random)),
            8 => Event::Exit(process, time(random)),
            9 => Event::Drop(process, time(random)),
            10 => Event::StoreDown(time(random)),
            _ => Event::ServiceDown(time(random)),
        }
    }
}
