//! A process that ends with the one that started it, also if that one is killed.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs a program until its own input ends or says how the program is to end. Nobody interrupts it
/// from the terminal. Without a last word, the folder is removed.
const GUARD: &str = r#"
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

pub(crate) struct Guarded(Child);

/// How a program is to end.
pub(crate) enum End {
    Orderly,
    Crash,
}

impl Guarded {
    /// Starts a program whose files are in this folder.
    pub(crate) fn start(program: Command, folder: &Path) -> Self {
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard"]).arg(folder);
        guard.arg(program.get_program()).args(program.get_args());
        guard.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null());
        // A test's output may be read to its end, which these would keep open.
        guard.stderr(Stdio::null());
        Self(guard.spawn().expect("sh"))
    }

    /// Ends the program, and keeps its folder.
    pub(crate) fn end(mut self, how: End) {
        let last = match how {
            End::Orderly => "stop\n",
            End::Crash => "crash\n",
        };
        if let Some(mut input) = self.0.stdin.take() {
            let _ = input.write_all(last.as_bytes());
        }
        let _ = self.0.wait();
    }
}

impl Drop for Guarded {
    /// Ends the program, and removes its folder.
    fn drop(&mut self) {
        if let Some(input) = self.0.stdin.take() {
            drop(input);
            let _ = self.0.wait();
        }
    }
}
