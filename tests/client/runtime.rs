//! Where calls are awaited.

use futures_util::{FutureExt, StreamExt};
use podqueue::{Client, Endpoint, ErrorKind};
use serde_json::Value;

fn endpoint() -> Endpoint {
    let settings = Client::builder().api_key("k").base_url("http://127.0.0.1:9");
    settings.build().unwrap().endpoint("ep")
}

#[test]
fn outside_of_a_runtime_calls_are_refused_and_do_not_panic() {
    let job = endpoint().job("j");
    let errors = [
        endpoint().run(&1).into_future().now_or_never().unwrap().map(drop),
        endpoint().run_sync(&1).into_future().now_or_never().unwrap().map(drop),
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
#[should_panic(expected = "timers are disabled")]
fn a_runtime_without_a_timer_is_a_panic() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let _ = runtime.block_on(endpoint().run(&1).into_future());
}
