//! Crash tests of the webhook receiver: the process is killed before, in and after the commit of a
//! call, and before its response.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::{Batch, OnUnknown, Reader, State};
use podqueue_local::{Fault, Operation};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{
    Calls, INPUTS, begin, command, every_job_called, faulty_service, index, keep_calls, say,
    unknown_without,
};
use crate::support::{endpoint, until};
use crate::unknown_outcomes::receive;

/// The file with the address of the process that receives calls.
const ADDRESS: &str = "address";

/// Receives calls for a batch, and writes its address to a file.
pub(super) async fn listen(folder: &Path, batch: Batch) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    fs::write(folder.join(ADDRESS), listener.local_addr().unwrap().to_string()).unwrap();
    tokio::spawn(receive(listener, batch));
}

/// The number of times that each call was made, and the calls whose response was 200, by position.
#[derive(Default)]
struct Post {
    made: BTreeMap<usize, u64>,
    accepted: BTreeSet<usize>,
}

/// Makes each call until the response is 200, without a limit of attempts.
async fn forward(calls: Calls, address: PathBuf, post: Arc<Mutex<Post>>) {
    let (mut tasks, mut known) = (JoinSet::new(), 0);
    loop {
        let new = calls.lock().unwrap()[known..].to_vec();
        for (target, body) in new {
            let (at, address, post) = (known, address.clone(), Arc::clone(&post));
            known += 1;
            tasks.spawn(async move {
                loop {
                    if let Some(status) = call(&address, &target, &body).await {
                        let mut post = post.lock().unwrap();
                        *post.made.entry(at).or_default() += 1;
                        if status.contains(" 200 ") {
                            post.accepted.insert(at);
                            return;
                        }
                    }
                    sleep(Duration::from_millis(10)).await;
                }
            });
        }
        sleep(Duration::from_millis(2)).await;
    }
}

/// The first line of the response, which is empty if none came; nothing if the receiver could not
/// be reached.
async fn call(address: &Path, target: &str, body: &[u8]) -> Option<String> {
    let address = fs::read_to_string(address).ok()?;
    let mut connection = TcpStream::connect(address).await.ok()?;
    let head = format!("POST {target} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
    connection.write_all(&[head.as_bytes(), body].concat()).await.ok()?;
    let mut line = String::new();
    let _ = BufReader::new(connection).read_line(&mut line).await;
    Some(line)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_to_a_process_that_is_killed_are_neither_lost_nor_counted_twice() {
    let (seed, kills, folder) = begin();
    let (local, accepted) = faulty_service(seed).await;
    local.add_fault(Fault::lost_response().on(Operation::Run).probability(0.5, seed + 100));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (calls, post) = (Calls::default(), Arc::<Mutex<Post>>::default());
    let keeper = tokio::spawn(keep_calls(listener, Arc::clone(&calls)));
    let address = folder.path(ADDRESS);
    let poster = tokio::spawn(forward(Arc::clone(&calls), address.clone(), Arc::clone(&post)));
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..kills {
        let before = post.lock().unwrap().accepted.len();
        let mut program = command(&folder, &local);
        let mut child =
            program.env("BATCH_WEBHOOK", &url).env("BATCH_RECEIVES", "1").spawn().unwrap();
        let some = until(async || post.lock().unwrap().accepted.len() > before);
        // There may be none to come.
        let _ = timeout(Duration::from_secs(1), some).await;
        sleep(Duration::from_micros(random.u64(0..60_000))).await;
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        let _ = fs::remove_file(&address);
        let Ok(mut reader) = Reader::open(&folder.journal()) else { continue };
        let unknown: BTreeSet<_> = reader.unknown().unwrap().iter().map(|it| it.index).collect();
        let known = {
            let calls = calls.lock().unwrap();
            post.lock().unwrap().accepted.iter().map(|at| index(&calls[*at].0)).collect()
        };
        let lost: Vec<_> = unknown.intersection(&known).collect();
        assert!(lost.is_empty(), "they were accepted: {lost:?}");
    }
    // The call of each job has come; those without a response of 200 have come several times.
    every_job_called(&calls, &accepted).await;
    keeper.abort();
    poster.abort();
    let _ = poster.await;
    local.clear_faults();
    let batch = folder.open().on_unknown(OnUnknown::ByWebhook(url.into())).await.unwrap();
    let calls = std::mem::take(&mut *calls.lock().unwrap());
    let post = std::mem::take(&mut *post.lock().unwrap());
    // Not those that the service accepts only now, from a request of the last process.
    let uncalled = unknown_without(&batch, &calls).await;
    for (at, (target, body)) in calls.iter().enumerate() {
        if !post.accepted.contains(&at) {
            assert!(batch.deliver(target, body).await.unwrap());
        }
    }
    let run = batch.run(endpoint(&local, "seen")).await_webhooks(Duration::ZERO);
    let report = run.await.unwrap();
    let repeated = post.made.values().filter(|made| **made > 1).count();
    say(format_args!(
        "{} calls accepted, {repeated} of them repeated; {:?}",
        post.accepted.len(),
        report.counts
    ));
    assert_eq!(unknown_without(&batch, &[]).await, uncalled);
    let accepted = accepted.lock().unwrap();
    assert!(accepted.values().all(|times| *times == 1), "submitted twice: {accepted:?}");
    assert_eq!(report.counts.of(State::Completed), kills * INPUTS - uncalled.len() as u64);
    let results = folder.results();
    let completed = (0..kills * INPUTS).filter(|index| !uncalled.contains(index));
    assert!(results.keys().copied().eq(completed), "each has one line");
    assert!(results.iter().all(|(index, line)| line["output"] == *index));
}
