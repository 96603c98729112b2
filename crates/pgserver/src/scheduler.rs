//! Scheduler of processes that use a database: executes their statements one at a time, in the order
//! of a schedule, with faults of their connections. Schedules are those of probabilistic concurrency
//! testing (PCT): priorities, and few preemptions.
//!
//! A process runs on a thread of the test, and connects through [`Scheduler::url`]. The scheduler
//! waits until each process is about to send a step, waits for a row lock (according to the server's
//! table of locks), or has ended. So no order depends on time, and a schedule can be repeated.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::session::Session;
use crate::step_proxy::{Connection, Connections, Process, State};
use crate::{Server, url};

/// Time limit for what processes do between two steps.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Time after which a step that has no response may be waiting for a lock.
const PROMPT: Duration = Duration::from_millis(2);

/// Shortest interval of observing a backend.
const CHECK_INTERVAL: Duration = Duration::from_micros(200);

/// Finds backends, and whether each waits for a row lock. Other locks, such as that of a table that
/// is being extended, are not held until the end of a transaction.
const BACKENDS: &str = "PREPARE backends (int[]) AS SELECT pid, EXISTS (
        SELECT FROM pg_lock_status() AS lock
        WHERE lock.pid = it.pid AND NOT granted AND locktype IN ('transactionid', 'tuple'))
    FROM pg_stat_get_activity(NULL) AS it WHERE pid = ANY ($1)";

/// Order of the steps of processes, and faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The processes, the most urgent one first: it runs until it waits for a lock, or ends.
    pub order: Vec<usize>,
    /// Deviations from that.
    pub deviations: Vec<Deviation>,
    /// It begins with the first step, not when all processes [wait](Actor::begin) for it.
    pub is_whole: bool,
}

/// Deviation from the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The number of the step before which it happens, counted from zero.
    pub step: usize,
    /// The preemption or fault.
    pub event: Event,
}

/// Preemption or fault before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Its process becomes the least urgent one.
    Preempt,
    /// Its connection breaks.
    Cut {
        /// The fate of the step.
        cut: Cut,
        /// At the next `COMMIT` rather than at this step.
        at_commit: bool,
        /// The process ends along with its connection.
        kills: bool,
    },
    /// The connection of a process breaks that waits for a lock, from this step on. Its statement
    /// is executed nevertheless, and rolled back.
    CutWaiting,
    /// The server ends all connections, as it does when it is restarted.
    Restart,
}

/// Fate of the step at which a connection breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It does not arrive at the server.
    Before,
    /// It arrives, and its response is lost.
    After,
    /// It arrives this number of steps later, when its process has long noticed the break.
    Late(usize),
}

/// Result of a schedule.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Each step and fault, as a line.
    pub lines: Vec<String>,
    /// Number of steps.
    pub steps: usize,
    /// Number of faults.
    pub faults: usize,
    /// Deadlocks, panics, and processes that do not end.
    pub violations: Vec<String>,
}

/// A step that the server has executed, before its process has the response.
#[derive(Clone, Copy, Debug)]
pub struct Executed<'a> {
    /// The process.
    pub process: usize,
    /// The statement.
    pub sql: &'a str,
    /// The connection is in no transaction: what the step has changed is visible.
    pub is_visible: bool,
}

/// A process, as its thread knows it.
pub struct Actor {
    connections: Arc<Connections>,
    process: usize,
}

impl Actor {
    /// Waits until all processes wait here or have ended: a schedule begins then.
    pub fn begin(&self) {
        let set = |state: &mut State| state.processes[self.process].is_waiting = true;
        set(&mut self.connections.lock());
        self.connections.notify();
        let mut state = self.connections.lock();
        while state.processes[self.process].is_waiting {
            state = self.connections.wait(state, SETTLE_TIMEOUT);
        }
    }

    /// Returns true if the process was killed: it must end.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.connections.lock().processes[self.process].is_killed
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        self.connections.lock().processes[self.process].has_ended = true;
        self.connections.notify();
    }
}

/// Body of a process.
pub type Script<'a> = Box<dyn FnOnce(&Actor) + Send + 'a>;

/// Scheduler of processes that use one database.
pub struct Scheduler {
    connections: Arc<Connections>,
    ports: Vec<u16>,
    session: Session,
    database: String,
}

impl Scheduler {
    /// Starts a scheduler of at most this number of processes.
    ///
    /// # Panics
    ///
    /// If the database cannot be reached.
    #[must_use]
    pub fn start(server: &Server, database: &str, processes: usize) -> Self {
        let connections = Arc::new(Connections::default());
        connections.lock().processes = vec![Process::default(); processes];
        let listen = |process| connections.listen(process, server.port());
        let ports = (0..processes).map(listen).collect();
        let mut session = Session::open(server, database);
        session.query(BACKENDS);
        Self { connections, ports, session, database: database.to_owned() }
    }

    /// The URL of the database for this process.
    #[must_use]
    pub fn url(&self, process: usize) -> String {
        url(self.ports[process], &self.database)
    }

    /// The connection over which the test observes the database.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Plays a schedule of these processes to its end. `observe` is called after each step.
    ///
    /// # Panics
    ///
    /// If the server cannot be reached.
    pub fn play(
        &mut self,
        schedule: &Schedule,
        scripts: Vec<Script<'_>>,
        observe: &mut dyn FnMut(&mut Session, Executed<'_>),
    ) -> Played {
        {
            let mut state = self.connections.lock();
            let is_one = |process: usize| process < scripts.len();
            for (process, of) in state.processes.iter_mut().enumerate() {
                *of = Process { has_ended: !is_one(process), ..Process::default() };
            }
            state.connections.clear();
        }
        let mut play = Play {
            connections: Arc::clone(&self.connections),
            session: &mut self.session,
            observe,
            order: schedule.order.clone(),
            deviations: schedule.deviations.clone(),
            has_begun: schedule.is_whole,
            played: Played::default(),
        };
        let panicked: Vec<usize> = thread::scope(|scope| {
            let mut threads = Vec::new();
            for (process, script) in scripts.into_iter().enumerate() {
                let actor = Actor { connections: Arc::clone(&play.connections), process };
                threads.push(scope.spawn(move || script(&actor)));
            }
            play.run();
            let ended = threads.into_iter().enumerate();
            ended.filter_map(|(process, it)| it.join().is_err().then_some(process)).collect()
        });
        let said = panicked.into_iter().map(|process| format!("process {process} panicked"));
        play.played.violations.extend(said);
        play.played
    }
}

struct Play<'a> {
    connections: Arc<Connections>,
    session: &'a mut Session,
    observe: &'a mut dyn FnMut(&mut Session, Executed<'_>),
    order: Vec<usize>,
    deviations: Vec<Deviation>,
    has_begun: bool,
    played: Played,
}

impl Play<'_> {
    fn run(&mut self) {
        loop {
            if !self.settle() {
                self.abandon();
                return;
            }
            let mut state = self.connections.lock();
            if state.processes.iter().all(|it| it.has_ended)
                && !state.connections.iter().any(|it| it.late.is_some() && it.held.is_some())
            {
                return;
            }
            let is_beginning = self.has_begun || self.next(&state).is_none();
            if is_beginning && state.processes.iter().any(|it| it.is_waiting) {
                self.has_begun = true;
                state.processes.iter_mut().for_each(|it| it.is_waiting = false);
                drop(state);
                self.connections.notify();
                continue;
            }
            let Some(number) = self.next(&state) else {
                // The server finds deadlocks.
                drop(self.connections.wait(state, Duration::from_millis(5)));
                continue;
            };
            drop(state);
            self.step(number);
        }
    }

    /// The connection whose step is next.
    fn next(&self, state: &State) -> Option<usize> {
        let late = || {
            state
                .connections
                .iter()
                .enumerate()
                .filter(|(_, it)| it.late.is_some() && it.held.is_some())
        };
        let due = late().find(|(_, it)| it.late.is_some_and(|at| at <= self.played.steps));
        let of = |process: &usize| {
            state.connections.iter().position(|it| it.process == *process && it.is_held())
        };
        let found = due.map(|(number, _)| number).or_else(|| self.order.iter().find_map(of));
        found.or_else(|| late().next().map(|(number, _)| number))
    }

    /// Executes a step of this connection, or what happens before it.
    fn step(&mut self, number: usize) {
        let Some(sql) = self.counted(number) else {
            let is_late = self.connections.lock().connections[number].late.is_some();
            return self.release(number, if is_late { "  -- arrives" } else { "" });
        };
        let now = self.played.steps;
        if self.take(|it| it.step == now && it.event == Event::Preempt).is_some() {
            let process = self.connections.lock().connections[number].process;
            self.order.retain(|it| *it != process);
            self.order.push(process);
            return;
        }
        if self.take(|it| it.step <= now && it.event == Event::Restart).is_some() {
            return self.restart();
        }
        if self.deviations.iter().any(|it| it.step <= now && it.event == Event::CutWaiting) {
            self.cut_waiting();
        }
        let is_commit = sql == "COMMIT";
        let cut = self.take(|it| match it.event {
            Event::Cut { at_commit: true, .. } => is_commit && it.step <= now,
            Event::Cut { .. } => it.step == now,
            _ => false,
        });
        self.played.steps += 1;
        match cut.map(|it| it.event) {
            Some(Event::Cut { cut, kills, .. }) => self.cut(number, cut, kills),
            _ => self.release(number, ""),
        }
    }

    /// The statement that this connection holds, if it counts as a step: the beginning of a
    /// transaction takes effect with its next statement.
    fn counted(&self, number: usize) -> Option<String> {
        let state = self.connections.lock();
        let connection = &state.connections[number];
        let sql = connection.held.as_ref().map(|it| it.sql.clone()).unwrap_or_default();
        let counts = self.has_begun && connection.late.is_none() && !sql.starts_with("BEGIN");
        counts.then_some(sql)
    }

    /// Ends all connections.
    fn restart(&mut self) {
        self.played.faults += 1;
        self.played.lines.push("     the server ends all connections".to_owned());
        let state = self.connections.lock();
        let open = state.connections.iter().filter(|it| !it.is_gone);
        let backends: Vec<_> = open.map(|it| it.backend.to_string()).collect();
        drop(state);
        self.session.query(&format!(
            "SELECT pg_terminate_backend(pid) FROM unnest('{{{}}}'::int[]) AS it (pid)",
            backends.join(",")
        ));
    }

    /// Breaks the connection of a process that waits for a lock, if there is one.
    fn cut_waiting(&mut self) {
        let mut state = self.connections.lock();
        let waits = |it: &Connection| it.is_blocked && it.has_client;
        let Some(number) = state.connections.iter().position(waits) else { return };
        let process = state.connections[number].process;
        state.end(number);
        drop(state);
        self.take(|it| it.event == Event::CutWaiting);
        self.played.faults += 1;
        let line = format!("     process {process} | its connection breaks while it waits");
        self.played.lines.push(line);
    }

    /// Breaks a connection at the step that it holds.
    fn cut(&mut self, number: usize, cut: Cut, kills: bool) {
        self.played.faults += 1;
        let connections = Arc::clone(&self.connections);
        let mut state = connections.lock();
        let process = state.connections[number].process;
        state.processes[process].is_killed |= kills;
        state.connections[number].loses = true;
        drop(state);
        let killed = if kills { ", and the process is killed" } else { "" };
        match cut {
            Cut::Before => {
                self.say(number, &format!("  -- lost with the connection{killed}"));
                connections.lock().end(number);
            }
            Cut::After => {
                let fate = format!("  -- its response is lost with the connection{killed}");
                self.release(number, &fate);
            }
            Cut::Late(steps) => {
                self.say(number, &format!("  -- underway when the connection breaks{killed}"));
                let mut state = connections.lock();
                let connection = &mut state.connections[number];
                connection.late = Some(self.played.steps + steps);
                connection.cut_client();
            }
        }
    }

    fn take(&mut self, is_it: impl Fn(&Deviation) -> bool) -> Option<Deviation> {
        let found = self.deviations.iter().position(is_it);
        found.map(|number| self.deviations.remove(number))
    }

    fn release(&mut self, number: usize, fate: &str) {
        if self.has_begun {
            self.say(number, fate);
        }
        let mut state = self.connections.lock();
        let connection = &mut state.connections[number];
        connection.late = None;
        connection.release();
        if !connection.has_client {
            // Only the server's end is left: its response is not read.
            connection.loses = true;
        }
    }

    fn say(&mut self, number: usize, fate: &str) {
        let state = self.connections.lock();
        let connection = &state.connections[number];
        let sql = connection.held.as_ref().map(|it| it.sql.as_str()).unwrap_or_default();
        let short: String = sql.chars().take(90).collect();
        let line =
            format!("{:4} process {} | {short}{fate}", self.played.steps, connection.process);
        drop(state);
        self.played.lines.push(line);
    }

    /// Waits until each process waits to send a step, waits for a lock, or has ended. Returns false
    /// if that takes too long.
    fn settle(&mut self) -> bool {
        let began = Instant::now();
        let connections = Arc::clone(&self.connections);
        let mut state = connections.lock();
        let mut waited = Duration::ZERO;
        let mut interval = CHECK_INTERVAL;
        loop {
            if began.elapsed() > SETTLE_TIMEOUT {
                return false;
            }
            if let Some(number) = state.executed() {
                drop(state);
                self.complete(number);
                state = connections.lock();
                continue;
            }
            if state.is_settled() {
                return true;
            }
            let executing = state.connections.iter().any(|it| it.is_executing() && !it.is_blocked);
            let ending = state.connections.iter().any(|it| it.is_ending() && !it.is_blocked);
            if ending || (executing && waited >= PROMPT) {
                drop(state);
                let found = self.backends();
                state = connections.lock();
                let mut has_ended = false;
                for connection in &mut state.connections {
                    let backend = found.iter().find(|(backend, _)| *backend == connection.backend);
                    match backend {
                        Some((_, waits)) if connection.is_executing() || connection.is_ending() => {
                            connection.is_blocked = *waits && connection.answered.is_none();
                        }
                        None if connection.is_ending() => {
                            connection.is_gone = true;
                            has_ended = true;
                        }
                        _ => {}
                    }
                }
                if has_ended {
                    state.unblock();
                }
                if state.is_settled() && state.executed().is_none() {
                    return true;
                }
                state = connections.wait(state, interval);
                interval = (interval * 2).min(PROMPT);
            } else {
                state = connections.wait(state, PROMPT);
                waited += PROMPT;
            }
        }
    }

    /// The backends there are, and whether each waits for a lock.
    fn backends(&mut self) -> Vec<(i32, bool)> {
        let state = self.connections.lock();
        let ids: BTreeSet<_> =
            state.connections.iter().filter(|it| !it.is_gone).map(|it| it.backend).collect();
        drop(state);
        let ids = ids.iter().map(i32::to_string).collect::<Vec<_>>().join(",");
        let found = self.session.query(&format!("EXECUTE backends ('{{{ids}}}')"));
        found.iter().map(|row| (row[0].parse().expect("an id"), row[1] == "t")).collect()
    }

    /// Observes a step that was executed, and delivers its response.
    fn complete(&mut self, number: usize) {
        let mut state = self.connections.lock();
        let connection = &mut state.connections[number];
        let Some(step) = connection.released.take() else { return };
        let (process, answered) = (connection.process, connection.answered);
        let error = connection.error.clone();
        drop(state);
        if let Some((code, message)) = error {
            let number = self.played.steps;
            self.played.lines.push(format!("{number:4} process {process} | {code}: {message}"));
            if code == "40P01" {
                self.played.violations.push("a deadlock".to_owned());
            }
        }
        let is_visible = answered != Some(b'T');
        (self.observe)(self.session, Executed { process, sql: &step.sql, is_visible });
        let mut state = self.connections.lock();
        state.deliver(number);
        if is_visible {
            state.unblock();
        }
    }

    /// Ends all processes after one that does not end.
    fn abandon(&mut self) {
        let mut state = self.connections.lock();
        let what = state.describe();
        self.played.violations.push(format!("the processes do not proceed: {what}"));
        for process in &mut state.processes {
            (process.is_killed, process.is_waiting) = (true, false);
        }
        state.connections.iter_mut().for_each(Connection::close);
        drop(state);
        self.connections.notify();
    }
}

impl Connection {
    fn is_executing(&self) -> bool {
        self.has_server && self.released.is_some() && self.answered.is_none()
    }

    /// The server has responded, or has closed the connection instead.
    fn is_executed(&self) -> bool {
        self.released.is_some() && (self.answered.is_some() || !self.has_server)
    }

    /// It is closed, and its backend may still be there.
    fn is_ending(&self) -> bool {
        !self.is_gone && !self.has_server
            || !self.is_gone && !self.has_client && self.late.is_none() && self.released.is_none()
    }
}

impl State {
    /// A transaction has ended, for which others may have waited.
    fn unblock(&mut self) {
        self.connections.iter_mut().for_each(|it| it.is_blocked = false);
    }

    /// The connection whose step was executed first: before those that it has unblocked.
    fn executed(&self) -> Option<usize> {
        let is_first = |it: &Connection| it.is_executed() && !it.is_blocked;
        let first = self.connections.iter().position(is_first);
        let is_awaited = |it: &Connection| it.is_executing() && !it.is_blocked;
        if first.is_some() || self.connections.iter().any(is_awaited) {
            return first;
        }
        self.connections.iter().position(Connection::is_executed)
    }

    fn is_settled(&self) -> bool {
        let is_quiet =
            |it: &Connection| it.is_gone || it.is_blocked || !(it.is_ending() || it.is_executing());
        let is_settled = |(number, process): (usize, &Process)| {
            let is_own = |it: &&Connection| it.process == number && it.has_client;
            let own: Vec<_> = self.connections.iter().filter(is_own).collect();
            let is_open = process.connecting > 0 || own.len() > 1;
            let waits = own.iter().any(|it| it.is_held() || it.is_blocked);
            match process.has_ended {
                true => !is_open && own.is_empty(),
                false => process.is_waiting || (!is_open && waits),
            }
        };
        let is_closing = |it: &Connection| it.is_read && !it.has_client;
        if self.connections.iter().any(is_closing) {
            return false;
        }
        self.connections.iter().all(is_quiet) && self.processes.iter().enumerate().all(is_settled)
    }

    fn describe(&self) -> String {
        let of = |it: &Connection| {
            let sql = it.held.as_ref().or(it.released.as_ref()).map(|it| it.sql.as_str());
            format!(
                "process {} client {} server {} gone {} blocked {} held {} released {} answered {:?} {:?}",
                it.process,
                it.has_client,
                it.has_server,
                it.is_gone,
                it.is_blocked,
                it.held.is_some(),
                it.released.is_some(),
                it.answered,
                sql
            )
        };
        let open = self.connections.iter().filter(|it| !it.is_gone).map(of).collect::<Vec<_>>();
        format!("{:?}; {}", self.processes, open.join("; "))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "order {:?}", self.order)?;
        self.deviations.iter().try_for_each(|it| write!(f, ", at {} {:?}", it.step, it.event))
    }
}
