//! Driver of the client: plays the plans of [`plan`], and shrinks those that violate an invariant.
//!
//! A run is a pure function of a seed: [`plan::plan`] draws the settings, the steps of the callers
//! and the fault of each request; [`run()`] plays the plan over real sockets with paused time; and
//! the [`invariants`] compare the outcomes that calls reported with what the peer recorded.
//!
//! ```text
//! plan ──> caller ──> podqueue ──> socket ──> peer ──> service
//!             │                                │          │
//!             └────────> invariants <──────────┴──────────┘
//! ```

mod call_log;
mod caller;
pub mod invariants;
mod leaks;
mod peer;
pub mod plan;
mod run;
mod service;
pub mod several_runtimes;
pub mod shared_limits;

pub use self::run::{Run, run};

use std::fmt::Write;
use std::io;
use std::time::Duration;

use self::plan::{Fault, Plan, PollPattern, Step};
use self::service::Operation;
use crate::search::{Driver, Played};

/// Driver of the client.
pub struct ClientDriver;

impl Driver for ClientDriver {
    type Plan = Plan;
    const SEED_VARIABLE: &'static str = "SEED";
    const IS_REAL_TIME: bool = false;
    const SHRINK_SECONDS: u64 = 20;

    fn draw(&self, seed: u64) -> Plan {
        plan::plan(seed)
    }

    fn play(&mut self, plan: &Plan) -> io::Result<Played<Plan>> {
        Ok(invariants::check(plan, &run(plan)))
    }

    fn seed(plan: &Plan) -> u64 {
        plan.seed
    }

    fn describe(plan: &Plan) -> String {
        describe(plan)
    }

    fn simpler(plan: &Plan) -> Vec<Plan> {
        simpler_plans(plan)
    }

    /// The fewest violations are the easiest to understand.
    fn size(played: &Played<Plan>) -> usize {
        played.violations.len()
    }
}

fn describe(plan: &Plan) -> String {
    let mut text = format!("  {:?}\n", plan.settings);
    if plan.dropped_connections > 0 || plan.downtime.is_some() {
        let _ = writeln!(
            text,
            "  dropped connections: {}, downtime: {:?}",
            plan.dropped_connections, plan.downtime
        );
    }
    for actor in &plan.actors {
        let _ = writeln!(text, "  an actor, from {:?} on", actor.starts);
        for planned in &actor.steps {
            let _ =
                writeln!(text, "    {}: {:?}, {:?}", planned.call, planned.step, planned.pattern);
        }
    }
    for (operation, faults) in &plan.faults {
        let _ = writeln!(text, "  {operation:?}: {faults:?}");
    }
    text
}

/// Returns all plans that are one step simpler, the largest steps first.
fn simpler_plans(plan: &Plan) -> Vec<Plan> {
    let mut smaller = Vec::new();
    let mut with = |change: &dyn Fn(&mut Plan)| {
        let mut changed = plan.clone();
        change(&mut changed);
        smaller.push(changed);
    };
    for actor in 0..plan.actors.len() {
        with(&|plan| {
            plan.actors.remove(actor);
        });
    }
    for operation in plan.faults.keys() {
        with(&|plan| {
            plan.faults.remove(operation);
        });
    }
    if plan.downtime.is_some() {
        with(&|plan| plan.downtime = None);
    }
    if plan.dropped_connections > 0 {
        with(&|plan| plan.dropped_connections = 0);
    }
    for (index, actor) in plan.actors.iter().enumerate() {
        for (step, planned) in actor.steps.iter().enumerate() {
            with(&|plan| {
                plan.actors[index].steps.remove(step);
            });
            if planned.pattern != PollPattern::Await {
                with(&|plan| plan.actors[index].steps[step].pattern = PollPattern::Await);
            }
            for simpler in simpler_steps(&planned.step) {
                with(&|plan| plan.actors[index].steps[step].step = simpler.clone());
            }
        }
        if !actor.starts.is_zero() {
            with(&|plan| plan.actors[index].starts = Duration::ZERO);
        }
    }
    for (&operation, faults) in &plan.faults {
        for (index, fault) in faults.iter().enumerate() {
            if *fault != Fault::None {
                // A request that is served faithfully takes its place, so that the other faults
                // keep theirs.
                with(&|plan| remove_fault(plan, operation, index));
            }
        }
    }
    simpler_settings(plan, &mut smaller);
    smaller
}

fn remove_fault(plan: &mut Plan, operation: Operation, index: usize) {
    let Some(faults) = plan.faults.get_mut(&operation) else { return };
    faults[index] = Fault::None;
    while faults.last() == Some(&Fault::None) {
        faults.pop();
    }
    if faults.is_empty() {
        plan.faults.remove(&operation);
    }
}

fn simpler_steps(step: &Step) -> Vec<Step> {
    let mut simpler = Vec::new();
    match step.clone() {
        Step::Run { script, at_least_once, storage, webhook } if storage || webhook => {
            simpler.push(Step::Run { script, at_least_once, storage: false, webhook: false });
        }
        Step::RunAll { script, jobs, concurrency, timeout, take } if jobs > 1 => {
            simpler.push(Step::RunAll { script, jobs: jobs / 2, concurrency, timeout, take });
            simpler.push(Step::RunAll { script, jobs: jobs - 1, concurrency, timeout, take });
        }
        Step::BufferUnordered { script, calls, concurrency, polls } if calls > 1 => {
            simpler.push(Step::BufferUnordered { script, calls: calls / 2, concurrency, polls });
            simpler.push(Step::BufferUnordered { script, calls: calls - 1, concurrency, polls });
        }
        _ => {}
    }
    simpler
}

fn simpler_settings(plan: &Plan, smaller: &mut Vec<Plan>) {
    let mut with = |change: &dyn Fn(&mut Plan) -> bool| {
        let mut changed = plan.clone();
        if change(&mut changed) {
            smaller.push(changed);
        }
    };
    with(&|plan| std::mem::take(&mut plan.settings.http2));
    with(&|plan| plan.settings.share.take().is_some());
    with(&|plan| plan.settings.call_timeout.take().is_some());
    with(&|plan| std::mem::take(&mut plan.settings.traced));
    with(&|plan| std::mem::take(&mut plan.settings.graphql_variables));
    with(&|plan| std::mem::replace(&mut plan.settings.attempts, 1) > 1);
    let minute = Duration::from_secs(60);
    with(&|plan| std::mem::replace(&mut plan.settings.timeout, minute) != minute);
    let pause = Duration::from_millis(100);
    with(&|plan| std::mem::replace(&mut plan.settings.first_interval, pause) != pause);
    let longest = Duration::from_secs(3);
    with(&|plan| std::mem::replace(&mut plan.settings.longest_interval, longest) != longest);
    with(&|plan| std::mem::replace(&mut plan.settings.polls_per_second, 150) != 150);
}
