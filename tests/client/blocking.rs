//! Calls without async, outside and inside of runtimes.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use podqueue::blocking::{Block, BlockIter};
use podqueue::{Client, Endpoint, ErrorKind, NewTemplate, StreamChunk};
use podqueue_local::{Fault, LocalJob, LocalService, Operation};
use serde_json::{Value, json};
use tokio::runtime::Builder;

fn service() -> (LocalService, Client) {
    let local = LocalService::builder()
        .endpoint("echo", |job: LocalJob| async move { Ok(job.input["n"].clone()) })
        .endpoint("count", |job: LocalJob| async move {
            for n in 0..job.input["n"].as_u64().unwrap() {
                job.emit(json!(n)).await;
            }
            Ok(Value::Null)
        })
        .start()
        .block()
        .unwrap();
    let client = client(&local);
    (local, client)
}

fn client(local: &LocalService) -> Client {
    Client::builder()
        .api_key(local.api_key())
        .base_url(local.base_url())
        .rest_url(local.rest_url())
        .graphql_url(local.graphql_url())
        .build()
        .unwrap()
}

fn inputs(count: u32) -> impl Iterator<Item = BTreeMap<&'static str, u32>> + Send {
    (0..count).map(|n| BTreeMap::from([("n", n)]))
}

fn echo(endpoint: &Endpoint, n: u32) -> u32 {
    let job = endpoint.run(&json!({ "n": n })).block().unwrap();
    job.wait().block().unwrap().output().unwrap()
}

#[test]
fn blocking_calls_run_stream_and_collect_jobs() {
    let (_local, client) = service();
    let endpoint = client.endpoint("echo");
    assert_eq!(echo(&endpoint, 7), 7);
    assert_eq!(
        endpoint.run_sync(&json!({ "n": "now" })).output::<String>().block().unwrap(),
        "now"
    );
    assert!(endpoint.run(&json!({})).block().unwrap().status().block().is_ok());
    assert!(endpoint.health().block().is_ok());
    assert!(endpoint.purge_queue().block().is_ok());

    let job = client.endpoint("count").run(&json!({ "n": 5 })).block().unwrap();
    let chunks: Vec<StreamChunk<u64>> = job.stream().block_iter().map(Result::unwrap).collect();
    assert_eq!(chunks.iter().map(|it| it.output).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);

    let mut done: Vec<(u32, u32)> = endpoint
        .run_all(inputs(40))
        .submit(|run| run.timeout(Duration::from_secs(20)))
        .block_iter()
        .map(|it| (it.input["n"], it.result.unwrap().output().unwrap()))
        .collect();
    done.sort_unstable();
    assert_eq!(done, (0..40).map(|n| (n, n)).collect::<Vec<_>>());
}

#[test]
fn blocking_calls_manage_templates_and_secrets() {
    let (_local, client) = service();
    assert_eq!(client.rest().get_pod("none").block().unwrap_err().kind(), ErrorKind::NotFound);
    let template = NewTemplate::serverless("t", "image:1").container_disk_gb(1);
    let id = client.templates().create(template).block().unwrap().id;
    assert_eq!(client.rest().get_template(&id).block().unwrap().id.as_ref(), Some(&id));
    let secret = client.secrets().create("name", "value").block().unwrap();
    client.secrets().delete(secret.id).block().unwrap();
    client.templates().delete("t").block().unwrap();
    assert_eq!(client.rest().get_template(&id).block().unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn the_remaining_calls_and_an_event_stream_can_block() {
    let (local, client) = service();
    let endpoint = client.endpoint("count");
    endpoint.available_submissions(1).block();
    let job = endpoint.run(&json!({ "n": 3 })).block().unwrap();
    assert!(job.wait().timeout(Duration::from_secs(20)).block().is_ok());
    assert!(job.status().ttl(Duration::from_secs(60)).block().is_ok());
    assert_eq!(job.cancel().block().unwrap_err().status(), Some(400));
    assert_eq!(job.retry().block().unwrap_err().status(), Some(400));
    assert!(endpoint.requests().block().is_ok());
    assert!(client.graphql().raw("{ __typename }", Default::default()).block().is_ok());

    let events = "data: 1\n\ndata: 2\n\n";
    let events = Fault::response(200, events).header("content-type", "text/event-stream");
    local.add_fault(events.on(Operation::OpenAi).times(1));
    let events = endpoint.openai_stream("v1/completions", &json!({})).block().unwrap();
    let data: Vec<u32> = events.block_iter().map(|it| it.unwrap().json().unwrap()).collect();
    assert_eq!(data, [1, 2]);
    local.add_fault(Fault::response(200, "{}").on(Operation::OpenAi).times(1));
    assert!(endpoint.openai("v1/models", &json!({})).block().is_ok());
}

#[cfg(feature = "webhook")]
#[test]
fn a_webhook_call_is_received() {
    let (_local, client) = service();
    let endpoint = client.endpoint("echo");
    let record = endpoint.run(&json!({ "n": 1 })).block().unwrap().wait().block().unwrap();
    let webhooks = podqueue::Webhooks::builder(&endpoint).build().unwrap();
    let url = webhooks.url("http://127.0.0.1:9/hooks").unwrap();
    let path = url.expose().strip_prefix("http://127.0.0.1:9").unwrap();
    assert_eq!(webhooks.receive(path, record.as_bytes()).block().status(), 200);
}

/// A task of tokio may do 128 operations until it has to return; a call of ours does not return.
#[test]
fn any_number_of_blocking_calls_completes_inside_a_task() {
    let (_local, client) = service();
    let multi = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let single = Builder::new_current_thread().enable_all().build().unwrap();
    let bare = Builder::new_current_thread().build().unwrap();
    let set = tokio::task::LocalSet::new();
    for runtime in [&multi, &single, &bare] {
        let endpoint = client.endpoint("echo");
        let work = async move { (0..100).map(|n| echo(&endpoint, n)).sum::<u32>() };
        assert_eq!(runtime.block_on(runtime.spawn(work)).unwrap(), 4_950);
        let endpoint = client.endpoint("echo");
        assert_eq!(set.block_on(runtime, async { echo(&endpoint, 1) }), 1);
        let _entered = runtime.enter();
        assert_eq!(echo(&endpoint, 2), 2);
    }
}

/// A handler and a function that changes submissions run in a call, on our own runtime in the one
/// case and on the caller's thread in the other.
#[test]
fn a_blocking_call_inside_a_blocking_call_completes() {
    let (_inner, client) = service();
    let called = client.endpoint("echo");
    let outer = LocalService::builder()
        .endpoint("relay", move |job: LocalJob| {
            let called = called.clone();
            async move {
                let n = job.input["n"].as_u64().unwrap();
                Ok(json!(echo(&called, u32::try_from(n).unwrap())))
            }
        })
        .start()
        .block()
        .unwrap();
    let relay = self::client(&outer).endpoint("relay");
    let looked = client.endpoint("echo");
    let results = relay.run_all(inputs(8)).concurrency(8).submit(|run| {
        assert_eq!(echo(&looked, 3), 3);
        run
    });
    let sum: u32 = results.block_iter().map(|it| it.result.unwrap().output::<u32>().unwrap()).sum();
    assert_eq!(sum, 28);
}

#[test]
fn dropping_an_unfinished_call_needs_no_runtime() {
    let (_local, client) = service();
    let endpoint = client.endpoint("echo");
    let job = client.endpoint("count").run(&json!({ "n": 1_000 })).block().unwrap();
    let mut chunks = job.stream::<u64>().block_iter();
    assert_eq!(chunks.next().unwrap().unwrap().output, 0);
    drop(chunks);
    let mut results = endpoint.run_all(inputs(1_000)).block_iter();
    assert!(results.next().unwrap().result.is_ok());
    drop(results);
    drop(endpoint.run(&json!({})));
    drop(job.wait());
    assert_eq!(echo(&endpoint, 9), 9);
}

#[test]
fn blocking_calls_of_many_threads_complete() {
    let (_local, client) = service();
    let threads = (0..16).map(|n| {
        let endpoint = client.endpoint("echo");
        thread::spawn(move || {
            (0..10).for_each(|m| assert_eq!(echo(&endpoint, n * 10 + m), n * 10 + m))
        })
    });
    let threads: Vec<_> = threads.collect();
    threads.into_iter().for_each(|it| it.join().unwrap());
}

#[test]
fn an_ended_iterator_stays_ended() {
    let (_local, client) = service();
    let mut results = client.endpoint("echo").run_all(inputs(1)).block_iter();
    assert!(results.next().is_some());
    assert!(results.next().is_none());
    assert!(results.next().is_none());
}

#[test]
fn a_panic_of_the_call_is_passed_on_and_the_next_call_works() {
    let (_local, client) = service();
    let endpoint = client.endpoint("echo");
    let panicked = endpoint.clone();
    let panic = thread::spawn(move || {
        panicked.run_all(inputs(1)).submit(|_| panic!("by the test")).block_iter().for_each(drop);
    });
    assert_eq!(panic.join().unwrap_err().downcast_ref(), Some(&"by the test"));
    assert_eq!(echo(&endpoint, 4), 4);
}

/// What yields is woken by the scheduler of the thread, which does not get the thread back.
#[test]
fn a_future_that_yields_inside_of_a_runtime_continues() {
    let multi = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    for runtime in [&multi, &Builder::new_current_thread().build().unwrap()] {
        let yields = || async {
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        };
        runtime.block_on(async { yields().block() });
        runtime.block_on(runtime.spawn(async move { yields().block() })).unwrap();
    }
}

/// A runtime of the caller has no tasks of the client, on any thread.
#[test]
fn blocking_calls_inside_other_runtimes_complete() {
    let (_local, client) = service();
    let endpoint = client.endpoint("echo");
    let work = move || {
        let multi = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let single = Builder::new_current_thread().enable_all().build().unwrap();
        let set = tokio::task::LocalSet::new();
        let first = multi.block_on(set.run_until(async { echo(&endpoint, 1) }));
        first + single.block_on(async { async { echo(&endpoint, 2) }.block() })
    };
    assert_eq!(async { tokio::task::spawn_blocking(work).await.unwrap() }.block(), 3);
}

#[test]
fn a_call_leaves_the_callers_permit_to_be_unparked() {
    let caller = thread::current();
    async {
        thread::spawn(move || caller.unpark()).join().unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    .block();
    let started = Instant::now();
    thread::park_timeout(Duration::from_secs(60));
    assert!(started.elapsed() < Duration::from_secs(30), "the permit was used up");
}

/// A thread has a single permit to be unparked, and the inner call uses it up.
#[test]
fn a_wakeup_is_not_lost_to_a_call_inside_of_the_call() {
    let mut polls = 0;
    let outer = std::future::poll_fn(|context| {
        polls += 1;
        if polls == 2 {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        async { tokio::time::sleep(Duration::from_millis(5)).await }.block();
        std::task::Poll::Pending
    });
    outer.block();
    assert_eq!(polls, 2);
}

/// In a process of its own, which is this test again: with few files open, and all of them taken.
#[cfg(unix)]
#[test]
fn a_runtime_that_cannot_start_is_an_error_and_the_next_call_tries_again() {
    const FEW: &str = "PODQUEUE_TEST_FEW_FILES";
    if std::env::var_os(FEW).is_none() {
        let name =
            "blocking::a_runtime_that_cannot_start_is_an_error_and_the_next_call_tries_again";
        let mut itself = std::process::Command::new("sh");
        itself.args(["-c", "ulimit -n 64 && exec \"$0\" --exact \"$1\" --nocapture"]);
        let ran = itself.arg(std::env::current_exe().unwrap()).arg(name).env(FEW, "1").output();
        let ran = ran.unwrap();
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && text.contains("1 passed"), "{ran:?}");
        return;
    }
    let null = || std::fs::File::open("/dev/null");
    let all: Vec<_> = std::iter::from_fn(|| null().ok()).collect();
    for _ in 0..2 {
        assert!(podqueue::blocking::start().is_err());
        let panic = thread::spawn(|| async {}.block()).join().unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.starts_with("no runtime for blocking calls: Too many open files"), "{text}");
    }
    drop(all);
    assert!(podqueue::blocking::start().is_ok());
    let (_local, client) = service();
    assert_eq!(echo(&client.endpoint("echo"), 5), 5);
}
