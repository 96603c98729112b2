//! Makes a plan smaller as long as it still breaks the same invariant.

use std::time::{Duration, Instant};

use crate::plan::{Fault, Manner, Plan, Step};

/// Removes parts one after another for as long as `still_breaks` says so, and the time lasts.
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
            .take_while(|_| Instant::now() < until)
            .find(|plan| still_breaks(plan));
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
    if plan.away.is_some() {
        with(&|plan| plan.away = None);
    }
    if plan.dead_connections > 0 {
        with(&|plan| plan.dead_connections = 0);
    }
    for (index, actor) in plan.actors.iter().enumerate() {
        for (step, work) in actor.steps.iter().enumerate() {
            with(&|plan| {
                plan.actors[index].steps.remove(step);
            });
            if work.manner != Manner::Await {
                with(&|plan| plan.actors[index].steps[step].manner = Manner::Await);
            }
            for simpler in simpler(&work.step) {
                with(&|plan| plan.actors[index].steps[step].step = simpler.clone());
            }
        }
        if !actor.starts.is_zero() {
            with(&|plan| plan.actors[index].starts = Duration::ZERO);
        }
    }
    for (&operation, faults) in &plan.faults {
        for (place, fault) in faults.iter().enumerate() {
            if *fault != Fault::None {
                // In its place stands a request that is served well, so that the others keep theirs.
                with(&|plan| set_fault(plan, operation, place));
            }
        }
    }
    simpler_settings(plan, &mut smaller);
    smaller
}

fn set_fault(plan: &mut Plan, operation: crate::operation::Operation, place: usize) {
    let Some(faults) = plan.faults.get_mut(&operation) else { return };
    faults[place] = Fault::None;
    while faults.last() == Some(&Fault::None) {
        faults.pop();
    }
    if faults.is_empty() {
        plan.faults.remove(&operation);
    }
}

fn simpler(step: &Step) -> Vec<Step> {
    let mut simpler = Vec::new();
    match step.clone() {
        Step::Run { script, at_least_once, storage, webhook } if storage || webhook => {
            simpler.push(Step::Run { script, at_least_once, storage: false, webhook: false });
        }
        Step::RunAll { script, jobs, width, timeout, take } if jobs > 1 => {
            simpler.push(Step::RunAll { script, jobs: jobs / 2, width, timeout, take });
            simpler.push(Step::RunAll { script, jobs: jobs - 1, width, timeout, take });
        }
        Step::Unordered { script, calls, width, looks } if calls > 1 => {
            simpler.push(Step::Unordered { script, calls: calls / 2, width, looks });
            simpler.push(Step::Unordered { script, calls: calls - 1, width, looks });
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
    with(&|plan| std::mem::replace(&mut plan.settings.first_pause, pause) != pause);
    let longest = Duration::from_secs(3);
    with(&|plan| std::mem::replace(&mut plan.settings.longest_pause, longest) != longest);
    with(&|plan| std::mem::replace(&mut plan.settings.polls_per_second, 150) != 150);
}
