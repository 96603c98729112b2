//! Crash tests: a process that runs a batch is killed at random moments, and the journal, the
//! results and the requests that the service received are compared. `scripts/batches.sh` kills the
//! program in more ways.

#[path = "kill/receiver.rs"]
mod receiver;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Arguments;
use std::io::{Write, stderr};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::{Batch, Inputs, OnUnknown, Reader, State};
use podqueue_local::{Fault, LocalJob, LocalService, Workers};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::support::{Folder, counts, endpoint, service, until};

/// The concurrency of `/run`.
const IN_FLIGHT: u64 = 200;

/// Number of inputs for each kill.
const INPUTS: u64 = 60;

pub fn setting(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Child process of a test: the process that is killed.
#[test]
#[ignore = "the process that the tests of this module kill"]
fn helper_process_of_a_batch() {
    let Ok(folder) = env::var("BATCH_FOLDER") else { return };
    let folder = std::path::PathBuf::from(folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let on_unknown = match env::var("BATCH_WEBHOOK") {
            Ok(url) => OnUnknown::ByWebhook(url.into()),
            Err(_) => OnUnknown::Hold,
        };
        let batch = podqueue_batch::Batch::open(crate::journal::of(&folder))
            .inputs(Inputs::jsonl(folder.join("inputs.jsonl")))
            .results(folder.join(env::var("BATCH_RESULTS").unwrap_or("results.jsonl".to_owned())))
            .on_unknown(on_unknown)
            .max_inline_output(setting("BATCH_LARGE").map_or(1 << 20, |it| it as usize))
            .await
            .unwrap();
        let client = podqueue::Client::builder()
            .api_key(crate::support::KEY)
            .base_url(env::var("BATCH_URL").unwrap())
            .build()
            .unwrap();
        let mut wait = Duration::ZERO;
        if setting("BATCH_RECEIVES").is_some() {
            receiver::listen(&folder, batch.clone()).await;
            // Longer than the lifetime of the process.
            wait = Duration::from_secs(60);
        }
        batch.run(client.endpoint("seen")).await_webhooks(wait).await.unwrap();
    });
}

/// The process that runs the batch in this folder.
pub fn command(folder: &Folder, local: &LocalService) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--ignored", "--exact", "--nocapture", "kill::helper_process_of_a_batch"])
        .env("BATCH_FOLDER", folder.path(""));
    command.env("BATCH_URL", local.base_url()).stdout(Stdio::null());
    crate::journal::tell(&mut command);
    command
}

fn start(folder: &Folder, local: &LocalService, webhook: Option<&str>) -> Child {
    let mut command = command(folder, local);
    if let Some(url) = webhook {
        command.env("BATCH_WEBHOOK", url);
    }
    command.spawn().unwrap()
}

/// The number of times that each input was accepted.
type Accepted = Arc<Mutex<BTreeMap<u64, u64>>>;

async fn faulty_service(seed: u64) -> (LocalService, Accepted) {
    let accepted = Accepted::default();
    let count = Arc::clone(&accepted);
    let local = service()
        .endpoint("seen", move |job: LocalJob| {
            let n = job.input["n"].as_u64().unwrap();
            *count.lock().unwrap().entry(n).or_default() += 1;
            async move {
                tokio::time::sleep(Duration::from_millis(n % 20)).await;
                Ok(json!(n))
            }
        })
        .workers_of("seen", Workers::between(20, 20))
        .start()
        .await
        .unwrap();
    let ms = Duration::from_millis;
    for (number, (fault, chance)) in [
        (Fault::lost_response(), 0.01),
        (Fault::reset(), 0.01),
        (Fault::response(500, "{\"error\": \"no\"}"), 0.01),
        (Fault::down(ms(20)), 0.001),
        (Fault::delay(ms(30)), 0.1),
        (Fault::lost_response().after(ms(10)), 0.01),
    ]
    .into_iter()
    .enumerate()
    {
        local.add_fault(fault.probability(chance, seed + number as u64));
    }
    (local, accepted)
}

/// Starts and kills the process, checks after each kill, and lets the last process end.
async fn kill_often(
    folder: &Folder,
    local: &LocalService,
    kills: u64,
    seed: u64,
    webhook: Option<&str>,
) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut unknown = 0;
    for _ in 0..kills {
        let mut child = start(folder, local, webhook);
        tokio::time::sleep(Duration::from_millis(random.u64(20..400))).await;
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        // The journal may not have been made yet.
        let Ok(mut reader) = Reader::open(&folder.journal()) else { continue };
        let counts = reader.status().unwrap().counts;
        assert!(counts.of(State::Intent) <= IN_FLIGHT, "{counts:?}");
        let now = counts.of(State::Unknown);
        assert!(now >= unknown, "nothing resolves them");
        unknown = now;
    }
    let ended = start(folder, local, webhook).wait().unwrap();
    assert!(ended.success());
}

/// Also if the test fails, and its output is captured.
pub fn say(what: Arguments<'_>) {
    let _ = writeln!(stderr(), "{what}");
}

fn begin() -> (u64, u64, Folder) {
    let seed = setting("SEED").unwrap_or_else(|| fastrand::u64(..1 << 32));
    let kills = setting("KILLS").unwrap_or(6);
    say(format_args!("SEED={seed} KILLS={kills}"));
    (seed, kills, Folder::with(kills * INPUTS))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_that_is_killed_anywhere_loses_nothing_and_submits_nothing_twice() {
    let (seed, kills, folder) = begin();
    let (local, accepted) = faulty_service(seed).await;
    kill_often(&folder, &local, kills, seed, None).await;
    let batch = folder.open().await.unwrap();
    let status = batch.status().await.unwrap();
    let told = batch.unknown().await.unwrap();
    say(format_args!("{}", counts(&status)));
    let (results, accepted) = (folder.results(), accepted.lock().unwrap());
    assert_eq!(results.len() as u64, status.counts.of(State::Completed));
    assert_eq!(told.len() as u64, status.counts.of(State::Unknown));
    assert_eq!(status.counts.ended() + told.len() as u64, kills * INPUTS, "each has one state");
    assert_eq!(status.counts.failures(), 0);
    for (index, line) in &results {
        assert_eq!(line["output"], json!(index));
        assert_eq!(accepted.get(index), Some(&1));
    }
    assert!(accepted.values().all(|times| *times == 1), "submitted twice: {accepted:?}");
    for input in told {
        assert!(!results.contains_key(&input.index));
    }
}

/// The query and the body of each webhook call.
type Calls = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

async fn keep_calls(listener: TcpListener, calls: Calls) {
    while let Ok((connection, _)) = listener.accept().await {
        let calls = Arc::clone(&calls);
        tokio::spawn(async move {
            let mut connection = BufReader::new(connection);
            let (mut line, mut target, mut length) = (String::new(), String::new(), 0);
            while connection.read_line(&mut line).await.is_ok_and(|read| read > 2) {
                let lower = line.to_ascii_lowercase();
                if let Some(rest) = line.strip_prefix("POST ") {
                    target = rest.split(' ').next().unwrap().to_owned();
                } else if let Some(rest) = lower.strip_prefix("content-length:") {
                    length = rest.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if connection.read_exact(&mut body).await.is_ok() {
                calls.lock().unwrap().push((target, body));
                let response = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                let _ = connection.write_all(response).await;
            }
        });
    }
}

/// The index in the query of a call.
fn index(target: &str) -> u64 {
    let rest = target.split_once("index=").unwrap().1;
    rest.split('&').next().unwrap().parse().unwrap()
}

fn called(calls: &[(String, Vec<u8>)]) -> BTreeSet<u64> {
    calls.iter().map(|(target, _)| index(target)).collect()
}

/// Waits for a call of each job that was accepted.
async fn every_job_called(calls: &Calls, accepted: &Accepted) {
    let all = async || {
        let called = called(&calls.lock().unwrap());
        accepted.lock().unwrap().keys().all(|index| called.contains(index))
    };
    until(all).await;
}

/// The unknown outcomes that none of the calls resolves.
async fn unknown_without(batch: &Batch, calls: &[(String, Vec<u8>)]) -> BTreeSet<u64> {
    let unknown = batch.unknown().await.unwrap();
    let unknown: BTreeSet<_> = unknown.iter().map(|input| input.index).collect();
    &unknown - &called(calls)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_resolve_every_accepted_input_of_a_batch_that_is_killed() {
    let (seed, kills, folder) = begin();
    let (local, accepted) = faulty_service(seed).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let calls = Calls::default();
    let keeper = tokio::spawn(keep_calls(listener, Arc::clone(&calls)));
    kill_often(&folder, &local, kills, seed, Some(&url)).await;
    let batch = folder.open().on_unknown(OnUnknown::ByWebhook(url.into())).await.unwrap();
    every_job_called(&calls, &accepted).await;
    let calls = std::mem::take(&mut *calls.lock().unwrap());
    let uncalled = unknown_without(&batch, &calls).await;
    for (target, body) in calls {
        assert!(batch.deliver(&target, &body).await.unwrap());
    }
    local.clear_faults();
    let run = batch.run(endpoint(&local, "seen")).await_webhooks(Duration::ZERO);
    let report = run.await.unwrap();
    say(format_args!("{:?}", report.counts));
    assert_eq!(unknown_without(&batch, &[]).await, uncalled);
    let accepted = accepted.lock().unwrap();
    assert!(accepted.values().all(|times| *times == 1), "submitted twice: {accepted:?}");
    assert_eq!(report.counts.of(State::Completed), kills * INPUTS - uncalled.len() as u64);
    keeper.abort();
}
