//! Run of a batch plan: the program under test, its files and its database, and the steps of the
//! plan.

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

use super::plan::{Command, JournalKind, Mistake, OnUnknown, Plan, Signal, Step};
use super::process::{Machine, Process};
use super::service::{ENDPOINT, Service};
use crate::search::Violation;

/// `--grace` of a run: time to collect after SIGTERM.
const GRACE: Duration = Duration::from_secs(1);

/// Tolerance for the exit of a process on a machine under load.
const EXIT_TOLERANCE: Duration = Duration::from_secs(20);

/// Time after which Ctrl-C is repeated.
const SECOND_INTERRUPT: Duration = Duration::from_secs(3);

/// Time limit without progress of an undisturbed process.
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(45);

/// Time limit for awaiting submissions.
const SUBMISSIONS_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for which a copy of a journal runs, unless it is refused.
const COPY_RUN: Duration = Duration::from_secs(8);

/// Outage of the database that a starting process tolerates in any case.
const TOLERATED_OUTAGE: Duration = Duration::from_secs(8);

// Disturbances of processes.
const IN_USE: &str = "another process has the same results or journal";
const FILES_CHANGED: &str = "files were changed";
pub(crate) const RESTORED: &str = "a backup was restored";
const DATABASE_DOWN: &str = "the database was unavailable";

/// Number of the machine that joins at the end.
const LAST: u8 = 9;

/// Observations of a plan that was played, which the invariants check.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    pub(crate) began: Instant,
    pub(crate) service: Service,
    pub(crate) processes: Vec<Process>,
    pub(crate) rollbacks: Vec<Rollback>,
    /// Another program changed results or journals, and the batch need not complete.
    pub(crate) files_changed: bool,
    /// Path of the results by machine.
    pub(crate) results: BTreeMap<u8, PathBuf>,
    pub(crate) foreign_lines: Vec<ForeignLine>,
    /// Start of each `batch retry` that may have taken effect.
    pub(crate) retries: Vec<Instant>,
    /// Output of `batch status` and `batch unknown` at the end.
    pub(crate) status: Option<Value>,
    pub(crate) unknown: BTreeSet<u64>,
    /// Violations that were noticed during the run.
    pub(crate) violations: Vec<Violation>,
    sandbox: Sandbox,
}

/// Restored backup of the journal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rollback {
    pub(crate) backed_up: Instant,
    pub(crate) restored: Instant,
    /// The results alone prove the rollback.
    pub(crate) is_evident: bool,
}

/// Line that another program appended to results.
#[derive(Clone, Debug)]
pub(crate) struct ForeignLine {
    pub(crate) machine: u8,
    pub(crate) text: String,
}

/// Files, database and machine of a run.
struct Sandbox {
    program: PathBuf,
    /// Independent of the server, which later runs may use, too.
    folder: TempDir,
    machine: Machine,
    server: Option<Server>,
    database: String,
    journal: PathBuf,
    backup: Option<(Instant, usize)>,
    copies: usize,
    host: Ipv4Addr,
}

/// Plays a plan against this program. Keeps the database server for later runs, once one is needed.
pub(crate) fn run(plan: &Plan, program: &Path, server: &mut Option<Server>) -> io::Result<Run> {
    if plan.store == JournalKind::Postgres && server.is_none() {
        *server = Some(Server::start());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let own = if plan.store == JournalKind::Postgres { server.take() } else { None };
        let mut run = Run::new(plan, program, own).await?;
        run.play().await?;
        run.finish().await?;
        if let Some(kept) = run.sandbox.server.take() {
            kept.sql(
                "postgres",
                &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", run.sandbox.database),
            );
            *server = Some(kept);
        }
        Ok(run)
    })
}

impl Run {
    async fn new(plan: &Plan, program: &Path, server: Option<Server>) -> io::Result<Self> {
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
        let sandbox = Sandbox {
            program: program.to_owned(),
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
            rollbacks: Vec::new(),
            files_changed: false,
            results: BTreeMap::new(),
            foreign_lines: Vec::new(),
            retries: Vec::new(),
            status: None,
            unknown: BTreeSet::new(),
            violations: Vec::new(),
            sandbox,
        })
    }

    async fn play(&mut self) -> io::Result<()> {
        for step in self.plan.steps.clone() {
            self.step(step).await?;
            self.notice_exits();
        }
        Ok(())
    }

    async fn step(&mut self, step: Step) -> io::Result<()> {
        let ms = Duration::from_millis;
        match step {
            Step::Begin(command) => drop(self.start(command)?),
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
                let (until, wanted) =
                    (Instant::now() + SUBMISSIONS_TIMEOUT, self.service.log().len() + more);
                while self.service.log().len() < wanted
                    && Instant::now() < until
                    && self.processes.iter_mut().any(Process::is_running)
                {
                    sleep(Duration::from_millis(10)).await;
                }
            }
            Step::Fault(fault, time) => self.service.add_fault(fault, ms(time)),
            Step::Clock(seconds) => self.sandbox.machine.set_clock(seconds)?,
            Step::BackUp => self.back_up().await?,
            Step::Restore => self.restore().await?,
            Step::Crash => self.crash().await,
            Step::Copy { log, results, moved } => self.copy(log, results, moved).await?,
            Step::Append { machine } => self.append(machine)?,
            Step::Truncate { machine, bytes } => self.truncate(machine, bytes)?,
        }
        Ok(())
    }

    /// Lets the batch complete undisturbed.
    async fn finish(&mut self) -> io::Result<()> {
        while self.service.has_faults() && self.processes.iter_mut().any(Process::is_running) {
            sleep(Duration::from_millis(50)).await;
        }
        self.service.recover();
        for index in 0..self.processes.len() {
            self.await_end(index).await;
        }
        // Each machine returns, and a new one joins.
        let mut last: BTreeSet<_> = self.results.keys().copied().collect();
        last.insert(0);
        if self.plan.store == JournalKind::Postgres {
            last.insert(LAST);
        }
        for machine in last {
            let index = self.start(Command::run(machine))?;
            self.await_end(index).await;
        }
        self.notice_exits();
        self.status = self.query("status").and_then(|text| serde_json::from_str(&text).ok());
        let unknown = self.query("unknown").unwrap_or_default();
        self.unknown = unknown
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["index"].as_u64())
            .collect();
        Ok(())
    }

    async fn await_end(&mut self, index: usize) {
        let mut progress = 0;
        while !self.processes[index].ends_within(PROGRESS_TIMEOUT).await {
            let before = std::mem::replace(&mut progress, self.progress());
            if before == progress {
                let process = &mut self.processes[index];
                let message = format!(
                    "for {PROGRESS_TIMEOUT:?}, process {} has neither exited nor made progress: {:?}",
                    process.number, process.command
                );
                process.kill();
                self.violates("a run makes progress", message);
            }
        }
    }

    /// Returns the number of submissions and of bytes of results.
    fn progress(&self) -> u64 {
        let sizes = self.results.values().map(|path| fs::metadata(path).map_or(0, |it| it.len()));
        sizes.sum::<u64>() + self.service.log().len() as u64
    }

    /// Starts a process, and returns its index.
    fn start(&mut self, command: Command) -> io::Result<usize> {
        let machine = command.machine();
        let (results, journal) = (self.results_of(machine), self.sandbox.journal_argument());
        self.start_with(command, &results, &journal)
    }

    fn start_with(&mut self, command: Command, results: &Path, journal: &str) -> io::Result<usize> {
        let number = self.processes.len();
        let machine = command.machine();
        let mut is_in_use = false;
        for process in &mut self.processes {
            let is_same =
                self.plan.store == JournalKind::Sqlite || process.command.machine() == machine;
            if is_same && process.is_running() {
                is_in_use = true;
                // Either of the two may acquire the files first.
                if self.service.submitted_by(process.number) == 0 {
                    process.disturbance = Some(IN_USE);
                }
            }
        }
        let program = self.program(number, &command, results, journal)?;
        let output = self.path(&format!("process{number}.out"));
        let mut process = Process::start(number, command, program, output)?;
        if is_in_use {
            process.disturbance = Some(IN_USE);
        } else if self.files_changed {
            process.disturbance = Some(FILES_CHANGED);
        } else if !self.rollbacks.is_empty() {
            process.disturbance = Some(RESTORED);
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
        let mut program = self.sandbox.program(&self.service, number);
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
                // Refused for a journal in a file.
                if *accept_loss && self.plan.store == JournalKind::Postgres {
                    program.arg("--accept-loss");
                }
                match unknown {
                    OnUnknown::Hold => {}
                    OnUnknown::Resubmit => drop(program.args(["--on-unknown", "resubmit"])),
                    OnUnknown::ByWebhook => {
                        let address = format!("{}:{}", self.sandbox.host, 8_000 + number);
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

    /// Runs a command to its end. A command with a mistake must change nothing. It is skipped where
    /// it might create the batch, or add inputs to it.
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
        let is_alone = !self.processes.iter_mut().any(Process::is_running);
        let mistake = command.mistake();
        let is_retry = matches!(command, Command::Retry { .. });
        let index = self.start(command)?;
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
            let message = format!("process {index} is not refused: {:?}", process.command);
            self.violates("a mistake is refused", message);
        }
        if is_alone && is_refused && mistake.is_some() && self.rollbacks.is_empty() {
            let after = self.pending();
            if before != after {
                let message = format!(
                    "[total, pending] were {before:?} and are {after:?} after process {index} was refused"
                );
                self.violates("a refused command changes nothing", message);
            }
        }
        Ok(())
    }

    /// Returns the total number of inputs, and the number of pending ones.
    fn pending(&mut self) -> Option<[u64; 2]> {
        let status: Value = serde_json::from_str(&self.query("status")?).ok()?;
        let count = |name: &str| status[name].as_u64().unwrap_or_default();
        Some([count("total"), count("pending")])
    }

    /// Returns the output of a command that only reads.
    fn query(&mut self, command: &str) -> Option<String> {
        let mut program = self.sandbox.program(&self.service, 0);
        let results = self.results_of(0);
        program.args(["batch", command]).arg(results).args(["--json", "--journal"]);
        let output = program.arg(self.sandbox.journal_argument()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Sends a signal to a run while no job ends. The run must exit nevertheless. Ctrl-C is
    /// repeated.
    async fn interrupt(&mut self, signal: Signal, after: Duration, is_new: bool) -> io::Result<()> {
        if is_new {
            self.kill_all();
        }
        self.service.hold(true);
        let is_run = |process: &mut Process| {
            matches!(process.command, Command::Run { .. }) && process.is_running()
        };
        let index = match self.processes.iter_mut().rposition(is_run) {
            Some(index) => index,
            None => self.start(Command::run(0))?,
        };
        sleep(after).await;
        let process = &mut self.processes[index];
        process.signal(signal);
        if signal == Signal::Int && !process.ends_within(SECOND_INTERRUPT).await {
            process.signal(signal);
        }
        if !process.ends_within(GRACE + EXIT_TOLERANCE).await {
            let message = format!(
                "process {index}, {:?} after its start: {:?} did not end it within {:?}",
                after,
                signal,
                GRACE + EXIT_TOLERANCE
            );
            process.kill();
            self.violates("a signal ends the program", message);
        }
        self.service.hold(false);
        Ok(())
    }

    async fn back_up(&mut self) -> io::Result<()> {
        // Before the first submission, the journal may contain no batch.
        if self.service.log().is_empty() {
            return Ok(());
        }
        if self.plan.store == JournalKind::Sqlite {
            self.kill_all();
            if !self.sandbox.journal.exists() {
                return Ok(());
            }
            copy_journal(&self.sandbox.journal, &self.path("backup"), true)?;
        }
        // The backup may contain what is recorded from now on.
        self.sandbox.backup = Some((Instant::now(), self.result_lines()));
        self.with_server(Server::back_up).await;
        Ok(())
    }

    async fn restore(&mut self) -> io::Result<()> {
        let Some((backed_up, lines)) = self.sandbox.backup else { return Ok(()) };
        if self.plan.store == JournalKind::Sqlite {
            self.kill_all();
            copy_journal(&self.path("backup"), &self.sandbox.journal, true)?;
        }
        self.with_server(Server::restore).await;
        let is_sqlite = self.plan.store == JournalKind::Sqlite;
        let is_evident = is_sqlite && self.result_lines() > lines;
        self.rollbacks.push(Rollback { backed_up, restored: Instant::now(), is_evident });
        for process in &mut self.processes {
            if process.is_running() && process.disturbance.is_none() {
                process.disturbance = Some(RESTORED);
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
        if began.elapsed() < TOLERATED_OUTAGE {
            return;
        }
        for process in &mut self.processes {
            if process.is_running() && self.service.submitted_by(process.number) == 0 {
                process.disturbance = process.disturbance.or(Some(DATABASE_DOWN));
            }
        }
    }

    async fn with_server(&mut self, work: impl FnOnce(&mut Server) + Send + 'static) {
        let Some(mut server) = self.sandbox.server.take() else { return };
        let working = tokio::task::spawn_blocking(move || {
            work(&mut server);
            server
        });
        self.sandbox.server = Some(working.await.expect("a server that starts"));
    }

    async fn copy(&mut self, log: bool, results: bool, moved: bool) -> io::Result<()> {
        self.kill_all();
        // Before the first submission, a copy of the batch is as good as the original.
        if self.service.log().is_empty() || !self.sandbox.journal.exists() {
            return Ok(());
        }
        self.sandbox.copies += 1;
        let folder = self.path(&format!("copy{}", self.sandbox.copies));
        fs::create_dir(&folder)?;
        let journal = folder.join("journal");
        copy_journal(&self.sandbox.journal, &journal, log)?;
        if moved {
            let original = std::mem::replace(&mut self.sandbox.journal, journal);
            fs::remove_file(original)?;
            // Without its write-ahead log, the journal may be refused.
            self.files_changed |= !log;
            return Ok(());
        }
        let copied = folder.join("results.jsonl");
        let original = self.results_of(0);
        if results && original.exists() {
            fs::copy(original, &copied)?;
        }
        let index = self.start_with(Command::run(0), &copied, &journal.to_string_lossy())?;
        let process = &mut self.processes[index];
        process.uses_copy = true;
        process.ends_within(COPY_RUN).await;
        process.kill();
        Ok(())
    }

    fn append(&mut self, machine: u8) -> io::Result<()> {
        let results = self.results_of(machine);
        let Ok(mut file) = fs::File::options().append(true).open(results) else { return Ok(()) };
        let text = format!("appended by another program, {}\n", self.foreign_lines.len());
        file.write_all(text.as_bytes())?;
        self.mark_changed(machine);
        self.foreign_lines.push(ForeignLine { machine, text });
        Ok(())
    }

    fn truncate(&mut self, machine: u8, bytes: u64) -> io::Result<()> {
        let results = self.results_of(machine);
        let Ok(file) = fs::File::options().write(true).open(results) else { return Ok(()) };
        file.set_len(file.metadata()?.len().saturating_sub(bytes))?;
        self.mark_changed(machine);
        self.foreign_lines.retain(|it| it.machine != machine);
        Ok(())
    }

    fn mark_changed(&mut self, machine: u8) {
        self.files_changed = true;
        for process in &mut self.processes {
            if process.command.machine() == machine && process.is_running() {
                process.disturbance = Some(FILES_CHANGED);
            }
        }
    }

    fn violates(&mut self, invariant: &'static str, message: String) {
        self.violations.push(Violation { invariant, message });
    }

    fn kill_all(&mut self) {
        self.processes.iter_mut().for_each(Process::kill);
    }

    fn notice_exits(&mut self) {
        for process in &mut self.processes {
            process.is_running();
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
        self.sandbox.folder.path().join(name)
    }
}

impl Sandbox {
    fn program(&self, service: &Service, number: usize) -> process::Command {
        let mut program = process::Command::new(&self.program);
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

/// Replaces a journal by a copy of another that no process has open, with its write-ahead log or
/// without.
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
