//! Virtual time and seeded randomness: this program's own `clock_gettime`,
//! `clock_nanosleep` and `getrandom`.
//!
//! The dynamic linker prefers a program's own symbols to those of the C library, so every reader of
//! the clock (`SystemTime`, `Instant`) and of random numbers (job ids, jitter, the hashes of maps)
//! in this process gets those of the simulation, without a seam in the product. Time is that of
//! tokio's paused clock, and stands still for a thread outside of the runtime. Before [`begin`], both
//! are the system's.

#![allow(unsafe_code, reason = "functions of the C library are replaced")]

use std::cell::Cell;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use libc::{c_int, c_uint, c_void, clockid_t, size_t, ssize_t, timespec};
use tokio::time::Instant;

/// The Unix time at which every simulation begins, in seconds.
const EPOCH: u64 = 1_800_000_000;

static BEGUN: OnceLock<(Instant, timespec)> = OnceLock::new();
static RANDOM: Mutex<Option<fastrand::Rng>> = Mutex::new(None);

thread_local! {
    /// True while the simulated clock reads tokio's.
    static READS: Cell<bool> = const { Cell::new(false) };
    /// The time by which the monotonic clock of this thread is ahead, because the thread has slept.
    static SLEPT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Seeds the random numbers of this process. Before anything draws one.
pub(crate) fn seed(seed: u64) {
    *RANDOM.lock().unwrap_or_else(PoisonError::into_inner) = Some(fastrand::Rng::with_seed(seed));
}

/// Begins virtual time, in a runtime whose clock is paused.
pub(crate) fn begin() {
    let real = system(libc::CLOCK_MONOTONIC);
    // Only a second call fails, and a process has one simulation.
    let _ = BEGUN.set((Instant::now(), real));
}

/// Ends the lead of this thread's monotonic clock. A thread cannot wait in virtual time: when it
/// sleeps, its clock alone advances, and nothing else happens, so that a loop that waits for its
/// peers reaches its timeout at once.
pub(crate) fn wake() {
    SLEPT.set(Duration::ZERO);
}

/// The virtual time since [`begin`].
pub(crate) fn now() -> Duration {
    BEGUN.get().map_or(Duration::ZERO, |(begun, _)| begun.elapsed())
}

/// The system's clock.
fn system(clock: clockid_t) -> timespec {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one `timespec`, which is valid.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut time) };
    time
}

/// The system's monotonic time, in seconds, for figures.
pub(crate) fn real_seconds() -> f64 {
    duration(system(libc::CLOCK_MONOTONIC)).as_secs_f64()
}

/// The time of the processor that this process has used, in seconds.
pub(crate) fn processor_seconds() -> f64 {
    duration(system(libc::CLOCK_PROCESS_CPUTIME_ID)).as_secs_f64()
}

fn simulated(clock: clockid_t) -> Option<timespec> {
    let (begun, real) = BEGUN.get()?;
    // Reading tokio's clock may read the system's.
    if READS.try_with(|reads| reads.replace(true)).unwrap_or(true) {
        return None;
    }
    let is_inside = tokio::runtime::Handle::try_current().is_ok();
    let passed = is_inside.then(|| begun.elapsed());
    let _ = READS.try_with(|reads| reads.set(false));
    let passed = passed?;
    let base = match clock {
        libc::CLOCK_REALTIME => Duration::from_secs(EPOCH),
        _ => duration(*real),
    };
    let slept = match clock {
        libc::CLOCK_REALTIME => Duration::ZERO,
        _ => SLEPT.try_with(Cell::get).unwrap_or_default(),
    };
    let time = base + passed + slept;
    Some(timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() })
}

#[unsafe(no_mangle)]
extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    let read = simulated(clock).unwrap_or_else(|| system(clock));
    // SAFETY: the caller passes a valid pointer, as the C library's function requires.
    unsafe { time.write(read) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    time: *const timespec,
    left: *mut timespec,
) -> c_int {
    let Some(now) = simulated(clock) else {
        // SAFETY: the arguments are passed on unchanged. The function returns the error's number.
        let failed = unsafe { libc::syscall(libc::SYS_clock_nanosleep, clock, flags, time, left) };
        return if failed == 0 { 0 } else { libc::EINTR };
    };
    // SAFETY: the caller passes a valid pointer, as the C library's function requires.
    let time = duration(unsafe { time.read() });
    let is_absolute = flags & libc::TIMER_ABSTIME != 0;
    let time = if is_absolute { time.saturating_sub(duration(now)) } else { time };
    let _ = SLEPT.try_with(|slept| slept.set(slept.get() + time));
    0
}

fn duration(time: timespec) -> Duration {
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

#[unsafe(no_mangle)]
extern "C" fn getrandom(buffer: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    let mut random = RANDOM.lock().unwrap_or_else(PoisonError::into_inner);
    match &mut *random {
        Some(random) => {
            // SAFETY: the caller passes a buffer of this length, as the C library's function
            // requires.
            let buffer = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), length) };
            random.fill(buffer);
            length.cast_signed()
        }
        // SAFETY: the arguments are passed on unchanged.
        None => unsafe { libc::syscall(libc::SYS_getrandom, buffer, length, flags) as ssize_t },
    }
}

/// The simulated Unix time, in milliseconds.
pub(crate) fn unix_ms() -> u64 {
    u64::try_from((Duration::from_secs(EPOCH) + now()).as_millis()).unwrap_or(u64::MAX)
}
