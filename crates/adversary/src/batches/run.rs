//! Plays a plan: the program under test, its files and its database, and what is done to them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use podqueue_pgserver::Server;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio::time::sleep;

use super::plan::{Command, Mistake, Plan, Signal, Step, Store, Unknown};
use super::processes::{Machine, Process};
use super::service::{ENDPOINT, Service};

/// How long `--grace` lets a run collect after SIGTERM.
const GRACE: Duration = Duration::from_secs(1);

/// How much later than it has to a process may end, on a busy machine.
const SLACK: Duration = Duration::from_secs(20);

/// When Ctrl-C is pressed again.
const AGAIN: Duration = Duration::from_secs(3);

/// How long nothing may be done before a process ends that nothing holds up.
const PROGRESS: Duration = Duration::from_secs(45);

/// How long submissions are waited for.
const BUSY: Duration = Duration::from_secs(10);

/// How long a copy of a journal runs, unless it is refused.
const COPY: Duration = Duration::from_secs(8);

/// For how long a database is waited for in any case by those who have not reached it yet.
const REACHED: Duration = Duration::from_secs(8);

const IN_USE: &str = "another process has the same results or journal";

/// The number of the machine that joins in the end.
const LAST: u8 = 9;

/// A plan that was played, for the invariants to judge.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    pub(crate) began: Instant,
    pub(crate) service: Service,
    pub(crate) processes: Vec<Process>,
    pub(crate) losses: Vec<Loss>,
    /// Something else changed results or journals, and the batch need not end.
    pub(crate) is_tampered: bool,
    /// The results of each machine.
    pub(crate) results: BTreeMap<u8, PathBuf>,
    pub(crate) appended: Vec<Appended>,
    /// When `batch retry` may have taken effect.
    pub(crate) retries: Vec<Instant>,
    /// What `batch status` and `batch unknown` say in the end.
    pub(crate) status: Option<Value>,
    pub(crate) unknown: BTreeSet<u64>,
    /// What was found on the way.
    pub(crate) found: Vec<(&'static str, String)>,
    site: Site,
}

/// A copy of the journal that was put back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    /// When the copy was made.
    pub(crate) since: Instant,
    pub(crate) at: Instant,
    /// The program can know it from the results alone.
    pub(crate) shows: bool,
}

/// What another program appended to results.
#[derive(Clone, Debug)]
pub(crate) struct Appended {
    pub(crate) machine: u8,
    pub(crate) text: String,
}

/// What a run works with.
struct Site {
    binary: PathBuf,
    /// Outlives the server, which may be that of the next run, too.
    folder: TempDir,
    machine: Machine,
    server: Option<Server>,
    database: String,
    journal: PathBuf,
    backup: Option<(Instant, usize)>,
    copies: usize,
    host: Ipv4Addr,
}

/// Plays a plan against this program, with a server where one is needed, which is kept.
pub(crate) fn run(plan: &Plan, binary: &Path, server: &mut Option<Server>) -> io::Result<Run> {
    if plan.store == Store::Postgres && server.is_none() {
        *server = Some(Server::start());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let taken = if plan.store == Store::Postgres { server.take() } else { None };
        let mut run = Run::new(plan, binary, taken).await?;
        run.play().await?;
        run.finish().await?;
        if let Some(kept) = run.site.server.take() {
            kept.sql(
                "postgres",
                &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", run.site.database),
            );
            *server = Some(kept);
        }
        Ok(run)
    })
}

impl Run {
    async fn new(plan: &Plan, binary: &Path, server: Option<Server>) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = TempDir::with_prefix("batches")?;
        let machine = Machine::new(folder.path())?;
        machine.preempt(plan.preemption)?;
        let database = format!("jobs{next}");
        if let Some(server) = &server {
            let _ = server.create(&database);
        }
        let path = |name: &str| folder.path().join(name);
        let lines = |changed: bool| -> String {
            let line =
                |n| format!("{{\"n\": {n}, \"changed\": {}}}\n", u8::from(changed && n % 3 == 1));
            (0..plan.inputs).map(line).collect()
        };
        fs::write(path("inputs.jsonl"), lines(false))?;
        fs::write(path("changed.jsonl"), lines(true))?;
        let site = Site {
            binary: binary.to_owned(),
            machine,
            server,
            database,
            journal: path("journal"),
            backup: None,
            copies: 0,
            host: Ipv4Addr::from(
                0x7f00_0000 + ((process::id() & 0xff) << 16) + (next & 0x7fff) + 256,
            ),
            folder,
        };
        Ok(Self {
            plan: plan.clone(),
            began: Instant::now(),
            service: Service::start(Duration::from_millis(plan.work)).await?,
            processes: Vec::new(),
            losses: Vec::new(),
            is_tampered: false,
            results: BTreeMap::new(),
            appended: Vec::new(),
            retries: Vec::new(),
            status: None,
            unknown: BTreeSet::new(),
            found: Vec::new(),
            site,
        })
    }

    async fn play(&mut self) -> io::Result<()> {
        for step in self.plan.steps.clone() {
            self.step(step).await?;
            self.notice();
        }
        Ok(())
    }

    async fn step(&mut self, step: Step) -> io::Result<()> {
        let ms = Duration::from_millis;
        match step {
            Step::Begin(command) => drop(self.begin(command)?),
            Step::Finish(command, after) => self.finish_command(command, after.map(ms)).await?,
            Step::Signal { signal, after, is_new } => {
                self.interrupt(signal, ms(after), is_new).await?;
            }
            Step::Kill(machine) => {
                for process in &mut self.processes {
                    if machine.is_none_or(|it| it == process.command.machine()) {
                        process.kill();
                    }
                }
            }
            Step::Wait(time) => sleep(ms(time)).await,
            Step::Submissions(more) => {
                let (until, wanted) = (Instant::now() + BUSY, self.service.log().len() + more);
                while self.service.log().len() < wanted
                    && Instant::now() < until
                    && self.processes.iter_mut().any(Process::runs)
                {
                    sleep(Duration::from_millis(10)).await;
                }
            }
            Step::Fault(fault, time) => self.service.add_fault(fault, ms(time)),
            Step::Clock(seconds) => self.site.machine.turn_clock(seconds)?,
            Step::BackUp => self.back_up().await?,
            Step::Restore => self.restore().await?,
            Step::Crash => self.crash().await,
            Step::Copy { log, results, moved } => self.copy(log, results, moved).await?,
            Step::Append { machine } => self.append(machine)?,
            Step::Truncate { machine, bytes } => self.truncate(machine, bytes)?,
        }
        Ok(())
    }

    /// Lets everything go on undisturbed to its end.
    async fn finish(&mut self) -> io::Result<()> {
        while self.service.has_faults() && self.processes.iter_mut().any(Process::runs) {
            sleep(Duration::from_millis(50)).await;
        }
        self.service.recover();
        for index in 0..self.processes.len() {
            self.await_end(index).await;
        }
        // Each machine comes back, and one that knows nothing joins.
        let mut last: BTreeSet<_> = self.results.keys().copied().collect();
        last.insert(0);
        if self.plan.store == Store::Postgres {
            last.insert(LAST);
        }
        for machine in last {
            let index = self.begin(Command::run(machine))?;
            self.await_end(index).await;
        }
        self.notice();
        self.status = self.look("status").and_then(|text| serde_json::from_str(&text).ok());
        let unknown = self.look("unknown").unwrap_or_default();
        self.unknown = unknown
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["index"].as_u64())
            .collect();
        Ok(())
    }

    async fn await_end(&mut self, index: usize) {
        let mut done = 0;
        while !self.processes[index].ends_within(PROGRESS).await {
            let before = std::mem::replace(&mut done, self.done());
            if before == done {
                let process = &mut self.processes[index];
                let what = format!(
                    "for {PROGRESS:?}, process {} has neither ended nor done anything: {:?}",
                    process.number, process.command
                );
                self.found.push(("progress ends", what));
                process.kill();
            }
        }
    }

    /// How much has been done: submissions, and bytes of results.
    fn done(&self) -> u64 {
        let sizes = self.results.values().map(|path| fs::metadata(path).map_or(0, |it| it.len()));
        sizes.sum::<u64>() + self.service.log().len() as u64
    }

    /// Begins a process, and returns its place in the list.
    fn begin(&mut self, command: Command) -> io::Result<usize> {
        let machine = command.machine();
        let (results, journal) = (self.results_of(machine), self.site.journal_argument());
        self.begin_with(command, &results, &journal)
    }

    fn begin_with(&mut self, command: Command, results: &Path, journal: &str) -> io::Result<usize> {
        let number = self.processes.len();
        let machine = command.machine();
        let mut is_in_use = false;
        for process in &mut self.processes {
            let is_same = self.plan.store == Store::Sqlite || process.command.machine() == machine;
            if is_same && process.runs() {
                is_in_use = true;
                // Either of the two may come first.
                if self.service.submitted_by(process.number) == 0 {
                    process.disturbed = Some(IN_USE);
                }
            }
        }
        let program = self.program(number, &command, results, journal)?;
        let output = self.path(&format!("process{number}.out"));
        let mut process = Process::begin(number, command, program, output)?;
        if is_in_use {
            process.disturbed = Some(IN_USE);
        } else if self.is_tampered {
            process.disturbed = Some("files were changed");
        } else if !self.losses.is_empty() {
            process.disturbed = Some("a copy was put back");
        }
        self.processes.push(process);
        Ok(number)
    }

    fn program(
        &self,
        number: usize,
        command: &Command,
        results: &Path,
        journal: &str,
    ) -> io::Result<process::Command> {
        let mut program = self.site.program(&self.service, number);
        let foreign = self.path("foreign.jsonl");
        let results = match command.mistake() {
            Some(Mistake::Results) => {
                let line = "{\"index\":5,\"status\":\"COMPLETED\",\"job_id\":\"elsewhere\",\"output\":{\"n\":5}}\n";
                fs::write(&foreign, line.repeat(3))?;
                foreign.as_path()
            }
            _ => results,
        };
        if command.mistake() == Some(Mistake::Key) {
            program.env("PODQUEUE_API_KEY", "unknown");
        }
        match command {
            Command::Run { accept_loss, unknown, mistake, .. } => {
                let inputs = match mistake {
                    Some(Mistake::Inputs) => "changed.jsonl",
                    _ => "inputs.jsonl",
                };
                program.args(["batch", "run", inputs, "-e", ENDPOINT, "--no-rate-limits"]);
                program.args(["--window", &self.plan.window.to_string()]);
                program.args(["--grace", &format!("{}s", GRACE.as_secs()), "-o"]).arg(results);
                if *mistake == Some(Mistake::Settings) {
                    program.args(["--key-field", "n"]);
                }
                if *accept_loss {
                    program.arg("--accept-loss");
                }
                match unknown {
                    Unknown::Hold => {}
                    Unknown::Resubmit => drop(program.args(["--on-unknown", "resubmit"])),
                    Unknown::ByWebhook => {
                        let address = format!("{}:{}", self.site.host, 8_000 + number);
                        program.args(["--on-unknown", "by-webhook", "--webhook-wait", "2s"]);
                        program.args(["--webhook-url", &format!("http://{address}/hook")]);
                        program.args(["--webhook-listen", &address]);
                    }
                }
            }
            Command::Cancel { .. } => drop(program.args(["batch", "cancel"]).arg(results)),
            Command::Retry { same_jobs, .. } => {
                program.args(["batch", "retry"]).arg(results);
                if *same_jobs {
                    program.arg("--same-jobs");
                }
            }
        }
        program.args(["--json", "--journal", journal]);
        Ok(program)
    }

    /// Runs a command to its end. One that contains a mistake must change nothing; where there is no
    /// batch yet, or not with all inputs, it might begin one.
    async fn finish_command(
        &mut self,
        command: Command,
        after: Option<Duration>,
    ) -> io::Result<()> {
        let before = self.pending();
        let has_begun = before.is_some_and(|[total, _]| total == self.plan.inputs);
        if !has_begun && command.mistake().is_some() {
            return Ok(());
        }
        let is_alone = !self.processes.iter_mut().any(Process::runs);
        let mistake = command.mistake();
        let is_retry = matches!(command, Command::Retry { .. });
        let index = self.begin(command)?;
        let process = &mut self.processes[index];
        if let Some(after) = after {
            process.ends_within(after).await;
            process.kill();
        } else {
            self.await_end(index).await;
        }
        let process = &self.processes[index];
        if is_retry && (process.code() == Some(0) || process.killed.is_some()) {
            self.retries.push(process.began);
        }
        let is_refused = process.code().is_some_and(|code| ![0, 3, 5].contains(&code));
        let must_be_refused =
            is_alone && matches!(mistake, Some(Mistake::Results | Mistake::Inputs));
        if must_be_refused && process.killed.is_none() && process.code() == Some(0) {
            let what = format!("process {index} is not refused: {:?}", process.command);
            self.found.push(("a mistake is refused", what));
        }
        if is_alone && is_refused && mistake.is_some() && self.losses.is_empty() {
            let after = self.pending();
            if before != after {
                let what = format!(
                    "[total, pending] were {before:?} and are {after:?} after process {index} was refused"
                );
                self.found.push(("a refused command changes nothing", what));
            }
        }
        Ok(())
    }

    /// The total of inputs, and how many are pending.
    fn pending(&mut self) -> Option<[u64; 2]> {
        let status: Value = serde_json::from_str(&self.look("status")?).ok()?;
        let count = |name: &str| status[name].as_u64().unwrap_or_default();
        Some([count("total"), count("pending")])
    }

    /// What a command prints that only looks.
    fn look(&mut self, what: &str) -> Option<String> {
        let mut program = self.site.program(&self.service, 0);
        let results = self.results_of(0);
        program.args(["batch", what]).arg(results).args(["--json", "--journal"]);
        let output = program.arg(self.site.journal_argument()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Signals a run, while no job ends; it must end nevertheless. Ctrl-C is pressed twice.
    async fn interrupt(&mut self, signal: Signal, after: Duration, is_new: bool) -> io::Result<()> {
        if is_new {
            self.kill_all();
        }
        self.service.hold(true);
        let is_run = |process: &mut Process| {
            matches!(process.command, Command::Run { .. }) && process.runs()
        };
        let index = match self.processes.iter_mut().rposition(is_run) {
            Some(index) => index,
            None => self.begin(Command::run(0))?,
        };
        sleep(after).await;
        let process = &mut self.processes[index];
        process.signal(signal);
        if signal == Signal::Int && !process.ends_within(AGAIN).await {
            process.signal(signal);
        }
        if !process.ends_within(GRACE + SLACK).await {
            let what = format!(
                "process {index}, {:?} after its begin: {:?} did not end it within {:?}",
                after,
                signal,
                GRACE + SLACK
            );
            self.found.push(("a signal ends the program", what));
            process.kill();
        }
        self.service.hold(false);
        Ok(())
    }

    async fn back_up(&mut self) -> io::Result<()> {
        // Before that, there may be no batch in it.
        if self.service.log().is_empty() {
            return Ok(());
        }
        if self.plan.store == Store::Sqlite {
            self.kill_all();
            if !self.site.journal.exists() {
                return Ok(());
            }
            copy_journal(&self.site.journal, &self.path("backup"), true)?;
        }
        // What is recorded from now on may be in it.
        self.site.backup = Some((Instant::now(), self.result_lines()));
        self.with_server(Server::back_up).await;
        Ok(())
    }

    async fn restore(&mut self) -> io::Result<()> {
        let Some((since, lines)) = self.site.backup else { return Ok(()) };
        if self.plan.store == Store::Sqlite {
            self.kill_all();
            copy_journal(&self.path("backup"), &self.site.journal, true)?;
        }
        self.with_server(Server::restore).await;
        let is_sqlite = self.plan.store == Store::Sqlite;
        let shows = is_sqlite && self.result_lines() > lines;
        self.losses.push(Loss { since, at: Instant::now(), shows });
        for process in &mut self.processes {
            if process.runs() && process.disturbed.is_none() {
                process.disturbed = Some("a copy was put back");
            }
        }
        Ok(())
    }

    async fn crash(&mut self) {
        let began = Instant::now();
        self.with_server(|server| {
            server.crash();
            server.resume();
        })
        .await;
        if began.elapsed() < REACHED {
            return;
        }
        for process in &mut self.processes {
            if process.runs() && self.service.submitted_by(process.number) == 0 {
                process.disturbed = process.disturbed.or(Some("the database was not there"));
            }
        }
    }

    async fn with_server(&mut self, work: impl FnOnce(&mut Server) + Send + 'static) {
        let Some(mut server) = self.site.server.take() else { return };
        let working = tokio::task::spawn_blocking(move || {
            work(&mut server);
            server
        });
        self.site.server = Some(working.await.expect("a server that starts"));
    }

    async fn copy(&mut self, log: bool, results: bool, moved: bool) -> io::Result<()> {
        self.kill_all();
        // Of a batch that has submitted nothing, a copy is as good as the original.
        if self.service.log().is_empty() || !self.site.journal.exists() {
            return Ok(());
        }
        self.site.copies += 1;
        let folder = self.path(&format!("copy{}", self.site.copies));
        fs::create_dir(&folder)?;
        let journal = folder.join("journal");
        copy_journal(&self.site.journal, &journal, log)?;
        if moved {
            let original = std::mem::replace(&mut self.site.journal, journal);
            fs::remove_file(original)?;
            // Without its log, it may be refused for ever.
            self.is_tampered |= !log;
            return Ok(());
        }
        let copied = folder.join("results.jsonl");
        let original = self.results_of(0);
        if results && original.exists() {
            fs::copy(original, &copied)?;
        }
        let index = self.begin_with(Command::run(0), &copied, &journal.to_string_lossy())?;
        let process = &mut self.processes[index];
        process.is_of_a_copy = true;
        process.ends_within(COPY).await;
        process.kill();
        Ok(())
    }

    fn append(&mut self, machine: u8) -> io::Result<()> {
        let results = self.results_of(machine);
        let Ok(mut file) = fs::File::options().append(true).open(results) else { return Ok(()) };
        let text = format!("appended by another program, {}\n", self.appended.len());
        file.write_all(text.as_bytes())?;
        self.tampered(machine);
        self.appended.push(Appended { machine, text });
        Ok(())
    }

    fn truncate(&mut self, machine: u8, bytes: u64) -> io::Result<()> {
        let results = self.results_of(machine);
        let Ok(file) = fs::File::options().write(true).open(results) else { return Ok(()) };
        file.set_len(file.metadata()?.len().saturating_sub(bytes))?;
        self.tampered(machine);
        self.appended.retain(|it| it.machine != machine);
        Ok(())
    }

    fn tampered(&mut self, machine: u8) {
        self.is_tampered = true;
        for process in &mut self.processes {
            if process.command.machine() == machine && process.runs() {
                process.disturbed = Some("files were changed");
            }
        }
    }

    fn kill_all(&mut self) {
        self.processes.iter_mut().for_each(Process::kill);
    }

    fn notice(&mut self) {
        for process in &mut self.processes {
            process.runs();
        }
    }

    fn result_lines(&mut self) -> usize {
        let text = fs::read_to_string(self.results_of(0)).unwrap_or_default();
        text.lines().count()
    }

    fn results_of(&mut self, machine: u8) -> PathBuf {
        let path = self.path(&format!("results{machine}.jsonl"));
        self.results.entry(machine).or_insert(path).clone()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.site.folder.path().join(name)
    }
}

impl Site {
    fn program(&self, service: &Service, number: usize) -> process::Command {
        let mut program = process::Command::new(&self.binary);
        let home = self.folder.path();
        program.current_dir(home).env_clear().env("HOME", home);
        program.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        program.env("PODQUEUE_CONFIG", home.join("config.toml"));
        program.env("PODQUEUE_API_KEY", format!("key-{number}"));
        for name in ["PODQUEUE_BASE_URL", "PODQUEUE_REST_URL", "PODQUEUE_GRAPHQL_URL"] {
            program.env(name, format!("http://{}", service.address));
        }
        self.machine.load_into(&mut program);
        program
    }

    fn journal_argument(&self) -> String {
        match &self.server {
            Some(server) => format!("{}#batch", server.url(&self.database)),
            None => self.journal.to_string_lossy().into_owned(),
        }
    }
}

/// Copies a journal that no process has open, with its log or without. What was there is replaced.
fn copy_journal(from: &Path, to: &Path, log: bool) -> io::Result<()> {
    let beside = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(to, ending));
    }
    fs::copy(from, to)?;
    let written = beside(from, "-wal");
    if log && written.exists() {
        fs::copy(written, beside(to, "-wal"))?;
    }
    Ok(())
}
