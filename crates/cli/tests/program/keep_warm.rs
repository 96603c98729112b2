//! Tests of `batch run --keep-warm`: the minimum of workers is raised, and restored after any end.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::account_server::{AccountServer, ok};
use crate::batch::gated;
use crate::support::{Fixture, KEY, bare, ended, ran};

/// A local service with an endpoint whose jobs wait, and the account interface of it.
struct Account {
    fixture: Fixture,
    gate: tokio::sync::watch::Sender<bool>,
    server: AccountServer,
    /// True while changes are refused.
    refuses: Arc<AtomicBool>,
    /// True if the endpoint does not exist for the key of the caller.
    hides: Arc<AtomicBool>,
    applied: Arc<Mutex<Vec<Value>>>,
}

impl Account {
    async fn start(min: u32, max: u32) -> Self {
        let (builder, gate) = gated();
        let fixture = Fixture::with(builder).await;
        fixture.write_inputs(2);
        let workers = Mutex::new(json!({"min": min, "max": max, "idleTimeout": 7}));
        let (refuses, applied) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let hides = Arc::new(AtomicBool::new(false));
        let (refusing, changes) = (Arc::clone(&refuses), Arc::clone(&applied));
        let hiding = Arc::clone(&hides);
        let server = AccountServer::start(move |request| {
            if hiding.load(Ordering::SeqCst) {
                return (404, "application/problem+json", r#"{"title": "None"}"#.to_owned());
            }
            let mut workers = workers.lock().unwrap();
            if request.line.starts_with("PATCH") {
                if refusing.load(Ordering::SeqCst) {
                    return (403, "application/problem+json", r#"{"title": "No"}"#.to_owned());
                }
                *workers = request.body["workers"].clone();
                let changes: &Mutex<Vec<Value>> = &changes;
                changes.lock().unwrap().push(workers.clone());
            }
            ok(json!({"id": "gated", "name": "gated", "workers": *workers}))
        })
        .await;
        Self { fixture, gate, server, refuses, hides, applied }
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut program = self.fixture.program(arguments);
        program.env("PODQUEUE_ACCOUNT_URL", &self.server.url);
        program
    }

    fn batch(&self, results: &str, workers: &str) -> Command {
        let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", results, "--keep-warm"];
        self.program(&[&run[..], &[workers, "--no-rate-limits", "--yes"]].concat())
    }

    /// The numbers of workers that were set.
    fn set(&self) -> Vec<Value> {
        self.applied.lock().unwrap().clone()
    }

    async fn has_set(&self, times: usize) {
        let polling = async {
            while self.set().len() < times {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(120), polling).await.expect("a change");
    }

    fn records(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.fixture.home.path().join("keep-warm"));
        let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|it| it == "json")).collect()
    }
}

fn workers(min: u32, max: u32) -> Value {
    json!({"min": min, "max": max, "idleTimeout": 7})
}

#[tokio::test]
async fn the_minimum_is_raised_and_restored() {
    let account = Account::start(0, 1).await;
    account.gate.send_replace(true);
    let run = ran(&mut account.batch("out.jsonl", "2")).await;
    run.fails(0, "keeping 2 workers of gated warm: 2 to 2 workers");
    assert!(run.stderr.contains("gated has 0 to 1 workers again"), "{}", run.stderr);
    assert_eq!(account.set(), [workers(2, 2), workers(0, 1)]);
    assert!(account.records().is_empty());

    // Nothing is left to run, so nothing is kept warm; nor where the minimum is as high.
    ran(&mut account.batch("out.jsonl", "2")).await.assert_code(0);
    let enough = Account::start(3, 3).await;
    enough.gate.send_replace(true);
    let run = ran(&mut enough.batch("out.jsonl", "2")).await;
    run.fails(0, "gated keeps 3 workers warm already");
    assert_eq!((account.set().len(), enough.set().len()), (2, 0));
    let mut without = account.fixture.program(&["batch", "run", "in.jsonl", "--keep-warm", "1"]);
    ran(without.args(["-e", "gated", "-o", "x.jsonl"])).await.fails(2, "PODQUEUE_ACCOUNT_URL");
}

#[tokio::test]
async fn warm_workers_cost_and_so_need_a_confirmation() {
    let account = Account::start(0, 3).await;
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--keep-warm=2"];
    let refused = ran(&mut account.program(&run)).await;
    refused.fails(2, "Keep 2 workers of the endpoint gated running until the run ends");
    assert!(refused.stderr.contains("Pass --yes to confirm"), "{}", refused.stderr);
    assert!(account.server.requests().is_empty() && account.records().is_empty());
    assert!(!account.fixture.home.path().join("out.jsonl.journal").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn the_numbers_are_restored_after_ctrl_c() {
    use rustix::process::Signal;

    for by in [Signal::INT, Signal::TERM] {
        let account = Account::start(0, 3).await;
        let child = account.batch("out.jsonl", "2").arg("--grace=0s").spawn().unwrap();
        account.fixture.requests_to("/run", 2).await;
        assert_eq!(account.records().len(), 1);
        crate::interruptions::signal(&child, by);
        if by == Signal::INT {
            // The first one only stops submissions.
            account.gate.send_replace(true);
        }
        let run = ended(child).await;
        assert!(run.stderr.contains("gated has 0 to 3 workers again"), "{run:?}");
        assert_eq!(account.set(), [workers(2, 3), workers(0, 3)]);
        assert!(account.records().is_empty());
    }
}

#[tokio::test]
async fn after_a_kill_the_next_command_restores_the_numbers() {
    let account = Account::start(1, 3).await;
    let mut child = account.batch("out.jsonl", "2").spawn().unwrap();
    account.fixture.requests_to("/run", 1).await;
    account.has_set(1).await;

    // A live run is left alone, also by another run on the same endpoint.
    ran(&mut account.program(&["config"])).await.assert_code(0);
    let second = account.batch("second.jsonl", "3").arg("--take=0").spawn().unwrap();
    let second = ended(second).await;
    assert!(second.stderr.contains("another run keeps 2 workers of gated warm"), "{second:?}");
    assert_eq!(account.set(), [workers(2, 3)]);
    let record = fs::read_to_string(&account.records()[0]).unwrap();
    assert!(!record.contains(KEY), "{record}");

    // SIGKILL on Unix.
    child.kill().await.unwrap();
    assert_eq!(account.records().len(), 1);

    // Other settings, and a service that refuses: the record stays.
    let home = account.fixture.home.path();
    let elsewhere = ran(bare(home, &["config"]).env("PODQUEUE_API_KEY", KEY)).await;
    elsewhere.fails(0, "run any command with PODQUEUE_ACCOUNT_URL=");
    account.refuses.store(true, Ordering::SeqCst);
    ran(&mut account.program(&["config"])).await.fails(0, "restoring 1 to 3 failed");
    account.refuses.store(false, Ordering::SeqCst);
    ran(&mut account.program(&["completions", "bash"])).await.assert_code(0);
    assert_eq!(account.set(), [workers(2, 3)]);

    let restored = ran(&mut account.program(&["config"])).await;
    restored.fails(0, "gated has 1 to 3 workers again");
    assert_eq!(account.set(), [workers(2, 3), workers(1, 3)]);
    assert!(account.records().is_empty());
    let after = ran(&mut account.program(&["config"])).await;
    assert_eq!((after.code, after.stderr.as_str()), (0, ""));
}

#[tokio::test]
async fn a_record_outlasts_commands_with_the_key_of_another_account() {
    let account = Account::start(0, 3).await;
    let mut child = account.batch("out.jsonl", "1").spawn().unwrap();
    account.has_set(1).await;
    child.kill().await.unwrap();

    account.hides.store(true, Ordering::SeqCst);
    let mut other = account.program(&["config"]);
    let other = ran(other.env("PODQUEUE_API_KEY", "key-of-another-account")).await;
    other.fails(0, "the account of the present key does not have the endpoint");
    assert_eq!(account.records().len(), 1);

    // For the key of the run, the endpoint has been deleted.
    ran(&mut account.program(&["config"])).await.fails(0, "gated no longer exists");
    assert!(account.records().is_empty());
}

#[tokio::test]
async fn numbers_that_were_changed_since_are_left_alone() {
    let account = Account::start(0, 3).await;
    let mut child = account.batch("out.jsonl", "1").spawn().unwrap();
    account.has_set(1).await;
    child.kill().await.unwrap();
    let scale = ["endpoint", "scale", "gated", "--min", "0", "--max", "9", "--yes"];
    let home = account.fixture.home.path();
    // From another machine, which has no record.
    let elsewhere = home.join("elsewhere").join("config.toml");
    ran(account.program(&scale).env("PODQUEUE_CONFIG", elsewhere)).await.assert_code(0);
    let next = ran(&mut account.program(&["config"])).await;
    next.fails(0, "are left as they are; before, they were 0 to 3");
    assert_eq!(account.set().len(), 2);
    assert!(account.records().is_empty());
}

#[tokio::test]
async fn a_refused_change_leaves_no_record() {
    let account = Account::start(0, 3).await;
    account.refuses.store(true, Ordering::SeqCst);
    ran(&mut account.batch("out.jsonl", "1")).await.assert_code(4);
    assert!(account.records().is_empty());
    assert!(account.set().is_empty());
}
