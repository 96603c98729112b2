//! Several clients that share their limits through one file, which is deleted, or turns out to be from a
//! machine whose clock is ahead.
//!
//! A client exchanges on a thread of its own, by the clock of the machine. So time is real: a seed
//! repeats what happens, and not exactly when.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use podqueue::SharedLimits;
use podqueue_limits::SqliteLimits;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::caller::{Caller, Log, builder};
use crate::capture::Capture;
use crate::invariants::{Violation, broken};
use crate::operation::Operation;
use crate::peer::{Peer, Transcript};
use crate::plan::{self, Fault, Manner, Plan, Step, Work};
use crate::run::Run;
use crate::search::transcript;
use crate::service::Service;

/// How long the last calls may take: there are no more of them than are allowed in ten seconds.
const LAST_CALLS: Duration = Duration::from_secs(20);

/// A client that is there notices within a third of a second what became of the file, and reports
/// again what it has sent; one that comes before cannot know of it.
const NOTICED: Duration = Duration::from_secs(1);

/// What the clients do, and what becomes of their file.
#[derive(Clone, Debug)]
pub struct Sharing {
    pub plan: Plan,
    /// What all callers ask for, again and again.
    pub step: Step,
    pub clients: Vec<Sharer>,
    pub changes: Vec<(Duration, Change)>,
}

/// When a client is there, and how many callers it has.
#[derive(Clone, Debug)]
pub struct Sharer {
    pub from: Duration,
    pub until: Duration,
    pub callers: usize,
}

#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// The file is deleted with those next to it.
    Deleted,
    /// The clock that is stored is so far ahead.
    Ahead(Duration),
}

/// The clients that a seed stands for.
#[must_use]
pub fn sharing(seed: u64) -> Sharing {
    let mut plan = plan::plan(seed);
    let mut rng = Rng::with_seed(!seed);
    // The operation, the share of its limits, and how many requests that allows in ten seconds.
    let (step, operation, share, allowed) = match rng.u8(..4) {
        0 => (Step::Purge, Operation::Purge, 1.0, 2),
        1 => (Step::Requests, Operation::Requests, 1.0, 10),
        2 => (Step::Requests, Operation::Requests, 0.5, 5),
        _ => (Step::Openai, Operation::Openai, 0.005, 10),
    };
    plan.settings.http2 = false;
    plan.settings.share = Some(share);
    plan.settings.call_timeout = None;
    plan.settings.timeout = Duration::from_secs(60);
    (plan.dead_connections, plan.away) = (0, None);
    plan.actors.clear();
    plan.faults.clear();
    let late = |rng: &mut Rng| match rng.u8(..3) {
        0 => Fault::Late { by: Duration::from_millis(rng.u64(..700)), acts_late: false },
        _ => Fault::None,
    };
    plan.faults.insert(operation, (0..rng.usize(..20)).map(|_| late(&mut rng)).collect());

    let ends = rng.u64(5_000..9_000);
    let mut changes: Vec<_> = (0..rng.usize(..3))
        .map(|_| {
            let change = match rng.bool() {
                true => Change::Deleted,
                false => Change::Ahead(Duration::from_secs(rng.u64(5..3_000))),
            };
            (Duration::from_millis(rng.u64(500..ends - 2_000)), change)
        })
        .collect();
    changes.sort_by_key(|(at, _)| *at);
    let settled = changes.last().map_or(Duration::ZERO, |(at, _)| *at + NOTICED);
    let clients = rng.usize(2..=4.min(allowed));
    let most_callers = allowed / clients;
    let clients = (0..clients).map(|number| Sharer {
        from: match rng.u8(..3) {
            _ if number == 0 => Duration::ZERO,
            0 => Duration::from_millis(rng.u64(..500)),
            _ => settled,
        },
        // Nobody reports again what a client has sent that is gone.
        until: settled.max(Duration::from_millis(rng.u64(ends / 2..=ends))),
        callers: rng.usize(1..=most_callers),
    });
    let clients = clients.collect();
    Sharing { plan, step, clients, changes }
}

/// Plays the clients of a seed: what is broken, and all that a reader needs.
#[must_use]
pub fn play(seed: u64) -> Option<(Vec<Violation>, String)> {
    let sharing = sharing(seed);
    let run = run(&sharing);
    let violations = broken(&run);
    let Sharing { plan, step, clients, changes } = &sharing;
    let first = violations.first()?;
    let text = format!(
        "SHARED={seed}\n  {first}\n  {step:?} with {:?} of its limits\n  {clients:?}\n  {changes:?}\n{}",
        plan.settings.share,
        transcript(&run)
    );
    Some((violations, text))
}

fn run(sharing: &Sharing) -> Run {
    let capture = Capture::start(false);
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut run = runtime.block_on(share(sharing));
    drop(runtime);
    run.panics = capture.stop().panics;
    run
}

async fn share(sharing: &Sharing) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("of-all/limits.db");
    fs::create_dir(folder.path().join("of-all")).expect("a new folder");
    let peer = Peer::start(&sharing.plan, Service::default()).await;
    let (log, calls) = (Arc::new(Log::default()), Arc::new(AtomicU64::new(1)));
    let began = Instant::now();
    let mut all = JoinSet::new();
    for client in sharing.clients.clone() {
        let (sharing, file) = (sharing.clone(), file.clone());
        let (address, log, calls) =
            (peer.address.to_string(), Arc::clone(&log), Arc::clone(&calls));
        all.spawn(async move {
            sleep_until(began + client.from).await;
            let limits = SharedLimits::new(SqliteLimits::file(file));
            let built = builder(&sharing.plan, &address).shared_limits(limits).build();
            let caller = Caller::new(built.expect("usable settings"), log);
            let mut callers = JoinSet::new();
            for _ in 0..client.callers {
                let (caller, step, calls) = (caller.clone(), sharing.step.clone(), calls.clone());
                callers.spawn(async move {
                    while began.elapsed() < client.until {
                        let call = calls.fetch_add(1, Ordering::Relaxed) * 1_000;
                        let work = Work { call, step: step.clone(), manner: Manner::Await };
                        caller.take_step(&work, None).await;
                    }
                });
            }
            callers.join_all().await;
        });
    }
    for (at, change) in sharing.changes.clone() {
        let file = file.clone();
        all.spawn(async move {
            sleep_until(began + at).await;
            change.make(&file);
        });
    }
    let ends = sharing.clients.iter().map(|client| client.until).max().unwrap_or_default();
    let _ = timeout(ends + LAST_CALLS, async { while all.join_next().await.is_some() {} }).await;
    let (entries, ended) = (log.entries(), Instant::now());
    drop(all);
    sleep(NOTICED).await;
    let mut inner = peer.lock();
    let transcript = std::mem::replace(&mut inner.transcript, Transcript::new(began));
    Run {
        settings: sharing.plan.settings.clone(),
        ends_connections: false,
        began,
        ended,
        entries,
        left_connections: transcript.open.len(),
        transcript,
        service: std::mem::take(&mut inner.service),
        leaks: log.leaks(),
        panics: Vec::new(),
        left_tasks: 0,
        flooded: false,
        traced: 0,
    }
}

impl Change {
    fn make(self, file: &Path) {
        match self {
            // All files at once: a log that outlives its file is another matter.
            Self::Deleted => {
                static NEXT: AtomicU64 = AtomicU64::new(0);
                let folder: PathBuf = file.parent().expect("a folder").into();
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let deleted = folder.with_file_name(format!("deleted-{number}"));
                fs::rename(&folder, deleted).expect("a folder that can be moved");
                fs::create_dir(folder).expect("a new folder");
            }
            Self::Ahead(by) => set_ahead(file, by).expect("a file that can be changed"),
        }
    }
}

/// Adds this to the moment by the store's clock, the first number that it keeps.
fn set_ahead(file: &Path, by: Duration) -> rusqlite::Result<()> {
    const MOMENTS: &str = "
        SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name LIKE '%clock' AND columns.type = 'INTEGER' AND columns.pk = 0
        ORDER BY columns.cid LIMIT 1
    ";
    let connection = rusqlite::Connection::open(file)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let mut select = connection.prepare(MOMENTS)?;
    let columns = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for column in columns {
        let (table, moment): (String, String) = column?;
        let by = by.as_micros();
        connection.execute(&format!("UPDATE {table} SET {moment} = {moment} + {by}"), [])?;
    }
    connection.execute_batch("COMMIT")
}
