//! Makes a plan smaller as long as it still breaks the same invariant.

use std::time::{Duration, Instant};

use super::plan::{Command, Plan, Step, Unknown};

/// How often a smaller plan is played until it counts as harmless: the machine's timing decides, too.
const ATTEMPTS: usize = 2;

/// Makes parts simpler one after another for as long as `still_breaks` says so, and the time lasts.
pub(crate) fn shrink(
    plan: &Plan,
    time: Duration,
    mut still_breaks: impl FnMut(&Plan) -> bool,
) -> Plan {
    let until = Instant::now() + time;
    let mut smallest = plan.clone();
    loop {
        let smaller = candidates(&smallest)
            .into_iter()
            .find(|plan| (0..ATTEMPTS).any(|_| Instant::now() < until && still_breaks(plan)));
        match smaller {
            Some(plan) => smallest = plan,
            None => return smallest,
        }
    }
}

/// Every plan that is one step smaller, the boldest first.
fn candidates(plan: &Plan) -> Vec<Plan> {
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
        if let Some(simpler) = simpler(step) {
            with(&|plan| plan.steps[index] = simpler.clone());
        }
    }
    smaller
}

fn simpler(step: &Step) -> Option<Step> {
    match step {
        Step::Begin(Command::Run { machine, accept_loss, unknown, mistake: None })
            if *accept_loss || *unknown != Unknown::Hold =>
        {
            Some(Step::Begin(Command::run(*machine)))
        }
        Step::Finish(command, Some(_)) => Some(Step::Finish(command.clone(), None)),
        _ => None,
    }
}
