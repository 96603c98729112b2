//! Termination signals of the program `podqueue-local`: during its start, and what its workers
//! inherit.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use nix::libc::{SIGHUP, SIGINT, SIGTERM};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::preloaded_signal;
use crate::signal_dispositions::{default_in_children, with_blocked_signals};
use crate::support::{TEST_DEADLINE, answer, eventually};

fn program() -> Command {
    default_in_children();
    let mut command = Command::new(env!("CARGO_BIN_EXE_podqueue-local"));
    command.args(["--listen", "127.0.0.1:0"]).env("PODQUEUE_API_KEY", "k");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

/// The program ends, in order or by the signal.
async fn is_ended_by(mut child: Child, signal: i32) {
    let status =
        tokio::time::timeout(TEST_DEADLINE, child.wait()).await.expect("the program ends").unwrap();
    assert!(status.success() || status.signal() == Some(signal), "{signal}: {status:?}");
}

#[tokio::test]
async fn a_signal_while_its_handler_is_registered_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let library = preloaded_signal::library(folder.path());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let mut program = program();
        program.env("LD_PRELOAD", &library).env("PRELOAD_SIGNAL", signal.to_string());
        is_ended_by(program.spawn().unwrap(), signal).await;
    }
}

#[tokio::test]
async fn a_signal_at_any_moment_of_the_start_ends_the_program() {
    for n in 0..60 {
        let signal = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP][n % 3];
        let child = program().spawn().unwrap();
        tokio::time::sleep(Duration::from_micros(200 * n as u64)).await;
        let id = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
        kill(id, signal).unwrap();
        is_ended_by(child, signal as i32).await;
    }
}

/// The signal masks and ignored signals that a worker has written.
async fn inherited(path: &Path) -> String {
    eventually("a worker", async || path.exists()).await;
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn a_worker_starts_with_an_empty_mask_and_keeps_ignored_signals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inherited");
    let script = format!(
        "while read -r line; do echo $line; done < /proc/self/status > new; mv new '{}'; sleep 1000",
        path.display()
    );
    for kind in ["--worker", "--endpoint"] {
        for (start, ignored) in [("exec \"$@\"", 0), ("trap '' HUP INT; exec \"$@\"", 0b11)] {
            let podqueue = program();
            let mut shell = Command::new("sh");
            shell.args(["-c", start, "sh"]).arg(podqueue.as_std().get_program());
            shell.args(podqueue.as_std().get_args());
            shell.args([kind, &format!("e={script}"), "--worker-count", "1-1"]);
            shell.env("PODQUEUE_API_KEY", "k").current_dir(folder.path()).kill_on_drop(true);
            shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = with_blocked_signals(|| shell.spawn()).unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let first = lines.next_line().await.unwrap().unwrap();
            let base = first.strip_prefix("export PODQUEUE_BASE_URL=").unwrap();
            let run = reqwest::Client::new().post(format!("{base}/v2/e/run"));
            let run = run.header("authorization", "k").body(r#"{"input": {}}"#);
            assert_eq!(answer(run).await.0, 200);
            let text = inherited(&path).await;
            let mask = |name: &str| {
                let hex = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
                u64::from_str_radix(hex.trim(), 16).unwrap()
            };
            assert_eq!(mask("SigBlk:"), 0, "{kind}: {text}");
            assert_eq!(mask("SigIgn:") & 0b11, ignored, "{kind}: {text}");
            std::fs::remove_file(&path).unwrap();
            let id = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
            kill(id, Signal::SIGTERM).unwrap();
            tokio::time::timeout(TEST_DEADLINE, child.wait()).await.expect("it ends").unwrap();
        }
    }
}
