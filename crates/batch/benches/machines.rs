//! Throughput of claims on a PostgreSQL server: the number of inputs per second that processes of
//! this machine can claim, record as accepted and end, in commits of 20 inputs, as a run at the
//! documented limits makes some five of each kind per second; and how much is written for it.
//!
//! `cargo bench -p podqueue-batch --features postgres,podqueue-pgserver/installed --bench machines`

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may panic")]

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use podqueue_batch::store::{
    Change, Claim, Commit, Ended, Event, Input, OpenStore, Postgres, RunRecord, Store,
};
use podqueue_batch::{Batch, Inputs, State};
use podqueue_pgserver::Server;

const INPUTS: u64 = 1_000_000;

/// Number of inputs in a commit.
const GROUP: usize = 20;

const TIME: Duration = Duration::from_secs(8);

fn main() {
    let server = Server::start();
    let url = server.create("jobs");
    let folder = tempfile::tempdir().unwrap();
    let inputs = folder.path().join("inputs.jsonl");
    let lines: String = (0..INPUTS).map(|n| format!("{{\"n\":{n}}}\n")).collect();
    fs::write(&inputs, lines).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for number in 0..2 {
        let began = Instant::now();
        let batch = Batch::open(Postgres::connect(&url, "bench"))
            .inputs(Inputs::jsonl(&inputs))
            .results(folder.path().join(format!("{number}.jsonl")));
        drop(runtime.block_on(batch.into_future()).unwrap());
        let what = ["indexing a million inputs", "opening them again"];
        println!("{}: {:.1} s", what[number], began.elapsed().as_secs_f64());
        // A different modification time, as on another machine.
        fs::File::open(&inputs).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    }
    for processes in [1, 2, 4, 8] {
        measure(&server, &url, processes);
    }
    let size = "SELECT pg_total_relation_size('podqueue.input') / 1048576";
    println!("the inputs on disk: {} MB", server.sql("jobs", size));
}

fn measure(server: &Server, url: &str, processes: usize) {
    let wal = || -> u64 {
        let written = server.sql("jobs", "SELECT pg_current_wal_lsn() - '0/0'");
        written.parse::<f64>().unwrap() as u64
    };
    let (done, commits, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let before = wal();
    thread::scope(|scope| {
        for number in 0..processes {
            let (done, commits, stop) = (&done, &commits, &stop);
            scope.spawn(move || {
                let mut store = Postgres::connect(url, "bench").open().unwrap();
                let results = format!("{processes}-{number}");
                store.sharing().unwrap().identify(&results, State::Unknown).unwrap();
                let run = store.begin_run(&record()).unwrap();
                while !stop.load(Ordering::Relaxed) {
                    let claim = Commit {
                        claim: Some(Claim {
                            limit: GROUP,
                            bytes: u64::MAX,
                            run,
                            ..Claim::default()
                        }),
                        ..Commit::default()
                    };
                    let claimed = store.commit(&claim).unwrap();
                    store.commit(&each(&claimed, accepted)).unwrap();
                    store.commit(&each(&claimed, |_| ended())).unwrap();
                    commits.fetch_add(3, Ordering::Relaxed);
                    done.fetch_add(claimed.len() as u64, Ordering::Relaxed);
                }
            });
        }
        thread::sleep(TIME);
        stop.store(true, Ordering::Relaxed);
    });
    let (done, time) = (done.into_inner(), TIME.as_secs_f64());
    println!(
        "{processes} processes: {:.0} inputs/s, {:.0} commits/s, {:.1} KB of WAL per input",
        done as f64 / time,
        commits.into_inner() as f64 / time,
        (wal() - before) as f64 / done as f64 / 1_024.0
    );
}

fn record() -> RunRecord {
    RunRecord {
        endpoint_id: "e".into(),
        base_url: "u".into(),
        policy: None,
        ttl: None,
        started_at: 1,
    }
}

fn each(inputs: &[Input], event: impl Fn(&Input) -> Event) -> Commit {
    let change =
        |input: &Input| Change { index: input.index, attempt: input.attempt, event: event(input) };
    Commit { changes: inputs.iter().map(change).collect(), ..Commit::default() }
}

fn accepted(input: &Input) -> Event {
    let job_id = format!("0f3c1a52-7d1e-4c8a-9a55-{:012}-u1", input.index);
    Event::Accepted { job_id, at: 1_790_000_000_000 }
}

fn ended() -> Event {
    let (delay_ms, execution_ms) = (Some(12.0), Some(640.0));
    Event::Ended(Ended { state: State::Completed, error: None, delay_ms, execution_ms })
}
