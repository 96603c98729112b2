//! Processes of shell commands, which end with all that they started.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Mutex;

use tokio::process::{Child, Command as Shell};

use crate::sync::locked;

/// A shell that runs a line, with pipes in place of its output.
pub(super) fn shell(line: &str) -> Shell {
    let mut shell = Shell::new("sh");
    shell.args(["-c", line]).stdout(Stdio::piped()).kill_on_drop(true);
    // A group of its own, so that what the shell starts can be ended with it.
    #[cfg(unix)]
    shell.process_group(0);
    shell
}

/// A running shell. It is killed when dropped, with the processes that it started.
pub(super) struct Process(Mutex<Child>);

impl Process {
    pub(super) fn new(child: Child) -> Self {
        Self(Mutex::new(child))
    }

    /// How it ended, if it has.
    pub(super) fn ended(&self) -> io::Result<Option<ExitStatus>> {
        locked(&self.0).try_wait()
    }

    /// Waits until it ends by itself.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let child = self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        child.wait().await
    }
}

#[cfg(unix)]
impl Drop for Process {
    fn drop(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group};
        // There is an id only while the process was not waited for, so it is no other's.
        let id = locked(&self.0).id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw) {
            // A group that is gone already needs no killing.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
