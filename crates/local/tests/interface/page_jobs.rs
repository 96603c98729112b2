//! Jobs of an endpoint in the control plane: list, details and bulk changes.

use podqueue_local::{LocalJob, RateLimits};
use reqwest::Method;
use serde_json::{Value, json};

use crate::page_access::{Browser, service};
use crate::support::{Attached, Service, TEST_DEADLINE, answer, eventually, seconds};

async fn jobs(browser: &Browser<'_>, endpoint: &str, query: &str) -> (u64, Vec<Value>) {
    let list = browser.get(&format!("/_local/endpoints/{endpoint}/jobs?{query}")).await;
    (list["total"].as_u64().unwrap(), list["jobs"].as_array().unwrap().clone())
}

async fn ids(browser: &Browser<'_>, endpoint: &str, query: &str) -> Vec<String> {
    let (_, jobs) = jobs(browser, endpoint, query).await;
    jobs.iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect()
}

/// The computer's clock, in milliseconds since 1970.
fn wall_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

/// The states of a time line with their times on the service's clock and on the computer's.
fn events(job: &Value) -> Vec<(&str, u64, Option<u64>)> {
    let timeline = job["timeline"].as_array().unwrap().iter();
    let event = timeline.map(|event| {
        let (state, wall) = (event["state"].as_str().unwrap(), event["wallMs"].as_u64());
        (state, event["atMs"].as_u64().unwrap(), wall)
    });
    event.collect()
}

async fn job(browser: &Browser<'_>, endpoint: &str, id: &str) -> Value {
    browser.get(&format!("/_local/endpoints/{endpoint}/jobs/{id}")).await
}

#[tokio::test]
async fn a_list_is_a_window_and_begins_with_the_newest() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let mut submitted = Vec::new();
    for n in 0..7 {
        submitted.push(service.run("echo", json!({ "input": { "n": n } })).await);
    }
    submitted.reverse();
    service.until("echo", &submitted[0], "COMPLETED").await;
    assert_eq!(ids(&browser, "echo", "").await, submitted);
    assert_eq!(ids(&browser, "echo", "offset=2&limit=3").await, submitted[2..5]);
    assert_eq!(jobs(&browser, "echo", "offset=6&limit=3").await.0, 7);
    assert_eq!(ids(&browser, "echo", "offset=6&limit=3").await, submitted[6..]);
    assert!(ids(&browser, "echo", "offset=7").await.is_empty());
    assert!(ids(&browser, "echo", "limit=0").await.is_empty());
    let row = &jobs(&browser, "echo", "limit=1").await.1[0];
    let expected = json!({
        "id": submitted[0], "status": "COMPLETED", "createdMs": 0, "startedMs": 0, "endedMs": 0,
        "expiresMs": 30 * 60_000, "retried": 0, "worker": row["worker"], "webhook": false,
        "input": "{\"n\":6}", "error": null,
    });
    assert_eq!(*row, expected);
    assert!(row["worker"].as_str().unwrap().starts_with("worker-"), "{row}");
    for wrong in ["limit=x", "offset=-1", "status=NONE"] {
        let path = format!("/_local/endpoints/echo/jobs?{wrong}");
        assert_eq!(answer(browser.request(Method::GET, &path)).await.0, 400, "{wrong}");
    }
    let unknown = browser.request(Method::GET, "/_local/endpoints/none/jobs");
    assert_eq!(answer(unknown).await.0, 404);
}

#[tokio::test]
async fn a_list_shows_the_beginning_of_an_input() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    service.run("echo", json!({ "input": { "text": "é".repeat(100_000) } })).await;
    let row = &jobs(&browser, "echo", "").await.1[0];
    let input = row["input"].as_str().unwrap();
    assert_eq!(input, format!("{{\"text\":\"{}", "é".repeat(191)));
}

#[tokio::test]
async fn jobs_are_filtered_by_their_state() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let failed = service.run("fail", json!({ "input": { "message": "no" } })).await;
    service.until("fail", &failed, "FAILED").await;
    let running = service.run("sleep", json!({ "input": { "ms": 60_000 } })).await;
    service.until("sleep", &running, "IN_PROGRESS").await;
    assert_eq!(ids(&browser, "fail", "status=FAILED").await, [failed.as_str()]);
    assert_eq!(ids(&browser, "fail", "status=TIMED_OUT,FAILED").await, [failed.as_str()]);
    assert!(ids(&browser, "fail", "status=COMPLETED").await.is_empty());
    assert_eq!(ids(&browser, "sleep", "status=IN_PROGRESS").await, [running]);
}

#[tokio::test]
async fn a_search_finds_ids_inputs_and_outputs() {
    let service = Service::still(|builder| {
        let shout = |job: LocalJob| async move {
            let text = job.input["text"].as_str().ok_or("there is no \"text\"")?;
            Ok(json!({ "shouted": text.to_uppercase() }))
        };
        builder.endpoint("shout", shout).page()
    })
    .await;
    let browser = Browser::open(&service).await;
    let one = service.run("shout", json!({ "input": { "text": "one \"apple\"" } })).await;
    let two = service.run("shout", json!({ "input": { "text": "zwei Äpfel" } })).await;
    let none = service.run("shout", json!({ "input": { "pear": 5 } })).await;
    for (id, status) in [(&one, "COMPLETED"), (&two, "COMPLETED"), (&none, "FAILED")] {
        service.until("shout", id, status).await;
    }
    for (search, found) in [
        (one.as_str(), vec![&one]),
        (&two[5..20].to_uppercase(), vec![&two]),
        ("apple", vec![&one]),
        ("one%20%22APPLE%22", vec![&one]),
        ("zwei%20%C3%84pfel", vec![&two]),
        ("shouted", vec![&two, &one]),
        ("pear", vec![&none]),
        ("%22pear%22:5", vec![&none]),
        ("%22pear%22:%205", vec![&none]),
        ("%7B%20%20%22pear%22:%205%20%20%7D", vec![&none]),
        ("there%20is%20no", vec![&none]),
        ("nowhere", vec![]),
        ("%20", vec![&none, &two, &one]),
    ] {
        let query = format!("search={search}");
        assert_eq!(
            ids(&browser, "shout", &query).await.iter().collect::<Vec<_>>(),
            found,
            "{search}"
        );
    }
    let (total, part) = jobs(&browser, "shout", "search=shouted&limit=1&offset=1").await;
    assert_eq!((total, &part[0]["id"]), (2, &json!(one)));
    assert_eq!(ids(&browser, "shout", "search=text&status=FAILED").await, [none]);
}

#[tokio::test]
async fn a_job_has_its_values_and_a_time_line() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let id = service
        .run(
            "count",
            json!({
                "input": { "n": 2, "ms": 1000 }, "policy": { "ttl": 3_600_000, "lowPriority": true },
            }),
        )
        .await;
    service.until("count", &id, "IN_PROGRESS").await;
    let running = job(&browser, "count", &id).await;
    let without_wall = |job| {
        let events: Vec<_> = events(job).into_iter().map(|(state, at, _)| (state, at)).collect();
        json!(events)
    };
    let expected =
        [("submitted", 0), ("started", 0), ("timesOut", 600_000), ("expires", 3_600_000)];
    assert_eq!(without_wall(&running), json!(expected));
    assert_eq!(running["policy"], json!({ "ttl": 3_600_000, "lowPriority": true }));
    assert_eq!((&running["chunks"], &running["chunksTotal"]), (&json!([]), &json!(0)));
    service.advance(seconds(1));
    eventually("a chunk", async || job(&browser, "count", &id).await["chunksTotal"] == 1).await;
    // A client that fetches them takes them away from others, and not from the page.
    assert_eq!(service.get(&format!("/v2/count/stream/{id}")).await.1.as_array().unwrap().len(), 1);
    service.advance(seconds(2));
    service.until("count", &id, "COMPLETED").await;
    let done = job(&browser, "count", &id).await;
    assert_eq!(done["chunks"], json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }]));
    assert_eq!(done["input"], json!({ "n": 2, "ms": 1000 }));
    assert_eq!(done["output"], json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }]));
    assert_eq!((&done["error"], &done["webhookUrl"]), (&Value::Null, &Value::Null));
    assert_eq!(done.get("cut"), None);
    let expected =
        [("submitted", 0), ("started", 0), ("ended", 3000), ("expires", 3000 + 30 * 60_000)];
    assert_eq!(without_wall(&done), json!(expected));
    let unknown = browser.request(Method::GET, "/_local/endpoints/count/jobs/unknown");
    assert_eq!(answer(unknown).await.0, 404);
}

#[tokio::test]
async fn a_retried_job_begins_its_time_line_anew_and_has_no_old_chunks() {
    let service = Service::still(|builder| {
        let flaky = |job: LocalJob| async move {
            job.emit(json!(job.attempt())).await;
            if job.attempt() == 1 { Err("the first time it fails".into()) } else { Ok(json!(2)) }
        };
        builder.endpoint("flaky", flaky).page()
    })
    .await;
    let browser = Browser::open(&service).await;
    let id = service.run("flaky", json!({ "input": {} })).await;
    service.until("flaky", &id, "FAILED").await;
    let failed = job(&browser, "flaky", &id).await;
    assert_eq!(
        (&failed["error"], &failed["chunks"]),
        (&json!("the first time it fails"), &json!([1]))
    );
    service.advance(seconds(5));
    let before_retry = wall_ms();
    service.post(&format!("/v2/flaky/retry/{id}")).await;
    service.until("flaky", &id, "COMPLETED").await;
    let done = job(&browser, "flaky", &id).await;
    assert_eq!((&done["retried"], &done["chunks"]), (&json!(1), &json!([2])));
    let (state, at, queued) = events(&done)[1];
    assert_eq!((state, at), ("queued", 5000));
    assert!(queued.unwrap() >= before_retry);
    assert!(events(&done)[0].2.unwrap() <= before_retry);
}

#[tokio::test]
async fn a_long_value_is_cut_and_can_be_had_whole() {
    let service = Service::still(|builder| {
        let copy = |job: LocalJob| async move {
            let text = job.input["text"].clone();
            for _ in 0..3 {
                job.emit(text.clone()).await;
            }
            Ok(job.input)
        };
        builder.endpoint("copy", copy).page()
    })
    .await;
    let browser = Browser::open(&service).await;
    let text = "é".repeat(100_000);
    let id = service.run("copy", json!({ "input": { "text": text } })).await;
    service.until("copy", &id, "COMPLETED").await;
    let whole = job(&browser, "copy", &id).await;
    assert_eq!(whole["output"]["text"], text);
    // One chunk fits, three do not.
    assert_eq!(whole["chunks"], json!([text]));
    assert_eq!(whole["cut"], json!({ "chunks": 3 * (200_000 + 3) }));
    let long = "é".repeat(200_000);
    let id = service.run("copy", json!({ "input": { "text": long } })).await;
    service.until("copy", &id, "COMPLETED").await;
    let shown = job(&browser, "copy", &id).await;
    let beginning = shown["output"].as_str().unwrap();
    assert!(beginning.starts_with("{\"text\":\"éé") && beginning.len() > 262_000);
    assert!(beginning.len() <= 256 * 1024);
    assert_eq!(shown["cut"]["output"], 400_000 + 11);
    assert_eq!(shown["cut"]["input"], 400_000 + 11);
    assert_eq!((&shown["chunks"], &shown["chunksTotal"]), (&json!([]), &json!(3)));
    let full = async |member: &str| {
        browser.get(&format!("/_local/endpoints/copy/jobs/{id}?full={member}")).await
    };
    assert_eq!(full("output").await["text"], long);
    assert_eq!(full("input").await["text"], long);
    assert_eq!(full("chunks").await, json!([long, long, long]));
    let wrong = |member: &str| {
        let path = format!("/_local/endpoints/copy/jobs/{id}?full={member}");
        answer(browser.request(Method::GET, &path))
    };
    assert_eq!(wrong("error").await.0, 404);
    assert_eq!(wrong("s3Config").await.0, 400);
}

#[tokio::test]
async fn of_a_job_that_expired_its_times_are_left() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let input = json!({ "input": { "a": "canary" } });
    let id = service.run("echo", input.clone()).await;
    service.until("echo", &id, "COMPLETED").await;
    let purged = service.run("sleep", json!({ "input": { "ms": 1 } })).await;
    service.post(&format!("/v2/sleep/cancel/{purged}")).await;
    let ended = wall_ms();
    service.advance(seconds(30 * 60));
    let kept = service.run("echo", input).await;
    assert_eq!(ids(&browser, "echo", "").await, [kept.as_str(), id.as_str()]);
    assert_eq!(ids(&browser, "echo", "status=EXPIRED").await, [id.as_str()]);
    assert_eq!(ids(&browser, "echo", &format!("search={}", &id[..20])).await, [id.as_str()]);
    assert_eq!(ids(&browser, "echo", "search=canary").await, [kept]);
    let gone = job(&browser, "echo", &id).await;
    assert_eq!((&gone["status"], &gone["endedMs"]), (&json!("EXPIRED"), &json!(0)));
    assert_eq!((&gone["input"], &gone["output"]), (&Value::Null, &Value::Null));
    // On the computer's clock, half an hour of the service's has taken no time.
    let [(_, 0, Some(submitted)), _, (_, 0, Some(end)), ("expired", 1_800_000, Some(expired))] =
        events(&gone)[..]
    else {
        panic!("{gone}")
    };
    assert!(submitted <= end && end <= ended, "{gone}");
    assert!(ended <= expired && expired - submitted < 30 * 60_000, "{gone}");
    assert_eq!(service.status("echo", &id).await.0, 404);
}

#[tokio::test]
async fn without_a_page_there_is_no_history() {
    let service = Service::still(podqueue_local::Builder::control_plane).await;
    let id = service.run("count", json!({ "input": { "n": 1 } })).await;
    service.until("count", &id, "COMPLETED").await;
    let path = format!("/_local/endpoints/count/jobs/{id}");
    assert_eq!(service.get(&path).await.1["chunks"], json!([]));
    service.advance(seconds(30 * 60));
    assert_eq!(service.get(&path).await.0, 404);
    assert_eq!(service.get("/_local/endpoints/count/jobs").await.1["total"], 0);
}

#[tokio::test]
async fn all_jobs_that_a_filter_finds_are_retried_or_cancelled() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    for n in 0..500 {
        service.run("fail", json!({ "input": { "message": format!("number {n}") } })).await;
    }
    eventually("500 failures", async || {
        jobs(&browser, "fail", "status=FAILED&limit=1").await.0 == 500
    })
    .await;
    let change = async |what: &str, body: Value| {
        let path = format!("/_local/endpoints/{what}");
        browser.post(&path, body).await
    };
    let (status, result) =
        change("fail/jobs/retry", json!({ "status": "FAILED,TIMED_OUT", "search": "number 1" }))
            .await;
    assert_eq!((status, result), (200, json!({ "changed": 111, "unchanged": 0 })));
    let all = json!({ "status": "FAILED" });
    eventually("500 failures again", async || {
        jobs(&browser, "fail", "status=FAILED&limit=1").await.0 == 500
    })
    .await;
    let (_, result) = change("fail/jobs/retry", all).await;
    assert_eq!(result, json!({ "changed": 500, "unchanged": 0 }));
    let mut running = Vec::new();
    for _ in 0..10 {
        running.push(service.run("sleep", json!({ "input": { "ms": 1 } })).await);
    }
    let some = json!({ "ids": [running[0], running[9], "unknown"] });
    let (_, result) = change("sleep/jobs/cancel", some).await;
    assert_eq!(result, json!({ "changed": 2, "unchanged": 1 }));
    let (_, result) = change("sleep/jobs/cancel", json!({ "status": "" })).await;
    assert_eq!(result, json!({ "changed": 8, "unchanged": 2 }));
    assert_eq!(jobs(&browser, "sleep", "status=CANCELLED").await.0, 10);
    for wrong in [
        json!({}),
        json!({ "ids": [], "status": "FAILED" }),
        json!({ "status": "NONE" }),
        json!({ "all": true }),
    ] {
        assert_eq!(change("sleep/jobs/cancel", wrong).await.0, 400);
    }
    assert_eq!(change("none/jobs/cancel", json!({ "ids": [] })).await.0, 404);
}

#[tokio::test]
async fn a_job_names_the_worker_that_has_it() {
    let service = Service::still(|builder| builder.endpoint_for_workers("free").page()).await;
    let browser = Browser::open(&service).await;
    let worker = Attached::new(&service, "free", "my-worker");
    let id = service.run("free", json!({ "input": {} })).await;
    assert_eq!(job(&browser, "free", &id).await["worker"], Value::Null);
    assert_eq!(worker.take_id().await, id);
    assert_eq!(job(&browser, "free", &id).await["worker"], "my-worker");
    let workers = browser.get("/_local/endpoints/free/workers").await;
    assert_eq!((&workers[0]["jobs"], &workers[0]["lastPingMs"]), (&json!([id]), &Value::Null));
    service.advance(seconds(2));
    worker.ping("").await;
    let workers = browser.get("/_local/endpoints/free/workers").await;
    assert_eq!(workers[0]["lastPingMs"], 2000);
}

#[tokio::test]
async fn secrets_are_in_no_response_of_the_page() {
    let limits = RateLimits::documented();
    let service =
        Service::still(|builder| builder.api_key("canary-of-a-key").rate_limits(limits).page())
            .await;
    let browser = Browser::open(&service).await;
    let body = json!({
        "input": {},
        "webhook": "http://canary-user:canary-password@127.0.0.1:1/hook?token=canary-token&canary",
        "s3Config": {
            "accessId": "canary-id", "accessSecret": "canary-secret", "bucketName": "canary-bucket",
            "endpointUrl": "http://canary-storage/",
        },
    });
    let id = service.run("echo", body).await;
    service.until("echo", &id, "COMPLETED").await;
    let url = format!("{}/v2/echo/health?api_key=canary-of-a-key", service.local.base_url());
    answer(service.http.get(url).header("authorization", "canary-of-a-key")).await;
    let job_path = format!("/_local/endpoints/echo/jobs/{id}");
    eventually("an attempt", async || browser.get(&job_path).await["webhookAttempts"] != json!([]))
        .await;
    let shown = browser.get(&job_path).await;
    let url = "http://[redacted]@127.0.0.1:1/hook?token=[redacted]&[redacted]";
    assert_eq!(shown["webhookUrl"], url);
    assert_eq!(shown["withheld"], json!(["webhook", "s3Config"]));
    assert_eq!(
        (&shown["webhookAttempts"][0]["url"], &shown["webhook"]),
        (&json!(url), &json!(true))
    );
    let mut events = crate::page_events::Events::of(&browser).await;
    let mut everything = format!("{shown} {}", events.next().await);
    for path in [
        "/_local/endpoints",
        "/_local/endpoints/echo/jobs",
        "/_local/endpoints/echo/jobs?search=hook",
        "/_local/requests",
        "/_local/requests?limit=500",
        "/_local/webhooks",
        "/_local/webhooks?limit=500",
        "/_local/limits",
        "/_local/faults",
        "/_local/clock",
        "/v2/echo/requests",
    ] {
        everything.push_str(&browser.get(path).await.to_string());
    }
    assert!(!everything.contains("canary"), "{everything}");
    // The receiver is named in full where a program asks, but not where it writes what it got.
    let deliveries = service.local.webhook_deliveries();
    assert!(deliveries[0].url.contains("canary-token"));
    assert!(!format!("{deliveries:?}").contains("canary"));
    let written = json!(deliveries);
    assert_eq!(written, browser.get("/_local/webhooks").await);
    assert_eq!(written[0]["url"], url);
    for member in ["input", "output", "chunks"] {
        let value = browser.get(&format!("{job_path}?full={member}")).await;
        assert!(!value.to_string().contains("canary"));
    }
}

/// In a release build the first window of 10,000 jobs takes less than 20 ms; what is not optimized
/// gets more.
#[tokio::test]
async fn the_first_window_of_10_000_jobs_is_returned_at_once() {
    let service = Service::still(|builder| builder.workers(0, 0).page()).await;
    let browser = Browser::open(&service).await;
    for n in 0..10_000 {
        service.run("echo", json!({ "input": { "n": n } })).await;
    }
    let most = std::time::Duration::from_millis(if cfg!(debug_assertions) { 200 } else { 20 });
    let deadline = std::time::Instant::now() + TEST_DEADLINE;
    // On a busy machine not every request gets its turn at once.
    loop {
        let begun = std::time::Instant::now();
        let (total, part) = jobs(&browser, "echo", "limit=100").await;
        let taken = begun.elapsed();
        assert_eq!((total, part.len()), (10_000, 100));
        if taken < most {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{taken:?}");
    }
}
