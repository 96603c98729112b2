//! Process guard: a shell that ends a server process when its parent ends, even by SIGKILL.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs a program until standard input ends or names the way to end the program. Signals of the
/// terminal are ignored. The folder is removed if the input ends without a command.
const GUARD_SCRIPT: &str = r#"
trap '' INT TERM HUP
folder=$1
shift
"$@" </dev/null &
read -r last
case "$last" in
    crash) kill -QUIT $! ;;
    *) kill -INT $! ;;
esac
wait $!
[ -n "$last" ] || rm -rf "$folder"
"#;

/// Program that runs under a guard.
pub(crate) struct GuardedProcess(Child);

/// Way to end a program.
pub(crate) enum Shutdown {
    Orderly,
    Crash,
}

impl GuardedProcess {
    /// Starts a program whose files are in this folder.
    pub(crate) fn start(program: Command, folder: &Path) -> Self {
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD_SCRIPT, "guard"]).arg(folder);
        guard.arg(program.get_program()).args(program.get_args());
        guard.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        guard.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null());
        // An inherited pipe would stay open after the test that reads it.
        guard.stderr(Stdio::null());
        Self(guard.spawn().expect("sh"))
    }

    /// Ends the program, and keeps its folder.
    pub(crate) fn end(mut self, shutdown: Shutdown) {
        let command = match shutdown {
            Shutdown::Orderly => "stop\n",
            Shutdown::Crash => "crash\n",
        };
        if let Some(mut input) = self.0.stdin.take() {
            let _ = input.write_all(command.as_bytes());
        }
        let _ = self.0.wait();
    }
}

impl Drop for GuardedProcess {
    /// Ends the program, and removes its folder.
    fn drop(&mut self) {
        if let Some(input) = self.0.stdin.take() {
            drop(input);
            let _ = self.0.wait();
        }
    }
}
