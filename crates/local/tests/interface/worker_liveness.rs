//! Lifecycle of attached workers: waiting, lost, unhealthy and replaced.

use std::time::Duration;

use podqueue_local::{Builder, Fault, Operation};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Attached, Service, eventually, seconds};

fn open(builder: Builder) -> Builder {
    builder.endpoint_for_workers("e").control_plane()
}

/// Lets the time of a ping pass, as the service sees it.
async fn miss_ping(service: &Service) {
    service.advance(seconds(10));
    health(service).await;
}

async fn health(service: &Service) -> Value {
    service.get("/v2/e/health").await.1
}

/// Advances the clock until a waiting request has ended, since its start cannot be observed.
async fn while_advancing<T>(service: &Service, waits: impl Future<Output = T>) -> T {
    let advancing = async {
        loop {
            service.advance(Duration::from_millis(1));
            health(service).await;
        }
    };
    tokio::select! {
        ended = waits => ended,
        () = advancing => unreachable!("the clock is advanced indefinitely"),
    }
}

#[tokio::test]
async fn a_waiting_worker_gets_a_job_as_it_comes() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let (job, id) = tokio::join!(worker.take(), async {
        eventually("a worker", async || health(&service).await["workers"]["idle"] == 1).await;
        service.run("e", json!({ "input": {} })).await
    });
    assert_eq!(job.unwrap()["id"], id);
}

#[tokio::test]
async fn a_waiting_worker_gets_nothing_when_the_clock_is_advanced() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    for path in ["job-take/w", "job-take-batch/w", "job-stop/w"] {
        let nothing = while_advancing(&service, worker.get(path)).await;
        assert_eq!(nothing, (204, Value::Null), "{path}");
    }
}

/// A worker's HTTP client gives up after 90 seconds of real time, also on a manual clock.
#[tokio::test]
async fn a_waiting_worker_gets_nothing_after_a_few_seconds() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let before = std::time::Instant::now();
    let (take, batch) = tokio::join!(worker.get("job-take/w"), worker.get("job-take-batch/w"));
    assert_eq!((take.0, batch.0), (204, 204));
    assert!(before.elapsed() < seconds(60), "{:?}", before.elapsed());
}

/// A job reported by a worker that does not own it is stopped: the response that assigned the job
/// may be lost, or the worker may have been lost and returned.
#[tokio::test]
async fn a_worker_must_stop_a_job_that_it_does_not_own() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(service.run("e", json!({ "input": {} })).await);
    }
    worker.take_batch(3).await;
    service.post(&format!("/v2/e/cancel/{}", ids[0])).await;
    service.local.add_fault(Fault::reset().processed().on(Operation::JobStop).times(1));
    assert!(worker.request(Method::GET, "job-stop/w").send().await.is_err());
    worker.done(&ids[1], json!({})).await;
    worker.ping(&format!("job_id={}", ids.join(","))).await;
    assert_eq!(worker.to_stop().await, json!([ids[0]]), "not what it has, nor what it has done");
    for _ in 0..3 {
        miss_ping(&service).await;
    }
    assert_eq!(health(&service).await["jobs"]["retried"], 1);
    assert_eq!(worker.to_stop().await, json!([ids[2]]), "it was lost, and is alive");
    worker.ping(&format!("job_id={}", ids[2])).await;
    assert_eq!(worker.take_id().await, ids[2]);
    worker.ping(&format!("job_id={},{}", ids[2], "x".repeat(60_000))).await;
    let nothing = tokio::time::timeout(Duration::from_millis(100), worker.to_stop()).await;
    assert!(nothing.is_err(), "{nothing:?}");
}

/// A worker that claims to run anything costs no more memory than one that does not.
#[tokio::test]
async fn the_jobs_that_workers_report_to_run_are_bounded() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    for ping in 0..20 {
        let claims: Vec<String> = (0..100).map(|n| format!("{ping}-{n}")).collect();
        worker.ping(&format!("job_id={}", claims.join(","))).await;
    }
    assert_eq!(worker.to_stop().await.as_array().unwrap().len(), 1000);
}

#[tokio::test]
async fn a_worker_that_misses_three_pings_is_lost_and_its_jobs_run_once_more() {
    let service = Service::still(open).await;
    let id = service.run("e", json!({ "input": { "n": 1 } })).await;
    let first = Attached::new(&service, "e", "first");
    assert_eq!(first.take_id().await, id);
    first.stream(&id, json!("of the first")).await;
    miss_ping(&service).await;
    service.advance(seconds(19));
    assert_eq!(health(&service).await["jobs"]["inProgress"], 1);
    first.ping(&format!("job_id={id}")).await;
    miss_ping(&service).await;
    miss_ping(&service).await;
    assert_eq!(health(&service).await["jobs"]["inProgress"], 1, "a ping counts for three");
    miss_ping(&service).await;
    let now = health(&service).await;
    assert_eq!(
        now["jobs"],
        json!({
            "completed": 0, "failed": 0, "inProgress": 0, "inQueue": 1, "retried": 1,
        })
    );
    assert_eq!(now["workers"], json!({ "idle": 0, "running": 0 }));
    // A report of the lost worker is too late.
    first.done(&id, json!({ "output": "late" })).await;
    assert_eq!(service.status("e", &id).await.1["status"], "IN_QUEUE");
    let second = Attached::new(&service, "e", "second");
    let job = second.take().await.unwrap();
    assert_eq!((&job["id"], &job["input"]), (&json!(id), &json!({ "n": 1 })));
    assert_eq!(service.get(&format!("/v2/e/stream/{id}")).await.1, json!([]));
    for _ in 0..3 {
        miss_ping(&service).await;
    }
    let (_, record) = service.status("e", &id).await;
    assert_eq!(record["status"], "FAILED");
    let expected = "the job was lost with its worker for the second time: the worker second missed \
                    3 pings";
    assert_eq!(record["error"], expected);
    let now = health(&service).await["jobs"].clone();
    assert_eq!((&now["failed"], &now["retried"]), (&json!(1), &json!(1)));
    // The job can be retried like any other job, and gets as many attempts.
    assert_eq!(service.post(&format!("/v2/e/retry/{id}")).await.0, 200);
    second.take_id().await;
    for _ in 0..3 {
        miss_ping(&service).await;
    }
    assert_eq!(service.status("e", &id).await.1["status"], "IN_QUEUE");
}

/// A worker pings in real time, so a jump of the clock must not take it for dead.
#[tokio::test]
async fn a_jump_of_the_clock_is_one_missed_ping() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let policy = json!({ "executionTimeout": 86_400_000 });
    let id = service.run("e", json!({ "input": {}, "policy": policy })).await;
    worker.take_id().await;
    for _ in 0..2 {
        service.advance(seconds(3600));
        assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
    }
    let (_, workers) = service.get("/_local/endpoints/e/workers").await;
    let expected = json!([{ "id": "w", "status": "running", "jobs": [id], "missedPings": 2, "lastPingMs": null }]);
    assert_eq!(workers, expected);
}

#[tokio::test]
async fn a_job_returns_to_its_place_in_the_queue_when_its_worker_is_lost() {
    let service = Service::still(open).await;
    let first = service.run("e", json!({ "input": {} })).await;
    Attached::new(&service, "e", "a").take_id().await;
    let second = service.run("e", json!({ "input": {} })).await;
    for _ in 0..3 {
        miss_ping(&service).await;
    }
    let worker = Attached::new(&service, "e", "b");
    assert_eq!([worker.take_id().await, worker.take_id().await], [first, second]);
}

#[tokio::test]
async fn a_job_that_does_not_reach_its_worker_stays_in_the_queue() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "gone");
    for _ in 0..20 {
        let waits = worker.take();
        let seen = async {
            eventually("a worker", async || health(&service).await["workers"]["idle"] == 1).await;
        };
        tokio::select! {
            _ = waits => panic!("there is no job"),
            () = seen => {}
        }
    }
    let id = service.run("e", json!({ "input": {} })).await;
    assert_eq!(Attached::new(&service, "e", "here").take_id().await, id);
    assert_eq!(health(&service).await["jobs"]["retried"], 0);
}

#[tokio::test]
async fn a_worker_that_wants_to_be_replaced_gets_no_more_jobs_until_it_returns() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(service.run("e", json!({ "input": {} })).await);
    }
    worker.take_batch(2).await;
    worker.done(&ids[0], json!({ "output": 1, "stopPod": true })).await;
    assert_eq!(service.status("e", &ids[0]).await.1["output"], 1);
    // It still has the other.
    assert_eq!(while_advancing(&service, worker.take()).await, None);
    worker.done(&ids[1], json!({ "output": 2 })).await;
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 0 }));
    assert_eq!(worker.take_id().await, ids[2]);
}

/// The worker takes no more jobs, so it would occupy its slot indefinitely.
#[tokio::test]
async fn a_worker_may_want_to_be_replaced_when_its_job_has_ended_already() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let id = service.run("e", json!({ "input": {} })).await;
    worker.take_id().await;
    service.post(&format!("/v2/e/cancel/{id}")).await;
    worker.done(&id, json!({ "output": 1, "stopPod": true })).await;
    assert_eq!(service.status("e", &id).await.1["status"], "CANCELLED");
    assert_eq!(service.get("/_local/endpoints/e/workers").await.1, json!([]));
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 0 }));
}

#[tokio::test]
async fn an_unhealthy_worker_gets_no_jobs_and_is_shown() {
    let service = Service::still(open).await;
    let (ill, well) = (Attached::new(&service, "e", "ill"), Attached::new(&service, "e", "well"));
    let id = service.run("e", json!({ "input": {} })).await;
    ill.take_id().await;
    ill.ping("status=unhealthy&check=gpu&reason=no%20driver").await;
    let (_, workers) = service.get("/_local/endpoints/e/workers").await;
    let expected = json!({ "check": "gpu", "reason": "no driver" });
    assert_eq!(workers[0]["unhealthy"], expected);
    ill.done(&id, json!({})).await;
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 0 }));
    let id = service.run("e", json!({ "input": {} })).await;
    assert_eq!(while_advancing(&service, ill.take()).await, None);
    assert_eq!(well.take_id().await, id);
    ill.ping("").await;
    assert_eq!(health(&service).await["workers"]["idle"], 1);
}

/// The requests that wait are answered, so that no worker keeps the service from ending.
#[tokio::test]
async fn the_service_stops_with_workers_attached() {
    let service = Service::start(open).await;
    let worker = Attached::new(&service, "e", "w");
    let [take, stop] = ["job-take/w", "job-stop/w"].map(|path| worker.request(Method::GET, path));
    let waits = tokio::spawn(async { tokio::join!(take.send(), stop.send()) });
    eventually("a worker", async || health(&service).await["workers"]["idle"] == 1).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    service.local.shutdown().await;
    let (take, stop) = waits.await.unwrap();
    assert_eq!(take.unwrap().status(), 500);
    assert_eq!(stop.unwrap().status(), 500);
}
