//! Last run: its ending, as recorded in the journal.

use podqueue_batch::{Ending, ErrorKind, MaxFailures, Reader, State, Stopped};
use podqueue_local::{Fault, Operation, Workers};

use crate::support::{Folder, KEY, endpoint, service, until};

fn ending(folder: &Folder) -> Option<Ending> {
    Reader::open(&folder.journal()).unwrap().ending().unwrap()
}

#[tokio::test]
async fn the_error_that_ended_a_run_is_journalled_until_the_next_one_begins() {
    let local = service().workers_of("double", Workers::between(0, 0)).start().await.unwrap();
    let folder = Folder::with(3);
    assert_eq!(folder.open().await.map(|_| ending(&folder)).unwrap(), None);
    let batch = folder.open().await.unwrap();
    local.add_fault(Fault::response(401, "{\"error\": \"revoked\"}").on(Operation::Run));
    let error = batch.run(endpoint(&local, "double")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Service);
    assert_eq!(ending(&folder), Some(Ending::Failed(error.to_string())));
    assert!(error.to_string().contains("401"), "{error}");
    assert!(!error.to_string().contains(KEY));
    drop(batch);
    // No run is in progress yet.
    let batch = folder.open().await.unwrap();
    assert!(ending(&folder).is_some());
    local.clear_faults();
    let run = batch.run(endpoint(&local, "double"));
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 3).await;
    assert_eq!(ending(&folder), None, "a run is in progress");
    stopper.exit();
    run.await.unwrap().unwrap();
    assert_eq!(ending(&folder), Some(Ending::Stopped(Stopped::OnRequest)));
}

#[tokio::test]
async fn the_reason_of_a_stop_is_journalled_and_a_complete_end_is_not() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(4);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(1).await.unwrap();
    assert_eq!(ending(&folder), Some(Ending::Stopped(Stopped::Taken)));
    let refused = batch.run(endpoint(&local, "double")).window(0).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Settings);
    assert_eq!(ending(&folder), Some(Ending::Stopped(Stopped::Taken)), "that was no run");
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(ending(&folder), None);

    let folder = Folder::new();
    folder.write("inputs.jsonl", "{}\n{}\n{}\n");
    let batch = folder.open().await.unwrap();
    let run = batch.run(endpoint(&local, "double")).window(1);
    run.max_failures(MaxFailures::Count(0)).await.unwrap();
    assert_eq!(ending(&folder), Some(Ending::Stopped(Stopped::TooManyFailures)));
}
