//! Order of durability: a store checks before each commit that what it records has happened.
//! `power` tests a loss of power.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use podqueue_batch::store::{
    Commit, Event, Input, NewInput, Note, OpenStore, RunRecord, Sharing, Store, Tally,
};
use podqueue_batch::{Batch, Result, State};
use podqueue_local::{LocalJob, LocalService};
use serde_json::{Value, json};

use crate::journal::{Journal, JournalStore};
use crate::support::{Folder, endpoint, service};

type Before = Arc<dyn Fn(&Commit) + Send + Sync>;
type After = Arc<dyn Fn(&Commit, &[Input]) + Send + Sync>;

/// A store that calls one function before each commit, and another when it is durable.
struct Watched<S> {
    inner: S,
    before: Before,
    after: After,
}

/// A store that calls these functions around each commit.
pub fn watched(
    inner: Journal,
    before: impl Fn(&Commit) + Send + Sync + 'static,
    after: impl Fn(&Commit, &[Input]) + Send + Sync + 'static,
) -> impl OpenStore {
    Watched { inner, before: Arc::new(before), after: Arc::new(after) }
}

impl OpenStore for Watched<Journal> {
    type Store = Watched<JournalStore>;

    fn open(self) -> Result<Watched<JournalStore>> {
        Ok(Watched { inner: self.inner.open()?, before: self.before, after: self.after })
    }

    fn inspect(&self) -> Result<Watched<JournalStore>> {
        let (before, after) = (Arc::clone(&self.before), Arc::clone(&self.after));
        Ok(Watched { inner: self.inner.inspect()?, before, after })
    }
}

impl Store for Watched<JournalStore> {
    fn commit(&mut self, commit: &Commit) -> Result<Vec<Input>> {
        (self.before)(commit);
        let claimed = self.inner.commit(commit)?;
        (self.after)(commit, &claimed);
        Ok(claimed)
    }

    fn note(&mut self, name: &str) -> Result<Option<String>> {
        self.inner.note(name)
    }

    fn own_note(&mut self, name: &str) -> Result<Option<String>> {
        self.inner.own_note(name)
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        self.inner.sharing()
    }

    fn add(&mut self, inputs: &[NewInput], notes: &[Note]) -> Result<()> {
        self.inner.add(inputs, notes)
    }

    fn replace(&mut self, inputs: &[(u64, NewInput)]) -> Result<()> {
        self.inner.replace(inputs)
    }

    fn begin_run(&mut self, run: &RunRecord) -> Result<u64> {
        self.inner.begin_run(run)
    }

    fn runs(&mut self) -> Result<Vec<(u64, RunRecord)>> {
        self.inner.runs()
    }

    fn move_all(&mut self, from: &[State], to: State) -> Result<u64> {
        self.inner.move_all(from, to)
    }

    fn tally(&mut self) -> Result<Tally> {
        self.inner.tally()
    }

    fn inputs(&mut self, states: &[State], from: u64, limit: usize) -> Result<Vec<Input>> {
        self.inner.inputs(states, from, limit)
    }

    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>> {
        self.inner.holder(job_id, index)
    }

    fn copies(&mut self, index: u64) -> Result<Vec<Input>> {
        self.inner.copies(index)
    }
}

pub fn completed(commit: &Commit) -> impl Iterator<Item = u64> {
    commit.changes.iter().filter_map(|change| match &change.event {
        Event::Ended(ended) if ended.state == State::Completed => Some(change.index),
        _ => None,
    })
}

fn written(results: &Path) -> BTreeSet<u64> {
    let text = fs::read_to_string(results).unwrap();
    let index = |line: &str| serde_json::from_str::<Value>(line).unwrap()["index"].as_u64();
    text.lines().map(|line| index(line).unwrap()).collect()
}

#[tokio::test]
async fn each_step_is_durable_before_the_next_one() {
    let intended = Arc::new(Mutex::new(BTreeSet::new()));
    let early = Arc::new(Mutex::new(Vec::new()));
    let (known, report) = (Arc::clone(&intended), Arc::clone(&early));
    let local = service().endpoint("watched", move |job: LocalJob| {
        let n = job.input["n"].as_u64().unwrap();
        if !known.lock().unwrap().contains(&n) {
            report.lock().unwrap().push(format!("input {n} left before its intent was durable"));
        }
        async move { Ok(json!(n)) }
    });
    let local: Arc<LocalService> = Arc::new(local.start().await.unwrap());
    let folder = Folder::with(200);
    let (results, service, report) =
        (folder.path("results.jsonl"), Arc::clone(&local), Arc::clone(&early));
    let before = move |commit: &Commit| {
        let requests: Vec<_> = service.requests().into_iter().map(|request| request.path).collect();
        for change in &commit.changes {
            let Event::Accepted { job_id, .. } = &change.event else { continue };
            if requests.iter().any(|path| path.ends_with(&format!("/status/{job_id}"))) {
                report.lock().unwrap().push(format!("{job_id} was polled too early"));
            }
        }
        let lines = written(&results);
        for index in completed(commit).filter(|index| !lines.contains(index)) {
            report.lock().unwrap().push(format!("{index} has no line yet"));
        }
    };
    let after = move |_: &Commit, claimed: &[Input]| {
        intended.lock().unwrap().extend(claimed.iter().map(|input| input.index));
    };
    let store = watched(folder.journal(), before, after);
    let batch = Batch::open(store).inputs(folder.inputs()).results(folder.path("results.jsonl"));
    let report = batch.await.unwrap().run(endpoint(&local, "watched")).await.unwrap();
    assert!(report.is_complete());
    assert_eq!(*early.lock().unwrap(), Vec::<String>::new());
}
