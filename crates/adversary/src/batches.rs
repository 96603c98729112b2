//! A random driver for batches: the program `podqueue` as processes that are killed, interrupted and
//! misled, with journals that are copied and put back, and what has to hold nevertheless.
//!
//! A plan is drawn from a seed; the timing of a run is the machine's, so a seed repeats what is done and
//! not exactly what happens. The service that the processes talk to keeps a log of what it accepted,
//! and so the invariants do not depend on any journal.
//!
//! ```text
//! plan ──> run ──> processes of podqueue ──> service (its log)
//!           │            │                      │
//!           │        journal, results           │
//!           └──────────> invariants <───────────┘
//! ```

mod draw;
mod invariants;
mod plan;
mod processes;
mod run;
mod service;
mod shrink;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::Duration;

use podqueue_pgserver::Server;

pub use self::draw::plan;
pub use self::invariants::Violation;
pub use self::plan::Plan;

/// Plays plans against a program; a database's server is started once, when a plan needs it.
pub struct Player<'a> {
    binary: &'a Path,
    server: Option<Server>,
}

/// A plan that breaks invariants, and what was seen.
pub struct Finding {
    pub plan: Plan,
    pub violations: Vec<Violation>,
    pub transcript: String,
}

impl<'a> Player<'a> {
    #[must_use]
    pub fn new(binary: &'a Path) -> Self {
        Self { binary, server: None }
    }

    /// Plays a plan once, and keeps what was seen, also if nothing is broken.
    ///
    /// # Errors
    ///
    /// If something the driver itself needs cannot be had, such as a process or a file.
    pub fn replay(&mut self, plan: &Plan) -> io::Result<Finding> {
        let run = run::run(plan, self.binary, &mut self.server)?;
        let violations = invariants::broken(&run);
        Ok(Finding { plan: plan.clone(), violations, transcript: transcript(&run) })
    }

    /// Plays a plan once.
    ///
    /// # Errors
    ///
    /// As [`replay`](Self::replay).
    pub fn play(&mut self, plan: &Plan) -> io::Result<Option<Finding>> {
        let finding = self.replay(plan)?;
        Ok((!finding.violations.is_empty()).then_some(finding))
    }

    /// The smallest plan found within this time that breaks one of the same invariant.
    ///
    /// # Errors
    ///
    /// As [`play`](Self::play).
    pub fn shrink(
        &mut self,
        finding: Finding,
        invariant: &str,
        time: Duration,
    ) -> io::Result<Finding> {
        let (mut smallest, mut failed) = (None, None);
        shrink::shrink(&finding.plan, time, |plan| match self.play(plan) {
            Ok(Some(found)) if found.violations.iter().any(|it| it.invariant == invariant) => {
                smallest = Some(found);
                true
            }
            Ok(_) => false,
            Err(error) => {
                failed = Some(error);
                false
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(smallest.unwrap_or(finding)),
        }
    }
}

impl Finding {
    /// The names of the invariants that are broken, each once.
    #[must_use]
    pub fn invariants(&self) -> BTreeSet<&'static str> {
        self.violations.iter().map(|it| it.invariant).collect()
    }

    /// What is broken, the plan, and what the processes did.
    #[must_use]
    pub fn report(&self) -> String {
        let mut text = format!("SEED={}\n", self.plan.seed);
        for violation in &self.violations {
            let _ = writeln!(text, "  {violation}");
        }
        let plan = serde_json::to_string(&self.plan).unwrap_or_default();
        let _ = writeln!(text, "PLAN='{plan}'");
        text + &self.transcript
    }
}

fn transcript(run: &run::Run) -> String {
    let mut text = String::new();
    for process in &run.processes {
        let since = |at: std::time::Instant| (at - run.began).as_secs_f64();
        let end = process.end.map(|end| (since(end.at), end.code, end.signal));
        let _ = writeln!(
            text,
            "  process {} at {:.3}s: {:?}{}; {} submitted; ended {end:?}{}",
            process.number,
            since(process.began),
            process.command,
            if process.is_of_a_copy { ", on a copy" } else { "" },
            run.service.submitted_by(process.number),
            if process.killed.is_some() { ", killed" } else { "" },
        );
        for line in process.printed("err").lines().take(4) {
            let _ = writeln!(text, "      {line:.300}");
        }
    }
    text
}
