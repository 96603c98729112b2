//! Failover: processes whose database is replaced by a standby in the middle of their run, one that
//! is synchronous, or may be behind. `scripts/promotions.sh` repeats this for longer.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use podqueue_batch::Postgres;
use podqueue_batch::store::{OpenStore, Store};
use podqueue_pgserver::{Proxy, Server, Traffic};
use serde_json::json;

use crate::kill::{say, setting};
use crate::machines::{LEASE, Machines};
use crate::support::{endpoint, until};

/// Processes of a batch.
const PROCESSES: usize = 3;

/// Most promotions while one batch runs, and the inputs for each.
const IN_A_BATCH: u64 = 5;
const INPUTS: u64 = 2_500;

/// Inputs that the workers of the service complete in a second.
const IN_A_SECOND: u64 = 500;

/// Longest time in milliseconds for which a process that starts has the database to itself. It is
/// shorter than a lease, so the others renew theirs in time.
const BEFORE_OTHERS: u64 = 1_000;

/// The errors of a process when the database has lost changes.
const REFUSED: [&str; 2] = ["has lost changes", "would submit that input again"];

/// Rows of inputs that differ from the counts, in one snapshot.
const MISCOUNTED: &str = "WITH rows AS (SELECT state, count(*) AS n FROM podqueue.input GROUP BY state),
    sums AS (
        SELECT place - 1 AS state, sum(n) + CASE place WHEN 1 THEN (SELECT inputs FROM podqueue.batch) ELSE 0 END AS n
        FROM podqueue.process, unnest(moved) WITH ORDINALITY AS moved (n, place) GROUP BY place
    )
    SELECT count(*) FROM rows FULL JOIN sums USING (state)
    WHERE coalesce(rows.n, 0) <> coalesce(sums.n, 0)";

/// Counts of the events of all batches.
#[derive(Default)]
struct Figures {
    promotions: u64,
    /// Those after which no change was missing, and those after which the processes refused.
    complete: u64,
    lossy: u64,
    kills: u64,
    unknown: u64,
    /// Processes that continued under a new lease, and reads of standbys.
    interrupted: u64,
    reads: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_continue_on_promoted_standbys() {
    let seed = setting("SEED").unwrap_or_else(|| fastrand::u64(..1 << 32));
    let count = setting("COUNT").unwrap_or(3);
    say(format_args!("SEED={seed} COUNT={count}"));
    let (began, mut figures) = (Instant::now(), Figures::default());
    let mut random = Rng::with_seed(seed);
    while figures.promotions < count {
        let promotions = (count - figures.promotions).min(IN_A_BATCH);
        play(promotions, &mut random, &mut figures).await;
    }
    let Figures { promotions, complete, lossy, kills, unknown, interrupted, reads } = figures;
    say(format_args!(
        "{promotions} promotions, {complete} without a loss and {lossy} with one, {kills} kills, {interrupted} interruptions, {unknown} unknown inputs, {reads} reads of standbys, {:?}, SEED={seed}",
        began.elapsed()
    ));
}

/// One batch.
async fn play(promotions: u64, random: &mut Rng, figures: &mut Figures) {
    let mut server = Server::start_with_clock();
    let _ = server.create("jobs");
    // Each reaches the promoted standby at another moment.
    let proxies: Vec<_> = (0..PROCESSES).map(|_| Proxy::start(&server)).collect();
    let urls: Vec<_> = proxies.iter().map(|proxy| proxy.url("jobs")).collect();
    let mut machines = Machines::with(INPUTS * promotions, Duration::from_millis(100)).await;
    for (number, url) in urls.iter().enumerate() {
        machines.start(number, url);
    }
    machines.until_accepted(50).await;
    let (mut may_repeat, mut kills, mut losses) = (BTreeSet::new(), 0, 0);
    for _ in 0..promotions {
        let standby = server.standby();
        let is_synchronous = random.bool();
        server.wait_for_standby(is_synchronous);
        let reader = StandbyReader::start(&standby, machines.inputs);
        pause(random, 700).await;
        let is_behind = !is_synchronous && random.bool();
        if is_behind {
            standby.fall_behind();
        }
        server.set_clock([0, 3_600, -3_600][random.usize(..3)]);
        standby.set_clock([0, 3_600, -3_600][random.usize(..3)]);
        pause(random, 700).await;
        figures.reads += reader.stop();
        // A process that has ended before the crash learns of no loss.
        if machines.submitted() as u64 + IN_A_SECOND > machines.inputs {
            break;
        }
        let killed = random.bool().then(|| random.usize(..PROCESSES));
        if let Some(number) = killed {
            machines.kill(number, &urls[number]);
            kills += 1;
        }
        server.crash();
        proxies.iter().for_each(|proxy| proxy.set(Traffic::Cut));
        let is_long = random.bool();
        if is_long {
            tokio::time::sleep(LEASE).await;
        }
        pause(random, LEASE.as_millis() as u64).await;
        standby.promote();
        let reach = |number: usize| {
            proxies[number].lead_to(&standby);
            proxies[number].set(Traffic::Passes);
        };
        // It has never seen the others, and is there before them.
        if let Some(number) = killed {
            reach(number);
            machines.start(number, &urls[number]);
            pause(random, BEFORE_OTHERS).await;
        }
        (0..PROCESSES).for_each(reach);
        server = standby;
        figures.promotions += 1;
        say(format_args!(
            "promotion {}: synchronous {is_synchronous}, behind {is_behind}, killed {killed:?}",
            figures.promotions
        ));
        if machines.continue_or_refuse(&server, is_synchronous).await {
            losses += 1;
            let completed = machines.completed();
            may_repeat.extend((0..machines.inputs).filter(|input| !completed.contains(input)));
            accept_loss(&mut machines, &urls).await;
            figures.lossy += 1;
        } else {
            figures.complete += 1;
        }
    }
    machines.wait().await;
    let unknown = machines.check_but(&urls[0], |input| may_repeat.contains(&input));
    assert_eq!(server.sql("jobs", MISCOUNTED), "0");
    let interrupted = (0..PROCESSES).filter_map(|it| machines.report(it)["interrupted"].as_u64());
    let interrupted: u64 = interrupted.sum();
    if losses == 0 {
        assert_eq!(interrupted, 0, "a promotion interrupts no live process");
    }
    if losses + kills == 0 {
        assert_eq!(unknown, 0, "no input is unknown without a kill");
    }
    figures.interrupted += interrupted;
    figures.unknown += unknown;
    figures.kills += kills;
}

async fn pause(random: &mut Rng, most: u64) {
    tokio::time::sleep(Duration::from_millis(random.u64(..=most))).await;
}

impl Machines {
    /// Returns true if this process has not ended.
    fn is_at_work(&mut self, number: usize) -> bool {
        self.children.get_mut(&number).is_some_and(|it| it.try_wait().unwrap().is_none())
    }

    /// The number of accepted submissions, once a worker of the service has begun with each.
    async fn times_accepted_in_all(&self) -> u64 {
        let endpoint = endpoint(&self.local, "seen");
        until(async || endpoint.health().await.unwrap().jobs.in_queue == 0).await;
        self.times_accepted()
    }

    /// Returns true if a process refuses the database because changes are lost, or false once all
    /// have worked with it.
    async fn continue_or_refuse(&mut self, server: &Server, is_synchronous: bool) -> bool {
        let began = Instant::now();
        let promoted: BTreeSet<_> = last_changes(server);
        loop {
            let numbers: Vec<_> = self.children.keys().copied().collect();
            for number in numbers {
                let ended = self.children.get_mut(&number).unwrap().try_wait().unwrap();
                if ended.is_none_or(|status| status.success()) {
                    continue;
                }
                let said = self.folder.path(&format!("{number}.stderr"));
                let said = fs::read_to_string(said).unwrap();
                assert!(REFUSED.iter().any(|why| said.contains(why)), "process {number}: {said}");
                assert!(!is_synchronous, "a synchronous standby has every change: {said}");
                return true;
            }
            // Each renews its lease meanwhile, and would find its last change missing.
            if promoted.is_disjoint(&last_changes(server)) {
                return false;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "processes do not continue");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// The processes that have joined, and the number of the last change of each.
fn last_changes(server: &Server) -> BTreeSet<String> {
    let rows = server.sql("jobs", "SELECT id, last_change FROM podqueue.process");
    rows.lines().map(str::to_owned).collect()
}

/// Imports the results of all processes, and continues.
async fn accept_loss(machines: &mut Machines, urls: &[String]) {
    for number in 0..PROCESSES {
        if machines.children.contains_key(&number) {
            machines.fails(number, REFUSED).await;
        }
    }
    let accepted = machines.times_accepted_in_all().await;
    let accept = [("BATCH_ACCEPT_LOSS", "yes")];
    let (last, others) = urls.split_last().unwrap();
    for (number, url) in others.iter().enumerate() {
        machines.start_with(number, url, &accept);
        machines.fails(number, ["not accepted yet", "not accepted yet"]).await;
    }
    let now = machines.times_accepted_in_all().await;
    assert_eq!(now, accepted, "nothing is submitted meanwhile");
    machines.start_with(PROCESSES - 1, last, &accept);
    while machines.times_accepted() == accepted && machines.is_at_work(PROCESSES - 1) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for (number, url) in others.iter().enumerate() {
        machines.start(number, url);
    }
}

/// Reads the status of the batch from a standby, all the time.
struct StandbyReader {
    is_over: Arc<AtomicBool>,
    thread: thread::JoinHandle<u64>,
}

impl StandbyReader {
    fn start(standby: &Server, inputs: u64) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let url = standby.url("jobs");
        let thread = thread::spawn({
            let is_over = Arc::clone(&is_over);
            move || {
                let mut store = Postgres::connect(url, "batch").inspect().unwrap();
                let (mut reads, mut ended) = (0, 0);
                while !is_over.load(SeqCst) {
                    let counts = store.tally().unwrap().counts;
                    assert_eq!(counts.total(), inputs, "{counts:?}");
                    let now = json!(counts)["completed"].as_u64().unwrap();
                    assert!(now >= ended, "{counts:?}: {ended} had completed");
                    (reads, ended) = (reads + 1, now);
                    thread::sleep(Duration::from_millis(20));
                }
                reads
            }
        });
        Self { is_over, thread }
    }

    /// Returns the number of reads.
    fn stop(self) -> u64 {
        self.is_over.store(true, SeqCst);
        self.thread.join().unwrap()
    }
}
