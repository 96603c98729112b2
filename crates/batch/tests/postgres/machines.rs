//! Several machines: processes that run one batch, and crash, stop and lose their database.
//! `scripts/machines.sh` repeats this for longer.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use podqueue::{Client, RateLimits, SharedLimits};
use podqueue_batch::store::{OpenStore, Store};
use podqueue_batch::{Batch, Inputs, OnUnknown, Postgres, State};
use podqueue_limits::PostgresLimits;
use podqueue_local::{LocalJob, LocalService, Operation, RateLimit, RateLimits as Limits, Workers};
use podqueue_pgserver::{Pooler, Proxy, Server, Traffic};
use serde_json::{Value, json};

use crate::kill::{say, setting};
use crate::support::{Folder, KEY, service};

/// The lease of the processes in these tests.
pub const LEASE: Duration = Duration::from_secs(3);

/// Child process of a test.
#[test]
#[ignore = "the process that the tests of this module start"]
fn helper_process_of_a_batch() {
    let Ok(folder) = env::var("BATCH_FOLDER") else { return };
    let folder = std::path::PathBuf::from(folder);
    let results = folder.join(env::var("BATCH_RESULTS").unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let report = runtime.block_on(async {
        let builder = Client::builder().api_key(KEY).base_url(env::var("BATCH_URL").unwrap());
        let builder = match env::var("BATCH_LIMITS") {
            Ok(url) => {
                builder.shared_limits(SharedLimits::new(PostgresLimits::connect(url).unwrap()))
            }
            Err(_) => builder.rate_limits(RateLimits::off()),
        };
        let client = builder.build().unwrap();
        let wrong_by = Duration::from_secs(setting("BATCH_CLOCK_AHEAD").unwrap_or_default());
        let journal = Postgres::connect(env::var("BATCH_DATABASE").unwrap(), "batch").lease(LEASE);
        let journal = match env::var("BATCH_ACCEPT_LOSS") {
            Ok(_) => journal.accept_loss(),
            Err(_) => journal,
        };
        let batch = Batch::open(journal)
            .inputs(Inputs::jsonl(folder.join("inputs.jsonl")))
            .results(&results)
            .on_unknown(OnUnknown::Hold)
            .clock(move || SystemTime::now() + wrong_by)
            .await
            .unwrap();
        batch.run(client.endpoint("seen")).await.unwrap()
    });
    let report = json!({ "counts": report.counts, "interrupted": report.interrupted,
        "submitted": report.submitted_now });
    fs::write(results.with_extension("report"), report.to_string()).unwrap();
}

/// The number of times that each input was accepted.
type Accepted = Arc<Mutex<BTreeMap<u64, u64>>>;

/// A batch, its database and its processes.
pub struct Machines {
    pub folder: Folder,
    pub local: LocalService,
    accepted: Accepted,
    pub inputs: u64,
    pub children: BTreeMap<usize, Child>,
    /// Those that were killed, and the database that they used.
    killed: BTreeMap<usize, String>,
}

impl Machines {
    /// With so many inputs, each of which runs for so long.
    pub async fn with(inputs: u64, takes: Duration) -> Self {
        let many = RateLimit { requests: 1_000_000, concurrent: None };
        let limits =
            Limits::documented().limit(Operation::Run, many).limit(Operation::Status, many);
        Self::within(limits, inputs, takes).await
    }

    /// The same, on a service with these limits.
    async fn within(limits: Limits, inputs: u64, takes: Duration) -> Self {
        let accepted = Accepted::default();
        let count = Arc::clone(&accepted);
        let local = service()
            .rate_limits(limits)
            .endpoint("seen", move |job: LocalJob| {
                let n = job.input["n"].as_u64().unwrap();
                *count.lock().unwrap().entry(n).or_default() += 1;
                async move {
                    tokio::time::sleep(takes).await;
                    Ok(json!(n))
                }
            })
            .workers_of("seen", Workers::between(50, 50))
            .start()
            .await
            .unwrap();
        let (children, killed) = (BTreeMap::new(), BTreeMap::new());
        Self { folder: Folder::with(inputs), local, accepted, inputs, children, killed }
    }

    pub fn start(&mut self, number: usize, url: &str) -> &mut Child {
        self.start_with(number, url, &[])
    }

    pub fn start_with(&mut self, number: usize, url: &str, more: &[(&str, &str)]) -> &mut Child {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--ignored", "--exact", "--nocapture", "machines::helper_process_of_a_batch"])
            .stdout(Stdio::null());
        command.env("BATCH_FOLDER", self.folder.path("")).env("BATCH_URL", self.local.base_url());
        let stderr = fs::File::create(self.folder.path(&format!("{number}.stderr"))).unwrap();
        command.stderr(stderr);
        command.env("BATCH_RESULTS", format!("{number}.jsonl")).env("BATCH_DATABASE", url);
        command.envs(more.iter().copied());
        self.children.insert(number, command.spawn().unwrap());
        self.killed.remove(&number);
        self.children.get_mut(&number).unwrap()
    }

    /// SIGKILL.
    pub fn kill(&mut self, number: usize, url: &str) {
        let mut child = self.children.remove(&number).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        self.killed.insert(number, url.to_owned());
    }

    /// No request was refused, of the last ones that the service remembers.
    fn assert_within_limits(&self) {
        let requests = self.local.requests();
        assert!(requests.iter().all(|it| it.status != Some(429)), "a limit is exceeded");
    }

    pub fn submitted(&self) -> usize {
        self.accepted.lock().unwrap().len()
    }

    fn signal(&self, number: usize, signal: &str) {
        let pid = self.children[&number].id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Returns true if this process has ended; it must have succeeded.
    fn has_ended(&mut self, number: usize) -> bool {
        let Some(status) = self.children.get_mut(&number).unwrap().try_wait().unwrap() else {
            return false;
        };
        assert!(status.success(), "process {number}: {status}");
        true
    }

    /// Waits until this process has failed, for one of these reasons, and submitted nothing more.
    pub async fn fails(&mut self, number: usize, whys: [&str; 2]) {
        let mut child = self.children.remove(&number).unwrap();
        let began = Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(began.elapsed() < Duration::from_secs(60), "it does not end"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let said = fs::read_to_string(self.folder.path(&format!("{number}.stderr"))).unwrap();
        assert!(!status.success(), "process {number} has ended well");
        assert!(whys.iter().any(|why| said.contains(why)), "process {number}: {said}");
    }

    /// The inputs that have a result.
    pub fn completed(&self) -> BTreeSet<u64> {
        let read = |number| fs::read_to_string(self.folder.path(&format!("{number}.jsonl")));
        let texts: Vec<_> = (0..16).filter_map(|number| read(number).ok()).collect();
        let index = |line: &str| {
            let line: Value = serde_json::from_str(line).ok()?;
            line["index"].as_u64()
        };
        texts.iter().flat_map(|text| text.lines()).filter_map(index).collect()
    }

    /// The number of accepted submissions of all inputs.
    pub fn times_accepted(&self) -> u64 {
        self.accepted.lock().unwrap().values().sum()
    }

    /// Waits until all processes have ended. Then those that were killed come back: only they can
    /// cut what they had written and not committed.
    pub async fn wait(&mut self) {
        self.wait_for_all().await;
        for (number, url) in std::mem::take(&mut self.killed) {
            self.start(number, &url);
        }
        self.wait_for_all().await;
    }

    async fn wait_for_all(&mut self) {
        let numbers: Vec<_> = self.children.keys().copied().collect();
        for number in numbers {
            let began = Instant::now();
            while !self.has_ended(number) {
                assert!(
                    began.elapsed() < Duration::from_secs(120),
                    "process {number} does not end"
                );
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// Waits until so many inputs were accepted.
    pub async fn until_accepted(&self, inputs: u64) {
        let enough = async || self.accepted.lock().unwrap().len() as u64 >= inputs;
        crate::support::until(enough).await;
    }

    pub fn report(&self, number: usize) -> Value {
        let text = fs::read_to_string(self.folder.path(&format!("{number}.report"))).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// Compares the database, the results and what the service saw. Returns the number of unknown
    /// inputs.
    fn check(&self, url: &str) -> u64 {
        self.check_but(url, |_| false)
    }

    /// The same, where these inputs may have been submitted twice.
    pub fn check_but(&self, url: &str, is_lost: impl Fn(u64) -> bool) -> u64 {
        let mut store = Postgres::connect(url, "batch").inspect().unwrap();
        let tally = store.tally().unwrap();
        let states: Vec<_> = store.inputs(&State::ALL, 0, usize::MAX).unwrap();
        let of = |state: State| states.iter().filter(|it| it.state == state).count() as u64;
        for state in State::ALL {
            assert_eq!(tally.counts.of(state), of(state), "{state} is counted wrong");
        }
        let mut results = BTreeMap::new();
        for number in 0..16 {
            let path = self.folder.path(&format!("{number}.jsonl"));
            let text = fs::read_to_string(path).unwrap_or_default();
            assert!(text.is_empty() || text.ends_with('\n'), "a torn line");
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                let index = line["index"].as_u64().unwrap();
                assert_eq!(line["output"], json!(index));
                assert!(results.insert(index, number).is_none(), "{index} has two lines");
            }
        }
        let unknown = of(State::Unknown);
        say(format_args!("{:?}", tally.counts));
        assert_eq!(of(State::Completed) + unknown, self.inputs, "{:?}", tally.counts);
        for input in &states {
            let has_line = results.contains_key(&input.index);
            assert_eq!(has_line, input.state == State::Completed, "input {}", input.index);
        }
        let accepted = self.accepted.lock().unwrap();
        let twice = accepted.iter().filter(|(_, times)| **times > 1);
        let twice: Vec<_> = twice.filter(|(index, _)| !is_lost(**index)).collect();
        assert!(twice.is_empty(), "submitted twice: {twice:?}");
        unknown
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        for child in self.children.values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_processes_that_are_killed_lose_nothing_and_submit_nothing_twice() {
    let seed = setting("SEED").unwrap_or_else(|| fastrand::u64(..1 << 32));
    let (time, every) = (setting("TIME").unwrap_or(8), setting("EVERY").unwrap_or(1_000));
    let inputs = setting("INPUTS").unwrap_or(2_500);
    say(format_args!("SEED={seed} TIME={time} EVERY={every} INPUTS={inputs}"));
    let mut random = fastrand::Rng::with_seed(seed);
    let server = Server::start();
    let url = server.create("jobs");
    let mut machines = Machines::with(inputs, Duration::from_millis(20)).await;
    for number in 0..4 {
        machines.start(number, &url);
    }
    let (began, mut kills) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(time) {
        tokio::time::sleep(Duration::from_millis(every)).await;
        let number = random.usize(..4);
        if !machines.has_ended(number) {
            machines.kill(number, &url);
            kills += 1;
        }
        machines.start(number, &url);
    }
    machines.wait().await;
    let unknown = machines.check(&url);
    say(format_args!("{kills} kills, {unknown} unknown, {:?}", began.elapsed()));
    assert!(unknown <= kills * 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_killed_use_the_limits_together_and_never_exceed_them() {
    // In the beginning, there is a burst.
    const BEGINNING: u64 = 12;
    let seed = setting("SEED").unwrap_or_else(|| fastrand::u64(..1 << 32));
    let (time, every) = (setting("TIME").unwrap_or(10), setting("EVERY").unwrap_or(2_000));
    let least = setting("LEAST").unwrap_or(80);
    say(format_args!("SEED={seed} TIME={time} EVERY={every}"));
    let mut random = fastrand::Rng::with_seed(seed);
    let server = Server::start();
    let url = server.create("jobs");
    let inputs = 100 * (BEGINNING + time) + 1_500;
    let takes = Duration::from_millis(20);
    let mut machines = Machines::within(Limits::documented(), inputs, takes).await;
    // A clock that is wrong changes nothing.
    let settings = [("BATCH_LIMITS", url.as_str()), ("BATCH_CLOCK_AHEAD", "3600")];
    let start = |machines: &mut Machines, number: usize| {
        machines.start_with(number, &url, &settings[..2 - number % 2]);
    };
    (0..4).for_each(|number| start(&mut machines, number));
    tokio::time::sleep(Duration::from_secs(BEGINNING)).await;
    let (began, before, mut kills) = (Instant::now(), machines.submitted(), 0);
    while began.elapsed() < Duration::from_secs(time) {
        tokio::time::sleep(Duration::from_millis(every)).await;
        let number = random.usize(..4);
        machines.kill(number, &url);
        start(&mut machines, number);
        kills += 1;
        machines.assert_within_limits();
    }
    let submitted = machines.submitted() - before;
    let used = submitted as f64 / began.elapsed().as_secs_f64();
    say(format_args!("{kills} kills, {used:.1} % of the limit of 100/s were used"));
    machines.wait().await;
    machines.check(&url);
    machines.assert_within_limits();
    assert!(used >= least as f64, "{used:.1} %");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_is_recovered_within_its_lease_and_two_seconds() {
    let server = Server::start();
    let url = server.create("jobs");
    let mut machines = Machines::with(60, Duration::from_millis(300)).await;
    machines.start(0, &url);
    machines.until_accepted(40).await;
    machines.start(1, &url);
    let at_work = "SELECT count(*) FROM podqueue.process";
    while server.sql("jobs", at_work) != "2" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    machines.kill(0, &url);
    let killed = Instant::now();
    while server.sql("jobs", at_work) != "1" {
        assert!(killed.elapsed() < LEASE + Duration::from_secs(2), "{:?}", killed.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    say(format_args!("recovered after {:?}", killed.elapsed()));
    machines.wait().await;
    machines.check(&url);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_is_fenced_off_and_rejoins() {
    let server = Server::start();
    let url = server.create("jobs");
    let mut machines = Machines::with(3_000, Duration::from_millis(20)).await;
    machines.start(0, &url);
    machines.start(1, &url);
    machines.until_accepted(200).await;
    machines.signal(0, "-STOP");
    crate::support::until(async || {
        server.sql("jobs", "SELECT count(*) FROM podqueue.recovered") == "1"
    })
    .await;
    machines.signal(0, "-CONT");
    machines.wait().await;
    // It records what was accepted while it was stopped when it continues.
    assert_eq!(machines.check(&url), 0);
    assert_eq!(machines.report(0)["interrupted"], json!(1), "{}", machines.report(0));
    assert_eq!(machines.report(1)["interrupted"], json!(0));
    assert_eq!(machines.report(0)["counts"]["total"], json!(3_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_that_is_cut_and_restored_loses_nothing() {
    let server = Server::start();
    let url = server.create("jobs");
    let mut machines = Machines::with(2_000, Duration::from_millis(20)).await;
    let proxies = [Proxy::start(&server), Proxy::start(&server)];
    for (number, proxy) in proxies.iter().enumerate() {
        machines.start(number, &proxy.url("jobs"));
    }
    machines.until_accepted(100).await;
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20 {
        let proxy = &proxies[random.usize(..2)];
        proxy.set(if random.bool() { Traffic::Cut } else { Traffic::Stalls });
        tokio::time::sleep(Duration::from_millis(random.u64(..100))).await;
        proxy.set(Traffic::Cut);
        proxy.set(Traffic::Passes);
        tokio::time::sleep(Duration::from_millis(random.u64(..100))).await;
    }
    // For longer than a lease: the other one continues with what it had.
    proxies[0].set(Traffic::Cut);
    tokio::time::sleep(LEASE * 2).await;
    proxies[0].set(Traffic::Passes);
    machines.wait().await;
    machines.check(&url);
    assert!(machines.report(0)["interrupted"].as_u64().unwrap() <= 1);
    assert_eq!(machines.report(1)["interrupted"], json!(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_restart_expires_no_lease() {
    let mut server = Server::start();
    let url = server.create("jobs");
    let mut machines = Machines::with(2_500, Duration::from_millis(20)).await;
    for number in 0..3 {
        machines.start(number, &url);
    }
    machines.until_accepted(200).await;
    server.stop();
    // All leases are over when it comes back.
    tokio::time::sleep(LEASE * 2).await;
    server.resume();
    let now = machines.accepted.lock().unwrap().len() as u64;
    machines.until_accepted(now + 300).await;
    server.crash();
    server.resume();
    machines.wait().await;
    assert_eq!(machines.check(&url), 0);
    for number in 0..3 {
        assert_eq!(machines.report(number)["interrupted"], json!(0), "process {number}");
    }
}

/// The processes continue meanwhile, or were killed before; then only their results prove it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_with_results_are_not_submitted_again_after_a_backup_was_restored() {
    for are_killed in [false, true] {
        let mut server = Server::start();
        let url = server.create("jobs");
        let mut machines = Machines::with(6_000, Duration::from_millis(20)).await;
        for number in 0..3 {
            machines.start(number, &url);
        }
        machines.until_accepted(300).await;
        server.back_up();
        let known = machines.submitted() as u64;
        // Each has results since.
        let before = machines.completed();
        let has_more = |number: usize, machines: &Machines| {
            let path = machines.folder.path(&format!("{number}.jsonl"));
            let text = fs::read_to_string(path).unwrap_or_default();
            let index = |line: &str| serde_json::from_str::<Value>(line).unwrap()["index"].as_u64();
            let complete = text.lines().take(text.matches('\n').count());
            complete.filter_map(index).filter(|it| !before.contains(it)).count() > 300
        };
        machines.until_accepted(known + 1_500).await;
        crate::support::until(async || (0..3).all(|it| has_more(it, &machines))).await;
        if are_killed {
            (0..3).for_each(|number| machines.kill(number, &url));
            machines.killed.clear();
        }
        server.restore();
        let refused = ["has lost changes", "would submit that input again"];
        if are_killed {
            machines.start(0, &url);
            machines.fails(0, refused).await;
        } else {
            for number in 0..3 {
                machines.fails(number, refused).await;
            }
        }
        let (completed, accepted) = (machines.completed(), machines.times_accepted());
        say(format_args!("{known} known, {} completed, {accepted} accepted", completed.len()));
        assert!(completed.len() as u64 > known, "{} results", completed.len());

        // Another process is refused as well, at each step, until all have imported their results.
        let accept = [("BATCH_ACCEPT_LOSS", "yes")];
        for number in 0..2 {
            machines.start(3, &url);
            machines.fails(3, refused).await;
            machines.start_with(number, &url, &accept);
            machines.fails(number, ["not accepted yet", "not accepted yet"]).await;
        }
        machines.start(3, &url);
        machines.fails(3, refused).await;
        assert_eq!(machines.times_accepted(), accepted, "nothing is submitted meanwhile");
        assert_eq!(machines.completed(), completed, "no result is removed");
        machines.start_with(2, &url, &accept);
        while machines.times_accepted() == accepted {
            assert!(!machines.has_ended(2), "it submits");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for number in [0, 1, 3] {
            machines.start(number, &url);
        }
        machines.wait().await;
        let unknown = machines.check_but(&url, |index| !completed.contains(&index));
        let again = machines.times_accepted() - machines.submitted() as u64;
        say(format_args!("{again} of {accepted} submitted again, {unknown} unknown"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_runs_through_a_pooler_in_transaction_mode() {
    let server = Server::start();
    let url = server.create("jobs");
    let pooler = Pooler::start(&server);
    let mut machines = Machines::with(1_500, Duration::from_millis(20)).await;
    for number in 0..4 {
        machines.start(number, &pooler.url("jobs"));
    }
    machines.until_accepted(100).await;
    machines.kill(3, &url);
    machines.wait().await;
    machines.check(&url);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_wrong_by_an_hour_changes_nothing() {
    let server = Server::start();
    let url = server.create("jobs");
    let mut machines = Machines::with(600, Duration::from_millis(50)).await;
    machines.start_with(0, &url, &[("BATCH_CLOCK_AHEAD", "3600")]);
    machines.start(1, &url);
    machines.until_accepted(200).await;
    // The other process judges what it submitted.
    machines.kill(0, &url);
    machines.wait().await;
    machines.check(&url);
    let skewed = "SELECT count(*) FROM podqueue.input
        WHERE submitted_at > (extract(epoch FROM now()) + 60) * 1000";
    assert_eq!(server.sql("jobs", skewed), "0");
}
