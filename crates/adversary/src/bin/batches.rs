//! `podqueue-adversary-batches PROGRAM SECONDS [SEED]` plays random plans against a program for so
//! long, several at a time, beginning with this seed, and reports what breaks. With `SEED=…` or
//! `PLAN=…` in the environment it plays that plan alone, `SECONDS` times where it is a number.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use podqueue_adversary::batches::{Finding, Plan, Player, plan};

/// What shrinking one finding may take, where `SHRINK` does not say otherwise, in seconds.
const SHRINKING: u64 = 120;

/// How many plans are played at a time, where `WIDTH` does not say otherwise: processes mostly wait.
const WIDTH: u64 = 6;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next();
    let seconds = arguments.next().and_then(|text| text.parse().ok());
    let (Some(program), Some(seconds)) = (program, seconds) else {
        say("usage: podqueue-adversary-batches PROGRAM SECONDS [SEED]\n");
        return ExitCode::from(2);
    };
    // Processes begin in folders of their own.
    let program = match std::path::absolute(program) {
        Ok(program) => program,
        Err(error) => {
            say(&format!("the program cannot be found: {error}\n"));
            return ExitCode::from(2);
        }
    };
    let program = program.as_path();
    let given = arguments.next().and_then(|text| text.parse().ok());
    let played = match replayed() {
        Some(Ok(plan)) => replay(program, &plan, seconds),
        Some(Err(error)) => Err(error),
        None => {
            let seed = given.unwrap_or_else(|| fastrand::u64(..) >> 16);
            search(program, Duration::from_secs(seconds), seed)
        }
    };
    match played {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("the driver itself failed: {error}\n"));
            ExitCode::from(2)
        }
    }
}

/// Plans that need a database are left out where `POSTGRES=0` says so.
fn has_postgres() -> bool {
    number("POSTGRES", 1) == 1
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The plan that the environment names.
fn replayed() -> Option<io::Result<Plan>> {
    if let Ok(text) = std::env::var("PLAN") {
        return Some(serde_json::from_str(&text).map_err(io::Error::from));
    }
    let seed = std::env::var("SEED").ok()?.parse().ok()?;
    Some(Ok(plan(seed, has_postgres())))
}

fn replay(program: &Path, plan: &Plan, times: u64) -> io::Result<bool> {
    let mut player = Player::new(program);
    for _ in 0..times.max(1) {
        let finding = player.replay(plan)?;
        say(&finding.report());
        if !finding.violations.is_empty() {
            return Ok(false);
        }
    }
    say("nothing breaks\n");
    Ok(true)
}

/// Plays the seeds from this one on.
fn search(program: &Path, time: Duration, first: u64) -> io::Result<bool> {
    let (next, findings) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    let began = Instant::now();
    let failed = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..number("WIDTH", WIDTH) {
            scope.spawn(|| {
                let mut player = Player::new(program);
                while began.elapsed() < time {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    match player.play(&plan(seed, has_postgres())) {
                        Ok(None) => {}
                        Ok(Some(finding)) => {
                            let at = began.elapsed().as_secs();
                            for violation in &finding.violations {
                                say(&format!("{at} s, SEED={seed}: {violation}\n"));
                            }
                            findings.lock().expect("no panic").push(finding);
                        }
                        Err(error) => *failed.lock().expect("no panic") = Some(error),
                    }
                }
            });
        }
    });
    let findings = findings.into_inner().expect("no panic");
    let runs = next.into_inner() - first;
    say(&format!("{runs} plans from seed {first} on; {} break something\n", findings.len()));
    let is_clean = findings.is_empty();
    tell(program, findings)?;
    match failed.into_inner().expect("no panic") {
        Some(error) => Err(error),
        None => Ok(is_clean),
    }
}

/// Each broken invariant once, with its smallest plan.
fn tell(program: &Path, mut findings: Vec<Finding>) -> io::Result<()> {
    let mut counts = BTreeMap::<_, usize>::new();
    for finding in &findings {
        for invariant in finding.invariants() {
            *counts.entry(invariant).or_default() += 1;
        }
    }
    let shrinking = Duration::from_secs(number("SHRINK", SHRINKING));
    for (invariant, count) in counts {
        say(&format!("\n=== {invariant}\n{count} plans\n"));
        // The one with the fewest steps is understood soonest.
        let simplest = (0..findings.len())
            .filter(|at| findings[*at].invariants().contains(invariant))
            .min_by_key(|at| findings[*at].plan.steps.len());
        let Some(simplest) = simplest else { continue };
        let again = Player::new(program).play(&findings[simplest].plan)?;
        let finding = match again {
            Some(found) if found.invariants().contains(invariant) => found,
            _ => {
                say(&findings[simplest].report());
                continue;
            }
        };
        findings[simplest].plan = finding.plan.clone();
        say(&Player::new(program).shrink(finding, invariant, shrinking)?.report());
    }
    Ok(())
}

fn say(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}
