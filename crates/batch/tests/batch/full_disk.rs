//! Full disk: no space for the results.

use std::env::current_exe;
use std::process::{Command, Output};

use podqueue_batch::State;
use podqueue_local::LocalJob;
use serde_json::json;

use crate::support::{Folder, service};

/// Does this in a process of its own, which may write a limited number of bytes, as on a full disk.
pub fn limited(folder: &Folder, url: &str, limit: &str, child: &str) -> Output {
    let program = current_exe().unwrap();
    let script = format!("trap '' XFSZ; {limit} exec \"$0\" --ignored --exact {child}");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).arg(program).env("BATCH_FOLDER", folder.path(""));
    crate::journal::tell(&mut command);
    command.env("BATCH_URL", url).output().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_stops_the_run_and_loses_nothing() {
    let local = service()
        .endpoint("seen", |job: LocalJob| async move {
            Ok(json!({ "n": job.input["n"], "text": "x".repeat(20_000) }))
        })
        .start()
        .await
        .unwrap();
    let folder = Folder::with(300);
    let child =
        |limit: &str| limited(&folder, &local.base_url(), limit, "kill::helper_process_of_a_batch");
    for _ in 0..2 {
        let ended = child("ulimit -f 1100;");
        assert!(!ended.status.success(), "{ended:?}");
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(said.contains("could not write"), "{said}");
    }
    assert!(child("").status.success());
    let batch = folder.open().await.unwrap();
    let counts = batch.status().await.unwrap().counts;
    assert_eq!(counts.of(State::Completed) + counts.of(State::Unknown), 300, "{counts:?}");
    assert_eq!(folder.results().len() as u64, counts.of(State::Completed));
    let submitted = local.requests().iter().filter(|it| it.path.ends_with("/run")).count();
    assert_eq!(submitted, 300);
}
