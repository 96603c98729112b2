//! Where calls are awaited.

use futures_util::{FutureExt, StreamExt};
use podqueue::{Client, Endpoint, ErrorKind};
use serde_json::{Value, json};

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
