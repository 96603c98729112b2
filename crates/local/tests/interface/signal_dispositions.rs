//! The signal dispositions and the signal mask that a process under test inherits.

/// Lets processes that this one starts from now on have the default action for SIGINT and SIGHUP,
/// also where the tests were started by `nohup` or in the background: `exec` resets handled
/// signals, and keeps ignored ones. In this process they stay without effect.
#[cfg(target_os = "linux")]
pub fn default_in_children() {
    use std::sync::{Arc, Once};

    use nix::libc::{SIGHUP, SIGINT};

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
        let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
        for signal in [SIGINT, SIGHUP] {
            if ignored & (1 << (signal - 1)) != 0 {
                signal_hook::flag::register(signal, Arc::default()).unwrap();
            }
        }
    });
}

/// Elsewhere, the tests must be started from a terminal.
#[cfg(not(target_os = "linux"))]
pub fn default_in_children() {}

/// Does `work`, which starts a process, with all signals blocked in this thread.
#[cfg(target_os = "linux")]
pub fn with_blocked_signals<T>(work: impl FnOnce() -> T) -> T {
    use nix::sys::signal::{SigSet, SigmaskHow};

    let former = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK).unwrap();
    let done = work();
    former.thread_set_mask().unwrap();
    done
}
