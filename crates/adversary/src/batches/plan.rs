//! A run of a batch as data: its settings, and the steps that are taken one after another.
//!
//! It is drawn from a seed (`draw`), printed as JSON when an invariant is broken, and shrunk.

use serde::{Deserialize, Serialize};

/// Everything that is decided before a run; what is left to chance is the machine's timing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub seed: u64,
    pub store: Store,
    pub inputs: u64,
    /// How long a job takes, in milliseconds.
    pub work: u64,
    /// The largest number of jobs outstanding for each process.
    pub window: u64,
    /// For how many microseconds a thread may be preempted after it has asked for a signal.
    pub preemption: i64,
    pub steps: Vec<Step>,
}

/// Where the journal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Store {
    Sqlite,
    Postgres,
}

/// Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A process begins, and the plan continues beside it.
    Begin(Command),
    /// A process runs until it ends, or is killed after this time.
    Finish(Command, Option<u64>),
    /// While jobs do not end, `batch run` gets a signal after this time, and must end: one that runs
    /// already, or a new one, for which all others are killed.
    Signal {
        signal: Signal,
        after: u64,
        is_new: bool,
    },
    /// SIGKILL for the processes of this machine, or for all.
    Kill(Option<u8>),
    Wait(u64),
    /// Waits until so many more submissions were accepted, but no longer than 10 seconds.
    Submissions(usize),
    /// The service does this to requests for a while.
    Fault(Fault, u64),
    /// The time of day is turned by so many seconds.
    Clock(i64),
    /// A copy of the database, or with [`Store::Sqlite`], of the journal and its log.
    BackUp,
    /// The copy is put back.
    Restore,
    /// The database's server crashes, and starts again.
    Crash,
    /// The journal is copied to another folder, and run there. Everything that runs is killed first.
    Copy {
        log: bool,
        results: bool,
        moved: bool,
    },
    /// Another program appends a line to this machine's results. Part of a line would be taken for
    /// what a crash has left.
    Append {
        machine: u8,
    },
    /// Another program cuts this machine's results by so many bytes.
    Truncate {
        machine: u8,
        bytes: u64,
    },
}

/// A command of the program. Each machine has results of its own; with [`Store::Sqlite`], there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    Run { machine: u8, accept_loss: bool, unknown: Unknown, mistake: Option<Mistake> },
    Cancel { machine: u8, mistake: Option<Mistake> },
    Retry { machine: u8, same_jobs: bool },
}

/// What a run does about unknown outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unknown {
    Hold,
    Resubmit,
    ByWebhook,
}

/// Why a command must be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mistake {
    /// The results are those of something else.
    Results,
    /// The inputs are not those of the batch.
    Inputs,
    /// The inputs are to be read differently.
    Settings,
    /// The service does not know the key.
    Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signal {
    Int,
    Term,
    Hup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// Submissions are accepted, and no response arrives.
    LostSubmissions,
    /// Submissions are answered with 429.
    Throttled,
    /// A gateway answers requests for a status with 502.
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

    /// A run without options.
    pub(crate) fn run(machine: u8) -> Self {
        Self::Run { machine, accept_loss: false, unknown: Unknown::Hold, mistake: None }
    }

    pub(crate) fn mistake(&self) -> Option<Mistake> {
        match self {
            Self::Run { mistake, .. } | Self::Cancel { mistake, .. } => *mistake,
            Self::Retry { .. } => None,
        }
    }
}
