//! Streaming: both wire shapes, polled until the job has ended and no chunk is left.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Error, ErrorKind, Polling, RetryPolicy, StreamChunk};
use serde_json::{Value, json};

use crate::support::{Reply, Script};

async fn all(server: &Script) -> Vec<Result<StreamChunk<Value>, Error>> {
    let stream = server.endpoint().job("j").stream::<Value>();
    let collected = stream.collect();
    tokio::time::timeout(Duration::from_secs(20), collected).await.expect("a stream that ends")
}

fn outputs(items: &[Result<StreamChunk<Value>, Error>]) -> Vec<Value> {
    items.iter().flatten().map(|chunk| chunk.output.clone()).collect()
}

fn array(outputs: &[u32]) -> Reply {
    let chunks: Vec<_> = outputs.iter().map(|n| json!({"output": n, "metrics": {}})).collect();
    Reply::ok(json!(chunks))
}

fn object(status: &str, outputs: &[u32]) -> Reply {
    let chunks: Vec<_> = outputs.iter().map(|n| json!({"output": n})).collect();
    Reply::ok(json!({"status": status, "stream": chunks}))
}

fn record(status: &str) -> Reply {
    Reply::ok(json!({"id": "j", "status": status, "error": "the reason"}))
}

#[tokio::test]
async fn the_documented_array_is_drained_until_the_status_says_it_has_ended() {
    let server = Script::of([
        array(&[]),
        record("IN_PROGRESS"),
        array(&[1, 2]),
        array(&[3]),
        array(&[]),
        record("COMPLETED"),
        array(&[4]),
        array(&[]),
    ])
    .await;
    let items = all(&server).await;
    assert_eq!(outputs(&items), [1, 2, 3, 4]);
    assert!(items.iter().all(Result::is_ok));
    assert_eq!(server.lines()[0], "GET /v2/ep/stream/j");
    assert_eq!(server.requests().len(), 8);
}

#[tokio::test]
async fn a_job_is_submitted_and_streamed_in_one_step() {
    let server = Script::of([
        Reply::ok(json!({"id": "j", "status": "IN_QUEUE"})),
        object("IN_PROGRESS", &[1, 2]),
        object("COMPLETED", &[3]),
        object("COMPLETED", &[]),
    ])
    .await;
    let mut stream = server.endpoint().run(json!({"n": 3})).stream::<Value>();
    assert!(stream.job().is_none(), "nothing is submitted yet");
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!((first.output, stream.job().map(|it| it.id())), (json!(1), Some("j")));
    let rest: Vec<_> = stream.collect().await;
    assert_eq!(outputs(&rest), [2, 3]);
    assert_eq!(server.lines()[0], "POST /v2/ep/run");
    assert_eq!(server.lines()[1], "GET /v2/ep/stream/j");
}

#[tokio::test]
async fn a_submission_that_fails_is_the_only_item_of_its_stream() {
    let server = Script::of([Reply::json(400, r#"{"error": "no such input"}"#)]).await;
    let mut stream = server.endpoint().run(json!({})).stream::<Value>();
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
    assert!(stream.next().await.is_none() && stream.job().is_none());
}

#[tokio::test]
async fn a_stream_after_one_that_has_ended_says_that_its_chunks_are_delivered() {
    let drained = || object("COMPLETED", &[]);
    let server = Script::of([object("COMPLETED", &[1]), drained(), drained(), drained()]).await;
    let job = server.endpoint().job("j");
    let first: Vec<_> = job.stream::<Value>().collect().await;
    assert_eq!((outputs(&first), first.len()), (vec![json!(1)], 1));
    // Also of a clone of the handle, as often as it is tried.
    for _ in 0..2 {
        let again: Vec<_> = job.clone().stream::<Value>().collect().await;
        let [Err(error)] = again.as_slice() else { panic!("{again:?}") };
        assert_eq!((error.kind(), error.job_id()), (ErrorKind::StreamGap, Some("j")));
        let text = error.to_string();
        assert!(text.contains("an earlier stream of this job has ended"), "{text}");
    }
}

#[tokio::test]
async fn a_stream_after_a_retry_or_after_one_that_was_dropped_continues() {
    let server = Script::of([
        object("FAILED", &[]),
        record("FAILED"),
        object("COMPLETED", &[7]),
        object("COMPLETED", &[]),
    ])
    .await;
    let job = server.endpoint().job("j");
    let failed: Vec<_> = job.stream::<Value>().collect().await;
    assert!(matches!(failed.as_slice(), [Err(error)] if error.kind() == ErrorKind::JobFailed));
    let retried: Vec<_> = job.stream::<Value>().collect().await;
    assert_eq!((outputs(&retried), retried.len()), (vec![json!(7)], 1));

    let server = Script::of([
        object("IN_PROGRESS", &[1]),
        object("COMPLETED", &[]),
        object("COMPLETED", &[]),
    ])
    .await;
    let job = server.endpoint().job("j");
    assert_eq!(job.stream::<Value>().next().await.unwrap().unwrap().output, 1);
    let rest: Vec<_> = job.stream::<Value>().collect().await;
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test]
async fn chunks_that_are_dropped_with_a_stream_are_a_gap_of_the_next() {
    let server = Script::of([
        object("IN_PROGRESS", &[1, 2, 3]),
        object("COMPLETED", &[4]),
        object("COMPLETED", &[]),
        object("COMPLETED", &[]),
    ])
    .await;
    let job = server.endpoint().job("j");
    assert_eq!(job.stream::<Value>().next().await.unwrap().unwrap().output, 1);
    // A stream that is not polled leaves the report to the next.
    drop(job.clone().stream::<Value>());
    let rest: Vec<_> = job.stream::<Value>().collect().await;
    let [Ok(chunk)] = rest.as_slice() else { panic!("{rest:?}") };
    assert!(chunk.output == 4 && chunk.after_gap);
    // It is reported once.
    let again: Vec<_> = job.stream::<Value>().collect().await;
    let [Err(error)] = again.as_slice() else { panic!("{again:?}") };
    assert!(error.to_string().contains("an earlier stream of this job has ended"), "{error}");

    let server = Script::of([object("IN_PROGRESS", &[1, 2]), object("COMPLETED", &[])]).await;
    let job = server.endpoint().job("j");
    assert_eq!(job.stream::<Value>().next().await.unwrap().unwrap().output, 1);
    let rest: Vec<_> = job.stream::<Value>().collect().await;
    let [Err(error)] = rest.as_slice() else { panic!("{rest:?}") };
    assert_eq!(error.kind(), ErrorKind::StreamGap);
    assert!(error.to_string().contains("an earlier stream was dropped"), "{error}");
}

#[tokio::test]
async fn the_object_is_drained_beyond_its_terminal_status() {
    let server = Script::of([
        object("IN_PROGRESS", &[1]),
        Reply::ok(r#"{"status":"IN_PROGRESS"}"#),
        record("IN_PROGRESS"),
        object("COMPLETED", &[2, 3]),
        object("COMPLETED", &[4]),
        object("COMPLETED", &[]),
    ])
    .await;
    let items = all(&server).await;
    assert_eq!(outputs(&items), [1, 2, 3, 4]);
    assert!(items.iter().all(Result::is_ok));
}

#[tokio::test]
async fn every_unhappy_end_is_the_last_item_in_both_shapes() {
    for (status, kind) in [
        ("FAILED", ErrorKind::JobFailed),
        ("CANCELLED", ErrorKind::JobCancelled),
        ("TIMED_OUT", ErrorKind::JobTimedOut),
    ] {
        let in_arrays = [array(&[1]), array(&[]), record(status), array(&[2]), array(&[])];
        let in_objects = [object(status, &[1, 2]), object(status, &[]), record(status)];
        for replies in [in_arrays.to_vec(), in_objects.to_vec()] {
            let server = Script::of(replies).await;
            let mut items = all(&server).await;
            let last = items.pop().unwrap().unwrap_err();
            assert_eq!(last.kind(), kind);
            assert!(last.to_string().contains("the reason"), "{last}");
            assert_eq!(outputs(&items), [1, 2]);
        }
    }
}

#[tokio::test]
async fn a_failed_job_whose_record_is_gone_still_ends_in_its_error() {
    let gone = Reply::json(404, "{}");
    let server = Script::of([object("FAILED", &[1]), object("FAILED", &[]), gone]).await;
    let mut items = all(&server).await;
    assert_eq!(items.pop().unwrap().unwrap_err().kind(), ErrorKind::JobFailed);
    assert_eq!(outputs(&items), [1]);
}

#[tokio::test]
async fn a_stream_continues_when_its_job_is_retried_before_it_was_read_to_the_end() {
    for told in ["FAILED", "TIMED_OUT"] {
        let server = Script::of([
            object(told, &[1]),
            object(told, &[]),
            record("IN_QUEUE"),
            object("IN_PROGRESS", &[2]),
            object("IN_PROGRESS", &[]),
            record("IN_PROGRESS"),
            object("FAILED", &[3]),
            object("FAILED", &[]),
            record("FAILED"),
        ])
        .await;
        let mut items = all(&server).await;
        assert_eq!(items.pop().unwrap().unwrap_err().kind(), ErrorKind::JobFailed);
        assert_eq!(outputs(&items), [1, 2, 3]);
        assert_eq!(server.requests().len(), 9);
    }
}

/// Limit of polls without a status.
#[tokio::test(start_paused = true)]
async fn a_stream_whose_status_cannot_be_read_ends_after_a_quarter_of_an_hour() {
    for status in ["IN_PROGRESS", "FAILED"] {
        let (chunks, error) = (object(status, &[]), Reply::json(503, r#"{"error":"no status"}"#));
        let pairs = (0..1_000).flat_map(|_| [chunks.clone(), error.clone()]);
        let script = [object(status, &[1])].into_iter().chain(pairs);
        let server = Script::of(script).await;
        let settings = server.settings().retry(RetryPolicy::never()).polling(Polling::new());
        let stream = settings.build().unwrap().endpoint("ep").job("j").stream::<Value>();
        let started = tokio::time::Instant::now();
        let mut items: Vec<_> = stream.collect().await;
        let error = items.pop().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Server, "{error}");
        assert!(error.to_string().contains("no status"), "{error}");
        assert_eq!(outputs(&items), [1]);
        let minutes = started.elapsed().as_secs_f64() / 60.0;
        assert!((15.0..15.5).contains(&minutes), "{status}: {minutes} minutes");
    }
}

#[tokio::test(start_paused = true)]
async fn patience_begins_anew_with_every_status_that_is_read() {
    let ten_minutes = Duration::from_secs(600);
    let failing = || [object("IN_PROGRESS", &[]), Reply::json(503, "{}")];
    let going_on = || [object("IN_PROGRESS", &[]), record("IN_PROGRESS")];
    let mut script = Vec::new();
    for _ in 0..4 {
        script.extend(failing().into_iter().chain(failing()).chain(going_on()));
    }
    script.extend([object("COMPLETED", &[1]), object("COMPLETED", &[])]);
    let server = Script::of(script).await;
    let polling = Polling::new().initial_interval(ten_minutes).max_interval(ten_minutes);
    let settings = server.settings().retry(RetryPolicy::never()).polling(polling);
    let stream = settings.build().unwrap().endpoint("ep").job("j").stream::<Value>();
    let started = tokio::time::Instant::now();
    let items: Vec<_> = stream.collect().await;
    assert_eq!(outputs(&items), [1]);
    assert_eq!(items.len(), 1);
    assert!(started.elapsed() > Duration::from_secs(80 * 60), "{:?}", started.elapsed());
}

#[tokio::test]
async fn an_unreadable_chunk_response_is_a_gap_and_not_the_end() {
    for garbled in ["", "<html>", r#"[{"output":2},{"outp"#, r#"{"status":"COMPLETED","stre"#] {
        let script =
            [array(&[1]), Reply::ok(garbled), array(&[3]), array(&[]), record("COMPLETED")];
        let server = Script::of(script.into_iter().chain([array(&[])])).await;
        let items = all(&server).await;
        assert_eq!(outputs(&items), [1, 3], "{garbled}");
        let gaps: Vec<_> = items.iter().map(|item| item.as_ref().unwrap().after_gap).collect();
        assert_eq!(gaps, [false, true], "{garbled}");
    }
}

#[tokio::test]
async fn a_chunk_has_its_metrics() {
    let metrics = json!({
        "avg_gen_throughput": 1.5, "avg_prompt_throughput": 2, "cpu_kv_cache_usage": 3,
        "gpu_kv_cache_usage": 4, "input_tokens": 5, "output_tokens": 6, "pending": 7, "running": 8,
        "scenario": "stream", "stream_index": 9, "swapped": 10, "own": {"a": 1}
    });
    let strange = json!({"pending": {"a": 1}, "scenario": 5, "running": null});
    let chunks = json!([
        {"output": {"text": "a"}, "metrics": metrics},
        {"output": {"text": "b"}, "metrics": strange},
        {"output": {"text": "c"}, "metrics": null},
        {"output": {"text": "d"}},
    ]);
    let server = Script::of([Reply::ok(chunks), array(&[]), record("COMPLETED"), array(&[])]).await;
    let items = all(&server).await;
    let chunk = items[0].as_ref().unwrap();
    let read = &chunk.metrics;
    assert_eq!(chunk.output, json!({"text": "a"}));
    let numbers = [
        read.avg_gen_throughput,
        read.avg_prompt_throughput,
        read.cpu_kv_cache_usage,
        read.gpu_kv_cache_usage,
        read.input_tokens,
        read.output_tokens,
        read.pending,
        read.running,
        read.stream_index,
        read.swapped,
    ];
    assert_eq!(numbers, [1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0].map(Some));
    assert_eq!(read.scenario.as_deref(), Some("stream"));
    assert_eq!(Value::from(read.others.clone()), json!({"own": {"a": 1}}));
    let strange_read = &items[1].as_ref().unwrap().metrics;
    assert_eq!(Value::from(strange_read.others.clone()), strange);
    assert_eq!(items.len(), 4);
}

#[tokio::test]
async fn a_chunk_of_another_type_is_one_error_item_and_the_stream_continues() {
    let chunks = json!([{"output": 1}, {"output": "two"}, {"output": 3}]);
    let server = Script::of([Reply::ok(chunks), array(&[]), record("COMPLETED"), array(&[])]).await;
    let items: Vec<_> = server.endpoint().job("j").stream::<u32>().collect().await;
    let read: Vec<_> = items
        .iter()
        .map(|item| item.as_ref().map(|chunk| chunk.output).map_err(|error| error.kind()))
        .collect();
    assert_eq!(read, [Ok(1), Err(ErrorKind::Decode), Ok(3)]);
    assert_eq!(items[1].as_ref().unwrap_err().field(), Some("output"));
}

#[tokio::test]
async fn a_stream_survives_transient_failures_and_marks_possible_gaps() {
    let server = Script::of([
        array(&[1]),
        Reply::json(429, "{}"),
        array(&[2]),
        Reply::Close,
        array(&[3]),
        Reply::json(502, "{}"),
        Reply::json(502, "{}"),
        Reply::json(502, "{}"),
        array(&[4]),
        array(&[5]),
        array(&[]),
        record("COMPLETED"),
        array(&[]),
    ])
    .await;
    let items = all(&server).await;
    let gaps: Vec<_> = items.iter().flatten().map(|chunk| chunk.after_gap).collect();
    assert_eq!(outputs(&items), [1, 2, 3, 4, 5]);
    assert_eq!(gaps, [false, false, true, true, false]);
}

#[tokio::test(start_paused = true)]
async fn no_retry_after_makes_a_stream_miss_the_end() {
    let asked = || Reply::json(503, "{}").header("retry-after", 100);
    let done = json!({"id": "sync-j", "status": "FAILED", "error": "the reason"});
    let script = [asked(), array(&[1]), array(&[]), asked(), array(&[]), Reply::ok(done)];
    let server = Script::of(script.into_iter().chain([array(&[])])).await;
    let started = tokio::time::Instant::now();
    let mut stream = server.endpoint().job("sync-j").stream::<Value>();
    assert_eq!(stream.next().await.unwrap().unwrap().output, 1);
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobFailed);
    // Twice a third of the minute for which the result of a synchronous job is kept.
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(40) && took <= Duration::from_secs(45), "{took:?}");
}

#[tokio::test]
async fn a_final_failure_is_the_last_item() {
    let server = Script::of([array(&[1]), Reply::json(404, "{}")]).await;
    let mut items = all(&server).await;
    assert_eq!(items.pop().unwrap().unwrap_err().kind(), ErrorKind::JobExpired);
    assert_eq!(outputs(&items), [1]);
}

#[tokio::test]
async fn the_first_poll_comes_at_once_and_the_next_are_polite() {
    let server = Script::then_always([], object("IN_PROGRESS", &[])).await;
    let client = server.settings().polling(podqueue::Polling::new()).build().unwrap();
    let mut stream = client.endpoint("ep").job("j").stream::<Value>();
    let second = tokio::time::timeout(Duration::from_millis(1_000), stream.next());
    second.await.unwrap_err();
    let polls = server.lines().iter().filter(|line| line.contains("/stream/")).count();
    assert!((2..=8).contains(&polls), "{polls} polls in a second");
}

#[tokio::test]
async fn a_stream_continues_when_its_job_is_retried_after_its_end_was_seen() {
    let failed = || Reply::ok(json!({"id": "j", "status": "FAILED", "error": "the reason"}));
    let going_on = || Reply::ok(json!({"id": "j", "status": "IN_PROGRESS"}));
    let chunk = |n: u8| Reply::ok(json!([{"output": n}]));
    let batch = |status: &str, chunks: Value| {
        Reply::ok(json!({"id": "j", "status": status, "stream": chunks}))
    };
    let none = || Reply::ok("[]");
    let empty = || batch("IN_PROGRESS", json!([]));
    let completed = || Reply::ok(json!({"id": "j", "status": "COMPLETED"}));
    let end = || [none(), completed(), none()];
    for (then, expected) in [
        (vec![empty(), going_on(), chunk(1)], vec![1]),
        (vec![chunk(1), none(), going_on(), chunk(2)], vec![1, 2]),
        (
            vec![batch("IN_QUEUE", json!([{"output": 1}])), empty(), going_on(), chunk(2)],
            vec![1, 2],
        ),
        (vec![chunk(1), none(), completed(), chunk(2)], vec![1, 2]),
    ] {
        let script = [none(), failed()].into_iter().chain(then).chain(end());
        let server = Script::of(script).await;
        let outputs: Vec<_> = server.endpoint().job("j").stream::<u8>().collect().await;
        let outputs: Vec<_> = outputs.into_iter().map(|chunk| chunk.unwrap().output).collect();
        assert_eq!(outputs, expected, "{:?}", server.lines());
    }
    // A stream that only seems to continue has ended, and is not polled indefinitely.
    let (empty, failed) = (empty(), failed());
    let server = Script::by(move |request| {
        if request.target.contains("/stream/") { empty.clone() } else { failed.clone() }
    });
    let server = server.await;
    let items: Vec<_> = server.endpoint().job("j").stream::<u8>().collect().await;
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].as_ref().unwrap_err().kind(), ErrorKind::JobFailed);
}
