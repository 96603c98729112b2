//! Processes that are killed while they publish, at random requests: before the request has an
//! effect, and after it.

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use futures_util::{StreamExt, stream};
use podqueue_batch::{Publication, Report};
use podqueue_local::LocalService;
use tokio::sync::Notify;

use super::results::{manifest, parts};
use super::server::{Fault, Server};
use crate::support::{Folder, endpoint, service};

/// A run in a process of its own, as far as a test has one: all of its tasks are dropped where they
/// are once it is killed. `None` if it was.
async fn run_until(
    folder: Folder,
    local: &LocalService,
    to: Publication,
    killed: Arc<Notify>,
) -> (Folder, Option<Report>) {
    let endpoint = endpoint(local, "double");
    let process = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ended = runtime.block_on(async {
            let run = async {
                let batch = folder.open().await.unwrap();
                batch.run(endpoint).publish_to(to).await.unwrap()
            };
            tokio::select! {
                report = run => Some(report),
                () = killed.notified() => None,
            }
        });
        drop(runtime);
        (folder, ended)
    });
    tokio::task::spawn_blocking(move || process.join().unwrap()).await.unwrap()
}

/// Plays a batch with kills until it has ended. Returns the numbers of kills before the effect of a
/// request and after it.
async fn play(seed: u64, local: &LocalService) -> [u64; 2] {
    let server = Server::start().await;
    let mut random = Rng::with_seed(seed);
    let mut folder = Folder::with(random.u64(1..40));
    // Each process would cut other parts: only the record of a cut keeps it.
    let mut sizes = random.fork();
    let mut publication = || {
        let folder = server.patient("out", Duration::from_secs(10));
        Publication::to(folder).part_bytes(sizes.usize(100..600))
    };
    let mut kills = [0, 0];
    let report = loop {
        let killed = Arc::new(Notify::new());
        let (kill, applied) = (Arc::clone(&killed), random.bool());
        let mut left = random.u64(1..16);
        server.on_request(move |_, _, _| {
            left = left.saturating_sub(1);
            if left == 0 {
                kill.notify_one();
                return Fault::Hang { applied };
            }
            Fault::None
        });
        let (back, ended) = run_until(folder, local, publication(), killed).await;
        folder = back;
        match ended {
            Some(report) => break report,
            None => kills[usize::from(applied)] += 1,
        }
    };
    assert!(report.is_complete(), "seed {seed}");
    let found = server.all("out/");
    let results = fs::read_to_string(folder.path("results.jsonl")).unwrap();
    assert_eq!(parts(&found), results, "seed {seed}");
    assert_eq!(folder.results().len() as u64, report.counts.total(), "seed {seed}");
    let listed = manifest(&found, "out/");
    assert_eq!(listed["parts"].as_array().unwrap().len(), found.len() - 2, "seed {seed}");
    // Once more, without anything to do.
    server.without_faults();
    let (_, report) = run_until(folder, local, publication(), Arc::default()).await;
    assert_eq!(report.unwrap().submitted_now, 0);
    assert_eq!(server.all("out/"), found, "seed {seed}");
    kills
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_of_killed_runs_are_the_results_of_a_run_without_kills() {
    let local = service().start().await.unwrap();
    // Each mostly waits.
    let played = stream::iter(0..100).map(|seed| play(seed, &local)).buffer_unordered(16);
    let kills: Vec<_> = played.collect().await;
    let [before, after] = [0, 1].map(|which| kills.iter().map(|kills| kills[which]).sum::<u64>());
    assert!(before > 30 && after > 30, "{before} kills before an effect, {after} after it");
}
