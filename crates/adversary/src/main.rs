//! `podqueue-adversary SECONDS [SEED]` plays random runs for so long, on all cores, beginning with this
//! seed, and reports what breaks. With `SEED=…` in the environment it replays that run alone.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use podqueue_adversary::search::{Finding, play};
#[cfg(unix)]
use podqueue_adversary::shared;

/// How many runs with shared limits are played at a time: they wait for most of their time.
#[cfg(unix)]
const SHARED: usize = 8;

/// What shrinking one finding may take, where `SHRINK` does not say otherwise, in seconds.
const SHRINKING: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let number = |text: String| text.parse::<u64>().ok();
    if let Some(seed) = std::env::var("SEED").ok().and_then(number) {
        return match play(seed) {
            Some(finding) => {
                tell(&[finding]);
                ExitCode::FAILURE
            }
            None => {
                say(&format!("SEED={seed} breaks nothing\n"));
                ExitCode::SUCCESS
            }
        };
    }
    #[cfg(unix)]
    if let Some(seed) = std::env::var("SHARED").ok().and_then(number) {
        return match shared::play(seed) {
            Some((_, text)) => {
                say(&text);
                ExitCode::FAILURE
            }
            None => {
                say(&format!("SHARED={seed} breaks nothing\n"));
                ExitCode::SUCCESS
            }
        };
    }
    let mut arguments = std::env::args().skip(1);
    let Some(seconds) = arguments.next().and_then(number) else {
        say("usage: podqueue-adversary SECONDS [SEED]\n");
        return ExitCode::from(2);
    };
    let seed = arguments.next().and_then(number).unwrap_or_else(|| fastrand::u64(..) >> 16);
    search(Duration::from_secs(seconds), seed)
}

/// Plays the seeds from this one on.
fn search(time: Duration, first: u64) -> ExitCode {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let descriptors = open_descriptors();
    let (next, findings) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    #[cfg(unix)]
    let (next_shared, of_shared) = (AtomicU64::new(first), Mutex::new(BTreeMap::new()));
    let began = Instant::now();
    thread::scope(|scope| {
        #[cfg(unix)]
        for _ in 0..SHARED {
            scope.spawn(|| {
                while began.elapsed() < time {
                    let seed = next_shared.fetch_add(1, Ordering::Relaxed);
                    if let Some((violations, text)) = shared::play(seed) {
                        let found = (began.elapsed(), text);
                        let mut of_shared = of_shared.lock().expect("no panic");
                        of_shared
                            .entry(violations[0].invariant)
                            .or_insert_with(Vec::new)
                            .push(found);
                    }
                }
            });
        }
        for _ in 0..cores {
            scope.spawn(|| {
                while began.elapsed() < time {
                    let finding = play(next.fetch_add(1, Ordering::Relaxed));
                    findings.lock().expect("no panic").extend(finding);
                }
            });
        }
    });
    let (runs, took) = (next.into_inner() - first, began.elapsed());
    let per_minute = runs as f64 / took.as_secs_f64() * 60.0;
    let mut findings = findings.into_inner().expect("no panic");
    findings.sort_by_key(|finding| finding.seed);
    say(&format!(
        "{runs} runs from seed {first} on, {per_minute:.0} a minute; {} break something\n",
        findings.len()
    ));
    #[cfg(unix)]
    let shared_hold = tell_of_shared(
        next_shared.into_inner() - first,
        &of_shared.into_inner().expect("no panic"),
    );
    #[cfg(not(unix))]
    let shared_hold = true;
    // All that was opened is closed: two more are the runtime's and the allocator's to have.
    if let (Some(before), Some(after)) = (descriptors, open_descriptors())
        && after > before + 2
    {
        say(&format!("{before} descriptors were open before, and {after} after\n"));
        return ExitCode::FAILURE;
    }
    tell(&findings);
    if findings.is_empty() && shared_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The first finding of each invariant that runs with shared limits break; whether there is none.
#[cfg(unix)]
fn tell_of_shared(runs: u64, findings: &BTreeMap<&str, Vec<(Duration, String)>>) -> bool {
    let broken: usize = findings.values().map(Vec::len).sum();
    say(&format!("{runs} runs with shared limits; {broken} break something\n"));
    for (invariant, findings) in findings {
        let (after, text) = &findings[0];
        say(&format!(
            "\n=== {invariant}\n{} runs, the first after {after:.1?}\n{text}",
            findings.len()
        ));
    }
    findings.is_empty()
}

/// Each broken invariant once, with how often it was broken and its smallest plan.
fn tell(findings: &[Finding]) {
    let mut by_invariant = BTreeMap::<_, Vec<&Finding>>::new();
    for finding in findings {
        for invariant in finding.invariants() {
            by_invariant.entry(invariant).or_default().push(finding);
        }
    }
    let number = |text: String| text.parse().ok();
    let time = std::env::var("SHRINK").ok().and_then(number).map_or(SHRINKING, Duration::from_secs);
    for (invariant, findings) in by_invariant {
        let seeds: Vec<_> = findings.iter().take(8).map(|one| one.seed).collect();
        say(&format!("\n=== {invariant}\n{} runs, such as {seeds:?}\n", findings.len()));
        // What broke least is understood soonest.
        if let Some(simplest) = findings.iter().min_by_key(|one| one.violations.len()) {
            say(&simplest.report(invariant, time));
        }
    }
}

fn open_descriptors() -> Option<usize> {
    std::fs::read_dir("/proc/self/fd").ok().map(Iterator::count)
}

fn say(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}
