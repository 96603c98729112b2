//! Processes of the program under test, and the machine that they believe to run on.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::plan::{Command, Signal};

/// How often a process is asked whether it has ended.
const POLL: Duration = Duration::from_millis(5);

/// The library that stands for the machine.
pub(crate) struct Machine {
    library: PathBuf,
    control: PathBuf,
}

impl Machine {
    /// Compiles the library into this folder.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let (source, library) = (folder.join("machine.c"), folder.join("machine.so"));
        fs::write(&source, include_str!("machine.c"))?;
        let mut compiler = process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
        if !compiler.status()?.success() {
            return Err(io::Error::other("the C compiler cc refuses machine.c"));
        }
        let control = folder.join("control");
        fs::write(&control, [0; 16])?;
        Ok(Self { library, control })
    }

    pub(crate) fn load_into(&self, command: &mut process::Command) {
        command.env("LD_PRELOAD", &self.library).env("MACHINE_CONTROL", &self.control);
    }

    /// Turns the time of day of all processes to so many seconds from the true one.
    pub(crate) fn turn_clock(&self, seconds: i64) -> io::Result<()> {
        self.set(0, seconds)
    }

    /// Lets threads be preempted for up to so many microseconds after they have asked for a signal.
    pub(crate) fn preempt(&self, microseconds: i64) -> io::Result<()> {
        self.set(8, microseconds)
    }

    fn set(&self, offset: u64, value: i64) -> io::Result<()> {
        let control = File::options().write(true).open(&self.control)?;
        control.write_all_at(&value.to_ne_bytes(), offset)
    }
}

/// A process of the program, also after its end.
pub(crate) struct Process {
    pub(crate) number: usize,
    pub(crate) command: Command,
    /// It works with a copy of the journal.
    pub(crate) is_of_a_copy: bool,
    /// Why it may end with an error, although its command is in order.
    pub(crate) disturbed: Option<&'static str>,
    pub(crate) began: Instant,
    pub(crate) end: Option<End>,
    pub(crate) killed: Option<Instant>,
    pub(crate) signals: Vec<i32>,
    output: PathBuf,
    child: Child,
}

/// How a process ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) at: Instant,
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

impl Process {
    /// Begins it; what it prints is kept in files of this name.
    pub(crate) fn begin(
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
            is_of_a_copy: false,
            disturbed: None,
            began: Instant::now(),
            end: None,
            killed: None,
            signals: Vec::new(),
            output,
            child,
        })
    }

    /// Whether it still runs.
    pub(crate) fn runs(&mut self) -> bool {
        if self.end.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            let (code, signal) = (status.code(), status.signal());
            self.end = Some(End { at: Instant::now(), code, signal });
        }
        self.end.is_none()
    }

    /// Waits until it has ended; `false` if it has not within this time.
    pub(crate) async fn ends_within(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while self.runs() && Instant::now() < until {
            sleep(POLL).await;
        }
        !self.runs()
    }

    /// Ends it with SIGKILL.
    pub(crate) fn kill(&mut self) {
        if !self.runs() {
            return;
        }
        self.killed = Some(Instant::now());
        let _ = self.child.kill();
        if let Ok(status) = self.child.wait() {
            let (code, signal) = (status.code(), status.signal());
            self.end = Some(End { at: Instant::now(), code, signal });
        }
    }

    pub(crate) fn signal(&mut self, signal: Signal) {
        if !self.runs() {
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

    /// Its exit code, if it ended with one.
    pub(crate) fn code(&self) -> Option<i32> {
        self.end.and_then(|end| end.code)
    }

    /// Whether it ended with a report.
    pub(crate) fn has_reported(&self) -> bool {
        self.printed("out").trim_start().starts_with('{')
    }

    /// What it printed to standard output (`out`) or standard error (`err`).
    pub(crate) fn printed(&self, stream: &str) -> String {
        let bytes = fs::read(self.output.with_extension(stream)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
