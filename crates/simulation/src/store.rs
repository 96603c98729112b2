//! Shared store in memory: the journal of a simulation, and the model of its rules.
//!
//! It is written from the documentation of the traits, not from the stores of `podqueue-batch`, and
//! passes the test suite that all stores share. It
//! refuses invalid transitions, records who owned which input when, and reports what no process may
//! do. A process has a lease of [`LEASE`]; its peers observe its last change by their own clock.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use podqueue_batch::store::{
    Change, Charge, Claim, Commit, Ended, Event, Input, NewInput, Note, OpenStore, Outage,
    RunRecord, Sharing, Store, Tally, TextLocation,
};
use podqueue_batch::{Counts, Error, ErrorKind, Result, State};
use tokio::time::{Instant, sleep, sleep_until};

use crate::trace::Trace;
use crate::virtual_time;

/// The time without a change after which a process can be recovered.
pub(crate) const LEASE: Duration = Duration::from_secs(9);

/// The time for which an unreachable store is waited for.
const OUTAGE_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// Interval at which an unreachable store is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// An input and its owner.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) input: Input,
    pub(crate) owner: Option<u64>,
    /// The results of the process that ended it.
    results: Option<String>,
    charge: Charge,
}

#[derive(Clone, Debug)]
struct Process {
    results: String,
    last_change: u64,
    changed_at: Instant,
    has_left: bool,
}

/// State of the database, which a transaction can roll back.
#[derive(Clone, Default)]
struct Tables {
    rows: Vec<Row>,
    /// By the results that they are about; those of the batch have none.
    notes: BTreeMap<(String, String), String>,
    runs: Vec<RunRecord>,
    processes: BTreeMap<u64, Process>,
    last_process: u64,
    /// The sums, without the counts.
    spent: Tally,
}

type Judge = dyn Fn(&Input, State) + Send + Sync;

/// The database.
#[derive(Clone)]
pub(crate) struct Database {
    tables: Arc<Mutex<Tables>>,
    trace: Trace,
    /// Until when no process reaches it.
    down_until: Arc<Mutex<Option<Instant>>>,
    /// Judges the end of an input, and is told that one becomes pending again.
    judge: Arc<Judge>,
}

/// The faults of a process. A clone is of the same process.
#[derive(Clone, Default)]
pub(crate) struct ProcessFaults(Arc<Mutex<FaultState>>);

#[derive(Default)]
struct FaultState {
    is_dead: bool,
    stopped_until: Option<Instant>,
    cut_off_until: Option<Instant>,
    /// The next commit takes effect, and the process learns that its lease was lost.
    loses_response: bool,
}

impl ProcessFaults {
    fn state(&self) -> MutexGuard<'_, FaultState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn kill(&self) {
        self.state().is_dead = true;
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// Stops the process: it writes nothing, and its links pass nothing.
    pub(crate) fn stop(&self, time: Duration) {
        self.state().stopped_until = Some(Instant::now() + time);
    }

    /// Cuts the process off from the store alone.
    pub(crate) fn cut_off(&self, time: Duration) {
        self.state().cut_off_until = Some(Instant::now() + time);
    }

    pub(crate) fn lose_response(&self) {
        self.state().loses_response = true;
    }

    pub(crate) fn stopped_until(&self) -> Option<Instant> {
        self.state().stopped_until.filter(|until| *until > Instant::now())
    }

    fn cut_off_until(&self) -> Option<Instant> {
        self.state().cut_off_until.filter(|until| *until > Instant::now())
    }
}

impl Database {
    pub(crate) fn new(trace: Trace, judge: impl Fn(&Input, State) + Send + Sync + 'static) -> Self {
        let (tables, down_until) = (Arc::default(), Arc::default());
        Self { tables, trace, down_until, judge: Arc::new(judge) }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn down(&self, time: Duration) {
        let until = Some(Instant::now() + time);
        *self.down_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn down_until(&self) -> Option<Instant> {
        let until = *self.down_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.filter(|until| *until > Instant::now())
    }

    /// Returns true if the process is alive, and nothing is between it and the database.
    pub(crate) fn is_reached_by(&self, life: &ProcessFaults) -> bool {
        !life.is_dead() && self.down_until().is_none() && life.cut_off_until().is_none()
    }

    /// Returns true if a process that lives could reach the database for this time.
    pub(crate) fn was_reached_by(&self, life: &ProcessFaults, time: Duration) -> bool {
        let state = life.state();
        let down_until = *self.down_until.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = [down_until, state.cut_off_until, state.stopped_until];
        ends.into_iter().flatten().all(|until| until + time <= Instant::now())
    }

    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    pub(crate) fn rows(&self) -> Vec<Row> {
        self.tables().rows.clone()
    }
}

/// Opens the store for one process.
pub(crate) struct Opener {
    pub(crate) database: Database,
    pub(crate) life: ProcessFaults,
}

impl OpenStore for Opener {
    type Store = MemoryStore;

    fn is_new(&self) -> Result<bool> {
        Ok(self.database.tables().rows.is_empty())
    }

    fn open(self) -> Result<MemoryStore> {
        virtual_time::wake();
        let store = self.inspect()?;
        store.reach()?;
        Ok(store)
    }

    fn inspect(&self) -> Result<MemoryStore> {
        Ok(MemoryStore {
            database: self.database.clone(),
            life: self.life.clone(),
            results: String::new(),
            intents: State::Unknown,
            process: None,
            is_interrupted: false,
            silent: BTreeMap::new(),
            observed: None,
            before: None,
            outage: Outage::default(),
        })
    }
}

/// The store, as one process sees it.
pub(crate) struct MemoryStore {
    database: Database,
    life: ProcessFaults,
    results: String,
    intents: State,
    process: Option<u64>,
    is_interrupted: bool,
    /// The last change of each peer, and the time for which it has not changed.
    silent: BTreeMap<u64, (u64, Duration)>,
    observed: Option<Instant>,
    /// The tables before the transaction of `lock`.
    before: Option<Tables>,
    outage: Outage,
}

fn error(kind: ErrorKind, what: &str) -> Error {
    Error::of_store(kind, format!("the simulated store: {what}"))
}

fn lease_lost() -> Error {
    error(ErrorKind::Interrupted, "the lease was lost")
}

impl MemoryStore {
    fn reach(&self) -> Result<()> {
        if self.life.is_dead() {
            return Err(error(ErrorKind::Journal, "the process is dead"));
        }
        if !self.database.is_reached_by(&self.life) {
            return Err(error(ErrorKind::Unreachable, "it cannot be reached"));
        }
        Ok(())
    }

    fn join(&mut self) -> Result<()> {
        self.reach()?;
        let mut tables = self.database.tables();
        tables.last_process += 1;
        let (id, results) = (tables.last_process, self.results.clone());
        let process =
            Process { results, last_change: 0, changed_at: Instant::now(), has_left: false };
        tables.processes.insert(id, process);
        drop(tables);
        self.database.trace.note(format_args!("process {id} joins"));
        self.process = Some(id);
        self.recover().map(drop)
    }

    /// Writes in one transaction, unless the lease was lost.
    fn write<T>(&mut self, work: impl FnOnce(&mut Tables, u64) -> Result<T>) -> Result<T> {
        self.reach()?;
        if self.is_interrupted {
            return Err(lease_lost());
        }
        if self.process.is_none() {
            self.join()?;
        }
        let id = self.process.unwrap_or_default();
        let mut tables = self.database.tables();
        let Some(process) = tables.processes.get_mut(&id) else {
            drop(tables);
            self.is_interrupted = true;
            self.before = None;
            self.process = None;
            return Err(lease_lost());
        };
        process.last_change += 1;
        (process.changed_at, process.has_left) = (Instant::now(), false);
        let done = work(&mut tables, id);
        drop(tables);
        let loses = self.before.is_none() && std::mem::take(&mut self.life.state().loses_response);
        if loses && done.is_ok() {
            self.database.trace.note(format_args!("process {id} loses a response of the store"));
            self.is_interrupted = true;
            self.process = None;
            return Err(lease_lost());
        }
        done
    }

    fn read<T>(&mut self, work: impl FnOnce(&Tables) -> T) -> Result<T> {
        self.reach()?;
        self.renew_if_due()?;
        Ok(work(&self.database.tables()))
    }

    /// Renews the lease before a read: a process that reads often is never idle.
    fn renew_if_due(&mut self) -> Result<()> {
        let Some(id) = self.process else { return Ok(()) };
        let is_recent =
            |process: &Process| process.changed_at.elapsed() < Sharing::renew_every(self);
        let is_due = !self.database.tables().processes.get(&id).is_some_and(is_recent);
        if is_due { Sharing::renew(self) } else { Ok(()) }
    }

    fn find(
        &mut self,
        from: u64,
        limit: usize,
        is_found: impl Fn(&Row) -> bool,
    ) -> Result<Vec<Input>> {
        self.read(|tables| {
            let rows = tables.rows.iter().skip(usize::try_from(from).unwrap_or(usize::MAX));
            let found = rows.filter(|row| is_found(row)).take(limit);
            found.map(|row| row.input.clone()).collect()
        })
    }

    /// The peers that can be recovered.
    fn expired(&mut self) -> Vec<u64> {
        let now = Instant::now();
        let passed = self.observed.replace(now).map_or(Duration::ZERO, |before| now - before);
        // A process that was stopped itself has seen nothing meanwhile.
        let passed = passed.min(LEASE / 4);
        let tables = self.database.tables();
        let peers = tables.processes.iter().filter(|(id, _)| Some(**id) != self.process);
        let before = std::mem::take(&mut self.silent);
        let mut expired = Vec::new();
        for (id, peer) in peers {
            let silent = match before.get(id) {
                Some((change, silent)) if *change == peer.last_change => *silent + passed,
                _ => Duration::ZERO,
            };
            self.silent.insert(*id, (peer.last_change, silent));
            if peer.has_left || peer.results == self.results || silent >= LEASE {
                expired.push(*id);
            }
        }
        expired
    }
}

impl Store for MemoryStore {
    fn note(&mut self, name: &str) -> Result<Option<String>> {
        self.read(|tables| tables.notes.get(&(String::new(), name.to_owned())).cloned())
    }

    fn own_note(&mut self, name: &str) -> Result<Option<String>> {
        let key = (self.results.clone(), name.to_owned());
        self.read(|tables| tables.notes.get(&key).cloned())
    }

    fn request(&mut self, notes: &[Note]) -> Result<()> {
        self.reach()?;
        set_notes(&mut self.database.tables(), "", notes);
        Ok(())
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        Some(self)
    }

    fn add(&mut self, inputs: &[NewInput], notes: &[Note]) -> Result<()> {
        self.write(|tables, _| {
            for new in inputs {
                let index = tables.rows.len() as u64;
                let NewInput { line, location, digest, same_as, rejection } = new.clone();
                let input = Input {
                    index,
                    line,
                    location,
                    digest,
                    same_as,
                    rejection,
                    state: State::Pending,
                    attempt: 0,
                    run: None,
                    job_id: None,
                    submitted_at: None,
                    seen_at: None,
                    error: None,
                };
                tables.rows.push(Row {
                    input,
                    owner: None,
                    results: None,
                    charge: Charge::default(),
                });
            }
            set_notes(tables, "", notes);
            Ok(())
        })
    }

    fn replace(&mut self, inputs: &[(u64, NewInput)]) -> Result<()> {
        self.write(|tables, _| {
            for (index, new) in inputs {
                let row = row_mut(tables, *index)?;
                let NewInput { line, location, digest, same_as, rejection } = new.clone();
                (row.input.line, row.input.location, row.input.digest) = (line, location, digest);
                (row.input.same_as, row.input.rejection) = (same_as, rejection);
            }
            Ok(())
        })
    }

    fn begin_run(&mut self, run: &RunRecord) -> Result<u64> {
        self.write(|tables, _| {
            tables.runs.push(run.clone());
            Ok(tables.runs.len() as u64)
        })
    }

    fn runs(&mut self) -> Result<Vec<(u64, RunRecord)>> {
        self.read(|tables| (1..).zip(tables.runs.iter().cloned()).collect())
    }

    fn commit(&mut self, commit: &Commit) -> Result<Vec<Input>> {
        let (results, trace) = (self.results.clone(), self.database.trace.clone());
        let judge = Arc::clone(&self.database.judge);
        self.write(|tables, process| {
            let (mut before, spent) = (Vec::new(), tables.spent);
            for change in &commit.changes {
                before.push(row_mut(tables, change.index)?.clone());
                let changed = change_input(tables, change, process, &results, &trace, &*judge);
                if let Err(error) = changed {
                    tables.spent = spent;
                    for row in before.into_iter().rev() {
                        let index = row.input.index;
                        *row_mut(tables, index)? = row;
                    }
                    return Err(error);
                }
            }
            set_notes(tables, &results, &commit.notes);
            Ok(match commit.claim {
                Some(claim) => claim_next(tables, claim, process, &trace),
                None => Vec::new(),
            })
        })
    }

    fn move_all(&mut self, from: &[State], to: State) -> Result<u64> {
        self.write(|tables, process| {
            let mut moved = 0;
            for row in &mut tables.rows {
                let is_ours = row.owner.is_none_or(|owner| owner == process);
                if is_ours && from.contains(&row.input.state) {
                    (row.input.state, row.owner) = (to, None);
                    if to == State::Pending {
                        row.input.error = None;
                        row.charge.charged_ms = 0.0;
                    }
                    moved += 1;
                }
            }
            Ok(moved)
        })
    }

    fn tally(&mut self) -> Result<Tally> {
        self.read(|tables| Tally {
            counts: Counts::of_states(tables.rows.iter().map(|row| row.input.state)),
            ..tables.spent
        })
    }

    fn inputs(&mut self, states: &[State], from: u64, limit: usize) -> Result<Vec<Input>> {
        self.find(from, limit, |row| states.contains(&row.input.state))
    }

    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>> {
        // All runs of a simulation are of one endpoint.
        let is_it =
            |row: &Row| row.input.index != index && row.input.job_id.as_deref() == Some(job_id);
        Ok(self.find(0, 1, is_it)?.pop().map(|input| input.index))
    }

    fn copies(&mut self, index: u64) -> Result<Vec<Input>> {
        self.find(0, usize::MAX, |row| row.input.same_as == Some(index))
    }

    fn response(&mut self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        virtual_time::wake();
        let (life, database, outage) =
            (self.life.clone(), self.database.clone(), self.outage.clone());
        let latency = self.database.trace.random(|random| match random.u32(..50) {
            0 => random.u64(20_000..1_500_000),
            _ => random.u64(300..4_000),
        });
        Some(Box::pin(async move {
            sleep(Duration::from_micros(latency)).await;
            while !life.is_dead() {
                if let Some(until) = life.stopped_until() {
                    sleep_until(until).await;
                } else if !database.is_reached_by(&life) {
                    if !outage.failed("the store cannot be reached".to_owned(), OUTAGE_TIMEOUT) {
                        return;
                    }
                    sleep(RETRY).await;
                } else {
                    outage.ended();
                    return;
                }
            }
        }))
    }
}

fn set_notes(tables: &mut Tables, results: &str, notes: &[Note]) {
    for (name, text) in notes {
        tables.notes.insert((results.to_owned(), (*name).to_owned()), text.clone());
    }
}

fn row_mut(tables: &mut Tables, index: u64) -> Result<&mut Row> {
    let row = usize::try_from(index).ok().and_then(|index| tables.rows.get_mut(index));
    row.ok_or_else(|| error(ErrorKind::Journal, "there is no such input"))
}

/// The transitions that the state diagram has.
fn is_valid(event: &Event, state: State) -> bool {
    use State::{Expired, Failed, Intent, Lost, Pending, Submitted, TimedOut, Unknown};
    match (event, state) {
        (Event::NotSent, Intent | Unknown)
        | (Event::Unknown(_), Intent)
        | (Event::Seen { .. }, Submitted)
        | (Event::Accepted { .. }, Intent | Unknown | Failed | TimedOut)
        | (Event::Ended(_), Pending | Intent | Submitted | Unknown) => true,
        (Event::Resubmit, state) => matches!(state, Intent | Unknown) || state.is_failure(),
        (Event::Ended(ended), Expired | Lost) => ended.state == State::Completed,
        _ => false,
    }
}

fn change_input(
    tables: &mut Tables,
    change: &Change,
    process: u64,
    results: &str,
    trace: &Trace,
    judge: &Judge,
) -> Result<()> {
    let Change { index, attempt, event } = change;
    let row = row_mut(tables, *index)?;
    let is_ours = row.owner.is_none_or(|owner| owner == process);
    if row.input.attempt != *attempt || !is_valid(event, row.input.state) || !is_ours {
        let (state, is) = (row.input.state, row.input.attempt);
        trace.violated(format_args!(
            "process {process} records {event:?} of input {index}, attempt {attempt}, which is {state} in attempt {is}, owned by {:?}",
            row.owner
        ));
        return Err(error(ErrorKind::Journal, "the transition is invalid"));
    }
    let charged = row.charge.apply(event, row.input.state);
    let input = &mut row.input;
    let mut times = (0.0, 0.0);
    let name = match event {
        Event::NotSent => {
            input.attempt -= 1;
            (input.state, row.owner, input.error) = (State::Pending, None, None);
            "not sent"
        }
        Event::Resubmit => {
            judge(input, State::Pending);
            (input.job_id, input.seen_at, input.error) = (None, None, None);
            (input.state, row.owner, row.results) = (State::Pending, None, None);
            "resubmitted"
        }
        Event::Accepted { job_id, at } => {
            (input.job_id, input.submitted_at) = (Some(job_id.clone()), Some(*at));
            (input.seen_at, input.error, row.results) = (None, None, None);
            (input.state, row.owner) = (State::Submitted, Some(process));
            "accepted"
        }
        Event::Unknown(why) => {
            (input.state, row.owner, input.error) = (State::Unknown, None, Some(why.clone()));
            "unknown"
        }
        Event::Seen { at } => {
            input.seen_at = Some(*at);
            return Ok(());
        }
        Event::Ended(Ended { state, error, delay_ms, execution_ms }) => {
            judge(input, *state);
            (input.state, row.owner, input.error) = (*state, None, error.clone());
            row.results = Some(results.to_owned());
            times = (execution_ms.unwrap_or_default(), delay_ms.unwrap_or_default());
            state.as_str()
        }
    };
    trace.note(format_args!("process {process}: input {index}.{attempt} is {name}"));
    tables.spent.execution_ms += times.0;
    tables.spent.delay_ms += times.1;
    tables.spent.squares_ms += times.0 * times.0;
    tables.spent.charged_ms += charged;
    let is_timed =
        matches!(event, Event::Ended(Ended { execution_ms, .. }) if execution_ms.is_some());
    tables.spent.timed += u64::from(is_timed);
    Ok(())
}

fn claim_next(tables: &mut Tables, claim: Claim, process: u64, trace: &Trace) -> Vec<Input> {
    let (mut bytes, mut claimed) = (0, Vec::new());
    let limit = claim.limit_within(tables.spent.charged_ms);
    let is_pending =
        |row: &&mut Row| row.input.state == State::Pending && row.input.same_as.is_none();
    for row in tables.rows.iter_mut().filter(is_pending) {
        let is_full = claimed.len() >= limit || bytes >= claim.bytes;
        if !claimed.is_empty() && is_full || limit == 0 {
            break;
        }
        bytes += match &row.input.location {
            TextLocation::File { length, .. } => *length,
            TextLocation::Stored(text) => text.len() as u64,
        };
        (row.input.state, row.owner) = (State::Intent, Some(process));
        (row.input.attempt, row.input.run) = (row.input.attempt + 1, Some(claim.run));
        row.charge = Charge { reserve_ms: claim.reserve_ms, charged_ms: claim.reserve_ms };
        tables.spent.charged_ms += claim.reserve_ms;
        trace.note(format_args!(
            "process {process} claims input {}.{}",
            row.input.index, row.input.attempt
        ));
        claimed.push(row.input.clone());
    }
    trace.count(|figures| figures.claims += claimed.len() as u64);
    claimed
}

impl Sharing for MemoryStore {
    fn identify(&mut self, results: &str, intents: State) -> Result<()> {
        self.reach()?;
        results.clone_into(&mut self.results);
        self.intents = intents;
        Ok(())
    }

    fn position(&self) -> Option<String> {
        None
    }

    fn check_position(&mut self, _: &str) -> Result<()> {
        Ok(())
    }

    fn rejoin(&mut self) -> Result<()> {
        self.is_interrupted = false;
        self.process = None;
        self.join()
    }

    fn recover(&mut self) -> Result<Vec<Input>> {
        self.reach()?;
        let Some(own) = self.process else {
            if self.is_interrupted {
                return Err(lease_lost());
            }
            self.join()?;
            return Sharing::outstanding(self);
        };
        let expired = self.expired();
        if expired.is_empty() {
            return Ok(Vec::new());
        }
        let (intents, trace, results) =
            (self.intents, self.database.trace.clone(), self.results.clone());
        self.write(|tables, process| {
            let mut recovered = BTreeSet::new();
            for id in expired {
                let Some(peer) = tables.processes.remove(&id) else { continue };
                let age = peer.changed_at.elapsed();
                trace.note(format_args!("process {own} recovers process {id}"));
                trace.count(|figures| figures.recoveries += 1);
                if !peer.has_left && peer.results != results && age < LEASE {
                    trace.violated(format_args!("process {id} was recovered within its lease"));
                }
                recovered.insert(id);
            }
            let mut outstanding = Vec::new();
            for row in &mut tables.rows {
                if !row.owner.is_some_and(|owner| recovered.contains(&owner)) {
                    continue;
                }
                match row.input.state {
                    State::Intent => {
                        (row.input.state, row.owner, row.input.error) = (intents, None, None);
                        if intents == State::Pending {
                            row.charge.charged_ms = 0.0;
                        }
                    }
                    State::Submitted => {
                        row.owner = Some(process);
                        outstanding.push(row.input.clone());
                    }
                    _ => {}
                }
            }
            Ok(outstanding)
        })
    }

    fn outstanding(&mut self) -> Result<Vec<Input>> {
        let own = self.process;
        let is_it =
            |row: &Row| own.is_some() && row.owner == own && row.input.state == State::Submitted;
        self.find(0, usize::MAX, is_it)
    }

    fn owns(&mut self, index: u64) -> Result<bool> {
        let own = self.process;
        let is_it = |row: &Row| own.is_some() && row.owner == own && row.input.index == index;
        Ok(!self.find(0, 1, is_it)?.is_empty())
    }

    fn peers(&mut self, at_work: bool) -> Result<u64> {
        let own = self.process;
        self.read(|tables| {
            let peers = tables.processes.iter().filter(|(id, _)| Some(**id) != own);
            let counted = peers.filter(|(_, peer)| {
                !peer.has_left && (!at_work || peer.changed_at.elapsed() < LEASE)
            });
            counted.count() as u64
        })
    }

    fn outage(&self) -> Outage {
        self.outage.clone()
    }

    fn renew_every(&self) -> Duration {
        LEASE / 4
    }

    fn renew(&mut self) -> Result<()> {
        if self.process.is_none() || self.before.is_some() {
            return Ok(());
        }
        self.write(|_, _| Ok(()))
    }

    fn release(&mut self) -> Result<()> {
        self.reach()?;
        if let Some(process) = self.process {
            if let Some(process) = self.database.tables().processes.get_mut(&process) {
                process.has_left = true;
            }
            self.database.trace.note(format_args!("process {process} leaves"));
        }
        self.process = None;
        Ok(())
    }

    fn report_loss(&mut self) -> Result<()> {
        self.database.trace.violated(format_args!("a loss of changes was reported"));
        Ok(())
    }

    fn accepts_loss(&self) -> bool {
        false
    }

    fn check_loss(&mut self) -> Result<()> {
        Ok(())
    }

    fn accept_loss(&mut self) -> Result<()> {
        Ok(())
    }

    fn time(&mut self) -> Result<u64> {
        // The caller follows this time on its monotonic clock.
        virtual_time::wake();
        self.reach()?;
        Ok(virtual_time::unix_ms())
    }

    fn own_notes(&mut self, name: &str, at_work: bool) -> Result<Vec<String>> {
        self.read(|tables| {
            let is_at_work = |results: &str| {
                let mut processes = tables.processes.values();
                processes.any(|it| it.results == results && it.changed_at.elapsed() < LEASE)
            };
            let named =
                tables.notes.iter().filter(|((_, found), text)| found == name && !text.is_empty());
            let found = named.filter(|((results, _), _)| !at_work || is_at_work(results));
            found.map(|(_, text)| text.clone()).collect()
        })
    }

    fn failures(&mut self, from: u64, limit: usize) -> Result<Vec<Input>> {
        let results = self.results.clone();
        self.find(from, limit, |row| {
            row.results.as_deref() == Some(&results) && row.input.state.is_failure()
        })
    }

    fn lock(&mut self) -> Result<()> {
        self.write(|_, _| Ok(()))?;
        self.before = Some(self.database.tables().clone());
        Ok(())
    }

    fn unlock(&mut self, keep: bool) -> Result<()> {
        let Some(before) = self.before.take() else { return Ok(()) };
        if !keep {
            *self.database.tables() = before;
        }
        Ok(())
    }
}

impl Drop for MemoryStore {
    /// Gives up the lease, if the process is alive.
    fn drop(&mut self) {
        let _ = self.release();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "the tests of every store")]
#[path = "../../batch/tests/batch/store/rules.rs"]
mod rules;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::fs;
    use std::time::Duration;

    use podqueue::Client;
    use podqueue_batch::store::{OpenStore, Sharing};
    use podqueue_batch::{Batch, Inputs, State};
    use podqueue_local::{LocalJob, LocalService};
    use tokio::time::sleep;

    use super::rules::{
        a_claim_ends_where_its_bytes_do, a_commit_takes_effect_as_a_whole_or_not_at_all,
        an_input_passes_through_its_states, claims_stay_within_the_bound_of_all_charges,
        copies_are_not_claimed, inputs_are_listed_page_by_page,
    };
    use super::{Database, LEASE, Opener, ProcessFaults, Trace};

    fn in_memory(test: impl Fn(&dyn Fn() -> Opener)) {
        let database = Database::new(Trace::new(0, false), |_, _| ());
        test(&|| Opener { database: database.clone(), life: ProcessFaults::default() });
    }

    #[test]
    fn the_simulated_store_passes_the_test_suite_of_stores() {
        in_memory(|open| an_input_passes_through_its_states(open));
        in_memory(|open| a_commit_takes_effect_as_a_whole_or_not_at_all(open));
        in_memory(|open| a_claim_ends_where_its_bytes_do(open));
        in_memory(|open| copies_are_not_claimed(open));
        in_memory(|open| claims_stay_within_the_bound_of_all_charges(open));
        in_memory(|open| inputs_are_listed_page_by_page(open));
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_rejoins_if_its_lease_was_lost_before_it_began() {
        let database = Database::new(Trace::new(0, false), |_, _| ());
        let opener =
            |life: &ProcessFaults| Opener { database: database.clone(), life: life.clone() };
        let local = LocalService::builder()
            .endpoint("echo", |job: LocalJob| async move { Ok(job.input.clone()) })
            .start()
            .await
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let inputs = folder.path().join("inputs.jsonl");
        fs::write(&inputs, "{}\n").unwrap();
        let life = ProcessFaults::default();
        let batch = Batch::open(opener(&life))
            .inputs(Inputs::jsonl(inputs))
            .results(folder.path().join("results.jsonl"))
            .await
            .unwrap();

        let client =
            Client::builder().api_key(local.api_key()).base_url(local.base_url()).build().unwrap();
        life.stop(3 * LEASE);
        let run = tokio::spawn(batch.run(client.endpoint("echo")));
        sleep(Duration::ZERO).await;
        let mut peer = opener(&ProcessFaults::default()).open().unwrap();
        peer.identify("peer", State::Unknown).unwrap();
        for _ in 0..8 {
            peer.recover().unwrap();
            sleep(LEASE / 4).await;
        }
        assert_eq!(Sharing::peers(&mut peer, false).unwrap(), 0, "it was recovered");

        let ended = tokio::time::timeout(Duration::from_secs(300), run).await;
        let report = ended.unwrap().unwrap().unwrap();
        assert_eq!((report.interrupted, report.counts.of(State::Completed)), (1, 1));
    }
}
