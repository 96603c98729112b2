//! Random driver of batches: processes of the program `podqueue` that are killed and interrupted,
//! faults of the service, and journals that are copied and restored, with the invariants that
//! hold nevertheless.
//!
//! A plan is drawn from a seed. The timing is that of the machine, so a seed repeats the steps of a
//! run, but not exactly its course.
//!
//! ```text
//! plan ──> run ──> processes of podqueue ──> service (its log)
//!           │            │                      │
//!           │        journal, results           │
//!           └──────────> invariants <───────────┘
//! ```

mod invariants;
mod plan;
mod process;
mod run;
mod service;

use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::Instant;

use podqueue_pgserver::Server;

pub use self::plan::{Plan, plan};

use self::plan::{Command, OnUnknown, Step};
use crate::search::{Driver, Played};

/// Driver of batches. It keeps a database server once a plan needs one.
pub struct BatchDriver<'a> {
    program: &'a Path,
    has_postgres: bool,
    server: Option<Server>,
}

impl<'a> BatchDriver<'a> {
    /// Drives this program. Plans need a database only with `has_postgres`.
    #[must_use]
    pub fn new(program: &'a Path, has_postgres: bool) -> Self {
        Self { program, has_postgres, server: None }
    }
}

impl Driver for BatchDriver<'_> {
    type Plan = Plan;
    const SEED_VARIABLE: &'static str = "SEED";
    const IS_REAL_TIME: bool = true;
    const SHRINK_SECONDS: u64 = 120;

    fn draw(&self, seed: u64) -> Plan {
        plan(seed, self.has_postgres)
    }

    fn play(&mut self, plan: &Plan) -> io::Result<Played<Plan>> {
        let run = run::run(plan, self.program, &mut self.server)?;
        let violations = invariants::violations(&run);
        Ok(Played { plan: plan.clone(), violations, transcript: transcript(&run) })
    }

    fn seed(plan: &Plan) -> u64 {
        plan.seed
    }

    /// Formats a plan for the variable `PLAN`.
    fn describe(plan: &Plan) -> String {
        format!("PLAN='{}'\n", serde_json::to_string(plan).unwrap_or_default())
    }

    fn simpler(plan: &Plan) -> Vec<Plan> {
        simpler_plans(plan)
    }

    fn size(played: &Played<Plan>) -> usize {
        played.plan.steps.len()
    }
}

/// Returns all plans that are one step simpler, the largest steps first.
fn simpler_plans(plan: &Plan) -> Vec<Plan> {
    let mut smaller = Vec::new();
    let mut with = |change: &dyn Fn(&mut Plan)| {
        let mut changed = plan.clone();
        change(&mut changed);
        smaller.push(changed);
    };
    let count = plan.steps.len();
    for size in [count / 2, count / 4, 1] {
        if size == 0 || size == 1 && count / 4 == 1 {
            continue;
        }
        for first in (0..count).step_by(size) {
            with(&|plan| drop(plan.steps.drain(first..(first + size).min(count))));
        }
    }
    if plan.preemption > 0 {
        with(&|plan| plan.preemption = 0);
    }
    for (index, step) in plan.steps.iter().enumerate() {
        if let Some(simpler) = simpler_step(step) {
            with(&|plan| plan.steps[index] = simpler.clone());
        }
    }
    smaller
}

fn simpler_step(step: &Step) -> Option<Step> {
    match step {
        Step::Begin(Command::Run { machine, accept_loss, unknown, mistake: None })
            if *accept_loss || *unknown != OnUnknown::Hold =>
        {
            Some(Step::Begin(Command::run(*machine)))
        }
        Step::Finish(command, Some(_)) => Some(Step::Finish(command.clone(), None)),
        _ => None,
    }
}

fn transcript(run: &run::Run) -> String {
    let mut text = String::new();
    for process in &run.processes {
        let since = |at: Instant| (at - run.began).as_secs_f64();
        let end = process.end.map(|end| (since(end.at), end.code, end.signal));
        let _ = writeln!(
            text,
            "  process {} at {:.3}s: {:?}{}; {} submitted; ended {end:?}{}",
            process.number,
            since(process.began),
            process.command,
            if process.uses_copy { ", on a copy" } else { "" },
            run.service.submitted_by(process.number),
            if process.killed.is_some() { ", killed" } else { "" },
        );
        for line in process.output("err").lines().take(4) {
            let _ = writeln!(text, "      {line:.300}");
        }
    }
    text
}
