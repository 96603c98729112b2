//! The workers of one endpoint: how many there are, and what each is doing.

use std::collections::BTreeMap;
use std::time::Duration;

use super::workers::Workers;
use crate::worker::WorkerId;

/// How the workers of an endpoint come into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// They are there when they are needed.
    Service,
    /// They are programs that are started when they are needed, and there once they attach.
    Program,
    /// They attach and leave unasked.
    Volunteer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    /// `cold` until its cold start is over, and `here` once it has attached.
    Starting {
        cold: bool,
        here: bool,
    },
    Idle,
    /// So many jobs.
    Running(usize),
}

#[derive(Debug)]
struct Member {
    activity: Activity,
    /// It gets no more jobs: it is unhealthy, or wants to be replaced.
    retired: bool,
}

/// What a change of a worker asks to be told later, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reminder {
    In(Duration),
    Never,
}

/// The workers that exist now.
#[derive(Debug)]
pub(crate) struct Fleet {
    limits: Workers,
    origin: Origin,
    members: BTreeMap<WorkerId, Member>,
    next_id: WorkerId,
}

impl Fleet {
    pub(crate) fn new(limits: Workers, origin: Origin) -> Self {
        let mut fleet = Self { limits, origin, members: BTreeMap::new(), next_id: 0 };
        if origin == Origin::Service {
            for _ in 0..limits.min() {
                fleet.insert(Activity::Idle);
            }
        }
        fleet
    }

    fn insert(&mut self, activity: Activity) -> WorkerId {
        let id = self.next_id;
        self.next_id += 1;
        self.members.insert(id, Member { activity, retired: false });
        id
    }

    pub(crate) fn idle(&self) -> usize {
        self.count(|member| member.activity == Activity::Idle && !member.retired)
    }

    pub(crate) fn running(&self) -> usize {
        self.count(|member| matches!(member.activity, Activity::Running(_)))
    }

    pub(crate) fn starting(&self) -> usize {
        self.count(|member| matches!(member.activity, Activity::Starting { .. }))
    }

    fn count(&self, counts: impl Fn(&Member) -> bool) -> usize {
        self.members.values().filter(|member| counts(member)).count()
    }

    /// How many jobs run.
    pub(crate) fn jobs(&self) -> usize {
        let jobs = self.members.values().map(|member| match member.activity {
            Activity::Running(jobs) => jobs,
            _ => 0,
        });
        jobs.sum()
    }

    /// The smallest and the largest number of workers; none where they come unasked.
    pub(crate) fn limits(&self) -> Option<(usize, usize)> {
        (self.origin != Origin::Volunteer).then_some((self.limits.min(), self.limits.max()))
    }

    /// Gives an idle worker something to do.
    pub(crate) fn take_idle(&mut self) -> Option<WorkerId> {
        let idle = self.members.iter_mut().find(|(_, member)| member.activity == Activity::Idle);
        let (id, member) = idle?;
        member.activity = Activity::Running(1);
        Some(*id)
    }

    /// Whether a worker that asks for a job can be given one.
    pub(crate) fn is_ready(&self, id: WorkerId) -> bool {
        self.members.get(&id).is_some_and(|member| {
            !member.retired && !matches!(member.activity, Activity::Starting { .. })
        })
    }

    /// Whether a worker has attached.
    pub(crate) fn is_here(&self, id: WorkerId) -> bool {
        self.members.get(&id).is_some_and(|member| {
            !matches!(member.activity, Activity::Starting { here: false, .. })
        })
    }

    /// Gives a worker that asks for it another job.
    pub(crate) fn occupy(&mut self, id: WorkerId) {
        if let Some(member) = self.members.get_mut(&id) {
            member.activity = match member.activity {
                Activity::Running(jobs) => Activity::Running(jobs + 1),
                _ => Activity::Running(1),
            };
        }
    }

    /// Sets whether a worker gets no more jobs.
    pub(crate) fn retire(&mut self, id: WorkerId, retired: bool) {
        if let Some(member) = self.members.get_mut(&id) {
            member.retired = retired;
        }
    }

    /// Whether another worker should start when `jobs` jobs call for one.
    pub(crate) fn wants_more(&self, jobs: usize) -> bool {
        if self.origin == Origin::Volunteer {
            return false;
        }
        let below_min = self.members.len() < self.limits.min();
        let called_for = jobs > self.starting() + self.idle();
        below_min || (called_for && self.members.len() < self.limits.max())
    }

    /// Starts another worker.
    pub(crate) fn start(&mut self) -> (WorkerId, Reminder) {
        // The first ones are there from the beginning, so they are not cold.
        let is_first = self.next_id < self.limits.min() as WorkerId;
        let cold_start = self.limits.cold_start;
        let here = self.origin == Origin::Service;
        let cold = !cold_start.is_zero() && (here || !is_first);
        let id = self.insert(Activity::Starting { cold, here });
        if cold { (id, Reminder::In(cold_start)) } else { (id, self.settle(id)) }
    }

    /// Adds a worker that came unasked.
    pub(crate) fn join(&mut self) -> WorkerId {
        self.insert(Activity::Idle)
    }

    /// A worker that was started has attached, and what to be told later if that changes anything.
    pub(crate) fn attach(&mut self, id: WorkerId) -> Option<Reminder> {
        match &mut self.members.get_mut(&id)?.activity {
            Activity::Starting { cold, here } if !*here => {
                *here = true;
                (!*cold).then(|| self.settle(id))
            }
            _ => None,
        }
    }

    /// Makes a worker idle if nothing is left of its start.
    fn settle(&mut self, id: WorkerId) -> Reminder {
        match self.members.get_mut(&id) {
            Some(member) if member.activity == Activity::Starting { cold: false, here: true } => {
                member.activity = Activity::Idle;
                self.idle_reminder()
            }
            _ => Reminder::Never,
        }
    }

    /// A worker has done a job.
    pub(crate) fn release(&mut self, id: WorkerId) -> Reminder {
        match self.members.get_mut(&id) {
            Some(member) => {
                member.activity = match member.activity {
                    Activity::Running(jobs) if jobs > 1 => Activity::Running(jobs - 1),
                    _ => Activity::Idle,
                };
                if member.activity == Activity::Idle {
                    self.idle_reminder()
                } else {
                    Reminder::Never
                }
            }
            None => Reminder::Never,
        }
    }

    /// A worker is gone.
    pub(crate) fn remove(&mut self, id: WorkerId) {
        self.members.remove(&id);
    }

    /// The time that a reminder asked for has come. Says whether the worker stopped for good.
    pub(crate) fn remind(&mut self, id: WorkerId) -> (bool, Reminder) {
        let surplus = self.members.len() > self.limits.min();
        match self.members.get_mut(&id).map(|member| &mut member.activity) {
            Some(Activity::Starting { cold, .. }) => {
                *cold = false;
                (false, self.settle(id))
            }
            Some(Activity::Idle) if surplus => {
                self.members.remove(&id);
                (true, Reminder::Never)
            }
            _ => (false, Reminder::Never),
        }
    }

    fn idle_reminder(&self) -> Reminder {
        if self.origin != Origin::Volunteer && self.members.len() > self.limits.min() {
            Reminder::In(self.limits.idle_timeout)
        } else {
            Reminder::Never
        }
    }

    /// What a worker is doing, in a word.
    pub(crate) fn activity(&self, id: WorkerId) -> &'static str {
        match self.members.get(&id).map(|member| member.activity) {
            Some(Activity::Starting { .. }) | None => "starting",
            Some(Activity::Idle) => "idle",
            Some(Activity::Running(_)) => "running",
        }
    }
}
