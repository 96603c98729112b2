//! Ctrl-C and SIGTERM.

use podqueue_local::{LocalService, Operation};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;

use crate::run::never;
use crate::support::{Site, ended};

fn signal(child: &Child, signal: Signal) {
    let id = i32::try_from(child.id().unwrap()).unwrap();
    kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
}

async fn site() -> Site {
    Site::with(LocalService::builder().endpoint("never", never)).await
}

#[tokio::test]
async fn an_interrupted_wait_says_how_to_go_on() {
    for by in [Signal::INT, Signal::TERM] {
        let site = site().await;
        let child = site.program(&["run", "never", "{}"]).spawn().unwrap();
        site.requested("/status/").await;
        signal(&child, by);
        let ran = ended(child).await;
        ran.fails(130, "podqueue wait never ");
        assert!(ran.stderr.contains("podqueue cancel never "), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
        assert!(!site.local.requests().iter().any(|request| request.path.contains("/cancel/")));
    }
}

#[tokio::test]
async fn an_interrupted_wait_cancels_on_request() {
    let site = site().await;
    let child = site.program(&["run", "never", "{}", "--cancel-on-interrupt"]).spawn().unwrap();
    site.requested("/status/").await;
    signal(&child, Signal::INT);
    ended(child).await.fails(130, "interrupted; cancelled the job");
    site.requested("/cancel/").await;
}

#[tokio::test]
async fn an_interrupted_stream_says_how_to_go_on() {
    let site = site().await;
    let job = site.submit("never", "{}").await;
    let child = site.program(&["stream", "never", &job]).spawn().unwrap();
    site.requested("/stream/").await;
    signal(&child, Signal::INT);
    ended(child).await.fails(130, &format!("podqueue stream never {job}"));
}

#[tokio::test]
async fn an_interrupted_submission_is_said_to_be_unknown() {
    let site = site().await;
    site.local.add_fault(podqueue_local::Fault::stall().on(Operation::Run));
    let child = site.program(&["run", "never", "{}"]).spawn().unwrap();
    site.requested("/run").await;
    signal(&child, Signal::INT);
    ended(child).await.fails(130, "the job may have been accepted");
}
