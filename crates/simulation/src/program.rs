//! Program: `podqueue-simulation SECONDS [SEED]` runs seeds, each in a process of its own;
//! `podqueue-simulation seed SEED [trace] [PART]…` runs one, and leaves out parts of its plan.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program's output")]

use std::env;
use std::process::{Command, ExitCode};
use std::time::Duration;

use serde_json::{Value, json};

use crate::plan::Plan;
use crate::trace::Trace;
use crate::virtual_time::{self, processor_seconds, real_seconds};
use crate::world;

/// Longest time of the processor for a seed, most of which take seconds, and longest time without a
/// line of the trace. Not its time on the clock, since other programs may have the processor.
const LONGEST_SEED: Duration = Duration::from_secs(600);

const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Longest time in seconds of the search for the smallest plan that fails.
const LONGEST_SHRINKING: f64 = 300.0;

/// Interval of seeds of which one is run twice, to compare the traces.
const TWICE_EVERY: u64 = 8;

const USAGE: &str = "usage: podqueue-simulation SECONDS [SEED] | seed SEED [trace] [PART]…
A PART is left out of the plan: drops, faults, limits, process, jobs, or a range of events, such as 0..4.";

pub(crate) fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().ok();
    let is_ok = match words.as_slice() {
        ["-h" | "--help"] => {
            println!("{USAGE}");
            Some(true)
        }
        ["seed", seed, "trace", without @ ..] => {
            number(seed).map(|seed| run_one(seed, without, true))
        }
        ["seed", seed, without @ ..] => number(seed).map(|seed| run_one(seed, without, false)),
        [seconds] => number(seconds).and_then(|seconds| search(seconds, fastrand::u64(..1 << 32))),
        [seconds, seed] => {
            number(seconds).zip(number(seed)).and_then(|(seconds, seed)| search(seconds, seed))
        }
        _ => None,
    };
    match is_ok {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::FAILURE,
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Runs one seed in this process, and prints a line of JSON.
fn run_one(seed: u64, without: &[&str], is_traced: bool) -> bool {
    // Its name does not come from the seed, of which another process may run.
    let folder = tempfile::tempdir();
    virtual_time::seed(seed);
    fastrand::seed(seed);
    let began = real_seconds();
    let trace = Trace::new(seed, is_traced);
    end_in_time(seed, trace.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .max_blocking_threads(1)
        .thread_keep_alive(Duration::from_secs(24 * 3_600))
        .build();
    let (runtime, folder) = match (runtime, folder) {
        (Ok(runtime), Ok(folder)) => (runtime, folder),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("the simulation cannot begin: {error}");
            return false;
        }
    };
    runtime.block_on(async {
        virtual_time::begin();
        let mut plan = trace.random(Plan::draw);
        let unknown = without.iter().find(|part| !plan.leave_out(part));
        let (processes, jobs, events) = (plan.processes, plan.jobs.len(), plan.events.len());
        if let Some(part) = unknown {
            eprintln!("the plan of this seed has no part {part:?}, or no further one");
            return false;
        }
        if let Err(error) = world::run(plan, trace.clone(), folder.path()).await {
            trace.violated(format_args!("the simulation fails: {error}"));
        }
        let (hash, lines) = trace.digest();
        let figures = trace.figures();
        let violations = trace.violations();
        let report = json!({
            "seed": seed,
            "trace": format!("{hash:016x}"),
            "lines": lines,
            "hours": virtual_time::now().as_secs_f64() / 3_600.0,
            "seconds": real_seconds() - began,
            "requests": figures.requests,
            "exchanges": figures.exchanges,
            "claims": figures.claims,
            "recoveries": figures.recoveries,
            "drops": figures.drops,
            "processes": processes,
            "jobs": jobs,
            "events": events,
            "violations": violations,
        });
        println!("{report}");
        violations.is_empty()
    })
}

/// Reports a seed that does not end: a loop that never waits, for example, in which virtual time
/// stands still.
fn end_in_time(seed: u64, trace: Trace) {
    // This thread is outside of the runtime, and so in the system's time.
    std::thread::spawn(move || {
        let (mut lines, mut silent) = (0, Duration::ZERO);
        while silent < LONGEST_SEED && processor_seconds() < LONGEST_SEED.as_secs_f64() {
            std::thread::sleep(CHECK_INTERVAL);
            let before = std::mem::replace(&mut lines, trace.digest().1);
            silent = if lines == before { silent + CHECK_INTERVAL } else { Duration::ZERO };
        }
        let last = trace.last_lines();
        let what = format!("it does not end within {LONGEST_SEED:?}; the last lines: {last}");
        println!("{}", json!({ "seed": seed, "violations": [what] }));
        std::process::exit(1);
    });
}

/// Runs a seed in a process of its own, without these parts of its plan, and returns its report, or
/// what a crash leaves.
fn run_apart(seed: u64, without: &[String]) -> Result<Value, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let done = Command::new(program).args(["seed", &seed.to_string()]).args(without).output();
    let done = done.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&done.stdout);
    let report = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
    report.ok_or_else(|| String::from_utf8_lossy(&done.stderr).into_owned())
}

fn has_failed(report: &Value) -> bool {
    report["violations"].as_array().is_some_and(|violations| !violations.is_empty())
}

fn print_violations(seed: u64, report: &Value) {
    for violation in report["violations"].as_array().into_iter().flatten().take(5) {
        println!("seed {seed}: {}", violation.as_str().unwrap_or_default());
    }
}

/// Searches for the smallest plan of a seed that still violates an invariant, and prints the parts
/// that are left out.
fn shrink(seed: u64, found: &Value) {
    let (began, mut without, mut smallest) = (real_seconds(), Vec::<String>::new(), found.clone());
    // Leaves out one more part, if the rest fails, too.
    let mut leave_out = |part: String| -> Option<usize> {
        if real_seconds() - began > LONGEST_SHRINKING {
            return None;
        }
        without.push(part);
        let report = run_apart(seed, &without).ok().filter(has_failed);
        match &report {
            Some(report) => smallest = report.clone(),
            None => drop(without.pop()),
        }
        report.and_then(|report| report["events"].as_u64()?.try_into().ok())
    };
    let events = |report: &Value| report["events"].as_u64().unwrap_or_default() as usize;
    let mut left = events(found);
    for part in [
        "drops", "faults", "limits", "process", "process", "jobs", "jobs", "jobs", "jobs", "jobs",
        "jobs",
    ] {
        left = leave_out(part.to_owned()).unwrap_or(left);
    }
    let mut size = left;
    while size > 0 {
        let mut from = 0;
        while from < left {
            match leave_out(format!("{from}..{}", left.min(from + size))) {
                Some(events) => left = events,
                None => from += size,
            }
        }
        size /= 2;
    }
    println!(
        "smallest plan: {} processes, {} jobs, {} events; SEED={seed} WITHOUT=\"{}\" scripts/simulate.sh",
        smallest["processes"],
        smallest["jobs"],
        smallest["events"],
        without.join(" ")
    );
    print_violations(seed, &smallest);
}

/// Runs seeds from this one on, for a time. Returns true if nothing was violated.
fn search(seconds: u64, first: u64) -> Option<bool> {
    println!("seeds from {first} on, for {seconds} s");
    let (began, mut seeds, mut repeated) = (real_seconds(), 0_u64, 0_u64);
    let mut sums = [0.0; 6];
    let mut is_ok = true;
    while seeds == 0 || real_seconds() - began < seconds as f64 {
        let seed = first + seeds;
        let report = match run_apart(seed, &[]) {
            Ok(report) => report,
            Err(why) => {
                eprintln!("seed {seed} crashes: {why}");
                return Some(false);
            }
        };
        for (sum, name) in
            sums.iter_mut().zip(["hours", "requests", "exchanges", "claims", "recoveries", "drops"])
        {
            *sum += report[name].as_f64().unwrap_or_default();
        }
        if has_failed(&report) {
            is_ok = false;
            print_violations(seed, &report);
            shrink(seed, &report);
        }
        if seeds % TWICE_EVERY == 0 {
            let again = run_apart(seed, &[]).unwrap_or_default();
            repeated += 1;
            if (&again["trace"], &again["lines"]) != (&report["trace"], &report["lines"]) {
                is_ok = false;
                println!("seed {seed}: two runs differ: compare the traces of `seed {seed} trace`");
            }
        }
        seeds += 1;
        if !is_ok {
            break;
        }
    }
    let [hours, requests, exchanges, claims, recoveries, drops] = sums;
    println!(
        "{seeds} seeds ({repeated} of them twice), {hours:.1} virtual hours in {:.0} s, {requests} requests, {exchanges} exchanges of permits, {claims} claims, {recoveries} recoveries, {drops} drops: {}",
        real_seconds() - began,
        if is_ok { "no violation" } else { "VIOLATED" }
    );
    Some(is_ok)
}
