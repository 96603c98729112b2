//! Shared limits: several clients that share their rate limits through one file, which is deleted
//! or whose clock is set ahead.
//!
//! A client exchanges its limits on a thread of its own, by the clock of the machine. Time is
//! therefore real, and a seed repeats the actions but not their exact timing.

use std::fs;
use std::io;
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

use crate::client::call_log::CallLog;
use crate::client::caller::{Caller, builder};
use crate::client::invariants;
use crate::client::leaks::Capture;
use crate::client::peer::Peer;
use crate::client::plan::{self, Fault, Plan, PlannedStep, PollPattern, Step};
use crate::client::run::Run;
use crate::client::service::{Operation, Service};
use crate::search::{Driver, Played};

/// Time limit of the last calls, which are no more than the limit allows in ten seconds.
const LAST_CALLS: Duration = Duration::from_secs(20);

/// Time after which all running clients have noticed a change of the file and reported their
/// requests again, which takes a third of a second. A client that starts before cannot know of
/// those requests.
const SETTLE_TIME: Duration = Duration::from_secs(1);

/// Clients that share their limits, and the changes of their file.
#[derive(Clone, Debug)]
pub struct SharedPlan {
    /// Settings and faults.
    pub base: Plan,
    /// Call that all callers repeat.
    pub step: Step,
    pub clients: Vec<SharingClient>,
    pub changes: Vec<(Duration, StoreChange)>,
}

/// Client that exists for a time.
#[derive(Clone, Debug)]
pub struct SharingClient {
    pub from: Duration,
    pub until: Duration,
    pub callers: usize,
}

#[derive(Clone, Copy, Debug)]
pub enum StoreChange {
    /// The file and its journal are deleted.
    Deleted,
    /// The stored clock is set ahead.
    Ahead(Duration),
}

/// Draws the plan of a seed.
#[must_use]
pub fn plan(seed: u64) -> SharedPlan {
    let mut base = plan::plan(seed);
    let mut rng = Rng::with_seed(!seed);
    // The operation, the share of its limits, and the number of requests that allows in ten
    // seconds.
    let (step, operation, share, allowed) = match rng.u8(..4) {
        0 => (Step::Purge, Operation::Purge, 1.0, 2),
        1 => (Step::Requests, Operation::Requests, 1.0, 10),
        2 => (Step::Requests, Operation::Requests, 0.5, 5),
        _ => (Step::Openai, Operation::Openai, 0.005, 10),
    };
    base.settings.http2 = false;
    base.settings.share = Some(share);
    base.settings.call_timeout = None;
    base.settings.timeout = Duration::from_secs(60);
    (base.dropped_connections, base.downtime) = (0, None);
    base.actors.clear();
    base.faults.clear();
    let delay = |rng: &mut Rng| match rng.u8(..3) {
        0 => Fault::Delay { by: Duration::from_millis(rng.u64(..700)), effect_delayed: false },
        _ => Fault::None,
    };
    base.faults.insert(operation, (0..rng.usize(..20)).map(|_| delay(&mut rng)).collect());

    let ends = rng.u64(5_000..9_000);
    let mut changes: Vec<_> = (0..rng.usize(..3))
        .map(|_| {
            let change = match rng.bool() {
                true => StoreChange::Deleted,
                false => StoreChange::Ahead(Duration::from_secs(rng.u64(5..3_000))),
            };
            (Duration::from_millis(rng.u64(500..ends - 2_000)), change)
        })
        .collect();
    changes.sort_by_key(|(at, _)| *at);
    let settled = changes.last().map_or(Duration::ZERO, |(at, _)| *at + SETTLE_TIME);
    let clients = rng.usize(2..=4.min(allowed));
    let most_callers = allowed / clients;
    let clients = (0..clients).map(|number| SharingClient {
        from: match rng.u8(..3) {
            _ if number == 0 => Duration::ZERO,
            0 => Duration::from_millis(rng.u64(..500)),
            _ => settled,
        },
        // The requests of a client that no longer exists are not reported again.
        until: settled.max(Duration::from_millis(rng.u64(ends / 2..=ends))),
        callers: rng.usize(1..=most_callers),
    });
    let clients = clients.collect();
    SharedPlan { base, step, clients, changes }
}

/// Plays a plan in real time.
#[must_use]
pub fn run(plan: &SharedPlan) -> Run {
    let capture = Capture::start(false);
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut run = runtime.block_on(play(plan));
    drop(runtime);
    run.panics = capture.stop().panics;
    run
}

async fn play(plan: &SharedPlan) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("of-all/limits.db");
    fs::create_dir(folder.path().join("of-all")).expect("a new folder");
    let peer = Peer::start(&plan.base, Service::default()).await;
    let (log, calls) = (Arc::new(CallLog::default()), Arc::new(AtomicU64::new(1)));
    let began = Instant::now();
    let mut all = JoinSet::new();
    for client in plan.clients.clone() {
        let (plan, file) = (plan.clone(), file.clone());
        let (address, log, calls) =
            (peer.address.to_string(), Arc::clone(&log), Arc::clone(&calls));
        all.spawn(async move {
            sleep_until(began + client.from).await;
            let limits = SharedLimits::new(SqliteLimits::file(file));
            let built = builder(&plan.base, &address).shared_limits(limits).build();
            let caller = Caller::new(built.expect("usable settings"), log);
            let mut callers = JoinSet::new();
            for _ in 0..client.callers {
                let (caller, step, calls) = (caller.clone(), plan.step.clone(), calls.clone());
                callers.spawn(async move {
                    while began.elapsed() < client.until {
                        let call = calls.fetch_add(1, Ordering::Relaxed) * 1_000;
                        let planned =
                            PlannedStep { call, step: step.clone(), pattern: PollPattern::Await };
                        caller.take_step(&planned, None).await;
                    }
                });
            }
            callers.join_all().await;
        });
    }
    for (at, change) in plan.changes.clone() {
        let file = file.clone();
        all.spawn(async move {
            sleep_until(began + at).await;
            change.apply(&file);
        });
    }
    let ends = plan.clients.iter().map(|client| client.until).max().unwrap_or_default();
    let _ = timeout(ends + LAST_CALLS, async { while all.join_next().await.is_some() {} }).await;
    let (entries, ended) = (log.entries(), Instant::now());
    drop(all);
    sleep(SETTLE_TIME).await;
    let (transcript, service) = peer.observed();
    Run {
        settings: plan.base.settings.clone(),
        connections_may_end: false,
        began,
        ended,
        entries,
        leaked_connections: transcript.open_connections.len(),
        transcript,
        service,
        leaks: log.leaks(),
        panics: Vec::new(),
        leaked_tasks: 0,
        flooded: false,
        traced_bytes: 0,
    }
}

impl StoreChange {
    fn apply(self, file: &Path) {
        match self {
            // All files at once: a journal that outlives its database is another fault.
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

/// Sets the store's clock ahead: the first integer column of its clock table.
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

/// Driver of clients with shared limits.
pub struct SharedLimitsDriver;

impl Driver for SharedLimitsDriver {
    type Plan = SharedPlan;
    const SEED_VARIABLE: &'static str = "SHARED";
    const IS_REAL_TIME: bool = true;
    const SHRINK_SECONDS: u64 = 0;

    fn draw(&self, seed: u64) -> SharedPlan {
        plan(seed)
    }

    fn play(&mut self, plan: &SharedPlan) -> io::Result<Played<SharedPlan>> {
        Ok(invariants::check(plan, &run(plan)))
    }

    fn seed(plan: &SharedPlan) -> u64 {
        plan.base.seed
    }

    fn describe(plan: &SharedPlan) -> String {
        let SharedPlan { base, step, clients, changes } = plan;
        format!(
            "  {step:?} with {:?} of its limits\n  {clients:?}\n  {changes:?}\n",
            base.settings.share
        )
    }

    fn simpler(_: &SharedPlan) -> Vec<SharedPlan> {
        Vec::new()
    }

    fn size(played: &Played<SharedPlan>) -> usize {
        played.plan.changes.len()
    }
}
