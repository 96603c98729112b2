//! Process with a low limit of open files.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use podqueue::Client;
use podqueue_batch::{Batch, Inputs};
use podqueue_local::{Fault, Operation};

use crate::support::{Folder, KEY, endpoint, service};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_out_of_files_reports_it() {
    let local = service().start().await.unwrap();
    // Eight submissions are in flight at once.
    local.add_fault(Fault::delay(Duration::from_millis(300)).on(Operation::Run));
    let folder = Folder::with(50);
    let script =
        "ulimit -n 22; exec \"$0\" --ignored --exact open_files::helper_process_out_of_files";
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(std::env::current_exe().unwrap());
    command.env("BATCH_FOLDER", folder.path("")).env("BATCH_URL", local.base_url());
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(said.contains("raise its limit (`ulimit -n`)"), "{said}");
    // Nothing is lost.
    let batch = folder.open().await.unwrap();
    local.clear_faults();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
}

/// Child process of a test.
#[test]
#[ignore = "the process that may open few files"]
fn helper_process_out_of_files() {
    let Ok(folder) = std::env::var("BATCH_FOLDER") else { return };
    let folder = Path::new(&folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let open = Batch::open(crate::journal::of(folder))
            .inputs(Inputs::jsonl(folder.join("inputs.jsonl")))
            .results(folder.join("results.jsonl"));
        let batch = open.await.unwrap();
        let url = std::env::var("BATCH_URL").unwrap();
        let client = Client::builder().api_key(KEY).base_url(url).build().unwrap();
        // The first call that cannot be made ends the run.
        let run = batch.run(client.endpoint("double")).outage_timeout(Duration::ZERO);
        panic!("{}", run.await.unwrap_err());
    });
}
