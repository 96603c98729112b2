//! Journal thread, and threads that commit, claim and close, under all kinds of schedules.
//!
//! - Every command is answered, and the journal can be closed at any moment: then its commands have
//!   been executed and the store is closed.
//! - A change is committed once if its waiter gets no error, and by then; if the waiter is dropped,
//!   when the journal is closed at the latest. After a commit has failed, no change is committed.
//! - The line of a result is in the file before its input is committed as completed.
//! - A commit claims once, no input is claimed twice, and no job is recorded for two inputs.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt;
use serde_json::value::RawValue;
use shuttle::future::block_on;
use shuttle::thread::{spawn, yield_now};
use tempfile::TempDir;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;

use super::super::{Journal, JournalState, Settled};
use crate::clock::Clock;
use crate::error::{Error, ErrorKind, Result};
use crate::handle_state::{Guard, HandleState, WebhookCall};
use crate::input_state::State;
use crate::inputs::{Shape, SourceRecord, Texts};
use crate::results::{Completed, Failures, LargeOutputs, Results};
use crate::store::{
    Change, Claim, Commit, Digest, Ended, Event, Input, NewInput, Note, Outage, RunRecord, Sharing,
    Store, Tally, TextLocation,
};
use crate::submission::OnUnknown;
use crate::sync::schedules::{check, choose};
use crate::webhook::{Identity, Ticket};

/// The number of inputs that can be claimed.
const PENDING: u64 = 3;

/// The job that the service gives to every input.
const JOB: &str = "job";

/// The first index of inputs that are changed.
const OTHERS: u64 = 10;

/// The records of a store, which outlive it.
struct Records {
    folder: TempDir,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The jobs of accepted inputs.
    jobs: HashMap<String, u64>,
    /// The number of changes of each input.
    changes: HashMap<u64, usize>,
    claimed: u64,
    /// The number of commits until one fails.
    fails_in: Option<usize>,
    has_failed: bool,
    /// The holders of the job that were answered.
    holders: Vec<u64>,
    /// Inputs whose waiters were dropped.
    dropped: Vec<u64>,
    is_closed: bool,
}

impl Records {
    fn results(&self) -> PathBuf {
        self.folder.path().join("results.jsonl")
    }

    fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_committed(&self, index: u64) -> bool {
        let changes = self.with(|known| known.changes.get(&index).copied().unwrap_or(0));
        assert!(changes < 2, "input {index} was changed {changes} times");
        changes == 1
    }
}

struct Memory {
    records: Arc<Records>,
    outage: Outage,
    is_shared: bool,
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.records.with(|known| known.is_closed = true);
    }
}

impl Store for Memory {
    fn note(&mut self, _: &str) -> Result<Option<String>> {
        Ok(None)
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        if self.is_shared { Some(self) } else { None }
    }

    fn commit(&mut self, commit: &Commit) -> Result<Vec<Input>> {
        yield_now();
        let lines = fs::read_to_string(self.records.results()).expect("the results");
        let claimed = self.records.with(|known| {
            assert!(!known.has_failed, "a commit after a failure");
            known.fails_in = known.fails_in.map(|commits| commits.saturating_sub(1));
            if known.fails_in == Some(0) {
                known.has_failed = true;
                return Err(Error::new(ErrorKind::Journal, "the disk is gone"));
            }
            for Change { index, event, .. } in &commit.changes {
                match event {
                    Event::Accepted { job_id, .. } => {
                        let holder = known.jobs.insert(job_id.clone(), *index);
                        assert_eq!(holder, None, "{job_id} has two inputs");
                    }
                    Event::Ended(_) => {
                        let line = format!("{{\"index\":{index},");
                        assert!(lines.contains(&line), "no line of {index}: {lines}");
                    }
                    _ => {}
                }
                *known.changes.entry(*index).or_default() += 1;
            }
            let until = PENDING.min(known.claimed + commit.claim.map_or(0, |it| it.limit as u64));
            Ok((std::mem::replace(&mut known.claimed, until)..until).map(input).collect())
        });
        yield_now();
        claimed
    }

    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>> {
        let holder = self.records.with(|known| known.jobs.get(job_id).copied());
        Ok(holder.filter(|holder| *holder != index))
    }

    fn add(&mut self, _: &[NewInput], _: &[Note]) -> Result<()> {
        Ok(())
    }

    fn replace(&mut self, _: &[(u64, NewInput)]) -> Result<()> {
        unreachable!()
    }

    fn begin_run(&mut self, _: &RunRecord) -> Result<u64> {
        unreachable!()
    }

    fn runs(&mut self) -> Result<Vec<(u64, RunRecord)>> {
        unreachable!()
    }

    fn move_all(&mut self, _: &[State], _: State) -> Result<u64> {
        unreachable!()
    }

    fn tally(&mut self) -> Result<Tally> {
        unreachable!()
    }

    fn inputs(&mut self, _: &[State], _: u64, _: usize) -> Result<Vec<Input>> {
        unreachable!()
    }

    fn copies(&mut self, _: u64) -> Result<Vec<Input>> {
        unreachable!()
    }
}

/// An input that is claimed.
fn input(index: u64) -> Input {
    Input {
        index,
        line: index + 1,
        location: TextLocation::Stored(Vec::new()),
        digest: Digest::default(),
        same_as: None,
        rejection: None,
        state: State::Intent,
        attempt: 1,
        run: Some(1),
        job_id: None,
        submitted_at: None,
        seen_at: None,
        error: None,
    }
}

impl Sharing for Memory {
    fn outage(&self) -> Outage {
        self.outage.clone()
    }

    fn renew_every(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn renew(&mut self) -> Result<()> {
        yield_now();
        Ok(())
    }

    fn lock(&mut self) -> Result<()> {
        Ok(())
    }

    fn unlock(&mut self, _: bool) -> Result<()> {
        Ok(())
    }

    fn accepts_loss(&self) -> bool {
        false
    }

    fn position(&self) -> Option<String> {
        None
    }

    fn identify(&mut self, _: &str, _: State) -> Result<()> {
        unreachable!()
    }

    fn check_position(&mut self, _: &str) -> Result<()> {
        unreachable!()
    }

    fn rejoin(&mut self) -> Result<()> {
        unreachable!()
    }

    fn recover(&mut self) -> Result<Vec<Input>> {
        unreachable!()
    }

    fn outstanding(&mut self) -> Result<Vec<Input>> {
        unreachable!()
    }

    fn owns(&mut self, _: u64) -> Result<bool> {
        unreachable!()
    }

    fn peers(&mut self, _: bool) -> Result<u64> {
        unreachable!()
    }

    fn release(&mut self) -> Result<()> {
        unreachable!()
    }

    fn report_loss(&mut self) -> Result<()> {
        unreachable!()
    }

    fn check_loss(&mut self) -> Result<()> {
        unreachable!()
    }

    fn accept_loss(&mut self) -> Result<()> {
        unreachable!()
    }

    fn time(&mut self) -> Result<u64> {
        unreachable!()
    }

    fn own_notes(&mut self, _: &str, _: bool) -> Result<Vec<String>> {
        unreachable!()
    }

    fn failures(&mut self, _: u64, _: usize) -> Result<Vec<Input>> {
        unreachable!()
    }
}

/// A journal whose results are in memory, if the system has a folder for that.
fn journal(is_shared: bool) -> (Arc<Records>, Journal) {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.expect("a folder");
    let records = Arc::new(Records { folder, known: Mutex::default() });
    let outage = Outage::default();
    let mut store = Memory { records: Arc::clone(&records), outage, is_shared };
    let path = records.results();
    let results = Results::open(&mut store, &path, false).expect("results");
    let source = SourceRecord { shape: Shape::default(), inputs: 0, is_partial: false, file: None };
    let (texts, failures) = (Texts::open(&source), Failures::of(&path));
    let large = LargeOutputs::of(&path, LargeOutputs::ABOVE);
    let state = JournalState::new(Box::new(store), source, texts, results, failures, large, None);
    (records, Journal::start(state).expect("a thread"))
}

fn completed(index: u64) -> Settled {
    let ended = Ended { state: State::Completed, error: None, delay_ms: None, execution_ms: None };
    let output = RawValue::from_string("1".to_owned()).expect("JSON");
    let completed =
        Completed { job_id: JOB.to_owned(), output, delay_ms: None, execution_ms: None };
    let change = Change { index, attempt: 1, event: Event::Ended(ended) };
    Settled { change, completed: Some(completed) }
}

/// Commands of one thread. Returns the inputs that it claimed.
fn command(journal: &Journal, records: &Arc<Records>, index: u64) -> u64 {
    let is_answered = |answer: &Result<()>| match answer {
        Ok(()) => assert!(records.is_committed(index), "{index} is answered before its commit"),
        Err(_) => assert!(records.with(|known| known.has_failed), "an error without a failure"),
    };
    match choose(5) {
        0 => {
            assert!(journal.apply(vec![completed(index)]).now_or_never().is_none());
            records.with(|known| known.dropped.push(index));
        }
        1 => is_answered(&block_on(journal.apply(vec![completed(index)]))),
        2 => {
            let event = Event::Accepted { job_id: JOB.to_owned(), at: 1 };
            let change = Change { index, attempt: 1, event };
            match block_on(journal.record_submission(change)) {
                Ok(Some(holder)) => {
                    assert!(!records.is_committed(index));
                    // The holder may be committed right after this answer.
                    records.with(|known| known.holders.push(holder));
                }
                answer => is_answered(&answer.map(drop)),
            }
        }
        3 => {
            let claim = Claim { limit: 1, bytes: u64::MAX, run: 1, ..Claim::default() };
            if let Ok(Some(claimed)) = block_on(journal.claim(claim)) {
                let are_left = records.with(|known| known.claimed < PENDING);
                assert!(!claimed.is_empty() || !are_left, "a claim is ignored");
                return claimed.len() as u64;
            }
        }
        _ => {
            // Commands of a thread are executed in order.
            let mut applied = pin!(journal.apply(vec![completed(index)]));
            assert!(applied.as_mut().now_or_never().is_none());
            let seen = Arc::clone(records);
            let is_committed = block_on(journal.with(move |_| Ok(seen.is_committed(index))));
            let is_committed = is_committed.expect("an answer");
            assert!(is_committed || records.with(|known| known.has_failed), "not in order");
            is_answered(&block_on(applied));
        }
    }
    0
}

#[test]
fn every_command_is_answered_and_the_journal_closes_at_any_moment() {
    check(|| {
        let is_shared = choose(2) == 1;
        let (records, journal) = journal(is_shared);
        let fails_in = 1 + choose(8);
        records.with(|known| known.fails_in = (fails_in < 4).then_some(fails_in));
        let journal = Arc::new(journal);
        let threads: Vec<_> = (0..3)
            .map(|thread| {
                let (journal, records) = (Arc::clone(&journal), Arc::clone(&records));
                spawn(move || {
                    let command = |round| command(&journal, &records, OTHERS + 2 * thread + round);
                    (0..2).map(command).sum::<u64>()
                })
            })
            .collect();
        drop(journal);
        let claimed = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        let claimed = claimed.sum::<u64>();
        let (is_closed, has_failed) = records.with(|known| (known.is_closed, known.has_failed));
        assert!(is_closed || is_shared, "the store is open");
        assert!(has_failed || records.with(|known| known.claimed) == claimed);
        if is_closed && !has_failed {
            let dropped = records.with(|known| known.dropped.clone());
            assert!(dropped.into_iter().all(|index| records.is_committed(index)), "lost");
            let is_held = |known: &mut Known| {
                known.holders.iter().all(|holder| known.jobs.get(JOB) == Some(holder))
            };
            assert!(records.with(is_held), "another input has the job");
        }
    });
}

#[test]
fn one_run_at_a_time_gets_the_webhook_calls() {
    check(|| {
        let (_, journal) = journal(false);
        let identity = journal.with(|state| Identity::of(state.store()));
        let identity = block_on(identity).expect("an identity");
        let clock = Clock::new(SystemTime::now);
        let state = HandleState::new(journal, identity, OnUnknown::Hold, Shape::default(), clock);
        let (state, runs) = (Arc::new(state), Arc::new(AtomicUsize::new(0)));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (state, runs) = (Arc::clone(&state), Arc::clone(&runs));
                spawn(move || {
                    let (deliver, mut calls) = unbounded_channel();
                    let Ok(guard) = Guard::begin(&state, deliver) else { return 0 };
                    assert_eq!(runs.fetch_add(1, Ordering::Relaxed), 0, "two runs at a time");
                    yield_now();
                    runs.fetch_sub(1, Ordering::Relaxed);
                    drop(guard);
                    std::iter::from_fn(|| calls.try_recv().ok()).count()
                })
            })
            .collect();
        let forward = |index| {
            let (reply, _) = oneshot::channel();
            let ticket = Ticket { index, attempt: 1 };
            state.forward(WebhookCall { ticket, job_id: JOB.to_owned(), reply })
        };
        let forwarded = (0..3).filter(|index| forward(*index)).count();
        let received = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        assert_eq!(received.sum::<usize>(), forwarded);
    });
}
