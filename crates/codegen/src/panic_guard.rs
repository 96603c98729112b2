//! Panic guard: catches and silences the panics of the type generators.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// The panic hook is one for the whole process; only one caller at a time may change it.
static HOOK: Mutex<()> = Mutex::new(());

/// Runs what may panic, and gives the panic's reason as an error. Nothing is printed.
pub(crate) fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let _one_at_a_time = HOOK.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = catch_unwind(AssertUnwindSafe(run));
    std::panic::set_hook(hook);
    outcome.map_err(|panic| {
        panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "no reason given".to_owned())
    })
}
