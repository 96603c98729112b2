//! Loss of power at any moment: any part of the unsynced writes may be lost. A library that is
//! loaded into the process records what it writes, syncs and sends (`preload.c`); the record
//! determines what the disk holds for certain at each moment, and what it may hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use podqueue_batch::store::{Input, OpenStore, Sqlite, Store};
use podqueue_batch::{Batch, State};
use podqueue_local::{LocalJob, Workers};
use serde_json::{Value, json};

use crate::preload;
use crate::recorded_calls::{self, Act};
use crate::support::{Folder, service};

const INPUTS: u64 = 40;

/// In another folder than the journal, whose name SQLite makes durable.
const RESULTS: &str = "out/results.jsonl";

/// Above this size, in bytes, an output is a file.
const LARGE: usize = 500;

/// A disk: what is durable, and what was done since.
#[derive(Default)]
struct Disk {
    files: BTreeMap<u64, File>,
    /// The names as the process sees them, and as they are durable.
    seen: BTreeMap<PathBuf, u64>,
    durable: BTreeMap<PathBuf, u64>,
    /// Changes of names since their folder was synced.
    renamed: Vec<(PathBuf, Option<u64>)>,
}

#[derive(Default)]
struct File {
    durable: Vec<u8>,
    since: Vec<Edit>,
}

enum Edit {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

fn edit(bytes: &mut Vec<u8>, edit: &Edit) {
    match edit {
        Edit::Truncate(length) => bytes.resize(*length, 0),
        Edit::Write(offset, written) => {
            let end = offset + written.len();
            bytes.resize(bytes.len().max(end), 0);
            bytes[*offset..end].copy_from_slice(written);
        }
    }
}

impl Disk {
    fn of(&mut self, name: &Path) -> &mut File {
        let next = self.files.len() as u64;
        let id = *self.seen.entry(name.to_owned()).or_insert(next);
        self.files.entry(id).or_default()
    }

    fn name(&mut self, name: &Path, id: Option<u64>) {
        match id {
            Some(id) => self.seen.insert(name.to_owned(), id),
            None => self.seen.remove(name),
        };
        self.renamed.push((name.to_owned(), id));
    }

    fn take(&mut self, act: &Act) {
        match act {
            Act::Create(name) => {
                let id = self.files.len() as u64;
                self.files.insert(id, File::default());
                self.name(name, Some(id));
            }
            Act::Write(name, offset, bytes) => {
                self.of(name).since.push(Edit::Write(*offset, bytes.clone()));
            }
            Act::Truncate(name, length) => self.of(name).since.push(Edit::Truncate(*length)),
            Act::Sync(name) => {
                let file = self.of(name);
                for done in std::mem::take(&mut file.since) {
                    edit(&mut file.durable, &done);
                }
            }
            Act::SyncFolder(folder) => {
                let is_there = |name: &Path| name.parent() == Some(folder);
                for (name, id) in self.renamed.extract_if(.., |(name, _)| is_there(name)) {
                    match id {
                        Some(id) => self.durable.insert(name, id),
                        None => self.durable.remove(&name),
                    };
                }
            }
            Act::Rename(from, to) => {
                let id = self.seen.get(from).copied();
                self.name(from, None);
                self.name(to, id);
            }
            Act::Remove(name) => self.name(name, None),
            Act::Send(_) => {}
        }
    }

    /// Writes what a loss of power leaves to a folder: of each thing that is not durable, nothing,
    /// or a random part.
    fn leave(&self, root: &Path, to: &Path, mut random: Option<fastrand::Rng>) {
        let mut names = self.durable.clone();
        let kept = random.as_mut().map_or(0, |it| it.usize(..=self.renamed.len()));
        for (name, id) in &self.renamed[..kept] {
            match id {
                Some(id) => names.insert(name.clone(), *id),
                None => names.remove(name),
            };
        }
        for (name, id) in names {
            let Ok(name) = name.strip_prefix(root) else { continue };
            let is_index = name.to_string_lossy().ends_with("-shm");
            if is_index || name == Path::new("") {
                continue;
            }
            let file = &self.files[&id];
            let mut bytes = file.durable.clone();
            for done in &file.since {
                match (random.as_mut().map_or(0, |it| it.u8(..4)), done) {
                    (0 | 1, _) => {}
                    (2, Edit::Write(offset, written)) if written.len() > 512 => {
                        let torn = written[..written.len() / 2].to_vec();
                        edit(&mut bytes, &Edit::Write(*offset, torn));
                    }
                    _ => edit(&mut bytes, done),
                }
            }
            let path = to.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

/// Requests that were sent to the service.
#[derive(Default)]
struct Sent {
    inputs: BTreeSet<u64>,
    polls: BTreeSet<String>,
}

impl Sent {
    /// Records a request. Returns true if it is new, and a submission or a poll.
    fn take(&mut self, request: &str) -> bool {
        let mut words = request.split(' ');
        match (words.next(), words.next()) {
            (Some("POST"), Some(path)) if path.ends_with("/run") => {
                let body = request.split("\r\n\r\n").nth(1).unwrap();
                let body: Value = serde_json::from_str(body).unwrap();
                self.inputs.insert(body["input"]["n"].as_u64().unwrap())
            }
            (Some("GET"), Some(path)) => match path.split_once("/status/") {
                Some((_, job_id)) => self.polls.insert(job_id.to_owned()),
                None => false,
            },
            _ => false,
        }
    }
}

fn output(n: u64) -> Value {
    json!({ "n": n, "text": if n % 7 == 6 && n > 20 { "x".repeat(2 * LARGE) } else { String::new() } })
}

/// Opens the surviving files, and compares them with the requests that the service received.
async fn check(left: &Path, sent: &Sent) {
    let journal = || Sqlite::file(left.join("results.jsonl.journal"));
    if !left.join("results.jsonl.journal").exists() {
        assert!(sent.inputs.is_empty(), "the journal is gone");
        return;
    }
    let mut store = journal().open().unwrap();
    let inputs = store.inputs(&State::ALL, 0, usize::MAX).unwrap();
    let has_results = store.note("results").unwrap().is_some();
    drop(store);
    for n in &sent.inputs {
        let state = inputs.iter().find(|input| input.index == *n).map(|input| input.state);
        let is_told = state.is_some_and(|state| state != State::Pending);
        assert!(is_told, "input {n} was sent, and is {state:?}");
    }
    let known: BTreeSet<_> = inputs.iter().filter_map(|input| input.job_id.as_ref()).collect();
    for job_id in &sent.polls {
        assert!(known.contains(job_id), "job {job_id} was polled, and is not recorded");
    }
    if !has_results {
        // It was about to be opened for the first time.
        assert!(sent.inputs.is_empty());
        return;
    }
    let results = left.join(RESULTS);
    let completed = |inputs: &[Input]| -> BTreeSet<_> {
        let completed = inputs.iter().filter(|input| input.state == State::Completed);
        completed.map(|input| input.index).collect()
    };
    let before = completed(&inputs);
    if before.is_empty() {
        return;
    }
    drop(Batch::open(journal()).results(&results).await.unwrap());
    // Results that were written completely are recovered.
    let completed = completed(&journal().open().unwrap().inputs(&State::ALL, 0, 99).unwrap());
    assert!(completed.is_superset(&before));
    let mut found = BTreeSet::new();
    for line in fs::read_to_string(&results).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let n = line["index"].as_u64().unwrap();
        let whole = match line["output_file"].as_str() {
            Some(file) => {
                serde_json::from_slice(&fs::read(results.with_file_name(file)).unwrap()).unwrap()
            }
            None => line["output"].clone(),
        };
        assert_eq!(whole, output(n));
        assert!(found.insert(n), "input {n} has two lines");
    }
    assert_eq!(found, completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_is_durable_first_and_a_loss_of_power_loses_nothing() {
    let seen = |job: LocalJob| async move {
        let n = job.input["n"].as_u64().unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(output(n))
    };
    let local = service().endpoint("seen", seen).workers_of("seen", Workers::between(10, 10));
    let local = local.start().await.unwrap();
    let (folder, tools) = (Folder::with(INPUTS), Folder::new());
    let (root, log) = (folder.path("results.jsonl"), tools.path("log"));
    let root = root.parent().unwrap();
    fs::create_dir(root.join("out")).unwrap();
    let child = crate::kill::command(&folder, &local)
        .env("LD_PRELOAD", preload::library(&tools.path("")))
        .env("PRELOAD_FOLDER", root)
        .env("PRELOAD_LOG", &log)
        .env("BATCH_RESULTS", RESULTS)
        .env("BATCH_LARGE", LARGE.to_string())
        .status();
    assert!(child.unwrap().success());
    // Its remains are elsewhere, and are refused as a copy while this file exists.
    fs::remove_file(folder.path("results.jsonl.journal")).unwrap();

    let seed = crate::kill::setting("SEED").unwrap_or_else(|| fastrand::u64(..1 << 32));
    crate::kill::say(format_args!("SEED={seed}"));
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut disk, mut sent) = (Disk::default(), Sent::default());
    // The folder was there before, and so is its name.
    disk.durable.insert(root.to_owned(), 0);
    disk.files.insert(0, File::default());
    for act in recorded_calls::read(&log) {
        disk.take(&act);
        let matters = match &act {
            Act::Send(request) => sent.take(request),
            // Each moment while the journal is created, and some of the others.
            _ => sent.inputs.is_empty() || random.u8(..10) == 0,
        };
        if matters {
            // The creation is over in a few dozen steps, of which any part may be lost.
            let draws = if sent.inputs.is_empty() { 3 } else { 1 };
            let nothing = std::iter::once(None);
            let draws = (0..draws).map(|_| Some(fastrand::Rng::with_seed(random.u64(..))));
            for random in nothing.chain(draws.collect::<Vec<_>>()) {
                let left = tempfile::tempdir().unwrap();
                disk.leave(root, left.path(), random);
                check(left.path(), &sent).await;
            }
        }
    }
    assert_eq!(sent.inputs.len() as u64, INPUTS, "all was recorded");
    assert_eq!(sent.polls.len() as u64, INPUTS);
    let left = tempfile::tempdir().unwrap();
    disk.leave(root, left.path(), None);
    let results = fs::read_to_string(left.path().join(RESULTS)).unwrap();
    assert_eq!(results.lines().count() as u64, INPUTS);
}
