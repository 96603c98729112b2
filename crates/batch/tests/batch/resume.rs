//! Resumption of a batch after a stop, a crash or a long pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, SystemTime};

use podqueue::Policy;
use podqueue_batch::store::{Claim, Commit, OpenStore, Store};
use podqueue_batch::{
    Batch, ErrorKind, Inputs, LiveProgress, MaxFailures, OnUnknown, Reader, State, Stopped,
};
use podqueue_local::{Fault, LocalJob, Operation, Workers};
use serde_json::json;

use crate::journal::{is_open, pass};
use crate::support::{Folder, counts, endpoint, service, until};

const MINUTE: Duration = Duration::from_secs(60);

/// The number of submissions that the service has received.
fn submissions(local: &podqueue_local::LocalService) -> usize {
    local.requests().iter().filter(|request| request.path.ends_with("/run")).count()
}

#[tokio::test]
async fn a_stopped_run_collects_outstanding_results_and_the_next_one_does_the_rest() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(400);
    let batch = folder.open().await.unwrap();
    let run = batch.run(endpoint(&local, "double")).window(20);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || !folder.results().is_empty()).await;
    stopper.stop();
    let report = run.await.unwrap().unwrap();
    assert_eq!(report.stopped, Some(Stopped::OnRequest));
    let status = batch.status().await.unwrap();
    let done = status.counts.of(State::Completed);
    assert_eq!(counts(&status), format!("{} pending, {done} completed", 400 - done));
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert!(report.is_complete());
    assert_eq!(submissions(&local), 400);
    assert_eq!(folder.results().len(), 400);
}

#[tokio::test]
async fn a_run_that_exits_or_is_dropped_leaves_nothing_unknown() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(300);
    for dropped in [false, true] {
        let batch = folder.open().await.unwrap();
        let run = batch.run(endpoint(&local, "double")).window(50);
        let stopper = run.stopper();
        let run = tokio::spawn(run);
        let before = submissions(&local);
        until(async || submissions(&local) > before + 20).await;
        if dropped {
            run.abort();
            let _ = run.await;
            // Submissions in flight are recorded in the background.
            until(async || batch.status().await.unwrap().counts.of(State::Intent) == 0).await;
        } else {
            stopper.exit();
            run.await.unwrap().unwrap();
        }
        let status = batch.status().await.unwrap();
        assert_eq!(status.counts.of(State::Unknown) + status.counts.of(State::Intent), 0);
        drop(batch);
        until(async || folder.open().await.is_ok()).await;
    }
    let batch = folder.open().await.unwrap();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    assert_eq!(submissions(&local), 300);
}

/// The files of a process that crashed between the intent and the response.
fn die_with_intents(folder: &Folder, inputs: usize) {
    let mut store = folder.journal().open().unwrap();
    let run = store.runs().unwrap().last().unwrap().0;
    let claim = Some(Claim { limit: inputs, bytes: u64::MAX, run, ..Claim::default() });
    store.commit(&Commit { claim, ..Commit::default() }).unwrap();
}

#[tokio::test]
async fn interrupted_submissions_become_unknown_or_are_submitted_again() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(10);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    drop(batch);
    die_with_intents(&folder, 3);
    let batch = folder.open().await.unwrap();
    let unknown = batch.unknown().await.unwrap();
    assert_eq!(unknown.iter().map(|it| it.index).collect::<Vec<_>>(), [2, 3, 4]);
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "7 completed, 3 unknown");
    assert_eq!(submissions(&local), 7);
    drop(batch);
    let batch = folder.open().on_unknown(OnUnknown::Resubmit).await.unwrap();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    assert_eq!(submissions(&local), 10);
}

/// Ten jobs, five of which end before all processes are gone for this long.
async fn away_for(time: Duration) -> (String, usize) {
    let local = service()
        .manual_clock()
        .endpoint("half", |job: LocalJob| async move {
            if job.input["n"].as_u64().unwrap() >= 5 {
                job.cancelled().await;
            }
            Ok(json!(null))
        })
        .workers_of("half", Workers::between(10, 10))
        .execution_timeout_of("half", 120 * MINUTE)
        .start()
        .await
        .unwrap();
    let offset = Arc::new(AtomicU64::new(0));
    let now = Arc::clone(&offset);
    let clock = move || SystemTime::now() + Duration::from_secs(now.load(SeqCst));
    let folder = Folder::with(10);
    let half = endpoint(&local, "half");
    {
        // Nothing is collected: polls are refused.
        local.add_fault(Fault::response(503, "{}").on(Operation::Status));
        let batch = folder.open().clock(clock.clone()).await.unwrap();
        let run = batch.run(half.clone());
        let stopper = run.stopper();
        let run = tokio::spawn(run);
        let submitted = async || batch.status().await.unwrap().counts.of(State::Submitted) == 10;
        until(submitted).await;
        until(async || half.health().await.unwrap().jobs.completed == 5).await;
        stopper.exit();
        run.await.unwrap().unwrap();
        local.clear_faults();
    }
    local.clock().advance(time);
    pass(&folder.path(""), time);
    offset.fetch_add(time.as_secs(), SeqCst);
    let batch = folder.open().clock(clock).await.unwrap();
    let run = batch.run(half);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.ended() == 5).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    (counts(&batch.status().await.unwrap()), submissions(&local))
}

#[tokio::test]
async fn after_29_minutes_every_result_is_collected() {
    assert_eq!(away_for(29 * MINUTE).await, ("5 submitted, 5 completed".to_owned(), 10));
}

#[tokio::test]
async fn after_31_minutes_finished_jobs_have_expired_and_are_not_submitted_again() {
    assert_eq!(away_for(31 * MINUTE).await, ("5 submitted, 5 expired".to_owned(), 10));
}

#[tokio::test]
async fn jobs_that_the_service_loses_are_lost() {
    let local = service().workers_of("double", Workers::between(0, 0)).start().await.unwrap();
    let folder = Folder::with(5);
    let batch = folder.open().await.unwrap();
    let double = endpoint(&local, "double");
    let run = tokio::spawn(batch.run(double.clone()));
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 5).await;
    double.purge_queue().await.unwrap();
    let report = run.await.unwrap().unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "5 lost");
    assert_eq!(report.stopped, None);
    assert!(folder.failures()[&0]["error"].as_str().unwrap().contains("cannot have expired"));
}

#[tokio::test]
async fn too_many_failures_stop_the_run() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    folder.write_inputs((0..2_000).map(|_| json!({ "fail": "no" })));
    let batch = folder.open().await.unwrap();
    let run = batch.run(endpoint(&local, "double")).window(50);
    let report = run.max_failures(MaxFailures::Count(10)).await.unwrap();
    assert_eq!(report.stopped, Some(Stopped::TooManyFailures));
    assert!(report.counts.of(State::Failed) > 10 && report.counts.of(State::Pending) > 0);
}

#[tokio::test]
async fn a_full_queue_shrinks_the_window_and_loses_nothing() {
    let local = service()
        .max_queued(20)
        .workers_of("double", Workers::between(2, 2))
        .start()
        .await
        .unwrap();
    let folder = Folder::with(300);
    let batch = folder.open().await.unwrap();
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(folder.results().len(), 300);
}

#[tokio::test]
async fn changed_inputs_are_accepted_on_request() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let lines = |from: u64| (from..from + 20_000).map(|n| json!({ "id": n, "in": { "n": n } }));
    folder.write_inputs(lines(100));
    let inputs = || folder.inputs().input_field("in").key_field("id");
    let open = || folder.open().inputs(inputs());
    let batch = open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(5).await.unwrap();
    drop(batch);
    // An input that has ended, a pending one, and all others at other positions.
    let text = std::fs::read_to_string(folder.path("inputs.jsonl")).unwrap();
    let text = text.replace("{\"n\":103}", "{\"n\":0}").replace("{\"n\":107}", "{ \"n\": 70}");
    folder.write("inputs.jsonl", &format!("{text}{{\"id\": 1, \"in\": {{\"n\": 1}}}}\n"));
    assert_eq!(open().await.unwrap_err().kind(), ErrorKind::InputsChanged);
    let batch = open().accept_changed_inputs().await.unwrap();
    let changed = batch.changed_inputs();
    assert_eq!((changed.pending, changed.kept), (1, 1));
    let run = batch.run(endpoint(&local, "double")).take(15);
    assert_eq!(run.await.unwrap().counts.of(State::Completed), 20);
    let results = folder.results();
    let outputs = [3, 7, 8].map(|index| results[&index]["output"]["n"].as_u64().unwrap());
    assert_eq!(outputs, [206, 140, 216]);
    drop(batch);
    assert_eq!(open().await.unwrap().status().await.unwrap().counts.total(), 20_001);

    folder.write_inputs(lines(100).take(9));
    let error = open().accept_changed_inputs().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    let other = Folder::with(3);
    let inputs = || other.inputs().dedupe();
    other.open().inputs(inputs()).await.unwrap();
    let error = other.open().inputs(inputs()).accept_changed_inputs().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
}

#[tokio::test]
async fn outstanding_jobs_are_collected_although_the_inputs_are_gone() {
    let local = service()
        .workers_of("double", Workers::between(0, 1).cold_start(Duration::from_secs(1)))
        .start()
        .await
        .unwrap();
    let folder = Folder::with(20);
    let batch = folder.open().await.unwrap();
    let run = tokio::spawn(batch.run(endpoint(&local, "double")).window(5));
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 5).await;
    folder.write("inputs.jsonl", "{\"n\": 1}\n");
    let error = run.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    assert_eq!(counts(&batch.status().await.unwrap()), "15 pending, 5 completed");
}

#[tokio::test]
async fn another_process_cancels_a_batch_that_runs() {
    let local = service().workers_of("double", Workers::between(0, 0)).start().await.unwrap();
    let double = endpoint(&local, "double");
    let folder = Folder::with(3_000);
    let batch = folder.open().await.unwrap();
    let run = tokio::spawn(batch.run(double.clone()).window(30));
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 30).await;
    assert!(is_open(&folder.journal()));
    let mut reader = Reader::open(&folder.journal()).unwrap();
    until(async || live_progress(&folder).is_some()).await;
    assert_eq!(live_progress(&folder).unwrap().window, 30);
    reader.request_cancel().unwrap();
    let report = run.await.unwrap().unwrap();
    assert_eq!(report.stopped, Some(Stopped::Cancelled));
    assert_eq!(counts(&batch.status().await.unwrap()), "3000 cancelled");
    assert_eq!(folder.failures().len(), 3_000);
    assert_eq!(double.health().await.unwrap().jobs.in_queue, 0);
    assert_eq!(live_progress(&folder), None);
    // The request is not one for the next run.
    assert_eq!(batch.retry(&[State::Cancelled]).await.unwrap(), 3_000);
    let run = batch.run(double).take(5);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 5).await;
    stopper.exit();
    assert_eq!(run.await.unwrap().unwrap().counts.of(State::Cancelled), 0);
    drop(batch);
    assert!(!is_open(&folder.journal()));
}

fn live_progress(folder: &Folder) -> Option<LiveProgress> {
    Reader::open(&folder.journal()).unwrap().live_progress().unwrap()
}

#[tokio::test]
async fn an_unfinished_last_line_is_indexed_again() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    folder.write("inputs.jsonl", "{\"n\": 0}\n{\"n\": ");
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed, 1 refused");
    drop(batch);
    folder.write("inputs.jsonl", "{\"n\": 0}\n{\"n\": 1}\n{\"n\": 2}\n{\"n");
    let batch = folder.open().await.unwrap();
    let again = batch.run(endpoint(&local, "double"));
    assert_eq!(again.await.unwrap().submitted_now, 2);
    assert_eq!(counts(&batch.status().await.unwrap()), "3 completed, 1 refused");
    drop(batch);
    // Earlier lines must not change.
    folder.write("inputs.jsonl", "{\"n\": 0}\n{\"n\": 1}\n{\"n\": 2}\n{\"m\": 3}\n");
    assert_eq!(folder.open().await.unwrap_err().kind(), ErrorKind::InputsChanged);

    // While a batch runs.
    let folder = Folder::new();
    let whole = "{\"n\": 0}\n{\"n\": 1}\n";
    let more = "{\"n\": 0}\n{\"n\": 1}\n{\"n\": 2}\n";
    for (inputs, grown) in
        [(folder.inputs(), whole), (folder.inputs(), more), (folder.inputs().dedupe(), more)]
    {
        let folder_of = Folder::new();
        local.add_fault(Fault::response(503, "{}").on(Operation::Status));
        folder.write("inputs.jsonl", "{\"n\": 0}\n{\"n\": ");
        let batch = folder_of.open().inputs(inputs).await.unwrap();
        let running = tokio::spawn(batch.run(endpoint(&local, "double")).into_future());
        let refused = async || batch.status().await.unwrap().counts.of(State::Refused) == 1;
        until(refused).await;
        folder.write("inputs.jsonl", grown);
        let refused = async || batch.status().await.unwrap().counts.of(State::Refused) == 0;
        until(refused).await;
        local.clear_faults();
        running.await.unwrap().unwrap();
        let expected = format!("{} completed", grown.lines().count());
        assert_eq!(counts(&batch.status().await.unwrap()), expected);
        assert_eq!(folder_of.results()[&1]["output"], json!({ "n": 2 }));
    }
}

#[tokio::test]
async fn too_many_failures_stop_a_run_at_once() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    folder.write_inputs((0..400).map(|n| json!({ "n": n, "fail": "no" })));
    let batch = folder.open().await.unwrap();
    let run = || batch.run(endpoint(&local, "double")).window(10);
    let report = run().max_failures(MaxFailures::Count(5)).await.unwrap();
    assert_eq!(report.stopped, Some(Stopped::TooManyFailures));
    // Those in the window, when the sixth failure was seen.
    assert!((6..=15).contains(&report.submitted_now), "{report:?}");
    let again = run().max_failures(MaxFailures::Count(5)).await.unwrap();
    assert_eq!((again.stopped, again.submitted_now), (Some(Stopped::TooManyFailures), 0));
}

#[tokio::test]
async fn another_endpoint_and_policy_can_be_used_on_resume() {
    let local = service()
        .endpoint("other", |_| async { Ok(json!("other")) })
        .workers_of("double", Workers::between(0, 1).cold_start(Duration::from_secs(2)))
        .start()
        .await
        .unwrap();
    let folder = Folder::with(6);
    let batch = folder.open().await.unwrap();
    let policy = Policy::new().ttl(Duration::from_secs(3_600)).low_priority(false);
    let run = batch.run(endpoint(&local, "double")).policy(policy).window(3);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 3).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    let report = batch.run(endpoint(&local, "other")).await.unwrap();
    assert!(report.is_complete(), "{report:?}");
    let outputs: Vec<_> = folder.results().into_values().map(|it| it["output"].clone()).collect();
    assert_eq!(outputs[..3], [json!({"n": 0}), json!({"n": 2}), json!({"n": 4})]);
    assert_eq!(outputs[3..], [json!("other"), json!("other"), json!("other")]);
    drop(batch);
    let runs = folder.journal().open().unwrap().runs().unwrap();
    assert_eq!(runs[0].1.ttl, Some(3_600_000));
    assert_eq!(
        (runs[0].1.endpoint_id.as_str(), runs[1].1.endpoint_id.as_str()),
        ("double", "other")
    );
}

#[tokio::test]
async fn jobs_of_another_service_are_left_to_a_run_that_knows_it() {
    let [one, two] = [service().start().await.unwrap(), service().start().await.unwrap()];
    let folder = Folder::new();
    let values = || Inputs::iter((0..2).map(|n| json!({ "n": n })));
    let batch: Batch = folder.open().inputs(values()).await.unwrap();
    one.add_fault(podqueue_local::Fault::response(503, "{}").on(podqueue_local::Operation::Status));
    let run = batch.run(endpoint(&one, "double")).take(1);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 1).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    one.clear_faults();
    let report = batch.run(endpoint(&two, "double")).await.unwrap();
    assert_eq!((report.not_collected, report.counts.of(State::Submitted)), (1, 1));
    let run = batch.run(endpoint(&two, "double")).collect_from(endpoint(&one, "double"));
    assert!(run.await.unwrap().is_complete());
}
