//! Tests of the interruption of commands by Ctrl-C and SIGTERM.

#[cfg(target_os = "linux")]
use std::{process::Stdio, time::Duration};

use podqueue_local::{LocalService, Operation};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncReadExt;
#[cfg(target_os = "linux")]
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Child;

use crate::run::never;
use crate::support::{Fixture, KEY, bare, ended};

pub fn signal(child: &Child, signal: Signal) {
    let id = i32::try_from(child.id().unwrap()).unwrap();
    kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
}

async fn fixture() -> Fixture {
    Fixture::with(LocalService::builder().endpoint("never", never)).await
}

#[tokio::test]
async fn an_interrupted_wait_reports_how_to_continue() {
    for by in [Signal::INT, Signal::TERM] {
        let fixture = fixture().await;
        let child = fixture.program(&["run", "never", "{}"]).spawn().unwrap();
        fixture.requested("/status/").await;
        signal(&child, by);
        let ran = ended(child).await;
        ran.fails(130, "podqueue wait never ");
        assert!(ran.stderr.contains("podqueue cancel never "), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
        assert!(!fixture.local.requests().iter().any(|request| request.path.contains("/cancel/")));
    }
}

#[tokio::test]
async fn an_interrupted_wait_cancels_on_request() {
    let fixture = fixture().await;
    let child = fixture.program(&["run", "never", "{}", "--cancel-on-interrupt"]).spawn().unwrap();
    fixture.requested("/status/").await;
    signal(&child, Signal::INT);
    ended(child).await.fails(130, "interrupted; cancelled the job");
    fixture.requested("/cancel/").await;
}

#[tokio::test]
async fn a_cancellation_that_takes_long_is_announced_and_can_be_interrupted() {
    let fixture = fixture().await;
    fixture.local.add_fault(podqueue_local::Fault::stall().on(Operation::Cancel));
    let child = fixture.program(&["run", "never", "{}", "--cancel-on-interrupt"]).spawn().unwrap();
    fixture.requested("/status/").await;
    signal(&child, Signal::INT);
    fixture.requested("/cancel/").await;
    signal(&child, Signal::INT);
    let ran = ended(child).await;
    ran.fails(130, "interrupted again while cancelling the job");
    assert!(ran.stderr.starts_with("interrupted; cancelling the job"), "{}", ran.stderr);
}

#[tokio::test]
async fn an_interrupted_stream_reports_how_to_continue() {
    let fixture = fixture().await;
    let job = fixture.submit("never", "{}").await;
    let child = fixture.program(&["stream", "never", &job]).spawn().unwrap();
    fixture.requested("/stream/").await;
    signal(&child, Signal::INT);
    ended(child).await.fails(130, &format!("podqueue stream never {job}"));
}

#[tokio::test]
async fn an_interrupted_submission_has_an_unknown_outcome() {
    let fixture = fixture().await;
    fixture.local.add_fault(podqueue_local::Fault::stall().on(Operation::Run));
    let child = fixture.program(&["run", "never", "{}"]).spawn().unwrap();
    fixture.requested("/run").await;
    signal(&child, Signal::INT);
    ended(child).await.fails(130, "the job may have been accepted");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_interruption_ends_the_reading_of_standard_input() {
    let fixture = fixture().await;
    for (by, ends) in
        [(Signal::INT, true), (Signal::INT, false), (Signal::TERM, true), (Signal::TERM, false)]
    {
        for arguments in [
            &["run", "echo", "-"][..],
            &["graphql", "-"],
            &["openai", "echo", "v1/x", "-"],
            &["secret", "create", "s"],
        ] {
            let mut program = fixture.program(arguments);
            let mut child = program.stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(b"{\"cut\": ").await.unwrap();
            is_read(&stdin).await;
            signal(&child, by);
            // Ctrl-C may also end the writing program.
            let _open = (!ends).then_some(stdin);
            ended(child).await.assert_code(130);
        }
    }
    assert!(fixture.local.requests().is_empty(), "{:?}", fixture.local.requests());
}

/// Waits until the program has drained a pipe: then it listens to signals.
#[cfg(target_os = "linux")]
async fn is_read(pipe: &tokio::process::ChildStdin) {
    while rustix::io::ioctl_fionread(pipe).unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Also in commands that do not listen to signals yet.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_interruption_ends_a_key_command() {
    let fixture = fixture().await;
    let home = fixture.home.path();
    let settings = "default_profile = \"slow\"\n[profile.slow]\n\
                    base_url = \"http://127.0.0.1:9\"\n\
                    key_command = \"echo $$ > new && mv new pid && exec sleep 600\"\n";
    std::fs::write(home.join("config.toml"), settings).unwrap();
    for by in [Signal::INT, Signal::TERM] {
        for arguments in
            [&["doctor"][..], &["run", "echo", "{}"], &["health", "echo"], &["status", "echo", "j"]]
        {
            let child = bare(home, arguments).spawn().unwrap();
            let pid = loop {
                if let Ok(pid) = std::fs::read_to_string(home.join("pid")) {
                    break pid;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            };
            std::fs::remove_file(home.join("pid")).unwrap();
            signal(&child, by);
            let ran = ended(child).await;
            assert_eq!((ran.code, ran.stdout.as_str()), (130, ""), "{ran:?}");
            // A zombie may remain, if its parent does not wait for it.
            let path = format!("/proc/{}/stat", pid.trim());
            while std::fs::read_to_string(&path).is_ok_and(|stat| !stat.contains(") Z ")) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    }
}

#[tokio::test]
async fn a_signal_ends_the_wait_for_a_journal_in_an_orderly_way() {
    let fixture = fixture().await;
    fixture.write_inputs(2);
    for command in ["run", "watch", "cancel", "retry"] {
        // A database that accepts connections, and does not respond.
        let database = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let journal = format!("postgres://u@{}/db#batch", database.local_addr().unwrap());
        let arguments: &[&str] = match command {
            "run" => &["in.jsonl", "-e", "never", "-o", "out.jsonl"],
            _ => &["out.jsonl"],
        };
        let arguments = [&["batch", command], arguments, &["--journal", &journal]].concat();
        let child = fixture.program(&arguments).spawn().unwrap();
        let _connection = database.accept().await.unwrap();
        signal(&child, Signal::TERM);
        let ran = ended(child).await;
        assert_eq!(ran.code, 130, "{command}: {ran:?}");
    }
}

/// A blocked program does not listen to signals: on a pipe without a writer, and without a reader.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_signal_ends_a_blocked_program() {
    use tokio::io::AsyncReadExt;

    let fixture = fixture().await;
    let home = fixture.home.path();
    let fifo = home.join("fifo");
    let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&fifo).status();
    assert!(made.unwrap().success());
    let settings = "default_profile = \"slow\"\n[profile.slow]\nkey_file = \"fifo\"\n\
                    base_url = \"http://127.0.0.1:9\"\n";
    std::fs::write(home.join("config.toml"), settings).unwrap();
    std::fs::write(home.join("query"), "{ a }").unwrap();
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1_000_000));
    std::fs::write(home.join("large.json"), large).unwrap();
    for by in [Signal::INT, Signal::TERM] {
        for arguments in [
            &["graphql", "fifo"][..],
            &["graphql", "query", "--var", "a=@fifo"],
            &["template", "create", "t", "--image", "i", "--readme", "fifo"],
        ] {
            let child = fixture.program(arguments).spawn().unwrap();
            blocks(child, &fifo, by).await;
        }
        for arguments in [&["run", "echo", "{}"][..], &["doctor", "echo"]] {
            blocks(bare(home, arguments).spawn().unwrap(), &fifo, by).await;
            let mut elsewhere = bare(home, arguments);
            blocks(elsewhere.env("PODQUEUE_CONFIG", &fifo).spawn().unwrap(), &fifo, by).await;
        }
        let mut child = fixture.program(&["run", "echo", "@large.json"]).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_u8().await.unwrap();
        signal(&child, by);
        ended(child).await.assert_code(128 + by.as_raw());
    }
}

/// Ends a program that has opened a pipe without a writer.
#[cfg(target_os = "linux")]
async fn blocks(child: Child, fifo: &std::path::Path, by: Signal) {
    let fifo = fifo.to_owned();
    let open = || std::fs::OpenOptions::new().write(true).open(fifo);
    let _writer = tokio::task::spawn_blocking(open).await.unwrap().unwrap();
    signal(&child, by);
    ended(child).await.assert_code(128 + by.as_raw());
}

#[tokio::test]
async fn an_interrupted_change_may_have_taken_effect() {
    let fixture = fixture().await;
    std::fs::write(fixture.home.path().join("query"), "mutation { a }").unwrap();
    for (operation, path, arguments) in [
        (Operation::GraphQl, "/graphql", &["template", "create", "t", "--image", "i"][..]),
        (Operation::GraphQl, "/graphql", &["template", "delete", "t", "--yes"]),
        (Operation::GraphQl, "/graphql", &["secret", "delete", "s", "--yes"]),
        (Operation::GraphQl, "/graphql", &["graphql", "query"]),
        (Operation::PurgeQueue, "/purge-queue", &["purge", "echo", "--yes"]),
        (Operation::Cancel, "/cancel/", &["cancel", "echo", "j"]),
        (Operation::Retry, "/retry/", &["retry", "echo", "j"]),
    ] {
        fixture.local.clear_faults();
        fixture.local.add_fault(podqueue_local::Fault::stall().on(operation));
        let before = fixture.local.requests().len();
        let child = fixture.program(arguments).spawn().unwrap();
        fixture.requested_since(before, path).await;
        signal(&child, Signal::INT);
        ended(child).await.fails(130, "interrupted; the request may have taken effect");
    }
}

#[tokio::test]
async fn an_interrupted_change_of_the_account_names_the_command_that_shows_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let home = tempfile::tempdir().unwrap();
    let create = ["endpoint", "create", "e", "--image", "i", "--gpu", "ADA_24", "--yes"];
    let mut program = bare(home.path(), &create);
    program.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_ACCOUNT_URL", &url);
    let child = program.spawn().unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.read_u8().await.unwrap();
    signal(&child, Signal::INT);
    let interrupted = ended(child).await;
    interrupted.fails(130, "interrupted while creating endpoint e; it may have taken effect");
    assert!(interrupted.stderr.contains("podqueue endpoint list"), "{}", interrupted.stderr);
}

/// More jobs than are cancelled concurrently, one of which has ended and cannot be cancelled.
#[tokio::test]
async fn an_interrupted_wait_cancels_every_job() {
    let fixture = fixture().await;
    let mut jobs = vec![fixture.submit("sleep", "{\"ms\": 0}").await];
    fixture.run(&["wait", "sleep", &jobs[0]]).await.assert_code(0);
    for _ in 0..24 {
        jobs.push(fixture.submit("sleep", "{\"ms\": 600000}").await);
    }
    let ids: Vec<&str> = jobs.iter().map(String::as_str).collect();
    let before = fixture.local.requests().len();
    let arguments = [&["wait", "sleep"][..], &ids, &["--cancel-on-interrupt"]].concat();
    let child = fixture.program(&arguments).spawn().unwrap();
    fixture.requested_since(before, "/status/").await;
    signal(&child, Signal::INT);
    ended(child).await.fails(130, "interrupted; failed to cancel the jobs");
    let all = fixture.local.requests();
    assert_eq!(all.iter().filter(|it| it.path.contains("/cancel/")).count(), 25);
}
