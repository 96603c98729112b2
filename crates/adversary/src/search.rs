//! Random search: plays the plans of consecutive seeds on several threads, and reports each
//! violated invariant with the smallest plan that violates it.
//!
//! A [`Driver`] is a kind of random test. There are drivers of the client, of clients with shared
//! limits and of batches.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Number of times that a simpler plan is played in real time before it counts as harmless.
const REAL_TIME_PLAYS: usize = 2;

/// Violation of an invariant.
#[derive(Clone, Debug)]
pub struct Violation {
    pub invariant: &'static str,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.message)
    }
}

/// Plan that was played, with its violations.
pub struct Played<P> {
    pub plan: P,
    pub violations: Vec<Violation>,
    /// Transcript of the run. Empty where nothing is violated and the run can be repeated
    /// exactly.
    pub transcript: String,
}

impl<P> Played<P> {
    /// Returns the names of the violated invariants.
    #[must_use]
    pub fn invariants(&self) -> BTreeSet<&'static str> {
        self.violations.iter().map(|it| it.invariant).collect()
    }

    fn violates(&self, invariant: &str) -> bool {
        self.violations.iter().any(|it| it.invariant == invariant)
    }
}

/// Driver of a kind of random test: draws plans from seeds, and plays them.
pub trait Driver {
    type Plan: Clone + Send;

    /// Environment variable that names the seed to replay.
    const SEED_VARIABLE: &'static str;
    /// The machine decides the timing: a seed repeats the plan, but not exactly the run.
    const IS_REAL_TIME: bool;
    /// Time limit for shrinking one plan.
    const SHRINK_SECONDS: u64;

    /// Draws the plan of a seed.
    fn draw(&self, seed: u64) -> Self::Plan;

    /// Plays a plan.
    ///
    /// # Errors
    ///
    /// If the driver itself fails, such as to create a process or a file.
    fn play(&mut self, plan: &Self::Plan) -> io::Result<Played<Self::Plan>>;

    /// Returns the seed of a plan.
    fn seed(plan: &Self::Plan) -> u64;

    /// Formats a plan.
    fn describe(plan: &Self::Plan) -> String;

    /// Returns all plans that are one step simpler, the simplest first.
    fn simpler(plan: &Self::Plan) -> Vec<Self::Plan>;

    /// Returns the size by which the finding to shrink is chosen.
    fn size(played: &Played<Self::Plan>) -> usize;
}

/// Result of a search.
pub struct Findings<P> {
    first_seed: u64,
    plans: u64,
    took: Duration,
    played: Vec<Played<P>>,
    error: Option<io::Error>,
}

impl<P> Findings<P> {
    /// Returns true if no invariant was violated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.played.is_empty()
    }
}

/// Plays the plans of consecutive seeds for a time, on this number of threads with a driver each.
///
/// The first violation of each invariant is printed at once.
pub fn search<D: Driver>(
    driver: impl Fn() -> D + Sync,
    first_seed: u64,
    time: Duration,
    threads: usize,
) -> Findings<D::Plan> {
    let next = AtomicU64::new(first_seed);
    let (played, error) = (Mutex::new(Vec::new()), Mutex::new(None));
    let printed = Mutex::new(BTreeSet::new());
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut driver = driver();
                while began.elapsed() < time {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    match driver.play(&driver.draw(seed)) {
                        Ok(found) if found.violations.is_empty() => {}
                        Ok(found) => {
                            for violation in &found.violations {
                                if printed.lock().expect("no panic").insert(violation.invariant) {
                                    let (at, name) = (began.elapsed().as_secs(), D::SEED_VARIABLE);
                                    print(&format!("{at} s, {name}={seed}: {violation}\n"));
                                }
                            }
                            played.lock().expect("no panic").push(found);
                        }
                        Err(failed) => *error.lock().expect("no panic") = Some(failed),
                    }
                }
            });
        }
    });
    Findings {
        first_seed,
        plans: next.into_inner() - first_seed,
        took: began.elapsed(),
        played: played.into_inner().expect("no panic"),
        error: error.into_inner().expect("no panic"),
    }
}

/// Prints the number of plans, and for each violated invariant the smallest plan that violates it.
///
/// # Errors
///
/// If the driver failed during the search, or fails while a plan is shrunk.
pub fn report<D: Driver>(driver: &mut D, findings: Findings<D::Plan>) -> io::Result<()> {
    let Findings { first_seed, plans, took, mut played, error } = findings;
    let per_minute = plans as f64 / took.as_secs_f64() * 60.0;
    print(&format!(
        "{plans} plans from {}={first_seed} on, {per_minute:.0} per minute; {} violate an invariant\n",
        D::SEED_VARIABLE,
        played.len()
    ));
    played.sort_by_key(|found| D::seed(&found.plan));
    report_invariants(driver, &played)?;
    error.map_or(Ok(()), Err)
}

/// Plays a plan up to this number of times, and reports the first violation. Returns true if there
/// is none.
///
/// # Errors
///
/// If the driver fails.
pub fn replay<D: Driver>(driver: &mut D, plan: &D::Plan, times: u64) -> io::Result<bool> {
    for _ in 0..times.max(1) {
        let played = driver.play(plan)?;
        if D::IS_REAL_TIME {
            print(&format::<D>(&played));
        }
        if !played.violations.is_empty() {
            if !D::IS_REAL_TIME {
                report_invariants(driver, &[played])?;
            }
            return Ok(false);
        }
    }
    print("no invariant is violated\n");
    Ok(true)
}

fn report_invariants<D: Driver>(driver: &mut D, played: &[Played<D::Plan>]) -> io::Result<()> {
    let mut by_invariant = BTreeMap::<_, Vec<&Played<D::Plan>>>::new();
    for found in played {
        for invariant in found.invariants() {
            by_invariant.entry(invariant).or_default().push(found);
        }
    }
    let time = Duration::from_secs(number("SHRINK", D::SHRINK_SECONDS));
    for (invariant, played) in by_invariant {
        let seeds: Vec<_> = played.iter().take(8).map(|found| D::seed(&found.plan)).collect();
        print(&format!("\n=== {invariant}\n{} plans, such as {seeds:?}\n", played.len()));
        let Some(simplest) = played.iter().min_by_key(|found| D::size(found)) else { continue };
        let text = match shrink(driver, &simplest.plan, invariant, time)? {
            Some(smallest) => format::<D>(&smallest),
            None => format::<D>(simplest),
        };
        print(&text);
    }
    Ok(())
}

/// Returns the smallest plan found within this time that violates the invariant, or `None` if the
/// violation cannot be reproduced.
///
/// # Errors
///
/// If the driver fails.
pub fn shrink<D: Driver>(
    driver: &mut D,
    plan: &D::Plan,
    invariant: &str,
    time: Duration,
) -> io::Result<Option<Played<D::Plan>>> {
    let mut smallest = driver.play(plan)?;
    if !smallest.violates(invariant) {
        return Ok(None);
    }
    let until = Instant::now() + time;
    let plays = if D::IS_REAL_TIME { REAL_TIME_PLAYS } else { 1 };
    'smaller: loop {
        for plan in D::simpler(&smallest.plan) {
            for _ in 0..plays {
                if Instant::now() >= until {
                    return Ok(Some(smallest));
                }
                let played = driver.play(&plan)?;
                if played.violates(invariant) {
                    smallest = played;
                    continue 'smaller;
                }
            }
        }
        return Ok(Some(smallest));
    }
}

/// Formats a played plan: its seed, its violations, the plan and what happened.
pub fn format<D: Driver>(played: &Played<D::Plan>) -> String {
    let mut text = format!("{}={}\n", D::SEED_VARIABLE, D::seed(&played.plan));
    for violation in &played.violations {
        text.push_str(&format!("  {violation}\n"));
    }
    text + &D::describe(&played.plan) + &played.transcript
}

/// Returns a number from the environment.
#[must_use]
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Writes to standard output.
pub fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}
