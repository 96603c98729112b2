//! Tokio runtimes: calls awaited outside of one, in several, and after one was shut down.

use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use podqueue::{Client, Endpoint, ErrorKind};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::support::{Reply, Script};

fn endpoint() -> Endpoint {
    let settings = Client::builder().api_key("k").base_url("http://127.0.0.1:9");
    settings.build().unwrap().endpoint("ep")
}

#[test]
fn outside_of_a_runtime_calls_are_refused_and_do_not_panic() {
    let job = endpoint().job("j");
    let errors = [
        endpoint().run(&json!({})).into_future().now_or_never().unwrap().map(drop),
        endpoint().run_sync(&json!({})).into_future().now_or_never().unwrap().map(drop),
        endpoint().health().into_future().now_or_never().unwrap().map(drop),
        job.status().into_future().now_or_never().unwrap().map(drop),
        job.wait().into_future().now_or_never().unwrap().map(drop),
        job.stream::<Value>().next().now_or_never().unwrap().unwrap().map(drop),
    ];
    for error in errors.map(Result::unwrap_err) {
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{error}");
        assert!(error.to_string().contains("tokio runtime"), "{error}");
    }
}

#[test]
fn a_runtime_without_timer_or_io_is_a_panic_that_says_so() {
    for (with_timer, what) in [(false, "timers are disabled"), (true, "IO is disabled")] {
        let panic = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            if with_timer {
                runtime.enable_time()
            } else {
                runtime.enable_io()
            };
            let _ = runtime.build().unwrap().block_on(endpoint().run(&json!({})).into_future());
        });
        let panic = panic.join().unwrap_err();
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap();
        assert!(said.contains(what), "{said}");
    }
}

fn runtime_of_one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn held_calls_of_a_runtime_that_stands_still_keep_their_places_for_their_time_only() {
    let serving = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let record = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#).late(Duration::from_millis(200));
    let server = serving.block_on(Script::then_always([], record));
    // Which version of HTTP it speaks is not known before the first response.
    let settings = server.settings().http_client(reqwest::Client::new());
    let client = settings.timeout(Duration::from_millis(300)).build().unwrap();
    let (endpoint, input) = (client.endpoint("ep"), json!({}));
    let call = || endpoint.openai("v1/chat/completions", &input).into_future();
    let still = runtime_of_one_thread();
    // More than there are places: some have one, and some wait for one.
    let mut held: Vec<_> = (0..12).map(|_| call()).collect();
    still.block_on(async {
        for call in &mut held {
            assert!(futures_util::poll!(call).is_pending());
        }
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    });
    let other = runtime_of_one_thread();
    let call = other.block_on(async { timeout(Duration::from_secs(20), call()).await });
    call.expect("a place is free").unwrap();
    drop((held, still));
}

#[test]
fn a_runtime_that_was_shut_down_before_a_call_was_sent_leaves_no_doubt() {
    let serving = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = serving.block_on(Script::then_always([], Reply::Hang));
    let settings = server.settings().http_client(reqwest::Client::new());
    let endpoint = settings.build().unwrap().endpoint("ep");
    let input = json!({});
    let gone = runtime_of_one_thread();
    let mut held: Vec<_> = (0..12).map(|_| endpoint.run_sync(&input).into_future()).collect();
    gone.block_on(async {
        for call in &mut held {
            assert!(futures_util::poll!(call).is_pending());
        }
        while server.requests().len() < 8 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    drop(gone);
    let other = runtime_of_one_thread();
    let mut unknown = 0;
    for call in held {
        // One that was not sent is sent again, and waits for the response.
        let ended = other.block_on(async { timeout(Duration::from_millis(200), call).await });
        if let Ok(result) = ended {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
            unknown += 1;
        }
    }
    assert_eq!((unknown, server.requests().len()), (8, 12));
}
