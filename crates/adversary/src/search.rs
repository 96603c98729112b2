//! Looks for plans that break an invariant.

use std::fmt::Write;
use std::time::Duration;

use crate::invariants::{Violation, broken};
use crate::plan::{self, Plan};
use crate::run::{Run, run};
use crate::shrink::shrink;

/// What a seed came to.
pub struct Finding {
    pub seed: u64,
    pub violations: Vec<Violation>,
}

/// Plays the plan of a seed.
#[must_use]
pub fn play(seed: u64) -> Option<Finding> {
    let violations = broken(&run(&plan::plan(seed)));
    (!violations.is_empty()).then_some(Finding { seed, violations })
}

impl Finding {
    /// The names of the invariants that are broken, each once.
    #[must_use]
    pub fn invariants(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.violations.iter().map(|one| one.invariant).collect();
        names.dedup();
        names
    }

    /// All that a reader needs: what is broken, the smallest plan that breaks it, and what the peer
    /// saw. Shrinking takes no longer than this.
    #[must_use]
    pub fn report(&self, invariant: &str, time: Duration) -> String {
        let breaks_it =
            |plan: &Plan| broken(&run(plan)).iter().any(|one| one.invariant == invariant);
        let smallest = shrink(&plan::plan(self.seed), time, breaks_it);
        let played = run(&smallest);
        let mut text = format!("SEED={}\n", self.seed);
        for violation in broken(&played) {
            let _ = writeln!(text, "  {violation}");
        }
        let _ = writeln!(text, "{}", described(&smallest));
        text.push_str(&transcript(&played));
        text
    }
}

fn described(plan: &Plan) -> String {
    let mut text = format!("  {:?}\n", plan.settings);
    if plan.dead_connections > 0 || plan.away.is_some() {
        let _ =
            writeln!(text, "  dead connections: {}, away: {:?}", plan.dead_connections, plan.away);
    }
    for actor in &plan.actors {
        let _ = writeln!(text, "  an actor, from {:?} on", actor.starts);
        for work in &actor.steps {
            let _ = writeln!(text, "    {}: {:?}, {:?}", work.call, work.step, work.manner);
        }
    }
    for (operation, faults) in &plan.faults {
        let _ = writeln!(text, "  {operation:?}: {faults:?}");
    }
    text
}

pub(crate) fn transcript(run: &Run) -> String {
    let mut text = String::from("  the peer:\n");
    for line in run.transcript.lines().lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str("  the callers:\n");
    for entry in &run.entries {
        let since = |at: tokio::time::Instant| (at - run.began).as_secs_f64();
        let _ = writeln!(
            text,
            "  {:>10.3}s  {:?} of call {} until {:.3}s: {:?}",
            since(entry.started),
            entry.kind,
            entry.call,
            since(entry.ended.unwrap_or(run.ended)),
            entry.outcome
        );
    }
    text
}
