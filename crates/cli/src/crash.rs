//! Crash report: the location of a panic, without its message, which may contain a key, an input or
//! a secret.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

use crate::exit::Exit;
use crate::output::BAD;

/// Runs the program, and reports a panic on any thread. A panic on this thread ends the program.
pub fn catch(program: impl FnOnce() -> Exit) -> Exit {
    set_hook(Box::new(|panic| {
        // With standard error closed, the report cannot be printed.
        let _ = anstream::stderr().write_all(report(panic).as_bytes());
    }));
    catch_unwind(AssertUnwindSafe(program)).unwrap_or(Exit::Error)
}

fn report(panic: &PanicHookInfo<'_>) -> String {
    let location = panic.location().map(|it| format!(" at {it}")).unwrap_or_default();
    let backtrace = Backtrace::capture();
    let trace = match backtrace.status() {
        BacktraceStatus::Captured => backtrace.to_string(),
        _ => "hint: RUST_BACKTRACE=1 adds more to this report\n".to_owned(),
    };
    format!(
        "{BAD}error:{BAD:#} podqueue {} has crashed{location}\n\
         hint: this is a bug; please report it with this text, which contains no key and no data\n\
         hint: submitted jobs continue, and so does a batch with the same command\n\
         {trace}",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const CANARY: &str = "canary-5f0e7c1a9b";
    const CRASHES: &str = "PODQUEUE_TEST_CRASHES";

    /// Runs itself in a child process, which crashes.
    #[test]
    fn a_crash_is_reported_without_the_message_of_the_panic() {
        if let Ok(way) = std::env::var(CRASHES) {
            std::process::exit(catch(|| crash(&way)).code().into());
        }
        for way in ["here", "elsewhere"] {
            for trace in ["0", "full"] {
                let mut itself = Command::new(std::env::current_exe().expect("a path"));
                let name = "crash::tests::a_crash_is_reported_without_the_message_of_the_panic";
                itself.args(["--exact", name, "--nocapture"]).env(CRASHES, way);
                let ran = itself.env("RUST_BACKTRACE", trace).output().expect("a process");
                let text = String::from_utf8_lossy(&ran.stderr);
                assert_eq!(ran.status.code(), Some(1), "{text}");
                let shown = format!("{text}{}", String::from_utf8_lossy(&ran.stdout));
                assert!(!shown.contains(CANARY), "{shown}");
                assert!(text.contains("src/crash.rs:") && text.contains("please report"), "{text}");
                assert_eq!(text.contains("crash::tests::"), trace == "full", "{text}");
            }
        }
    }

    fn crash(way: &str) -> Exit {
        match way {
            "here" => panic!("{CANARY}"),
            _ => assert!(std::thread::spawn(|| panic!("{CANARY}")).join().is_ok(), "{CANARY}"),
        }
        Exit::Done
    }
}
