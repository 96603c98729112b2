//! Server-sent events of the page.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use podqueue_local::{Builder, Fault, Operation, RateLimits};
use reqwest::Method;
use serde_json::{Value, json};

use crate::page_access::{Browser, service};
use crate::support::{Attached, Service, TEST_DEADLINE, eventually, seconds};

/// The comment that keeps a stream alive.
const ALIVE: &str = ":";

/// The events that one page gets.
pub struct Events {
    response: reqwest::Response,
    text: String,
    /// The last event.
    state: Value,
}

impl Events {
    pub async fn of(browser: &Browser<'_>) -> Self {
        let response = browser.request(Method::GET, "/_local/events").send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new(), state: Value::Null }
    }

    /// The next event; none at the end.
    async fn next_block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            let more = tokio::time::timeout(TEST_DEADLINE, self.response.chunk()).await.unwrap();
            self.text.push_str(std::str::from_utf8(&more.unwrap()?).unwrap());
        }
    }

    pub async fn next(&mut self) -> Value {
        loop {
            let block = self.next_block().await.unwrap();
            if let Some(data) = block.strip_prefix("event: state\ndata: ") {
                self.state = serde_json::from_str(data).unwrap();
                return self.state.clone();
            }
            assert_eq!(block, ALIVE);
        }
    }

    /// Waits until the last event says something.
    pub async fn until(&mut self, is_so: impl Fn(&Value) -> bool) -> Value {
        let never = async {
            while self.state.is_null() || !is_so(&self.state) {
                self.next().await;
            }
        };
        assert!(tokio::time::timeout(TEST_DEADLINE, never).await.is_ok(), "never: {}", self.state);
        self.state.clone()
    }
}

pub fn endpoint<'a>(state: &'a Value, name: &str) -> &'a Value {
    let endpoints = state["endpoints"].as_array().unwrap();
    endpoints.iter().find(|endpoint| endpoint["name"] == name).unwrap()
}

#[tokio::test]
async fn the_first_event_is_the_state_and_is_sent_at_once() {
    let service = Service::still(|builder| {
        builder.without_builtin_endpoints().endpoint("own", |_| async { Ok(json!(1)) }).page()
    })
    .await;
    let browser = Browser::open(&service).await;
    let expected = json!({
        "name": "own",
        "kind": "closure",
        "attachable": false,
        "jobs": {
            "IN_QUEUE": 0, "IN_PROGRESS": 0, "COMPLETED": 0, "FAILED": 0, "CANCELLED": 0,
            "TIMED_OUT": 0, "EXPIRED": 0,
        },
        "workers": {
            "idle": 1, "running": 0, "starting": 0, "unhealthy": 0, "min": 1, "max": 3,
        },
        "totals": { "submitted": 0, "completed": 0, "failed": 0, "throttled": 0 },
    });
    let state = Events::of(&browser).await.next().await;
    assert_eq!(state["endpoints"], json!([expected]));
    assert_eq!(browser.get("/_local/endpoints").await, json!([expected]));
    assert_eq!(state["clock"], json!({ "nowMs": 0, "manual": true, "nextEventMs": null }));
    let revision = json!({
        "jobs": { "own": 0 }, "logs": {}, "requests": 0, "webhooks": 0, "faults": 0, "limits": 0,
    });
    assert_eq!(state["revision"], revision);
}

#[tokio::test]
async fn an_event_follows_each_kind_of_change() {
    let limits = RateLimits::documented();
    let service = Service::still(|builder| builder.rate_limits(limits).page()).await;
    let browser = Browser::open(&service).await;
    let mut events = Events::of(&browser).await;
    let first = events.next().await;
    let grown = |what: &str| {
        let before = first["revision"][what].as_u64().unwrap();
        let what = what.to_owned();
        move |state: &Value| state["revision"][&what].as_u64().unwrap() > before
    };
    let webhook = json!({ "input": { "ms": 60_000 }, "webhook": "http://127.0.0.1:1/" });
    let id = service.run("sleep", webhook).await;
    let running = |state: &Value| endpoint(state, "sleep")["jobs"]["IN_PROGRESS"] == 1;
    let state = events.until(running).await;
    assert_eq!(endpoint(&state, "sleep")["workers"]["running"], 1);
    assert_eq!(endpoint(&state, "sleep")["totals"]["submitted"], 1);
    // The handler goes to sleep a moment after its job has started.
    events.until(|state| state["clock"]["nextEventMs"] == 60_000).await;
    events.until(grown("requests")).await;
    service.advance(seconds(60));
    let completed = |state: &Value| endpoint(state, "sleep")["jobs"]["COMPLETED"] == 1;
    let state = events.until(completed).await;
    assert_eq!(state["clock"]["nowMs"], 60_000);
    events.until(grown("webhooks")).await;
    service.local.add_fault(Fault::response(429, "{}").on(Operation::Health).times(1));
    events.until(grown("faults")).await;
    assert_eq!(service.get("/v2/sleep/health").await.0, 429);
    events.until(|state| endpoint(state, "sleep")["totals"]["throttled"] == 1).await;
    service.status("sleep", &id).await;
    // Half an hour later its result has expired, and the page still counts it.
    service.advance(seconds(30 * 60));
    events.until(|state| endpoint(state, "sleep")["jobs"]["EXPIRED"] == 1).await;
}

/// Nothing else has changed then, and the page has been quiet.
#[tokio::test(start_paused = true)]
async fn an_event_follows_if_only_the_next_wake_up_changes() {
    let service = crate::support::in_real_time(service()).await;
    let browser = crate::support::in_real_time(Browser::open(&service)).await;
    let mut events = crate::support::in_real_time(Events::of(&browser)).await;
    let mut expected = crate::support::in_real_time(events.next()).await;
    let sleep = |time| {
        let clock = service.local.clock().clone();
        tokio::spawn(async move { clock.sleep(seconds(time)).await })
    };
    assert_eq!(events.next_block().await.unwrap(), ALIVE);
    let mut follows = async |next: Value| {
        let block = events.next_block().await.unwrap();
        let state = block.strip_prefix("event: state\ndata: ").unwrap_or_else(|| panic!("{block}"));
        expected["clock"]["nextEventMs"] = next;
        assert_eq!(serde_json::from_str::<Value>(state).unwrap(), expected);
        assert_eq!(events.next_block().await.unwrap(), ALIVE);
    };
    let later = sleep(30);
    follows(json!(30_000)).await;
    let sooner = sleep(10);
    follows(json!(10_000)).await;
    sooner.abort();
    follows(json!(30_000)).await;
    later.abort();
    follows(Value::Null).await;
}

#[tokio::test]
async fn workers_that_attach_are_counted_and_their_logs_too() {
    let service = Service::still(|builder| {
        builder
            .endpoint_for_workers("free")
            .worker_endpoint("shout", "echo hello; sleep 600")
            .page()
    })
    .await;
    let browser = Browser::open(&service).await;
    let mut events = Events::of(&browser).await;
    let state = events.until(|state| state["revision"]["logs"]["shout"] != json!(0)).await;
    let shout = endpoint(&state, "shout");
    assert_eq!((&shout["kind"], &shout["attachable"]), (&json!("worker"), &json!(true)));
    assert_eq!(shout["workers"]["starting"], 1);
    let free = endpoint(&state, "free");
    assert_eq!((&free["workers"]["min"], &free["workers"]["max"]), (&Value::Null, &Value::Null));
    let worker = Attached::new(&service, "free", "w1");
    service.run("free", json!({ "input": {} })).await;
    worker.take().await.unwrap();
    events.until(|state| endpoint(state, "free")["workers"]["running"] == 1).await;
    worker.ping("status=unhealthy&reason=tired").await;
    events.until(|state| endpoint(state, "free")["workers"]["unhealthy"] == 1).await;
}

#[tokio::test]
async fn many_changes_are_few_events() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let mut events = Events::of(&browser).await;
    let begun = std::time::Instant::now();
    for _ in 0..300 {
        service.run("echo", json!({ "input": {} })).await;
    }
    let mut count = 0;
    loop {
        let state = events.next().await;
        count += 1;
        if endpoint(&state, "echo")["jobs"]["COMPLETED"] == 300 {
            break;
        }
    }
    let most = 2 + begun.elapsed().as_millis() / 100;
    assert!(count <= most, "{count} events in {:?}", begun.elapsed());
}

/// The service keeps at most one event that is not read.
#[tokio::test]
async fn a_page_that_does_not_read_does_not_block_others() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let _unread = Events::of(&browser).await;
    let mut read = Events::of(&browser).await;
    for _ in 0..100 {
        service.run("echo", json!({ "input": {} })).await;
    }
    read.until(|state| endpoint(state, "echo")["jobs"]["COMPLETED"] == 100).await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_service_sends_only_keep_alive_comments() {
    let service = crate::support::in_real_time(service()).await;
    let browser = crate::support::in_real_time(Browser::open(&service)).await;
    let mut events = crate::support::in_real_time(Events::of(&browser)).await;
    crate::support::in_real_time(events.next()).await;
    let begun = tokio::time::Instant::now();
    for _ in 0..4 {
        assert_eq!(events.next_block().await.unwrap(), ALIVE);
    }
    // Four quarters of a minute, of which the first may have begun a moment ago.
    assert!(begun.elapsed() >= Duration::from_secs(59), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_stream_ends_with_the_service_and_needs_a_key() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let mut events = Events::of(&browser).await;
    events.next().await;
    let request = service.http.get(format!("{}/_local/events", service.local.base_url()));
    assert_eq!(request.send().await.unwrap().status(), 401);
    service.local.shutdown().await;
    assert_eq!(events.next_block().await, None);
}

/// The largest number of streams.
const MAX_STREAMS: usize = 64;

async fn streams(browser: &Browser<'_>, count: usize) -> Vec<Events> {
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(Events::of(browser).await);
    }
    streams
}

/// On a real clock, two snapshots have different times.
#[tokio::test]
async fn all_streams_share_the_same_snapshots() {
    let service = Service::start(Builder::page).await;
    let browser = Browser::open(&service).await;
    let begun = Instant::now();
    let mut streams = streams(&browser, MAX_STREAMS).await;
    for _ in 0..200 {
        service.run("echo", json!({ "input": {} })).await;
    }
    let mut looks = BTreeSet::new();
    for stream in &mut streams {
        loop {
            let state = stream.next().await;
            looks.insert(state.to_string());
            if endpoint(&state, "echo")["jobs"]["COMPLETED"] == 200 {
                break;
            }
        }
    }
    let most = 2 + begun.elapsed().as_millis() / 100;
    assert!(looks.len() as u128 <= most, "{} looks in {:?}", looks.len(), begun.elapsed());
}

#[tokio::test]
async fn one_stream_too_many_is_refused_until_another_is_closed() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let mut streams = streams(&browser, MAX_STREAMS).await;
    let refused = browser.request(Method::GET, "/_local/events").send().await.unwrap();
    assert_eq!(refused.status(), 429);
    let text = refused.text().await.unwrap();
    assert!(text.contains("64 streams of events are open"), "{text}");
    streams.pop();
    let is_admitted = async || {
        browser.request(Method::GET, "/_local/events").send().await.unwrap().status() == 200
    };
    eventually("another stream is possible", is_admitted).await;
}
