//! Workers: sections "Health report" and "Job waits in the queue" of the interface, and
//! `lowPriority`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use podqueue_local::Workers;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Service, assert_refused, eventually, seconds};

fn long() -> Value {
    json!({ "input": { "ms": 100_000_000 } })
}

async fn health(service: &Service, endpoint: &str) -> Value {
    let (status, health) = service.get(&format!("/v2/{endpoint}/health")).await;
    assert_eq!(status, 200);
    health
}

#[tokio::test]
async fn health_has_exactly_the_documented_fields() {
    let service = Service::still(|builder| builder).await;
    let expected = json!({
        "jobs": { "completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0 },
        "workers": { "idle": 1, "running": 0 },
    });
    assert_eq!(health(&service, "echo").await, expected);
}

#[tokio::test]
async fn jobs_wait_in_the_queue_when_the_maximum_of_workers_is_reached() {
    let service = Service::still(|builder| builder.workers(0, 2)).await;
    for _ in 0..5 {
        service.run("sleep", long()).await;
    }
    let health = health(&service, "sleep").await;
    assert_eq!(health["workers"], json!({ "idle": 0, "running": 2 }));
    assert_eq!((&health["jobs"]["inProgress"], &health["jobs"]["inQueue"]), (&json!(2), &json!(3)));
}

/// A retried job is one of those that came last.
#[tokio::test]
async fn jobs_start_in_the_order_in_which_they_were_queued() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let short = json!({ "input": { "ms": 1000 } });
    let failed = service.run("sleep", json!({ "input": {} })).await;
    service.until("sleep", &failed, "FAILED").await;
    let mut order = Vec::new();
    for _ in 0..3 {
        order.push(service.run("sleep", short.clone()).await);
    }
    assert_eq!(service.post(&format!("/v2/sleep/retry/{failed}")).await.0, 200);
    order.push(failed);
    for started in 1..3 {
        service.until("sleep", &order[started - 1], "IN_PROGRESS").await;
        for waiting in &order[started..] {
            assert_eq!(service.status("sleep", waiting).await.1["status"], "IN_QUEUE");
        }
        service.advance(seconds(1));
    }
    service.until("sleep", &order[2], "IN_PROGRESS").await;
    assert_eq!(service.status("sleep", &order[3]).await.1["status"], "IN_QUEUE");
    service.advance(seconds(1));
    service.until("sleep", &order[3], "FAILED").await;
}

/// Completed, failed, in progress, in queue, and what was cancelled, purged or deleted by its
/// ttl, add up to what was submitted.
#[tokio::test]
async fn health_counts_add_up_at_every_moment() {
    let service = Service::still(|builder| builder.workers(2, 2)).await;
    let mut random = fastrand::Rng::with_seed(1);
    let (mut submitted, mut gone, mut retried) = (0, 0, 0);
    let mut ids = Vec::new();
    for _ in 0..300 {
        match random.u8(0..10) {
            0..=4 => {
                let ms = random.u64(0..20_000);
                let input = if random.bool() { json!({ "ms": ms }) } else { json!({}) };
                let policy = json!({ "executionTimeout": random.u64(5000..15_000) });
                let body = json!({ "input": input, "policy": policy });
                ids.push(service.run("sleep", body).await);
                submitted += 1;
            }
            5 if !ids.is_empty() => {
                let id = random.choice(&ids).unwrap();
                let before = service.status("sleep", id).await.1["status"].clone();
                let (status, _) = service.post(&format!("/v2/sleep/cancel/{id}")).await;
                gone += u64::from(status == 200 && before != "CANCELLED");
            }
            6 if !ids.is_empty() => {
                let id = random.choice(&ids).unwrap();
                let (status, _) = service.post(&format!("/v2/sleep/retry/{id}")).await;
                retried += u64::from(status == 200);
            }
            7 if random.u8(0..4) == 0 => {
                let (_, purged) = service.post("/v2/sleep/purge-queue").await;
                gone += purged["removed"].as_u64().unwrap();
            }
            _ => service.advance(seconds(random.u64(1..8))),
        }
        let health = health(&service, "sleep").await;
        let count = |name: &str| health["jobs"][name].as_u64().unwrap();
        let sum = count("completed") + count("failed") + count("inProgress") + count("inQueue");
        assert_eq!(sum + gone, submitted, "{health}");
        assert_eq!(count("retried"), retried);
        assert_eq!(health["workers"]["running"], count("inProgress"));
        let workers = &health["workers"];
        assert_eq!(workers["idle"].as_u64().unwrap() + workers["running"].as_u64().unwrap(), 2);
        assert!(count("inQueue") == 0 || workers["idle"] == 0, "{health}");
    }
    assert!(retried > 0 && gone > 0, "the test must reach every case");
}

/// The same while others submit: no report may be a mixture of two moments.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_counts_add_up_while_others_submit() {
    const SUBMITTERS: u64 = 4;
    const EACH: u64 = 100;
    let service = Arc::new(Service::start(|builder| builder.workers(0, 3)).await);
    let (sent, taken) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let submitters = (0..SUBMITTERS).map(|_| {
        let (service, sent, taken) = (service.clone(), sent.clone(), taken.clone());
        tokio::spawn(async move {
            for n in 0..EACH {
                sent.fetch_add(1, Ordering::SeqCst);
                service.run("sleep", json!({ "input": { "ms": n % 3 } })).await;
                taken.fetch_add(1, Ordering::SeqCst);
            }
        })
    });
    let submitters: Vec<_> = submitters.collect();
    loop {
        let at_least = taken.load(Ordering::SeqCst);
        let health = health(&service, "sleep").await;
        let at_most = sent.load(Ordering::SeqCst);
        let count = |name: &str| health["jobs"][name].as_u64().unwrap();
        let sum = count("completed") + count("failed") + count("inProgress") + count("inQueue");
        assert!((at_least..=at_most).contains(&sum), "{at_least} to {at_most}: {health}");
        let workers = |name: &str| health["workers"][name].as_u64().unwrap();
        assert_eq!(workers("running"), count("inProgress"), "{health}");
        assert!(workers("running") + workers("idle") <= 3, "{health}");
        assert!(count("inQueue") == 0 || workers("idle") == 0, "{health}");
        if count("completed") == SUBMITTERS * EACH {
            break;
        }
    }
    for submitter in submitters {
        submitter.await.unwrap();
    }
}

#[tokio::test]
async fn retried_counts_and_the_job_counts_no_longer_as_failed() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("fail", json!({ "input": {} })).await;
    service.until("fail", &id, "FAILED").await;
    assert_eq!(health(&service, "fail").await["jobs"]["failed"], 1);
    service.post(&format!("/v2/fail/retry/{id}")).await;
    service.until("fail", &id, "FAILED").await;
    let jobs = health(&service, "fail").await["jobs"].clone();
    assert_eq!((&jobs["failed"], &jobs["retried"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn a_low_priority_job_starts_no_workers() {
    let service = Service::still(|builder| builder.workers(0, 3)).await;
    let mut low = long();
    low["policy"] = json!({ "lowPriority": true });
    let low = service.run("sleep", low).await;
    assert_eq!(service.status("sleep", &low).await.1["status"], "IN_QUEUE");
    assert_eq!(health(&service, "sleep").await["workers"], json!({ "idle": 0, "running": 0 }));
    // It takes a worker that is there for other jobs.
    let normal = service.run("sleep", json!({ "input": { "ms": 1000 } })).await;
    service.until("sleep", &normal, "IN_PROGRESS").await;
    service.advance(seconds(1));
    service.until("sleep", &low, "IN_PROGRESS").await;
}

#[tokio::test]
async fn a_low_priority_job_takes_an_idle_worker() {
    let service = Service::still(|builder| builder.workers(1, 3)).await;
    let mut low = long();
    low["policy"] = json!({ "lowPriority": true });
    let first = service.run("sleep", low.clone()).await;
    let second = service.run("sleep", low).await;
    assert_eq!(service.status("sleep", &first).await.1["status"], "IN_PROGRESS");
    assert_eq!(service.status("sleep", &second).await.1["status"], "IN_QUEUE");
}

#[tokio::test]
async fn workers_start_cold_and_stop_when_idle() {
    let workers = Workers::between(0, 2).cold_start(seconds(8)).idle_timeout(seconds(30));
    let service = Service::still(|builder| builder.workers_of("echo", workers)).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    service.advance(seconds(7));
    assert_eq!(service.status("echo", &id).await.1["status"], "IN_QUEUE");
    service.advance(seconds(1));
    let record = service.until("echo", &id, "COMPLETED").await;
    assert_eq!(record["delayTime"], 8000);
    service.advance(seconds(29));
    assert_eq!(health(&service, "echo").await["workers"]["idle"], 1);
    service.advance(seconds(1));
    assert_eq!(health(&service, "echo").await["workers"]["idle"], 0);
}

#[tokio::test]
async fn workers_never_fall_below_the_minimum() {
    let workers = Workers::between(1, 3).idle_timeout(seconds(5));
    let service = Service::still(|builder| builder.workers_of("sleep", workers)).await;
    for _ in 0..3 {
        service.run("sleep", json!({ "input": { "ms": 1000 } })).await;
    }
    assert_eq!(health(&service, "sleep").await["workers"]["running"], 3);
    service.advance(seconds(1));
    eventually("three completed jobs", async || {
        health(&service, "sleep").await["jobs"]["completed"] == 3
    })
    .await;
    assert_eq!(health(&service, "sleep").await["workers"], json!({ "idle": 3, "running": 0 }));
    service.advance(seconds(5));
    assert_eq!(health(&service, "sleep").await["workers"], json!({ "idle": 1, "running": 0 }));
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let service = Service::still(|builder| builder.workers(0, 0).max_queued(2)).await;
    service.run("echo", json!({ "input": {} })).await;
    service.run("echo", json!({ "input": {} })).await;
    let answer = service.post_json("/v2/echo/run", json!({ "input": {} })).await;
    assert_refused(&answer, StatusCode::TOO_MANY_REQUESTS, "full");
    service.run("count", json!({ "input": {} })).await;
}
