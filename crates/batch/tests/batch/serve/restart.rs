//! Restarts: a server that is dropped at any moment, and begun anew.

use std::time::{Duration, SystemTime};

use podqueue_batch::serve::api::types::BatchStatus;
use tokio::time::{sleep, timeout};

use crate::serve::support::{World, is_final, request, requests};

/// A server that ends at many moments of the life of a batch.
#[tokio::test]
async fn a_batch_continues_after_its_server_ended_at_any_step() {
    let world = World::new().await;
    let contents: Vec<_> = (0..60).map(|n| format!("{n}")).collect();
    let served = world.serve().await;
    let id = served.submit(requests(&contents)).await.id.unwrap();
    drop(served);
    let mut ended = None;
    for time in 0..24 {
        let served = world.serve().await;
        let wait = Duration::from_millis(5 + 30 * time);
        if let Ok(batch) = timeout(wait, served.until_ended(&id)).await {
            ended = Some(batch);
            break;
        }
    }
    let served = world.serve().await;
    let batch = match ended {
        Some(batch) => batch,
        None => served.until_ended(&id).await,
    };
    assert_eq!(batch.status, Some(BatchStatus::Completed), "{batch:?}");
    let outcome = served.outcome(&batch).await;
    assert_eq!(outcome.output.len() + outcome.errors.len(), contents.len());
    for content in &contents {
        let calls = world.worker.calls(content);
        if outcome.output.contains_key(content) {
            assert_eq!(calls, 1, "{content}");
        } else {
            assert!(calls <= 1, "{content}");
            assert_eq!(outcome.errors[content]["error"]["code"], "outcome_unknown");
        }
    }
    let problems = world.problems.lock().unwrap();
    assert!(problems.is_empty(), "{problems:?}");
}

#[tokio::test]
async fn a_server_without_jobs_stops_at_once() {
    let world = World::new().await;
    let served = world.serve().await;
    let batch = served.submit(request("a")).await;
    served.until_ended(&batch.id.unwrap()).await;
    timeout(Duration::from_secs(5), served.server.shutdown()).await.expect("stopped");
}

#[tokio::test]
async fn a_damaged_record_stops_its_batch_only() {
    let world = World::new().await;
    let served = world.serve().await;
    let mut ids = Vec::new();
    for content in ["a", "b", "wait c"] {
        ids.push(served.submit(request(content)).await.id.unwrap());
    }
    for id in &ids[..2] {
        served.until_ended(id).await;
    }
    drop(served);
    let batches = world.path().join("local/batches");
    std::fs::write(batches.join(&ids[0]).join("batch.json"), "").unwrap();
    std::fs::remove_file(batches.join(&ids[1]).join("batch.json")).unwrap();
    // Files that others leave in a folder.
    std::fs::write(world.path().join("stray"), "").unwrap();
    std::fs::write(batches.join("stray"), "").unwrap();
    world.worker.open_gate();
    let served = world.serve().await;
    let batch = served.until_ended(&ids[2]).await;
    assert_eq!(batch.status, Some(BatchStatus::Completed), "{batch:?}");
    // The others are still listed.
    let listed = served.api.list_batches().await.unwrap();
    let listed: Vec<_> = listed.data.into_iter().filter_map(|batch| batch.id).collect();
    assert_eq!(listed, ids[2..]);
    let problems = world.problems.lock().unwrap();
    assert_eq!(problems.len(), 2, "{problems:?}");
    for (problem, (id, found)) in problems.iter().zip(ids.iter().zip(["is damaged", "is missing"]))
    {
        assert!(problem.contains(id) && problem.contains(found), "{problem}");
    }
}

#[tokio::test]
async fn an_orderly_stop_leaves_no_outcome_unknown() {
    let world = World::new().await;
    let contents: Vec<_> = (0..40).map(|n| format!("wait {n}")).collect();
    let served = world.serve().await;
    let id = served.submit(requests(&contents)).await.id.unwrap();
    while world.worker.calls("wait 3") == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    served.server.shutdown().await;
    world.worker.open_gate();
    let served = world.serve().await;
    let batch = served.until_ended(&id).await;
    assert_eq!(served.outcome(&batch).await.output.len(), contents.len());
}

#[tokio::test]
async fn a_cancelled_batch_is_cancelled_by_the_next_server() {
    let world = World::new().await;
    let served = world.serve().await;
    let contents: Vec<_> = (0..20).map(|n| format!("wait {n}")).collect();
    let id = served.submit(requests(&contents)).await.id.unwrap();
    while world.worker.calls("wait 0") == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    served.api.cancel_batch(id.as_str()).await.unwrap();
    drop(served);
    let served = world.serve().await;
    assert_eq!(served.read(&id).await.status, Some(BatchStatus::Cancelling));
    let batch = served.until_ended(&id).await;
    assert_eq!(batch.status, Some(BatchStatus::Cancelled));
    assert_eq!(served.outcome(&batch).await.errors.len(), 20);
}

#[tokio::test]
async fn a_batch_that_was_cancelled_before_its_validation_is_cancelled_by_the_next_server() {
    let world = World::new().await;
    let served = world.serve().await;
    let id = served.submit("x").await.id.unwrap();
    let failed = served.until_ended(&id).await;
    assert_eq!(failed.status, Some(BatchStatus::Failed));
    served.server.shutdown().await;
    // As if the server had ended before the validation.
    let batch = world.path().join("local/batches").join(&id);
    std::fs::remove_file(batch.join("validated.json")).unwrap();
    std::fs::create_dir_all(batch.join("run")).unwrap();
    std::fs::write(batch.join("run/inputs.jsonl"), "x").unwrap();
    let cancelling = format!("{{\"at\":{}}}", failed.created_at.unwrap() * 1_000);
    std::fs::write(batch.join("cancelling.json"), cancelling).unwrap();
    let served = world.serve().await;
    assert_eq!(served.read(&id).await.status, Some(BatchStatus::Cancelling));
    let ended = served.until_ended(&id).await;
    assert_eq!(ended.status, Some(BatchStatus::Cancelled));
    assert_eq!(ended.request_counts.unwrap().total, Some(0));
    served.until(&id, |_| !batch.join("run").exists()).await;
}

#[tokio::test]
async fn a_batch_expires_while_no_server_runs() {
    let world = World::new().await;
    let served = world.serve().await;
    let id = served.submit(requests(["wait a", "wait b"])).await.id.unwrap();
    served.until(&id, |it| it.status == Some(BatchStatus::InProgress)).await;
    drop(served);
    world.advance(Duration::from_secs(24 * 60 * 60));
    let served = world.serve().await;
    let batch = served.until_ended(&id).await;
    assert_eq!(batch.status, Some(BatchStatus::Expired));
    assert_eq!(served.outcome(&batch).await.errors.len(), 2);
}

#[tokio::test]
async fn an_ended_batch_is_the_same_after_a_restart() {
    let world = World::new().await;
    let served = world.serve().await;
    let id = served.submit(requests(["a", "fail b"])).await.id.unwrap();
    let before = served.until_ended(&id).await;
    drop(served);
    let served = world.serve().await;
    let after = served.read(&id).await;
    assert_eq!(format!("{before:?}"), format!("{after:?}"));
    assert!(is_final(after.status.as_ref().unwrap()));
    let run = world.path().join("local/batches").join(&id).join("run");
    served.until(&id, |_| !run.exists()).await;
}

#[tokio::test]
async fn files_of_a_killed_server_are_removed_after_a_day() {
    let world = World::new().await;
    let served = world.serve().await;
    let batch = served.submit(request("a")).await;
    let id = batch.id.unwrap();
    served.until_ended(&id).await;
    drop(served);
    let batches = world.path().join("local/batches");
    let file = batches.join(&id).join(".new-3");
    let left = [batches.join(".new-1"), batches.join(&id).join(".gone-1"), file.clone()];
    let recent = batches.join(".new-2");
    for folder in left[..2].iter().chain([&recent]) {
        std::fs::create_dir_all(folder.join("run")).unwrap();
    }
    std::fs::write(&file, "{").unwrap();
    for path in &left {
        let two_days_ago = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
        std::fs::File::open(path).unwrap().set_modified(two_days_ago).unwrap();
    }
    let served = world.serve().await;
    while left.iter().any(|path| path.exists()) {
        sleep(Duration::from_millis(20)).await;
    }
    assert!(recent.exists());
    served.read(&id).await;
}
