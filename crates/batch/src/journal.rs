//! Journal thread: one thread that writes journal and results, with group commit.
//!
//! Changes wait for up to [`LINGER`], so that further changes are committed with them. The order
//! makes a batch durable: the lines of results are synced before the states of their inputs are
//! committed, and the length of the results is committed together with these states. Invariant: a
//! committed state has its line in the file; lines of a commit that did not happen are beyond that
//! length, and recovered or cut off when the batch is next opened. Checked by
//! `each_step_is_durable_before_the_next_one`.

mod state;

#[cfg(test)]
mod tests {
    #[cfg(shuttle)]
    mod threads;
}

pub(crate) use state::{Claimed, JournalState, Settled};

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::convert::Infallible;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::error::{Error, ErrorKind, Result};
use crate::store::{Change, Claim, Event, Outage};
use crate::sync::Mutex;
#[cfg(feature = "unstable-store")]
use crate::sync::mpsc::TryRecvError;
use crate::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use crate::sync::thread::{self, JoinHandle};

/// Longest wait of a change for further changes to be committed with it. A claim does not wait.
const LINGER: Duration = Duration::from_millis(10);

/// Timeout of closing a shared store.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Largest number of commands in a group.
const MAX_GROUP: usize = 1_000;

enum Command {
    Commit(PendingCommit),
    With(Box<dyn FnOnce(&mut JournalState) + Send>),
}

/// A commit, and its waiter. A commit that claims inputs changes none.
struct PendingCommit {
    settled: Vec<Settled>,
    claim: Option<Claim>,
    reply: oneshot::Sender<Result<CommitOutcome>>,
}

/// Result of a commit.
#[derive(Default)]
struct CommitOutcome {
    claimed: Vec<Claimed>,
    /// True if nothing was claimed because the budget has no room for another input.
    is_out_of_budget: bool,
    /// The input that has the job that was to be recorded: nothing was committed.
    holder: Option<u64>,
}

/// A handle to the thread. Dropping it closes the journal.
pub(crate) struct Journal {
    commands: Option<Sender<Command>>,
    thread: Option<JoinHandle<()>>,
    /// Disconnected once the thread has ended.
    at_work: Mutex<Receiver<Infallible>>,
    /// The outage of a shared store.
    outage: Option<Outage>,
    /// Wakes the task that stands in for the thread in a simulation.
    #[cfg(feature = "unstable-store")]
    task: Option<std::sync::Arc<tokio::sync::Notify>>,
}

impl Journal {
    pub(crate) fn start(mut state: JournalState) -> Result<Self> {
        let (commands, received) = channel();
        let (ends, at_work) = channel();
        let outage = state.store().sharing().map(|sharing| sharing.outage());
        #[cfg(feature = "unstable-store")]
        if state.store().response().is_some() {
            let task = std::sync::Arc::new(tokio::sync::Notify::new());
            tokio::spawn(work_in_task(state, received, std::sync::Arc::clone(&task)));
            let task = Some(task);
            let (commands, at_work) = (Some(commands), Mutex::new(at_work));
            return Ok(Self { commands, thread: None, at_work, outage, task });
        }
        let thread = thread::Builder::new().name("podqueue-batch".to_owned());
        let run = move || {
            work(state, &received);
            drop(ends);
        };
        let thread = thread.spawn(run).map_err(|error| {
            let message = format!("could not start the journal's thread: {error}");
            Error::new(ErrorKind::Journal, message).with_source(error)
        })?;
        let (commands, thread) = (Some(commands), Some(thread));
        Ok(Self {
            commands,
            thread,
            at_work: Mutex::new(at_work),
            outage,
            #[cfg(feature = "unstable-store")]
            task: None,
        })
    }

    /// Makes changes durable.
    pub(crate) async fn apply(&self, settled: Vec<Settled>) -> Result<()> {
        self.commit(settled, None).await.map(drop)
    }

    /// Records the outcome of a submission. If the job belongs to another input, nothing is
    /// recorded, and that input is returned.
    pub(crate) async fn record_submission(&self, change: Change) -> Result<Option<u64>> {
        let settled = vec![Settled { change, completed: None }];
        Ok(self.commit(settled, None).await?.holder)
    }

    /// Records the intent to submit the next pending inputs. `None` if the budget has no room for
    /// any.
    pub(crate) async fn claim(&self, claim: Claim) -> Result<Option<Vec<Claimed>>> {
        let outcome = self.commit(Vec::new(), Some(claim)).await?;
        Ok((!outcome.is_out_of_budget).then_some(outcome.claimed))
    }

    async fn commit(&self, settled: Vec<Settled>, claim: Option<Claim>) -> Result<CommitOutcome> {
        let (reply, done) = oneshot::channel();
        self.send(Command::Commit(PendingCommit { settled, claim, reply }))?;
        done.await.map_err(|_| ended())?
    }

    /// Executes a function on the journal thread, after the commands before it.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut JournalState) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, done) = oneshot::channel();
        self.send(Command::With(Box::new(move |state| {
            let _ = reply.send(work(state));
        })))?;
        done.await.map_err(|_| ended())?
    }

    fn send(&self, command: Command) -> Result<()> {
        let sent = self.commands.as_ref().is_some_and(|to| to.send(command).is_ok());
        #[cfg(feature = "unstable-store")]
        self.task.iter().for_each(|task| task.notify_one());
        if sent { Ok(()) } else { Err(ended()) }
    }
}

fn ended() -> Error {
    Error::new(ErrorKind::Journal, "the journal's thread has ended unexpectedly")
}

impl Drop for Journal {
    /// Waits for the commit in progress, so that the journal can be opened again at once. An
    /// unreachable shared store is waited for briefly: then the thread is detached, and gives up by
    /// itself.
    fn drop(&mut self) {
        drop(self.commands.take());
        #[cfg(feature = "unstable-store")]
        self.task.iter().for_each(|task| task.notify_one());
        if let Some(outage) = &self.outage {
            outage.set_shortened(true);
            let at_work = self.at_work.get_mut().unwrap_or_else(PoisonError::into_inner);
            if let Err(RecvTimeoutError::Timeout) = at_work.recv_timeout(CLOSE_TIMEOUT) {
                return;
            }
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(mut state: JournalState, commands: &Receiver<Command>) {
    let mut next = None;
    while let Some(command) = next.take().or_else(|| receive(&mut state, commands)) {
        match command {
            Command::With(work) => work(&mut state),
            Command::Commit(first) => {
                let (group, other) = gather(first, commands, LINGER);
                next = other;
                commit(&mut state, group);
            }
        }
    }
}

/// The work of the thread as a task, for a simulation in virtual time: a thread would wait in real
/// time, and a paused clock would run ahead of it. It waits on tokio's clock for the next command, for the
/// commits that join a group, and for the response of the store.
#[cfg(feature = "unstable-store")]
async fn work_in_task(
    mut state: JournalState,
    commands: Receiver<Command>,
    woken: std::sync::Arc<tokio::sync::Notify>,
) {
    let idle = Duration::from_secs(60);
    let every = state.store().sharing().map_or(idle, |sharing| sharing.renew_every());
    let mut next = None;
    loop {
        let command = match next.take().map_or_else(|| commands.try_recv(), Ok) {
            Ok(command) => command,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                if tokio::time::timeout(every, woken.notified()).await.is_err() {
                    respond(&mut state).await;
                    state.renew();
                }
                continue;
            }
        };
        match command {
            Command::With(work) => {
                respond(&mut state).await;
                work(&mut state);
            }
            Command::Commit(first) => {
                if first.claim.is_none() {
                    tokio::time::sleep(LINGER).await;
                }
                let (group, other) = gather(first, &commands, Duration::ZERO);
                next = other;
                respond(&mut state).await;
                commit(&mut state, group);
            }
        }
    }
}

/// Waits until the store of a simulation responds.
#[cfg(feature = "unstable-store")]
async fn respond(state: &mut JournalState) {
    if let Some(response) = state.store().response() {
        response.await;
    }
}

/// The next command. Renews the lease until it comes.
fn receive(state: &mut JournalState, commands: &Receiver<Command>) -> Option<Command> {
    let Some(every) = state.store().sharing().map(|sharing| sharing.renew_every()) else {
        return commands.recv().ok();
    };
    loop {
        match commands.recv_timeout(every) {
            Ok(command) => return Some(command),
            Err(RecvTimeoutError::Timeout) => state.renew(),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Returns the commits of a group, and the command that ended the group, if it cannot join it.
fn gather(
    first: PendingCommit,
    commands: &Receiver<Command>,
    linger: Duration,
) -> (Vec<PendingCommit>, Option<Command>) {
    let until = Instant::now() + linger;
    let mut claims = first.claim.is_some();
    let mut group = vec![first];
    while group.len() < MAX_GROUP {
        let time = if claims { Duration::ZERO } else { until - Instant::now().min(until) };
        match commands.recv_timeout(time) {
            // A store accepts one claim per commit.
            Ok(Command::Commit(pending)) if !(claims && pending.claim.is_some()) => {
                claims |= pending.claim.is_some();
                group.push(pending);
            }
            Ok(other) => return (group, Some(other)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    (group, None)
}

/// Removes acceptances whose job another input has, and replies with that input: an id that the
/// service assigns twice must not give two inputs the same output.
fn without_taken_jobs(state: &mut JournalState, group: Vec<PendingCommit>) -> Vec<PendingCommit> {
    // The input that has each job.
    let mut accepted = HashMap::new();
    let mut kept = Vec::with_capacity(group.len());
    let mut usable = state.check();
    for pending in group {
        let mut holder = None;
        for Settled { change, .. } in &pending.settled {
            let Event::Accepted { job_id, .. } = &change.event else { continue };
            if usable.is_err() {
                break;
            }
            let known = match accepted.entry(job_id.clone()) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => match state.store().holder(job_id, change.index) {
                    Ok(found) => *new.insert(found.unwrap_or(change.index)),
                    Err(error) => {
                        usable = Err(error);
                        break;
                    }
                },
            };
            holder = holder.or((known != change.index).then_some(known));
        }
        match (&usable, holder) {
            // One failed read answers the whole group.
            (Err(error), _) => reply(pending, Err(error.again())),
            (Ok(()), None) => kept.push(pending),
            (Ok(()), holder) => {
                reply(pending, Ok(CommitOutcome { holder, ..CommitOutcome::default() }))
            }
        }
    }
    kept
}

/// Writes the results of a group, and returns the commits that can be made. An input whose key
/// cannot be read fails alone.
fn with_results(state: &mut JournalState, group: Vec<PendingCommit>) -> Vec<PendingCommit> {
    match state.write_results(settled(&group)) {
        Ok(()) => group,
        Err(error) if error.is_of_inputs() && group.len() > 1 => {
            group.into_iter().flat_map(|commit| with_results(state, vec![commit])).collect()
        }
        Err(error) => {
            refuse(group, &error);
            Vec::new()
        }
    }
}

/// Commits a group. Results that cannot be written fail only the commits that bring them.
fn commit(state: &mut JournalState, group: Vec<PendingCommit>) {
    let (results, mut together): (Vec<_>, Vec<_>) = without_taken_jobs(state, group)
        .into_iter()
        .partition(|pending| pending.settled.iter().any(|settled| settled.completed.is_some()));
    together.extend(with_results(state, results));
    if together.is_empty() {
        return;
    }
    let claim = together.iter().find_map(|pending| pending.claim);
    let settled = together.iter_mut().flat_map(|pending| pending.settled.drain(..));
    match state.commit_and_claim(settled.map(|settled| settled.change).collect(), claim) {
        Ok(claimed) => {
            let claimed = claimed.and_then(|claimed| {
                let found_nothing = claim.filter(|_| claimed.is_empty());
                let is_out_of_budget =
                    found_nothing.map_or(Ok(false), |claim| state.is_out_of_budget(claim))?;
                Ok(CommitOutcome { claimed, is_out_of_budget, holder: None })
            });
            let mut claimed = Some(claimed);
            for pending in together {
                // At most one of them claims inputs.
                let claimed = claimed.take_if(|_| pending.claim.is_some());
                reply(pending, claimed.unwrap_or_else(|| Ok(CommitOutcome::default())));
            }
        }
        Err(error) => refuse(together, &error),
    }
}

fn settled(group: &[PendingCommit]) -> impl Iterator<Item = &Settled> {
    group.iter().flat_map(|pending| &pending.settled)
}

fn refuse(group: Vec<PendingCommit>, error: &Error) {
    group.into_iter().for_each(|pending| reply(pending, Err(error.again())));
}

fn reply(pending: PendingCommit, result: Result<CommitOutcome>) {
    // The waiter may have been dropped.
    let _ = pending.reply.send(result);
}
