//! Plan of a batch run, as data: its settings and the sequence of its steps.
//!
//! [`plan`] draws it from a seed. A plan that violates an invariant is printed as JSON and shrunk.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// Everything that determines a run, except for the timing of the machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub seed: u64,
    pub store: JournalKind,
    pub inputs: u64,
    /// Execution time of a job, in milliseconds.
    pub work: u64,
    /// Largest number of outstanding jobs per process.
    pub window: u64,
    /// Longest preemption of a thread after it has registered a signal handler, in microseconds.
    pub preemption: i64,
    pub steps: Vec<Step>,
}

/// Kind of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JournalKind {
    Sqlite,
    Postgres,
}

/// Step of a plan. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A process starts and runs in the background.
    Begin(Command),
    /// A process runs to its end, or is killed after this time.
    Finish(Command, Option<u64>),
    /// While no job ends, `batch run` receives a signal after this time and must exit. It is the
    /// process that is running, or a new one for which all running processes are killed.
    Signal {
        signal: Signal,
        after: u64,
        is_new: bool,
    },
    /// SIGKILL for the processes of one machine, or of all.
    Kill(Option<u8>),
    Wait(u64),
    /// Waits for this number of further accepted submissions, for 10 seconds at most.
    Submissions(usize),
    /// The service injects a fault for a time.
    Fault(ServiceFault, u64),
    /// The time of day is set off by this number of seconds.
    Clock(i64),
    /// Backup of the database, or with [`JournalKind::Sqlite`] of the journal and its write-ahead
    /// log.
    BackUp,
    /// The backup is restored.
    Restore,
    /// The database server crashes and restarts.
    Crash,
    /// All processes are killed, and the journal is copied to another folder and run there.
    Copy {
        log: bool,
        results: bool,
        moved: bool,
    },
    /// Another program appends a complete line to the results of a machine. A partial line could
    /// not be distinguished from the effect of a crash.
    Append {
        machine: u8,
    },
    /// Another program truncates the results of a machine by this number of bytes.
    Truncate {
        machine: u8,
        bytes: u64,
    },
}

/// Command of the program. Each machine has results of its own. With [`JournalKind::Sqlite`] there
/// is one machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    Run { machine: u8, accept_loss: bool, unknown: OnUnknown, mistake: Option<Mistake> },
    Cancel { machine: u8, mistake: Option<Mistake> },
    Retry { machine: u8, same_jobs: bool },
}

/// `--on-unknown` of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnUnknown {
    Hold,
    Resubmit,
    ByWebhook,
}

/// Mistake in a command, which must be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mistake {
    /// The results file belongs to another batch.
    Results,
    /// The inputs are not those of the batch.
    Inputs,
    /// A setting of the inputs differs.
    Settings,
    /// The service rejects the API key.
    Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signal {
    Int,
    Term,
    Hup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServiceFault {
    /// Submissions are accepted, and their responses are lost.
    LostSubmissions,
    /// Submissions are answered with 429.
    Throttled,
    /// A gateway answers polls with 502.
    StatusUnavailable,
    /// A gateway answers every request with 502.
    Unavailable,
    /// Connections are closed instead of a response.
    Reset,
}

impl Command {
    pub(crate) fn machine(&self) -> u8 {
        match self {
            Self::Run { machine, .. }
            | Self::Cancel { machine, .. }
            | Self::Retry { machine, .. } => *machine,
        }
    }

    /// Returns a run without options.
    pub(crate) fn run(machine: u8) -> Self {
        Self::Run { machine, accept_loss: false, unknown: OnUnknown::Hold, mistake: None }
    }

    pub(crate) fn mistake(&self) -> Option<Mistake> {
        match self {
            Self::Run { mistake, .. } | Self::Cancel { mistake, .. } => *mistake,
            Self::Retry { .. } => None,
        }
    }
}

/// Largest number of machines.
const MACHINES: u8 = 3;

/// Draws the plan of a seed.
///
/// A plan consists of a few kinds of steps out of many (swarm testing,
/// <https://users.cs.utah.edu/~regehr/papers/swarm12.pdf>), so that rare steps occur repeatedly and
/// next to each other. Kinds and steps are drawn independently, except for two sequences that would
/// seldom occur in order: a backup that is restored while no process runs, and a clock that is set
/// while outstanding jobs cannot be polled.
#[must_use]
pub fn plan(seed: u64, postgres: bool) -> Plan {
    let mut random = Rng::with_seed(seed);
    let random = &mut random;
    let store = match postgres && random.u8(..10) < 5 {
        true => JournalKind::Postgres,
        false => JournalKind::Sqlite,
    };
    let machines = if store == JournalKind::Sqlite { 1 } else { random.u8(1..=MACHINES) };
    let window = *pick(random, &[10, 40, 200]);
    let work = random.u64(100..1_000);
    // Enough inputs for several seconds: a machine under load completes about 30 a second.
    let per_second = (window * u64::from(machines) * 1_000 / work).min(30);
    let mut steps: Vec<_> = (0..machines).map(|it| Step::Begin(run(random, it))).collect();
    let kinds = kinds(random, store);
    // The sequences come first, while most inputs are pending.
    if kinds.contains(&StepKind::Backups) && random.u8(..4) > 0 {
        steps.extend(rollback(random, machines));
    } else if kinds.contains(&StepKind::LongFault) && random.u8(..4) > 0 {
        steps.extend(clock_change(random));
    }
    for _ in 0..random.u8(2..12) {
        if random.bool() {
            steps.push(match random.bool() {
                true => Step::Wait(time(random)),
                false => Step::Submissions(random.usize(1..150)),
            });
        }
        let kind = *pick(random, &kinds);
        let is_backed_up = steps.contains(&Step::BackUp);
        steps.push(step(random, kind, machines, is_backed_up));
    }
    Plan {
        seed,
        store,
        inputs: per_second * random.u64(3..15),
        work,
        window,
        preemption: *pick(random, &[0, 20_000]),
        steps,
    }
}

/// Kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKind {
    Begin,
    Kill,
    Fault,
    LongFault,
    Clock,
    Signal,
    Files,
    Retry,
    Accepting,
    Backups,
    Copy,
    Crash,
}

/// Draws the kinds of a plan, and often the start of another process.
fn kinds(random: &mut Rng, store: JournalKind) -> Vec<StepKind> {
    use StepKind::{
        Accepting, Backups, Begin, Clock, Copy, Crash, Fault, Files, Kill, LongFault, Retry, Signal,
    };
    let own = if store == JournalKind::Sqlite { Copy } else { Crash };
    let mut all = [Kill, Fault, LongFault, Clock, Signal, Files, Retry, Accepting, Backups, own];
    random.shuffle(&mut all);
    let mut kinds = all[..random.usize(2..=3)].to_vec();
    if random.bool() {
        kinds.push(Begin);
    }
    kinds
}

fn step(random: &mut Rng, kind: StepKind, machines: u8, is_backed_up: bool) -> Step {
    let machine = random.u8(..machines);
    match kind {
        StepKind::Begin => {
            let machine = if machines > 1 { random.u8(..MACHINES) } else { machine };
            Step::Begin(run(random, machine))
        }
        StepKind::Kill => Step::Kill(random.bool().then_some(machine)),
        StepKind::Fault => Step::Fault(fault(random), time(random)),
        StepKind::LongFault => Step::Fault(fault(random), long_time(random)),
        StepKind::Clock => Step::Clock(clock_offset(random)),
        StepKind::Signal => {
            let signal = *pick(random, &[Signal::Int, Signal::Term, Signal::Hup]);
            let longest = *pick(random, &[40, 150, 400]);
            Step::Signal { signal, after: random.u64(..longest), is_new: random.bool() }
        }
        StepKind::Files if random.bool() => Step::Append { machine },
        StepKind::Files => Step::Truncate { machine, bytes: random.u64(1..200) },
        StepKind::Retry => {
            let command = Command::Retry { machine, same_jobs: random.u8(..4) == 0 };
            Step::Finish(command, kill_time(random))
        }
        StepKind::Accepting => Step::Finish(accepting_command(random, machine), kill_time(random)),
        StepKind::Backups if is_backed_up && random.u8(..4) > 0 => Step::Restore,
        StepKind::Backups => Step::BackUp,
        StepKind::Copy => {
            Step::Copy { log: random.bool(), results: random.bool(), moved: random.u8(..4) == 0 }
        }
        StepKind::Crash => Step::Crash,
    }
}

/// A backup is restored after further submissions and results, mostly while no process runs that
/// could notice, so that only the results prove the rollback.
fn rollback(random: &mut Rng, machines: u8) -> Vec<Step> {
    let (more, collecting) = (random.usize(10..100), random.u64(500..3_000));
    let mut steps = vec![
        Step::Submissions(random.usize(1..30)),
        Step::BackUp,
        Step::Submissions(more),
        Step::Wait(collecting),
    ];
    if random.u8(..4) > 0 {
        steps.push(Step::Kill(None));
    }
    steps.push(Step::Restore);
    if random.bool() {
        let machine = random.u8(..machines);
        steps.push(Step::Begin(run(random, machine)));
    }
    steps
}

/// The clock is set while jobs are outstanding and cannot be polled for a long time.
fn clock_change(random: &mut Rng) -> Vec<Step> {
    let fault = *pick(
        random,
        &[ServiceFault::StatusUnavailable, ServiceFault::Unavailable, ServiceFault::Reset],
    );
    vec![
        Step::Submissions(random.usize(5..50)),
        Step::Fault(fault, long_time(random)),
        Step::Clock(clock_offset(random)),
    ]
}

/// A command that may accept a rollback, mostly with a mistake.
fn accepting_command(random: &mut Rng, machine: u8) -> Command {
    if random.bool() {
        let mistake = (random.u8(..3) > 0).then_some(Mistake::Results);
        return Command::Cancel { machine, mistake };
    }
    let mistakes = [Mistake::Results, Mistake::Inputs, Mistake::Settings, Mistake::Key];
    let mistake = Some(*pick(random, &mistakes));
    Command::Run { machine, accept_loss: random.u8(..4) > 0, unknown: OnUnknown::Hold, mistake }
}

fn run(random: &mut Rng, machine: u8) -> Command {
    let unknown = match random.u8(..10) {
        0 => OnUnknown::Resubmit,
        1..4 => OnUnknown::ByWebhook,
        _ => OnUnknown::Hold,
    };
    Command::Run { machine, accept_loss: random.u8(..12) == 0, unknown, mistake: None }
}

fn fault(random: &mut Rng) -> ServiceFault {
    *pick(
        random,
        &[
            ServiceFault::LostSubmissions,
            ServiceFault::Throttled,
            ServiceFault::StatusUnavailable,
            ServiceFault::Unavailable,
            ServiceFault::Reset,
        ],
    )
}

/// Time after which a command is killed, if at all.
fn kill_time(random: &mut Rng) -> Option<u64> {
    (random.u8(..4) == 0).then(|| random.u64(5..150))
}

/// Duration beyond all timeouts, in milliseconds.
fn long_time(random: &mut Rng) -> u64 {
    random.u64(28_000..45_000)
}

/// Offset of the clock in seconds.
fn clock_offset(random: &mut Rng) -> i64 {
    *pick(random, &[-86_400, 3_600, 172_800, 259_200])
}

/// Duration, mostly short, in milliseconds.
fn time(random: &mut Rng) -> u64 {
    let longest = *pick(random, &[100, 1_000, 1_000, 4_000]);
    random.u64(..longest)
}

fn pick<'a, T>(random: &mut Rng, from: &'a [T]) -> &'a T {
    &from[random.usize(..from.len())]
}
