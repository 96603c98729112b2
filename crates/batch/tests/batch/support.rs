//! A local service, and a folder with a batch.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use podqueue::{Client, Endpoint};
use podqueue_batch::{Batch, Inputs, Open, State, Status};
use podqueue_local::{Builder, HandlerError, LocalJob, LocalService};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::journal::{self, Journal};

pub const KEY: &str = "local-key";

/// A service with a handler that doubles `n`, and fails if `fail` is set.
pub fn service() -> Builder {
    LocalService::builder().api_key(KEY).endpoint("double", |job: LocalJob| async move {
        if let Some(message) = job.input["fail"].as_str() {
            return Err(HandlerError::from(message));
        }
        let n = job.input["n"].as_u64().ok_or("input.n is required")?;
        Ok(json!({ "n": 2 * n }))
    })
}

pub fn endpoint(local: &LocalService, name: &str) -> Endpoint {
    let client = Client::builder().api_key(KEY).base_url(local.base_url());
    client.timeout(Duration::from_secs(20)).build().unwrap().endpoint(name)
}

/// A folder with inputs, a journal and results.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With inputs `{"n": 0}`, `{"n": 1}`, ….
    pub fn with(inputs: u64) -> Self {
        let folder = Self::new();
        folder.write_inputs((0..inputs).map(|n| json!({ "n": n })));
        folder
    }

    pub fn write_inputs(&self, inputs: impl Iterator<Item = Value>) {
        self.write("inputs.jsonl", &inputs.map(|input| format!("{input}\n")).collect::<String>());
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn inputs(&self) -> Inputs {
        Inputs::jsonl(self.path("inputs.jsonl"))
    }

    pub fn journal(&self) -> Journal {
        journal::of(self.0.path())
    }

    pub fn open(&self) -> Open {
        Batch::open(self.journal()).inputs(self.inputs()).results(self.path("results.jsonl"))
    }

    /// The results by index; each stands there once, and parses.
    pub fn results(&self) -> BTreeMap<u64, Value> {
        by_index(&self.path("results.jsonl"))
    }

    pub fn failures(&self) -> BTreeMap<u64, Value> {
        by_index(&self.path("results.jsonl.failed.jsonl"))
    }
}

fn by_index(path: &Path) -> BTreeMap<u64, Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "a torn line");
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let index = line["index"].as_u64().unwrap();
        assert!(found.insert(index, line).is_none(), "input {index} has two lines");
    }
    found
}

/// Such as "3 completed, 1 failed".
pub fn counts(status: &Status) -> String {
    let of = |state: State| status.counts.of(state);
    let some = State::ALL.into_iter().filter(|state| of(*state) > 0);
    some.map(|state| format!("{} {}", of(state), state.key())).collect::<Vec<_>>().join(", ")
}

/// Waits until this holds, which is only a matter of tasks getting their turn.
pub async fn until(what: impl AsyncFn() -> bool) {
    for _ in 0..60_000 {
        if what().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("it never happened");
}
