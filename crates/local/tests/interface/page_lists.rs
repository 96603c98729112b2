//! Control-plane lists other than jobs: requests, webhooks, limits, faults, worker logs and the
//! clock.

use std::time::Duration;

use podqueue_local::{Fault, Operation, RateLimits};
use reqwest::Method;
use serde_json::{Value, json};

use crate::page_access::{Browser, service};
use crate::support::{Service, answer, eventually, seconds};

#[tokio::test]
async fn requests_come_in_windows_with_what_they_were_about() {
    let service = Service::still(|builder| {
        let limit = podqueue_local::RateLimit { requests: 1, concurrent: None };
        let limits = RateLimits::documented().limit(Operation::PurgeQueue, limit);
        builder.rate_limits(limits).page()
    })
    .await;
    let browser = Browser::open(&service).await;
    service.get("/v2/echo/health?x=1&api_key=canary").await;
    service.advance(seconds(3));
    service.post("/v2/count/purge-queue").await;
    service.post("/v2/count/purge-queue").await;
    service.local.add_fault(Fault::response(503, "{}").on(Operation::GetPod).times(1));
    browser.request(Method::GET, "/v1/pods/pod-gpu").send().await.unwrap();
    answer(service.http.get(format!("{}/v2/echo/health", service.local.base_url()))).await;
    let list = browser.get("/_local/requests?limit=500").await;
    assert_eq!(list["total"], 5);
    let requests: Vec<Value> = list["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            json!([
                it["number"],
                it["endpoint"],
                it["operation"],
                it["status"],
                it["note"],
                it["atMs"]
            ])
        })
        .collect();
    let expected = json!([
        [4, "echo", "health", 401, "unauthorized", 3000],
        [3, null, "get-pod", 503, "fault", 3000],
        [2, "count", "purge-queue", 429, "limited", 3000],
        [1, "count", "purge-queue", 200, null, 3000],
        [0, "echo", "health", 200, null, 0],
    ]);
    assert_eq!(json!(requests), expected);
    assert_eq!(list["requests"][4]["query"], "x=1");
    let numbers = async |query: &str| {
        let list = browser.get(&format!("/_local/requests?{query}")).await;
        let requests = list["requests"].as_array().unwrap();
        let numbers = requests.iter().map(|request| request["number"].as_u64().unwrap());
        (list["total"].as_u64().unwrap(), numbers.collect::<Vec<_>>())
    };
    assert_eq!(numbers("status=4").await, (2, vec![4, 2]));
    assert_eq!(numbers("status=429").await, (1, vec![2]));
    assert_eq!(numbers("search=PURGE").await, (2, vec![2, 1]));
    assert_eq!(numbers("search=get%20/v2/echo").await, (2, vec![4, 0]));
    assert_eq!(numbers("offset=1&limit=2").await, (5, vec![3, 2]));
    // Without a query it is the array that it always was.
    let all = service.get("/_local/requests").await.1;
    assert_eq!(all.as_array().unwrap().len(), 5);
    assert_eq!(crate::support::members(&all[0]), ["method", "path", "query", "status"]);
}

#[tokio::test]
async fn a_request_has_its_bodies_where_they_are_json_of_the_queue_without_secrets() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let webhook = "http://127.0.0.1:1/?token=secret";
    let id = service.run("echo", json!({ "input": { "n": 1 }, "webhook": webhook })).await;
    let long = json!({ "input": { "text": "x".repeat(20_000) } });
    service.run("echo", long).await;
    service.get("/v1/pods/pod-gpu").await;
    let details = async |number: u32| browser.get(&format!("/_local/requests/{number}")).await;
    let first = details(0).await;
    let sent: Value = serde_json::from_str(first["sent"]["text"].as_str().unwrap()).unwrap();
    assert_eq!(sent, json!({ "input": { "n": 1 }, "webhook": "[redacted]" }));
    assert_eq!(first["sent"]["redacted"], true);
    assert!(first["received"]["text"].as_str().unwrap().contains(&id));
    assert!(first["tookMs"].as_f64().unwrap() > 0.0 && first["wallMs"].as_u64().unwrap() > 0);
    let second = details(1).await;
    assert_eq!(second["sent"]["text"], Value::Null);
    assert!(second["sent"]["length"].as_u64().unwrap() > 20_000);
    assert_eq!(details(2).await["sent"], Value::Null);
    let of_job = browser.get(&format!("/_local/requests?job={id}")).await;
    assert_eq!((&of_job["total"], &of_job["requests"][0]["number"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn the_activity_of_five_minutes_and_the_changes_of_a_list_are_counted() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    service.run("fail", json!({ "input": { "message": "\nfirst\nsecond" } })).await;
    service.run("sleep", json!({ "input": { "ms": 60_000 } })).await;
    let list = async |endpoint: &str, query: &str| {
        let list = browser.get(&format!("/_local/endpoints/{endpoint}/jobs?{query}")).await;
        json!([list["total"], list["retryable"], list["cancellable"], list["jobs"][0]["error"]])
    };
    eventually("the end", async || {
        browser.get("/_local/endpoints").await[2]["jobs"]["FAILED"] == 1
    })
    .await;
    for query in ["", "search=first", "status=FAILED"] {
        assert_eq!(list("fail", query).await, json!([1, 1, 0, "first"]), "{query}");
    }
    assert_eq!(list("sleep", "search=60000").await, json!([1, 0, 1, null]));
    let activity = browser.get("/_local/endpoints/fail/activity").await;
    let steps = activity["steps"].as_array().unwrap();
    let sum = |name: &str| steps.iter().filter_map(|step| step[name].as_u64()).sum::<u64>();
    assert_eq!((steps.len(), &activity["stepMs"]), (60, &json!(5000)));
    assert_eq!((sum("submitted"), sum("failed"), sum("completed")), (1, 1, 0));
}

#[tokio::test]
async fn webhook_attempts_come_in_windows() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let id = service.run("echo", json!({ "input": {}, "webhook": "http://127.0.0.1:1/" })).await;
    for number in 0..3 {
        eventually("a try", async || {
            browser.get("/_local/webhooks?limit=0").await["total"] == number + 1
        })
        .await;
        service.advance(seconds(10));
    }
    let part = browser.get("/_local/webhooks?offset=1&limit=1").await;
    assert_eq!(part["total"], 3);
    let row = &part["webhooks"][0];
    assert_eq!((&row["number"], &row["attempt"]), (&json!(1), &json!(2)));
    assert_eq!((&row["jobId"], &row["atMs"]), (&json!(id), &json!(10_000)));
    assert_eq!(row["endpoint"], "echo");
    let cause = row["error"].as_str().unwrap();
    assert!(cause.contains("Connection refused") || cfg!(windows), "{cause}");
    assert_eq!(service.get("/_local/webhooks").await.1.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn limits_show_how_far_they_are_used_and_what_was_refused() {
    let service = Service::still(|builder| {
        builder.api_key("another").rate_limits(RateLimits::documented()).page()
    })
    .await;
    let browser = Browser::open(&service).await;
    assert_eq!(browser.get("/_local/limits").await, json!([]));
    for _ in 0..3 {
        browser.post("/v2/echo/purge-queue", json!({})).await;
    }
    // The page and the first key are one user, another key is another.
    let url = format!("{}/v2/echo/purge-queue", service.local.base_url());
    answer(service.http.post(url).header("authorization", "another")).await;
    assert_eq!(service.post("/v2/echo/purge-queue").await.0, 429);
    service.get("/v2/echo/status/unknown").await;
    let limits = browser.get("/_local/limits").await;
    let expected = json!([
        {
            "endpoint": "echo", "operation": "status", "used": 1, "allowed": 2000,
            "windowMs": 10_000, "refused": 0,
        },
        {
            "endpoint": "echo", "operation": "purge-queue", "used": 2, "allowed": 2,
            "windowMs": 10_000, "refused": 2,
        },
    ]);
    assert_eq!(limits, expected);
    service.advance(seconds(10));
    let limits = browser.get("/_local/limits").await;
    assert_eq!((&limits[1]["used"], &limits[1]["refused"]), (&json!(0), &json!(2)));
    let without = crate::page_access::service().await;
    let browser = Browser::open(&without).await;
    without.get("/v2/echo/status/unknown").await;
    assert_eq!(browser.get("/_local/limits").await, json!([]));
}

#[tokio::test]
async fn faults_are_listed_as_they_were_added_and_ended_one_by_one() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let first =
        json!({ "operation": "health", "times": 2, "response": { "status": 503, "body": "{}" } });
    assert_eq!(browser.post("/_local/faults", first.clone()).await, (200, json!({ "id": 1 })));
    let second = json!({ "endpoint": "count", "delayMs": 5 });
    assert_eq!(browser.post("/_local/faults", second.clone()).await.1, json!({ "id": 2 }));
    service
        .local
        .add_fault(Fault::lost_response().on(Operation::Run).after(Duration::from_secs(1)));
    assert_eq!(service.get("/v2/echo/health").await.0, 503);
    let with = |mut fault: Value, more: Value| {
        let more = more.as_object().unwrap().clone();
        fault.as_object_mut().unwrap().extend(more);
        fault
    };
    let in_rust = json!({ "operation": "run", "delayMs": 1000, "effect": "reset" });
    let expected = json!([
        with(first, json!({ "id": 1, "left": 1, "affected": 1 })),
        with(second, json!({ "id": 2, "left": null, "affected": 0 })),
        with(in_rust, json!({ "id": 3, "left": null, "affected": 0 })),
    ]);
    assert_eq!(browser.get("/_local/faults").await, expected);
    let end = |id: &str| answer(browser.request(Method::DELETE, &format!("/_local/faults/{id}")));
    assert_eq!(end("2").await.0, 200);
    for unknown in ["2", "99", "x"] {
        assert_eq!(end(unknown).await.0, 404);
    }
    // One that has done all that it was to do is over.
    assert_eq!(service.get("/v2/echo/health").await.0, 503);
    let left = browser.get("/_local/faults").await;
    assert_eq!((left.as_array().unwrap().len(), &left[0]["id"]), (1, &json!(3)));
    assert_eq!(browser.post("/_local/faults", json!({ "cut": 1, "stall": true })).await.0, 400);
    assert_eq!(browser.get("/_local/faults").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_clock_is_advanced_to_the_next_event() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let turn = async || {
        let body = json!({ "toNextEvent": true });
        browser.post("/_local/clock/advance", body).await.1["nowMs"].as_u64().unwrap()
    };
    assert_eq!(turn().await, 0);
    let id = service.run("sleep", json!({ "input": { "ms": 7000 } })).await;
    eventually("a handler that sleeps", async || turn().await == 7000).await;
    service.until("sleep", &id, "COMPLETED").await;
    // Then an idle worker, if there is one too many, and the result.
    let mut now = 7000;
    for _ in 0..3 {
        if service.status("sleep", &id).await.0 == 404 {
            break;
        }
        now = turn().await;
    }
    assert_eq!((service.status("sleep", &id).await.0, now), (404, 7000 + 30 * 60_000));
    for wrong in [json!({ "toNextEvent": false }), json!({ "ms": 1, "toNextEvent": true })] {
        assert_eq!(browser.post("/_local/clock/advance", wrong).await.0, 400);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn worker_logs_are_returned_in_windows() {
    let service = Service::still(|builder| {
        builder.worker_endpoint("shout", "for n in 1 2 3; do echo line $n; done; sleep 600").page()
    })
    .await;
    let browser = Browser::open(&service).await;
    let path = "/_local/endpoints/shout/worker-logs";
    eventually("three lines", async || browser.get(&format!("{path}?limit=0")).await["total"] == 3)
        .await;
    let part = browser.get(&format!("{path}?offset=1&limit=1")).await;
    let line = &part["logs"][0];
    assert_eq!((&line["number"], &line["text"]), (&json!(1), &json!("line 2")));
    assert_eq!((&line["worker"], &line["source"]), (&json!("worker-0"), &json!("stdout")));
    assert_eq!(browser.get(&format!("{path}?search=LINE%203")).await["total"], 1);
    assert_eq!(browser.get(&format!("{path}?worker=none&limit=9")).await["total"], 0);
    assert_eq!(browser.get(path).await.as_array().unwrap().len(), 3);
}
