//! Command line of the randomized tests.
//!
//! - `podqueue-adversary SECONDS [SEED]` searches with the client.
//! - `podqueue-adversary batches PROGRAM SECONDS [SEED]` searches with batches of a program.
//!
//! The environment variables `SEED`, `SHARED` and `PLAN` replay one plan, as the README says.

use std::io;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use podqueue_adversary::batches::BatchDriver;
use podqueue_adversary::client::ClientDriver;
use podqueue_adversary::client::shared_limits::SharedLimitsDriver;
use podqueue_adversary::search::{self, Driver, print, replay, report};

const USAGE: &str = "\
usage: podqueue-adversary SECONDS [SEED]
       podqueue-adversary batches PROGRAM SECONDS [SEED]
";

/// Exit code for wrong usage, and for failures of the driver itself.
const FAILED: u8 = 2;

/// Number of runs with shared limits that are played at a time. They mostly wait.
const SHARED_LIMITS_THREADS: usize = 8;

/// Number of batches that are played at a time without `WIDTH`. Their processes mostly wait.
const BATCH_THREADS: u64 = 6;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_clean = match arguments[..] {
        ["batches", program, seconds, ref seed @ ..] => batches(program, seconds, seed),
        ["batches", ..] => Ok(None),
        ref arguments => client(arguments),
    };
    match is_clean {
        Ok(Some(true)) => ExitCode::SUCCESS,
        Ok(Some(false)) => ExitCode::FAILURE,
        Ok(None) => {
            print(USAGE);
            ExitCode::from(FAILED)
        }
        Err(error) => {
            print(&format!("the driver itself failed: {error}\n"));
            ExitCode::from(FAILED)
        }
    }
}

/// Tests the client. Returns true if no invariant is violated, or `None` for wrong usage.
fn client(arguments: &[&str]) -> io::Result<Option<bool>> {
    if let Some(is_clean) = replayed(&mut ClientDriver, 1) {
        return is_clean.map(Some);
    }
    if let Some(is_clean) = replayed(&mut SharedLimitsDriver, 1) {
        return is_clean.map(Some);
    }
    let Some((time, seed)) = time_and_seed(arguments) else { return Ok(None) };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let descriptors = open_descriptors();
    let (findings, shared) = thread::scope(|scope| {
        let shared = || search::search(|| SharedLimitsDriver, seed, time, SHARED_LIMITS_THREADS);
        let shared = scope.spawn(shared);
        let findings = search::search(|| ClientDriver, seed, time, cores);
        (findings, shared.join().expect("a search that does not panic"))
    });
    let is_clean = findings.is_empty() && shared.is_empty();
    report(&mut SharedLimitsDriver, shared)?;
    report(&mut ClientDriver, findings)?;
    // Nothing leaks descriptors: two more belong to the runtime and the allocator.
    if let (Some(before), Some(after)) = (descriptors, open_descriptors())
        && after > before + 2
    {
        print(&format!("{before} descriptors were open before the search, and {after} after it\n"));
        return Ok(Some(false));
    }
    Ok(Some(is_clean))
}

/// Tests batches of a program. Returns true if no invariant is violated, or `None` for wrong usage.
fn batches(program: &str, seconds: &str, seed: &[&str]) -> io::Result<Option<bool>> {
    // Processes start in folders of their own.
    let program = std::path::absolute(program)?;
    let driver = || BatchDriver::new(&program, search::number("POSTGRES", 1) == 1);
    let Ok(times) = seconds.parse() else { return Ok(None) };
    if let Ok(text) = std::env::var("PLAN") {
        let plan = serde_json::from_str(&text)?;
        return replay(&mut driver(), &plan, times).map(Some);
    }
    if let Some(is_clean) = replayed(&mut driver(), times) {
        return is_clean.map(Some);
    }
    let arguments: Vec<&str> = [seconds].into_iter().chain(seed.iter().copied()).collect();
    let Some((time, seed)) = time_and_seed(&arguments) else { return Ok(None) };
    let threads = search::number("WIDTH", BATCH_THREADS) as usize;
    let findings = search::search(driver, seed, time, threads);
    let is_clean = findings.is_empty();
    report(&mut driver(), findings)?;
    Ok(Some(is_clean))
}

/// Replays the plan of the seed in the driver's environment variable, if there is one.
fn replayed<D: Driver>(driver: &mut D, times: u64) -> Option<io::Result<bool>> {
    let seed = std::env::var(D::SEED_VARIABLE).ok()?.parse().ok()?;
    let plan = driver.draw(seed);
    Some(replay(driver, &plan, times))
}

fn time_and_seed(arguments: &[&str]) -> Option<(Duration, u64)> {
    let time = Duration::from_secs(arguments.first()?.parse().ok()?);
    let seed = arguments.get(1).and_then(|text| text.parse().ok());
    Some((time, seed.unwrap_or_else(|| fastrand::u64(..) >> 16)))
}

fn open_descriptors() -> Option<usize> {
    std::fs::read_dir("/proc/self/fd").ok().map(Iterator::count)
}
