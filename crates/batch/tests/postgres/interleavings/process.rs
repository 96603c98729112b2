//! Process of a schedule: a store, its operations, and the inputs that it believes to own.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use podqueue_batch::store::{
    Change, Claim, Commit, Ended, Event, Input, OpenStore, Postgres, PostgresStore, Sharing, Store,
};
use podqueue_batch::{Error, ErrorKind, State};
use podqueue_pgserver::Actor;

use super::model::Model;
use crate::rules::{run, stored};

/// An operation of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    BeginRun,
    Claim(usize),
    /// The first claim was accepted as a job.
    Accept,
    /// The same, in a change that claims as well.
    AcceptAndClaim(usize),
    Refuse,
    NotSent,
    Unknown,
    Seen,
    /// The first job has ended.
    End(bool),
    Recover,
    Renew,
    Release,
    /// Adds an input under the lock, and keeps it or not.
    Add(bool),
    /// Resubmits all that failed or is unknown, under the lock.
    Retry,
    /// Moves all unknown inputs to pending.
    MoveAll,
    /// Moves all inputs that are being submitted to unknown: its own.
    Forget,
    /// Records a submission from before an interruption.
    RecordLate,
    Tally,
}

/// Operations and settings of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub operations: Vec<Operation>,
    /// Interrupted submissions become pending, rather than unknown.
    pub repeats: bool,
    /// It takes every peer for expired, and renews before every read.
    pub recovers: bool,
}

/// A process at work.
pub struct Worker<'a> {
    number: usize,
    store: PostgresStore,
    actor: &'a Actor,
    model: &'a Mutex<Model>,
    run: Option<u64>,
    has_joined: bool,
    claims: Vec<Input>,
    jobs: Vec<Input>,
    /// The inputs that it owned when it was interrupted.
    late: Vec<Input>,
    accepted: usize,
    operation: Operation,
}

type Done<T = ()> = Result<T, Error>;

impl<'a> Worker<'a> {
    /// Opens the batch. `None` if the process is killed meanwhile.
    pub fn open(
        number: usize,
        batch: Postgres,
        script: &Script,
        actor: &'a Actor,
        model: &'a Mutex<Model>,
    ) -> Option<Self> {
        let lease = if script.recovers { Duration::ZERO } else { Duration::from_secs(3_600) };
        let intents = if script.repeats { State::Pending } else { State::Unknown };
        let opened = batch.lease(lease).open().and_then(|mut store| {
            Sharing::identify(&mut store, &format!("results-{number}"), intents)?;
            Ok(store)
        });
        let store = match opened {
            Ok(store) => store,
            Err(_) if actor.is_killed() => return None,
            Err(error) => panic!("{error}"),
        };
        let (claims, jobs, late) = (Vec::new(), Vec::new(), Vec::new());
        let (run, has_joined, accepted, operation) = (None, false, 0, Operation::Recover);
        Some(Self {
            number,
            store,
            actor,
            model,
            run,
            has_joined,
            claims,
            jobs,
            late,
            accepted,
            operation,
        })
    }

    pub fn work(&mut self, operations: &[Operation]) {
        for operation in operations {
            let done = self.join_if_left().and_then(|()| self.execute(*operation));
            if self.actor.is_killed() {
                return;
            }
            if let Err(error) = done {
                self.failed(*operation, &error);
                // As a run does, under its new lease.
                let recorded = self.execute(Operation::RecordLate);
                if let Err(error) = recorded.and_then(|()| self.execute(Operation::RecordLate)) {
                    self.failed(Operation::RecordLate, &error);
                }
            }
        }
    }

    fn violated(&self, what: String) {
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        model.violations.push(format!("process {}: {what}", self.number));
    }

    fn failed(&mut self, operation: Operation, error: &Error) {
        match error.kind() {
            _ if self.actor.is_killed() => {}
            ErrorKind::Interrupted => {
                self.leave();
                self.rejoin();
            }
            // A renewal is not repeated.
            ErrorKind::Unreachable if operation == Operation::Renew => {}
            _ => self.violated(format!("{operation:?} fails: {error}")),
        }
    }

    fn leave(&mut self) {
        self.late.append(&mut self.claims);
        self.late.append(&mut self.jobs);
        self.has_joined = false;
    }

    fn rejoin(&mut self) {
        for _ in 0..20 {
            let rejoined = self.store.rejoin().and_then(|()| self.join());
            match rejoined {
                Err(error) if error.kind() == ErrorKind::Interrupted => self.has_joined = false,
                Err(_) if self.actor.is_killed() => return,
                Err(error) => return self.violated(format!("cannot rejoin: {error}")),
                Ok(()) => return,
            }
        }
        self.violated("is interrupted again and again".to_owned());
    }

    /// Joins, as a run does when it begins.
    fn join(&mut self) -> Done {
        self.store.recover()?;
        self.jobs = self.store.outstanding()?;
        self.has_joined = true;
        Ok(())
    }

    fn join_if_left(&mut self) -> Done {
        if self.has_joined { Ok(()) } else { self.join() }
    }

    /// Compares the inputs that it believes to own with the tables, after a change.
    fn check(&self) {
        let Some(position) = self.store.position() else { return };
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let what = format!("{:?}", self.operation);
        model.check_beliefs(&position, &what, &self.claims, &self.jobs);
    }

    fn execute(&mut self, operation: Operation) -> Done {
        self.operation = operation;
        match operation {
            Operation::BeginRun => self.run = Some(self.store.begin_run(&run())?),
            Operation::Claim(limit) => return self.claim(Vec::new(), limit),
            Operation::AcceptAndClaim(limit) => {
                let Some(input) = self.claims.first().cloned() else { return Ok(()) };
                let change = self.accepted(&input);
                return self.claim(vec![change], limit);
            }
            Operation::Accept => {
                let Some(input) = self.claims.first().cloned() else { return Ok(()) };
                let change = self.accepted(&input);
                return self.change(change);
            }
            Operation::Refuse => return self.change_claim(ended(State::Refused)),
            Operation::NotSent => return self.change_claim(Event::NotSent),
            Operation::Unknown => return self.change_claim(Event::Unknown("why".into())),
            Operation::Seen => return self.change_job(Event::Seen { at: 12 }),
            Operation::End(completes) => {
                let state = if completes { State::Completed } else { State::Failed };
                return self.change_job(ended(state));
            }
            Operation::Recover => {
                let taken = self.store.recover()?;
                let is_new = |input: &Input| self.jobs.iter().all(|job| job.index != input.index);
                let new: Vec<_> = taken.into_iter().filter(is_new).collect();
                self.jobs.extend(new);
                return Ok(());
            }
            Operation::Renew => self.store.renew()?,
            Operation::Release => {
                self.store.release()?;
                self.leave();
                return Ok(());
            }
            Operation::Add(keeps) => {
                self.store.lock()?;
                self.store.add(&[stored("b")], &[])?;
                self.store.unlock(keeps)?;
                if !keeps {
                    // It may have been recovered since.
                    return Ok(());
                }
            }
            Operation::Retry => {
                self.store.lock()?;
                let failed = self.store.inputs(&[State::Unknown, State::Failed], 0, 9)?;
                let resubmit = |it: &Input| Change {
                    index: it.index,
                    attempt: it.attempt,
                    event: Event::Resubmit,
                };
                let changes = failed.iter().map(resubmit).collect();
                self.store.commit(&Commit { changes, ..Commit::default() })?;
                self.store.unlock(true)?;
            }
            Operation::MoveAll => drop(self.store.move_all(&[State::Unknown], State::Pending)?),
            Operation::Forget => {
                self.store.move_all(&[State::Intent], State::Unknown)?;
                self.claims.clear();
            }
            Operation::RecordLate => return self.record_late(),
            Operation::Tally => {
                let counts = self.store.tally()?.counts;
                if counts.total() > 20 {
                    self.violated(format!("a count is negative: {counts:?}"));
                }
                return Ok(());
            }
        }
        self.check();
        Ok(())
    }

    fn accepted(&mut self, input: &Input) -> Change {
        self.accepted += 1;
        let job_id = format!("job-{}-{}", self.number, self.accepted);
        let event = Event::Accepted { job_id, at: 9 };
        Change { index: input.index, attempt: input.attempt, event }
    }

    fn claim(&mut self, changes: Vec<Change>, limit: usize) -> Done {
        let run = match self.run {
            Some(run) => run,
            None => *self.run.insert(self.store.begin_run(&run())?),
        };
        let claim = Some(Claim { limit, bytes: u64::MAX, run, ..Claim::default() });
        let claimed =
            self.store.commit(&Commit { changes: changes.clone(), claim, ..Commit::default() })?;
        self.changed(&changes);
        self.claims.extend(claimed);
        self.check();
        Ok(())
    }

    fn change_claim(&mut self, event: Event) -> Done {
        let Some(input) = self.claims.first().cloned() else { return Ok(()) };
        self.change(Change { index: input.index, attempt: input.attempt, event })
    }

    fn change_job(&mut self, event: Event) -> Done {
        let Some(input) = self.jobs.first().cloned() else { return Ok(()) };
        self.change(Change { index: input.index, attempt: input.attempt, event })
    }

    fn change(&mut self, change: Change) -> Done {
        self.store.commit(&Commit { changes: vec![change.clone()], ..Commit::default() })?;
        self.changed(&[change]);
        self.check();
        Ok(())
    }

    /// Updates the inputs that it believes to own.
    fn changed(&mut self, changes: &[Change]) {
        for Change { index, attempt, event } in changes {
            let is_it = |input: &mut Input| input.index == *index && input.attempt == *attempt;
            match event {
                Event::Accepted { job_id, .. } => {
                    let known = [&mut self.claims, &mut self.late];
                    let found =
                        known.into_iter().find_map(|them| them.extract_if(.., is_it).next());
                    let job_id = Some(job_id.clone());
                    self.jobs.extend(found.map(|input| Input { job_id, ..input }));
                }
                Event::Seen { .. } => {}
                _ => {
                    self.claims.retain_mut(|input| !is_it(input));
                    self.jobs.retain_mut(|input| !is_it(input));
                }
            }
        }
    }

    /// Records a submission from before an interruption, which takes effect unless the input has
    /// changed since.
    fn record_late(&mut self) -> Done {
        let Some(input) = self.late.first().cloned() else { return Ok(()) };
        let change = match input.job_id {
            None => self.accepted(&input),
            Some(_) => Change {
                index: input.index,
                attempt: input.attempt,
                event: ended(State::Completed),
            },
        };
        let recorded = self.change(change);
        let is_it = |it: &Input| (it.index, it.attempt) == (input.index, input.attempt);
        self.late.retain(|it| !is_it(it));
        match recorded {
            Err(error) if error.kind() == ErrorKind::Journal && !self.actor.is_killed() => Ok(()),
            recorded => recorded,
        }
    }
}

pub fn ended(state: State) -> Event {
    Event::Ended(Ended { state, error: None, delay_ms: None, execution_ms: Some(20.0) })
}
