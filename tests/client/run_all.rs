//! Bulk submission, against the local service, and against the scripted server for failures that no
//! service produces.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::{FutureExt, StreamExt};
use podqueue::{
    Client, Endpoint, ErrorKind, Finished, Observation, Policy, Polling, RemoteCancel, Wait,
};
use podqueue_local::{Fault, LocalJob, LocalService, Operation};
use serde::Serialize;
use serde_json::{Value, json};
use tracing::Instrument;
use tracing::instrument::WithSubscriber;
use tracing_subscriber::layer::SubscriberExt;

use crate::support::{Reply, Script, client_of};

/// An input.
#[derive(Clone, Copy, Debug, Serialize)]
struct Number {
    n: u32,
}

const NUMBERS: [Number; 3] = [Number { n: 1 }, Number { n: 2 }, Number { n: 3 }];

/// A service whose endpoint `picky` fails odd numbers and returns the square of even ones.
async fn service() -> LocalService {
    let picky = |job: LocalJob| async move {
        match job.input["n"].as_u64().ok_or("no number")? {
            n if n % 2 == 1 => Err(format!("{n} is odd").into()),
            n => Ok(json!(n * n)),
        }
    };
    let builder = LocalService::builder().endpoint("picky", picky).manual_clock();
    builder.workers(4, 4).start().await.unwrap()
}

fn endpoint(local: &LocalService, name: &str) -> Endpoint {
    client_of(local).endpoint(name)
}

fn count(local: &LocalService, path: &str) -> usize {
    local.requests().iter().filter(|request| request.path.contains(path)).count()
}

/// Waits until `jobs` jobs have completed, and polling has stopped.
async fn until_read(local: &LocalService, endpoint: &Endpoint, jobs: u64) {
    while endpoint.health().await.unwrap().jobs.completed < jobs {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut asked = 0;
    while count(local, "/status") != asked {
        asked = count(local, "/status");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

#[tokio::test]
async fn each_result_comes_with_its_input_failures_included() {
    let local = service().await;
    let results = endpoint(&local, "picky").run_all((0..40).map(|n| json!({"n": n})));
    let mut results: Vec<Finished<Value>> = results.concurrency(8).collect().await;
    results.sort_by_key(|finished| finished.index);
    assert_eq!(results.len(), 40);
    for (n, finished) in results.into_iter().enumerate() {
        assert_eq!((finished.index, finished.input), (n, json!({"n": n})));
        if n % 2 == 0 {
            assert_eq!(finished.result.unwrap().output::<usize>().unwrap(), n * n);
        } else {
            let error = finished.result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::JobFailed);
            assert!(error.to_string().ends_with(&format!("{n} is odd")), "{error}");
        }
    }
}

#[tokio::test]
async fn no_more_than_the_concurrency_is_in_flight() {
    let local = service().await;
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    let inputs = (0..60_u64).map(move |n| {
        counted.fetch_add(1, Ordering::Relaxed);
        json!({"n": 2 * n})
    });
    let mut results = endpoint(&local, "picky").run_all(inputs).concurrency(5);
    assert_eq!(taken.load(Ordering::Relaxed), 0, "nothing is taken before it is polled");
    let mut handed_out = 0;
    while let Some(finished) = results.next().await {
        let in_flight = taken.load(Ordering::Relaxed) - handed_out;
        assert!((1..=5).contains(&in_flight), "{in_flight} are in flight");
        assert!(count(&local, "/run") <= handed_out + 5);
        finished.result.unwrap();
        handed_out += 1;
    }
    assert_eq!(handed_out, 60);
}

#[tokio::test]
async fn a_dropped_stream_submits_nothing_more() {
    let local = service().await;
    let mut results = endpoint(&local, "picky").run_all((0_u64..).map(|n| json!({"n": 2 * n})));
    results = results.concurrency(3);
    results.next().await.unwrap().result.unwrap();
    drop(results);
    // Submissions in flight arrive.
    tokio::time::sleep(Duration::from_millis(250)).await;
    let (submitted, asked) = (count(&local, "/run"), count(&local, "/status"));
    assert!((1..=3).contains(&submitted), "{submitted}");
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!((count(&local, "/run"), count(&local, "/status")), (submitted, asked));
}

#[tokio::test]
async fn a_dropped_stream_asks_for_nothing_more() {
    let local = service().await;
    let inputs = (0..3).map(|_| json!({"ms": 60_000}));
    let mut results = endpoint(&local, "sleep").run_all(inputs);
    let polled_again = async {
        while count(&local, "/status") <= 3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = results.next() => panic!("no job ends"),
        () = polled_again => {}
    }
    drop(results);
    // Polls in flight arrive.
    tokio::time::sleep(Duration::from_millis(250)).await;
    let asked = count(&local, "/status");
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(count(&local, "/status"), asked);
}

#[tokio::test]
async fn no_result_expires_because_the_consumer_is_slow() {
    let local = service().await;
    let endpoint = endpoint(&local, "picky");
    let mut results = endpoint.run_all([0, 2, 4, 6].map(|n| json!({"n": n})));
    results.next().await.unwrap().result.unwrap();
    // The consumer is busy. Meanwhile all jobs end and are read, and then the service drops them.
    until_read(&local, &endpoint, 4).await;
    local.clock().advance(Duration::from_secs(31 * 60));
    while let Some(finished) = results.next().await {
        finished.result.unwrap();
    }
}

#[tokio::test]
async fn inputs_can_be_still_to_come() {
    let local = service().await;
    let (send, receive) = tokio::sync::mpsc::channel::<Value>(1);
    let inputs = futures_util::stream::unfold(receive, |mut receive| async move {
        receive.recv().await.map(|input| (input, receive))
    });
    let mut results = endpoint(&local, "picky").run_stream(inputs);
    for n in [8, 6, 4] {
        send.send(json!({"n": n})).await.unwrap();
        let finished = results.next().await.unwrap();
        assert_eq!(finished.result.unwrap().output::<u32>().unwrap(), n * n);
    }
    drop(send);
    assert!(results.next().await.is_none());
}

#[tokio::test]
async fn a_failed_submission_is_a_result_too() {
    #[derive(Serialize)]
    struct Input {
        n: u64,
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "refuse")]
        refused: Option<()>,
    }

    fn refuse<S: serde::Serializer>(_: &Option<()>, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("not this one"))
    }

    let local = service().await;
    let inputs = (0..4).map(|n| Input { n: 2 * n, refused: (n == 1).then_some(()) });
    let mut results: Vec<_> = endpoint(&local, "picky").run_all(inputs).collect().await;
    results.sort_by_key(|finished| finished.index);
    let kinds: Vec<_> = results.iter().map(|f| f.result.as_ref().map_err(|e| e.kind())).collect();
    assert_eq!(kinds.iter().filter(|kind| kind.is_ok()).count(), 3);
    assert_eq!(kinds[1].as_ref().unwrap_err(), &ErrorKind::InvalidRequest);
    assert_eq!(results[1].input.n, 2);
    assert_eq!(count(&local, "/run"), 3);
}

#[tokio::test]
async fn a_lost_submission_is_an_error_result_unless_at_least_once() {
    for (at_least_once, kind, submitted) in
        [(false, Some(ErrorKind::OutcomeUnknown), 4), (true, None, 5)]
    {
        let local = service().await;
        local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
        let mut results = endpoint(&local, "echo").run_all((0..4).map(|n| json!({"n": n})));
        if at_least_once {
            results = results.submit(podqueue::Run::at_least_once);
        }
        let results: Vec<Finished<Value>> = results.concurrency(1).collect().await;
        let kinds: Vec<_> = results
            .iter()
            .map(|finished| finished.result.as_ref().err().map(podqueue::Error::kind))
            .collect();
        assert_eq!(kinds, [kind, None, None, None]);
        assert_eq!(count(&local, "/run"), submitted);
    }
}

#[tokio::test]
async fn settings_go_with_each_job() {
    let local = service().await;
    let policy = Policy::new().ttl(Duration::from_secs(1));
    let results = endpoint(&local, "picky").run_all([json!({"n": 0})]);
    let results = results.submit(|run| run.policy(policy.clone()));
    let results: Vec<_> = results.collect().await;
    let error = results[0].result.as_ref().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some("policy.ttl")));

    let results = endpoint(&local, "sleep").run_all([json!({"ms": 60_000})]);
    let short = Duration::from_millis(50);
    let results = results.wait(move |wait| wait.timeout(short)).wait(Wait::cancel_on_timeout);
    let results: Vec<_> = results.collect().await;
    let error = results[0].result.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
    assert!(matches!(error.remote_cancel(), Some(RemoteCancel::Cancelled)));
}

#[tokio::test]
async fn many_waits_stay_within_the_polling_rate() {
    let local = service().await;
    let quick = Duration::from_millis(1);
    let polling = Polling::new().initial_interval(quick).max_interval(quick).per_second(40);
    let inputs = (0..60).map(|_| json!({"ms": 3_600_000}));
    let results = endpoint(&local, "sleep").run_all(inputs);
    let mut results = results.wait(move |wait| wait.polling(polling.clone()));
    let started = Instant::now();
    loop {
        let end = tokio::time::timeout(Duration::from_millis(100), results.next()).await;
        assert!(end.is_err(), "no job ends");
        let asked = count(&local, "/status");
        let most = 41.0 + 40.0 * started.elapsed().as_secs_f64();
        assert!((asked as f64) <= most, "{asked} questions, at most {most}");
        // More than were admitted at once.
        if asked >= 90 {
            break;
        }
    }
}

#[tokio::test]
async fn the_last_poll_before_a_deadline_needs_no_permit() {
    let local = service().await;
    let polling = Polling::new().per_second(1);
    let settings =
        Client::builder().api_key(local.api_key()).base_url(local.base_url()).polling(polling);
    let endpoint = settings.build().unwrap().endpoint("sleep");
    let others: Vec<_> = (0..20).map(|_| json!({"ms": 3_600_000})).collect();
    let mut others = endpoint.run_all(others);
    let a_while = Duration::from_millis(200);
    assert!(tokio::time::timeout(a_while, others.next()).await.is_err(), "no job ends");

    // Its turn would come in half a minute.
    let job = endpoint.run(&json!({"ms": 3_600_000})).await.unwrap();
    job.cancel().await.unwrap();
    let wait = job.wait().timeout(Duration::from_millis(500));
    assert_eq!(wait.await.unwrap_err().kind(), ErrorKind::JobCancelled);
}

#[tokio::test]
async fn a_panicking_task_is_reported_and_affects_no_other() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#)).await;
    let submitted = AtomicUsize::new(0);
    let settings = server.settings().observe(move |observation| {
        if let Observation::CallEnded { operation: "run", .. } = observation {
            assert!(submitted.fetch_add(1, Ordering::Relaxed) != 1, "the second is one too many");
        }
    });
    let results = settings.build().unwrap().endpoint("ep").run_all(NUMBERS).concurrency(1);
    let results: Vec<Finished<Number>> = results.collect().await;
    assert_eq!(results.len(), 3);
    assert!(results[0].result.is_ok() && results[2].result.is_ok(), "{results:?}");
    let error = results[1].result.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert!(error.to_string().contains("its task panicked"), "{error}");
}

#[tokio::test]
async fn a_job_whose_wait_function_panics_is_reported_by_its_id() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#)).await;
    let results = server.endpoint().run_all([Number { n: 1 }]).wait(|_| panic!("on purpose"));
    let results: Vec<Finished<Number>> = results.collect().await;
    let error = results[0].result.as_ref().unwrap_err();
    assert_eq!((error.kind(), error.job_id()), (ErrorKind::OutcomeUnknown, Some("j")), "{error}");
}

#[tokio::test]
async fn a_panicking_input_uses_its_index() {
    #[derive(Debug)]
    struct Input(u32);

    impl Serialize for Input {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            assert_ne!(self.0, 1, "a panic on purpose");
            Number { n: self.0 }.serialize(serializer)
        }
    }

    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#)).await;
    let mut results = server.endpoint().run_all((0..4).map(Input)).concurrency(1);
    let mut places = Vec::new();
    loop {
        match AssertUnwindSafe(results.next()).catch_unwind().await {
            Ok(Some(finished)) => places.push((finished.index, finished.input.0)),
            Ok(None) => break,
            Err(_) => places.push((usize::MAX, 1)),
        }
    }
    assert_eq!(places, [(0, 0), (usize::MAX, 1), (2, 2), (3, 3)]);
}

/// Results around panics of inputs, which are caught; `None` is a panic.
async fn caught<S>(inputs: S) -> Vec<Option<usize>>
where
    S: futures_util::Stream<Item = Number> + Send,
{
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#)).await;
    let mut results = server.endpoint().run_stream(inputs);
    let mut seen = Vec::new();
    for _ in 0..7 {
        let next = AssertUnwindSafe(results.next()).catch_unwind();
        match tokio::time::timeout(Duration::from_secs(20), next).await.expect("no result is lost")
        {
            Ok(Some(finished)) => seen.push(Some(finished.index)),
            Ok(None) => break,
            Err(_) => seen.push(None),
        }
    }
    assert_eq!(server.requests().iter().filter(|request| request.method == "POST").count(), {
        seen.iter().flatten().count()
    });
    seen
}

#[tokio::test]
async fn inputs_that_panic_take_no_result_along() {
    let input = |n: u32| {
        assert_ne!(n, 2, "a panic on purpose");
        Number { n }
    };
    let mut seen = caught(futures_util::stream::iter((0..5).map(input))).await;
    assert_eq!(seen.remove(0), None);
    seen[..2].sort();
    seen[2..].sort();
    assert_eq!(seen, [Some(0), Some(1), Some(3), Some(4)], "they went on, each in its place");

    // An input stream that panics at every further poll, like a future that has panicked.
    let mut left = 0..3;
    let seen = caught(futures_util::stream::poll_fn(move |_| {
        let n = left.next().expect("a panic on purpose");
        std::task::Poll::Ready(Some(Number { n }))
    }));
    let mut seen = seen.await;
    seen[1..4].sort();
    assert_eq!(seen, [None, Some(0), Some(1), Some(2), None, None, None]);
}

#[tokio::test]
async fn a_change_of_submissions_that_panics_takes_no_result_along() {
    let local = service().await;
    let mut calls = 0;
    let all = endpoint(&local, "echo").run_all((0..).map(|n| json!({"n": n})));
    let mut all = all.concurrency(3).submit(move |run| {
        calls += 1;
        assert!(calls == 1, "told to");
        run
    });
    let mut results = Vec::new();
    for _ in 0..3 {
        let next = std::panic::AssertUnwindSafe(all.next()).catch_unwind().await;
        results.push(next.ok().flatten().map(|finished| finished.index));
    }
    assert_eq!(results, [None, Some(0), None], "then the next input is tried");
}

#[tokio::test]
async fn submissions_and_waits_are_in_the_callers_span() {
    #[derive(Clone, Default)]
    struct Parents(Arc<Mutex<Vec<Option<&'static str>>>>);

    impl<S> tracing_subscriber::Layer<S> for Parents
    where
        S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
    {
        fn on_new_span(
            &self,
            _: &tracing::span::Attributes<'_>,
            id: &tracing::span::Id,
            context: tracing_subscriber::layer::Context<'_, S>,
        ) {
            let span = context.span(id).unwrap();
            if span.name() == "podqueue.call" {
                self.0.lock().unwrap().push(span.parent().map(|parent| parent.name()));
            }
        }
    }

    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#)).await;
    let parents = Parents::default();
    let subscriber = tracing_subscriber::registry().with(parents.clone());
    let endpoint = server.endpoint();
    let calls = async {
        let results = endpoint.run_all(NUMBERS).collect::<Vec<_>>();
        assert_eq!(results.instrument(tracing::info_span!("the callers")).await.len(), 3);
    };
    calls.with_subscriber(subscriber).await;
    assert_eq!(*parents.0.lock().unwrap(), [Some("the callers"); 6]);
}

#[test]
fn a_task_shut_down_with_its_runtime_is_reported() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let (_server, mut results) = first.block_on(async {
        let server = Script::then_always([], Reply::Hang).await;
        let mut results = server.endpoint().run_all([NUMBERS[0]]);
        let a_while = Duration::from_millis(50);
        assert!(tokio::time::timeout(a_while, results.next()).await.is_err(), "no answer comes");
        (server, results)
    });
    drop(first);
    let error = runtime().block_on(results.next()).unwrap().result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert!(error.to_string().contains("shut down with the runtime"), "{error}");
}
