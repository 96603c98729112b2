//! Tests of signal handling: termination signals during the start, and the signal state of
//! children.

use std::process::Stdio;
use std::time::Duration;

use nix::libc::{SIGHUP, SIGINT, SIGTERM};
use podqueue_local::LocalService;
use rustix::process::Signal;
use tokio::process::Command;

use crate::batch::gated;
use crate::interruptions::signal;
use crate::preloaded_signal;
use crate::run::never;
use crate::signal_dispositions::with_blocked_signals;
use crate::support::{Fixture, Ran, bare, ended};

/// Asserts that a signal ended the program, before or after its command listens.
#[track_caller]
fn assert_ended_by(ran: &Ran, signal: i32) {
    assert!([130, 128 + signal].contains(&ran.code), "{signal}: {ran:?}");
}

#[tokio::test]
async fn a_signal_while_its_handler_is_registered_is_not_lost() {
    let fixture = Fixture::start().await;
    let library = preloaded_signal::library(fixture.home.path());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        for arguments in [
            // If the signal is lost, the first three end by themselves, and the last one hangs.
            &["health", "echo"][..],
            &["run", "echo", "{}"],
            &["doctor"],
            &["local", "--listen", "127.0.0.1:0"],
        ] {
            let mut program = fixture.program(arguments);
            program.env("LD_PRELOAD", &library).env("PRELOAD_SIGNAL", signal.to_string());
            let ran = ended(program.spawn().unwrap()).await;
            match arguments[0] {
                // It may already serve, and then shuts down gracefully.
                "local" => assert!([0, 128 + signal].contains(&ran.code), "{signal}: {ran:?}"),
                _ => assert_ended_by(&ran, signal),
            }
        }
    }
}

#[tokio::test]
async fn a_signal_at_any_moment_of_the_start_ends_the_program() {
    let fixture = Fixture::with(LocalService::builder().endpoint("never", never)).await;
    for n in 0..90 {
        let by = [Signal::INT, Signal::TERM, Signal::HUP][n % 3];
        let child = fixture.program(&["run", "never", "{}"]).spawn().unwrap();
        tokio::time::sleep(Duration::from_micros(300 * n as u64)).await;
        signal(&child, by);
        assert_ended_by(&ended(child).await, by.as_raw());
    }
}

/// Runs the program with these signals ignored from its start, as by `nohup` or in the background.
fn ignoring(signals: &str, program: &Command) -> Command {
    let program = program.as_std();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("trap '' {signals}; exec \"$@\""), "sh"]);
    shell.arg(program.get_program()).args(program.get_args()).env_clear();
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(program.get_current_dir().unwrap()).kill_on_drop(true);
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

#[tokio::test]
async fn signals_ignored_at_the_start_stay_ignored() {
    let (builder, gate) = gated();
    let fixture = Fixture::with(builder).await;
    let program = fixture.program(&["run", "gated", "{}"]);
    let child = ignoring("INT HUP", &program).spawn().unwrap();
    fixture.requested("/status/").await;
    signal(&child, Signal::INT);
    signal(&child, Signal::HUP);
    gate.send_replace(true);
    ended(child).await.assert(0, "{}\n");
    // Each signal separately.
    gate.send_replace(false);
    for (ignored, heeded) in [("INT", Signal::TERM), ("HUP", Signal::INT), ("TERM", Signal::HUP)] {
        let before = fixture.local.requests().len();
        let child = ignoring(ignored, &program).spawn().unwrap();
        fixture.requested_since(before, "/status/").await;
        signal(&child, heeded);
        ended(child).await.fails(130, "interrupted; the service continues with the job");
    }
}

#[tokio::test]
async fn a_key_command_starts_with_an_empty_mask_and_inherits_ignored_signals() {
    let fixture = Fixture::start().await;
    let home = fixture.home.path();
    let settings = format!(
        "default_profile = \"p\"\n[profile.p]\nbase_url = \"{}\"\n\
         key_command = \"while read -r line; do echo $line; done < /proc/self/status > inherited; \
         echo {}\"\n",
        fixture.local.base_url(),
        crate::support::KEY
    );
    std::fs::write(home.join("config.toml"), settings).unwrap();
    for (ignored, mask) in [("TERM", 1 << (SIGTERM - 1)), ("INT HUP", 0b11)] {
        let mut program = ignoring(ignored, &bare(home, &["health", "echo"]));
        let child = with_blocked_signals(|| program.spawn()).unwrap();
        ended(child).await.assert_code(0);
        let text = std::fs::read_to_string(home.join("inherited")).unwrap();
        let of = |name: &str| {
            let hex = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            u64::from_str_radix(hex.trim(), 16).unwrap()
        };
        assert_eq!((of("SigBlk:"), of("SigIgn:") & 0x4003), (0, mask), "{ignored}: {text}");
    }
}
