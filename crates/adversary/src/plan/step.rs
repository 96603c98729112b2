//! What callers do.

use std::time::Duration;

use serde_json::{Value, json};

/// A step, and the way in which its future is driven.
#[derive(Clone, Debug)]
pub struct Work {
    /// The call's own number: it travels in inputs and names, so that the peer knows whose request
    /// it has.
    pub call: u64,
    pub step: Step,
    pub manner: Manner,
}

/// How a future is driven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Manner {
    Await,
    DropAfter(Duration),
    /// Polled so often, then dropped.
    DropAtPoll(u32),
    /// Polled so often, then left alone for a time, then awaited.
    Hold {
        polls: u32,
        pause: Duration,
    },
    /// Polled so often, then moved to another task.
    Elsewhere {
        polls: u32,
    },
}

/// Which job a step is about.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// The actor's last.
    Own,
    /// One of all that any actor has.
    Any(usize),
}

#[derive(Clone, Debug)]
pub enum Step {
    Sleep(Duration),
    Run {
        script: JobScript,
        at_least_once: bool,
        storage: bool,
        webhook: bool,
    },
    RunSync {
        script: JobScript,
        wait: Option<Duration>,
        output: bool,
        storage: bool,
    },
    Status(Pick),
    Wait {
        pick: Pick,
        timeout: Option<Duration>,
        cancel: bool,
        polite: bool,
    },
    Stream {
        take: Option<usize>,
    },
    Cancel(Pick),
    Retry(Pick),
    Purge,
    Health,
    Requests,
    Openai,
    OpenaiStream {
        /// How long it may take in all.
        total: Duration,
    },
    RunAll {
        script: JobScript,
        jobs: u64,
        width: usize,
        timeout: Option<Duration>,
        take: Option<usize>,
    },
    /// Submissions or looks by `buffer_unordered`, with another in the body of the loop.
    Unordered {
        script: JobScript,
        calls: u64,
        width: usize,
        looks: bool,
    },
    GetPod,
    CreateTemplate {
        short: bool,
    },
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

/// How a job goes. It travels in the job's input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobScript {
    pub queued: Duration,
    pub runs: Duration,
    pub chunks: u64,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Completed,
    Failed,
    TimedOut,
}

impl JobScript {
    pub fn input(&self, call: u64) -> Value {
        json!({
            "call": call,
            "queued": self.queued.as_millis() as u64,
            "runs": self.runs.as_millis() as u64,
            "chunks": self.chunks,
            "end": match self.end {
                End::Completed => "COMPLETED",
                End::Failed => "FAILED",
                End::TimedOut => "TIMED_OUT",
            },
        })
    }

    pub fn read(input: &Value) -> Option<(u64, Self)> {
        let number = |name: &str| input.get(name)?.as_u64();
        let script = Self {
            queued: Duration::from_millis(number("queued")?),
            runs: Duration::from_millis(number("runs")?),
            chunks: number("chunks")?,
            end: match input.get("end")?.as_str()? {
                "FAILED" => End::Failed,
                "TIMED_OUT" => End::TimedOut,
                _ => End::Completed,
            },
        };
        Some((number("call")?, script))
    }
}
