//! Cost of a command: time and peak memory. The command is the only child of an intermediate
//! process, because the system reports the peak memory of all children together.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::Failure;

/// The outcome of a command and its cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    pub seconds: f64,
    /// The processor time of the command and its descendants, which other programs on the machine
    /// change little.
    pub processor_seconds: f64,
    /// The peak memory of the largest process among the command and its descendants.
    pub megabytes: f64,
}

/// Runs a command whose output goes to a file. One that exceeds its time is killed, and has no exit
/// code.
pub fn measured(
    command: &Command,
    output: &Path,
    patience: Option<Duration>,
) -> Result<Measured, Failure> {
    let report = output.with_extension("measured");
    let mut outer = Command::new(std::env::current_exe()?);
    outer.arg("__measure").arg(&report).arg(command.get_program()).args(command.get_args());
    outer.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    if let Some(folder) = command.get_current_dir() {
        outer.current_dir(folder);
    }
    let log = std::fs::File::create(output)?;
    outer.stdout(log.try_clone()?).stderr(log);
    match within(&mut outer, patience)? {
        None => Ok(Measured::default()),
        Some(status) if status.success() => Ok(serde_json::from_slice(&std::fs::read(&report)?)?),
        Some(_) => Err(format!("cannot run {command:?}").into()),
    }
}

/// Runs a command to its end; none if it exceeded its time, and was killed with all its
/// descendants.
pub fn within(
    command: &mut Command,
    patience: Option<Duration>,
) -> Result<Option<ExitStatus>, Failure> {
    let mut child = command.process_group(0).spawn()?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if patience.is_some_and(|it| start.elapsed() > it) {
            killpg(Pid::from_raw(child.id().try_into()?), Signal::SIGKILL)?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The main function of the intermediate process.
pub fn child(report: &Path, command: &[&str]) -> Result<bool, Failure> {
    let [program, arguments @ ..] = command else { return Err("no command to measure".into()) };
    let start = Instant::now();
    let status = Command::new(program).args(arguments).status()?;
    let seconds = start.elapsed().as_secs_f64();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let [user, system] = [usage.user_time(), usage.system_time()]
        .map(|it| it.tv_sec() as f64 + it.tv_usec() as f64 / 1e6);
    let measured = Measured {
        code: status.code(),
        seconds,
        processor_seconds: user + system,
        megabytes: usage.max_rss() as f64 / 1024.0,
    };
    std::fs::write(report, serde_json::to_vec(&measured)?)?;
    Ok(true)
}
