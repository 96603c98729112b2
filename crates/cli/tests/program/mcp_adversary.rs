//! Adversary of the command `mcp`: random calls that are repeated, reordered and abandoned, of a
//! server that is killed at random, with responses that are lost on their way from the service.
//!
//! At the end, no input was accepted twice for one key, and the final answer to each key is right
//! or unknown. `PODQUEUE_MCP_SEED` and `PODQUEUE_MCP_SECONDS` choose another run.

use std::collections::BTreeMap;
use std::env;
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fastrand::Rng;
use podqueue_local::{Fault, LocalJob, LocalService, Operation, Workers};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::mcp::Server;
use crate::support::Fixture;

const ENDPOINT: &str = "counted";

fn setting<T: FromStr>(name: &str, default: T) -> T {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What is known of the jobs, by their keys.
#[derive(Default)]
struct Known {
    job_ids: BTreeMap<usize, String>,
    cancelled: Vec<String>,
}

impl Known {
    /// Reads a reply to a call of `run`.
    fn read(&mut self, key: usize, reply: &Value) {
        let Some(id) = reply["job_id"].as_str() else { return };
        let known = self.job_ids.entry(key).or_insert_with(|| id.to_owned());
        assert_eq!(known, id, "another job for the key {key}: {reply}");
    }
}

fn run(key: usize, wait_s: f64) -> Value {
    let input = json!({ "n": key % 3, "ms": key % 5, "marker": key });
    let mut arguments = json!({ "endpoint": ENDPOINT, "input": input, "wait_s": wait_s });
    // Half of the keys are derived.
    if key.is_multiple_of(2) {
        arguments["key"] = json!(format!("key {key}"));
    }
    arguments
}

#[allow(clippy::print_stdout, reason = "the figures of a run")]
#[tokio::test]
async fn nothing_is_accepted_twice_for_one_key() {
    let seed = setting("PODQUEUE_MCP_SEED", 7_u64);
    let mut rng = Rng::with_seed(seed);
    let end = Instant::now() + Duration::from_secs_f64(setting("PODQUEUE_MCP_SECONDS", 5.0));
    let executions = Arc::new(Mutex::new(BTreeMap::<usize, usize>::new()));
    let counted = Arc::clone(&executions);
    let handler = move |job: LocalJob| {
        let key = job.input["marker"].as_u64().unwrap() as usize;
        *counted.lock().unwrap().entry(key).or_default() += 1;
        async move {
            tokio::time::sleep(Duration::from_millis(job.input["ms"].as_u64().unwrap())).await;
            Ok(json!((0..=key % 3).map(|n| json!({ "n": n })).collect::<Vec<_>>()))
        }
    };
    let builder = LocalService::builder().endpoint(ENDPOINT, handler);
    let builder = builder.workers_of(ENDPOINT, Workers::between(64, 64));
    let fixture = Fixture::with(builder).await;
    let mut known = Known::default();
    let mut keys = 0;
    let (mut calls, mut kills) = (0, 0);
    while Instant::now() < end {
        let mut server =
            Server::start(&mut fixture.program(&["mcp", "--allow", "run,cancel"])).await;
        for _ in 0..rng.usize(1..8) {
            match rng.u32(0..6) {
                0 => fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1)),
                1 => {
                    let delay = Fault::delay(Duration::from_millis(rng.u64(1..80)));
                    fixture.local.add_fault(delay.on(Operation::Run).times(1));
                }
                // Accepted, and the response takes a while, in which the server may be killed.
                2 | 3 => {
                    let slow = Fault::drip(4, Duration::from_millis(30));
                    fixture.local.add_fault(slow.on(Operation::Run).times(1));
                }
                _ => {}
            }
            // Several calls at once, in any order, some of them the same.
            let mut posted: BTreeMap<u64, Option<usize>> = BTreeMap::new();
            for _ in 0..rng.usize(1..5) {
                let is_new = rng.u32(0..3) == 0 || keys == 0;
                let key = if is_new { keys } else { rng.usize(0..keys) };
                keys = keys.max(key + 1);
                calls += 1;
                match (rng.u32(0..5), known.job_ids.get(&key).cloned()) {
                    (0, Some(id)) => {
                        known.cancelled.push(id.clone());
                        let arguments = json!({ "endpoint": ENDPOINT, "job_id": id });
                        posted.insert(server.post_call("cancel", &arguments).await, None);
                    }
                    (1, Some(id)) => {
                        let arguments =
                            json!({ "endpoint": ENDPOINT, "job_id": id, "wait_s": 0.1 });
                        posted.insert(server.post_call("wait", &arguments).await, None);
                    }
                    _ => {
                        let arguments = run(key, rng.f64() / 2.0);
                        posted.insert(server.post_call("run", &arguments).await, Some(key));
                    }
                }
            }
            let patience = match rng.u32(0..3) {
                // The client abandons the calls.
                0 => Duration::from_millis(rng.u64(0..60)),
                _ => Duration::from_secs(300),
            };
            let answers = async {
                while !posted.is_empty() {
                    let Some((id, result)) = server.response().await else { break };
                    if let Some(Some(key)) = posted.remove(&id) {
                        known.read(key, &result["structuredContent"]);
                    }
                }
            };
            let answered = timeout(patience, answers).await;
            assert!(
                answered.is_ok() || patience < Duration::from_secs(1),
                "seed {seed}: no answer to {posted:?}"
            );
        }
        if rng.bool() {
            kills += 1;
            // While it submits: the job is accepted, and its response on the way.
            let slow = Fault::drip(4, Duration::from_millis(30));
            fixture.local.add_fault(slow.on(Operation::Run).times(1));
            server.post_call("run", &run(keys, 0.2)).await;
            (keys, calls) = (keys + 1, calls + 1);
            tokio::time::sleep(Duration::from_millis(rng.u64(0..300))).await;
            server.child.start_kill().unwrap();
            server.child.wait().await.unwrap();
        } else {
            server.close().await;
        }
    }
    fixture.local.clear_faults();

    let mut server = Server::start(&mut fixture.program(&["mcp", "--allow", "run"])).await;
    let mut unknown = 0;
    for key in 0..keys {
        let reply = server.call("run", run(key, 25.0)).await.unwrap();
        known.read(key, &reply);
        match reply["outcome"].as_str() {
            Some("unknown") => unknown += 1,
            Some("ended") => {
                let id = reply["job_id"].as_str().unwrap().to_owned();
                match reply["status"].as_str() {
                    Some("COMPLETED") => {
                        let output: Vec<Value> = (0..=key % 3).map(|n| json!({ "n": n })).collect();
                        assert_eq!(reply["output"], json!(output), "seed {seed}: {reply}");
                    }
                    Some("CANCELLED") => assert!(known.cancelled.contains(&id), "{reply}"),
                    _ => panic!("seed {seed}: {reply}"),
                }
            }
            _ => panic!("seed {seed}: {reply}"),
        }
    }
    server.close().await;
    let twice: Vec<_> =
        executions.lock().unwrap().clone().into_iter().filter(|it| it.1 > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: keys and their numbers of executions: {twice:?}");
    println!("seed {seed}: {calls} calls, {keys} keys, {kills} kills, {unknown} unknown");
}
