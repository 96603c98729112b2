//! Processes of the program under test, and the simulated machine that they run on.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::plan::{Command, Signal};

/// Interval at which the end of a process is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Preloaded library that simulates the clock and the scheduler of the machine.
pub(crate) struct Machine {
    library: PathBuf,
    control: PathBuf,
}

impl Machine {
    /// Compiles the library into a folder.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let (source, library) = (folder.join("preload.c"), folder.join("preload.so"));
        fs::write(&source, include_str!("preload.c"))?;
        let mut compiler = process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
        if !compiler.status()?.success() {
            return Err(io::Error::other("the C compiler cc refuses preload.c"));
        }
        let control = folder.join("control");
        fs::write(&control, [0; 16])?;
        Ok(Self { library, control })
    }

    pub(crate) fn load_into(&self, command: &mut process::Command) {
        command.env("LD_PRELOAD", &self.library).env("MACHINE_CONTROL", &self.control);
    }

    /// Sets the time of day of all processes off by this number of seconds.
    pub(crate) fn set_clock(&self, seconds: i64) -> io::Result<()> {
        self.set(0, seconds)
    }

    /// Sets the longest preemption of threads after they have registered a signal handler.
    pub(crate) fn preempt(&self, microseconds: i64) -> io::Result<()> {
        self.set(8, microseconds)
    }

    fn set(&self, offset: u64, value: i64) -> io::Result<()> {
        let control = File::options().write(true).open(&self.control)?;
        control.write_all_at(&value.to_ne_bytes(), offset)
    }
}

/// Process of the program, also after its end.
pub(crate) struct Process {
    pub(crate) number: usize,
    pub(crate) command: Command,
    /// It runs a copy of the journal.
    pub(crate) uses_copy: bool,
    /// Reason for which it may exit with an error, although its command contains no mistake.
    pub(crate) disturbance: Option<&'static str>,
    pub(crate) began: Instant,
    pub(crate) end: Option<ProcessEnd>,
    pub(crate) killed: Option<Instant>,
    pub(crate) signals: Vec<i32>,
    output_path: PathBuf,
    child: Child,
}

/// End of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessEnd {
    pub(crate) at: Instant,
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

impl Process {
    /// Starts a process. Its output is written to files of this name.
    pub(crate) fn start(
        number: usize,
        command: Command,
        mut program: process::Command,
        output: PathBuf,
    ) -> io::Result<Self> {
        let child = program
            .stdin(Stdio::null())
            .stdout(File::create(output.with_extension("out"))?)
            .stderr(File::create(output.with_extension("err"))?)
            .spawn()?;
        Ok(Self {
            number,
            command,
            uses_copy: false,
            disturbance: None,
            began: Instant::now(),
            end: None,
            killed: None,
            signals: Vec::new(),
            output_path: output,
            child,
        })
    }

    /// Returns true if it is running.
    pub(crate) fn is_running(&mut self) -> bool {
        if self.end.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            let (code, signal) = (status.code(), status.signal());
            self.end = Some(ProcessEnd { at: Instant::now(), code, signal });
        }
        self.end.is_none()
    }

    /// Waits for its end. Returns true if it has ended within this time.
    pub(crate) async fn ends_within(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while self.is_running() && Instant::now() < until {
            sleep(POLL_INTERVAL).await;
        }
        !self.is_running()
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(&mut self) {
        if !self.is_running() {
            return;
        }
        self.killed = Some(Instant::now());
        let _ = self.child.kill();
        if let Ok(status) = self.child.wait() {
            let (code, signal) = (status.code(), status.signal());
            self.end = Some(ProcessEnd { at: Instant::now(), code, signal });
        }
    }

    pub(crate) fn signal(&mut self, signal: Signal) {
        if !self.is_running() {
            return;
        }
        let (name, number) = match signal {
            Signal::Int => ("-INT", 2),
            Signal::Term => ("-TERM", 15),
            Signal::Hup => ("-HUP", 1),
        };
        self.signals.push(number);
        let _ = process::Command::new("kill").args([name, &self.child.id().to_string()]).status();
    }

    /// Returns its exit code, if it has one.
    pub(crate) fn code(&self) -> Option<i32> {
        self.end.and_then(|end| end.code)
    }

    /// Returns true if it printed a report.
    pub(crate) fn has_reported(&self) -> bool {
        self.output("out").trim_start().starts_with('{')
    }

    /// Returns its standard output (`out`) or standard error (`err`).
    pub(crate) fn output(&self, stream: &str) -> String {
        let bytes = fs::read(self.output_path.with_extension(stream)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
