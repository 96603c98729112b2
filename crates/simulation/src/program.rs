//! Program: `podqueue-simulation SECONDS [SEED]` runs seeds, each in a process of its own;
//! `podqueue-simulation seed SEED [trace]` runs one.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program's output")]

use std::env;
use std::process::{Command, ExitCode};
use std::time::Duration;

use serde_json::{Value, json};

use crate::plan::Plan;
use crate::trace::Trace;
use crate::virtual_time::{self, real_seconds};
use crate::world;

/// Interval of seeds of which one is run twice, to compare the traces.
const TWICE_EVERY: u64 = 8;

pub(crate) fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().ok();
    let is_ok = match words.as_slice() {
        ["seed", seed] => number(seed).map(|seed| run_one(seed, false)),
        ["seed", seed, "trace"] => number(seed).map(|seed| run_one(seed, true)),
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
            eprintln!("usage: podqueue-simulation SECONDS [SEED] | seed SEED [trace]");
            ExitCode::from(2)
        }
    }
}

/// Runs one seed in this process, and prints a line of JSON.
fn run_one(seed: u64, is_traced: bool) -> bool {
    // Its name does not come from the seed, of which another process may run.
    let folder = tempfile::tempdir();
    virtual_time::seed(seed);
    fastrand::seed(seed);
    let began = real_seconds();
    let trace = Trace::new(seed, is_traced);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .max_blocking_threads(1)
        .thread_keep_alive(Duration::from_secs(24 * 3_600))
        .build();
    let (Ok(runtime), Ok(folder)) = (runtime, folder) else { return false };
    runtime.block_on(async {
        virtual_time::begin();
        let plan = trace.random(Plan::draw);
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
            "claims": figures.claims,
            "recoveries": figures.recoveries,
            "drops": figures.drops,
            "violations": violations,
        });
        println!("{report}");
        violations.is_empty()
    })
}

/// Runs a seed in a process of its own, and returns its report.
fn run_apart(seed: u64) -> Option<Value> {
    let done = Command::new(env::current_exe().ok()?).args(["seed", &seed.to_string()]).output();
    let done = done.ok()?;
    let text = String::from_utf8_lossy(&done.stdout);
    match text.lines().last().and_then(|line| serde_json::from_str(line).ok()) {
        Some(report) => Some(report),
        None => {
            eprintln!("seed {seed} crashed: {}", String::from_utf8_lossy(&done.stderr));
            None
        }
    }
}

/// Runs seeds from this one on, for a time. Returns true if nothing was violated.
fn search(seconds: u64, first: u64) -> Option<bool> {
    println!("seeds from {first} on, for {seconds} s");
    let (began, mut seeds, mut repeated) = (real_seconds(), 0_u64, 0_u64);
    let mut sums = [0.0; 5];
    let mut is_ok = true;
    while seeds == 0 || real_seconds() - began < seconds as f64 {
        let seed = first + seeds;
        let Some(report) = run_apart(seed) else { return Some(false) };
        for (sum, name) in
            sums.iter_mut().zip(["hours", "requests", "claims", "recoveries", "drops"])
        {
            *sum += report[name].as_f64().unwrap_or_default();
        }
        for violation in report["violations"].as_array().into_iter().flatten().take(5) {
            is_ok = false;
            println!("seed {seed}: {}", violation.as_str().unwrap_or_default());
        }
        if seeds % TWICE_EVERY == 0 {
            let again = run_apart(seed)?;
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
    let [hours, requests, claims, recoveries, drops] = sums;
    println!(
        "{seeds} seeds ({repeated} of them twice), {hours:.1} virtual hours in {:.0} s, {requests} requests, {claims} claims, {recoveries} recoveries, {drops} drops: {}",
        real_seconds() - began,
        if is_ok { "no violation" } else { "VIOLATED" }
    );
    Some(is_ok)
}
