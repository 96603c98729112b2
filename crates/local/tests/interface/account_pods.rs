//! Pods of the account interface: their lifecycle on the clock, and their logs.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Service, assert_problem, log_events as events, seconds};

async fn create(service: &Service, change: Value) -> Value {
    let mut body = json!({ "name": "p", "image": "worker:1", "gpu": { "id": "gpu-24gb" } });
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    service.account_send(Method::POST, "/pods", body).await
}

fn id(pod: &Value) -> String {
    pod["id"].as_str().unwrap().to_owned()
}

async fn act(service: &Service, id: &str, action: &str) -> (u16, Value) {
    let body = json!({ "action": action });
    service.account(Method::POST, &format!("/pods/{id}/action"), Some(body)).await
}

#[tokio::test]
async fn the_lifecycle_of_a_pod_runs_on_the_clock() {
    let service = Service::still(|builder| builder).await;
    let pod = create(&service, json!({})).await;
    let path = format!("/pods/{}", id(&pod));
    let state = async || {
        let pod = service.account_get(&path).await;
        (pod["status"].as_str().unwrap().to_owned(), pod["actions"].clone())
    };
    assert_eq!(state().await, ("PROVISIONING".into(), json!(["stop", "terminate"])));
    service.advance(seconds(1));
    assert_eq!(state().await, ("STARTING".into(), json!(["stop", "terminate"])));
    service.advance(seconds(1));
    assert_eq!(state().await, ("RUNNING".into(), json!(["stop", "restart", "terminate"])));
    assert_problem(&act(&service, &id(&pod), "start").await, 409, "cannot start");
    let stopped = act(&service, &id(&pod), "stop").await.1;
    assert_eq!((&stopped["status"], &stopped["runtime"]), (&json!("EXITED"), &Value::Null));
    assert_eq!(state().await, ("EXITED".into(), json!(["start", "terminate"])));
    assert_problem(&act(&service, &id(&pod), "restart").await, 409, "start, terminate");
    assert_eq!(act(&service, &id(&pod), "start").await.1["status"], "STARTING");
    service.advance(seconds(3));
    let running = service.account_get(&path).await;
    assert_eq!(running["runtime"]["uptime"], 2);
    assert_eq!(act(&service, &id(&pod), "restart").await.1["status"], "STARTING");
    assert_eq!(act(&service, &id(&pod), "terminate").await, (204, Value::Null));
    assert_problem(&service.account(Method::GET, &path, None).await, 404, "Pod");
    assert_problem(&act(&service, &id(&pod), "reset").await, 422, "one of start, stop");

    let failing = create(&service, json!({ "image": "registry.example/fail:1" })).await;
    service.advance(seconds(2));
    let failing = service.account_get(&format!("/pods/{}", id(&failing))).await;
    assert_eq!(failing["status"], "ERROR");
}

#[tokio::test]
async fn a_locked_pod_is_neither_stopped_nor_deleted() {
    let service = Service::still(|builder| builder).await;
    let pod = create(&service, json!({})).await;
    let path = format!("/pods/{}", id(&pod));
    let locked = service.account_send(Method::PATCH, &path, json!({ "locked": true })).await;
    assert_eq!((&locked["locked"], &locked["actions"]), (&json!(true), &json!([])));
    assert_problem(&service.account(Method::DELETE, &path, None).await, 409, "locked");
    assert_problem(&act(&service, &id(&pod), "stop").await, 409, "none");
    let body = Some(json!({ "image": "worker:2" }));
    assert_problem(&service.account(Method::PATCH, &path, body).await, 409, "locked");
    service.account_send(Method::PATCH, &path, json!({ "locked": false })).await;
    assert_eq!(service.account(Method::DELETE, &path, None).await.0, 204);
}

#[tokio::test]
async fn the_first_version_reads_it_and_its_seeds_are_listed() {
    let service = Service::still(|builder| builder).await;
    let body = json!({ "templateId": "template-own", "env": { "A": "b" } });
    let pod = create(&service, body).await;
    // The body goes before the template.
    assert_eq!((&pod["image"], &pod["env"]), (&json!("worker:1"), &json!({ "A": "b" })));
    assert_eq!(pod["ports"], json!(["8888/http", "22/tcp"]));
    assert_eq!(pod["mounts"]["persistent"]["size"], 50);
    let (status, first) = service.get(&format!("/v1/pods/{}", id(&pod))).await;
    assert_eq!((status, &first["image"]), (200, &json!("worker:1")));
    assert_eq!(first["desiredStatus"], "RUNNING");
    let listed = service.account_get("/pods").await;
    let mut ids: Vec<_> = listed["pods"].as_array().unwrap().iter().map(id).collect();
    ids.retain(|it| *it != id(&pod));
    assert_eq!(ids, ["pod-cpu", "pod-gpu", "pod-starting"]);
    let stopped = service.account_get("/pods/pod-cpu").await;
    assert_eq!((&stopped["status"], &stopped["locked"]), (&json!("EXITED"), &json!(true)));
}

#[tokio::test]
async fn pods_of_both_versions_are_the_same() {
    let service = Service::still(|builder| builder.without_seeds()).await;
    let add = |pod: Value| service.local.add_pod(pod).unwrap();
    add(json!({"id": "a", "name": "first", "image": "i:1", "costPerHr": 1}));
    add(json!({"id": "worker", "endpointId": "echo"}));
    let listed =
        |pods: Value| -> Vec<String> { pods["pods"].as_array().unwrap().iter().map(id).collect() };
    assert_eq!(listed(service.account_get("/pods").await), ["a"]);
    assert_eq!(act(&service, "a", "stop").await.1["status"], "EXITED");
    assert_eq!(service.get("/v1/pods/a").await.1["desiredStatus"], "EXITED");
    // It is replaced, and removed, in both.
    add(json!({"id": "a", "name": "second"}));
    assert_eq!(service.account_get("/pods/a").await["name"], "second");
    assert!(service.local.remove_pod("a") && service.local.remove_pod("worker"));
    assert!(!service.local.remove_pod("a"));
    assert_eq!(service.account(Method::GET, "/pods/a", None).await.0, 404);
    let pod = create(&service, json!({})).await;
    assert!(service.local.remove_pod(&id(&pod)));
    assert_eq!(listed(service.account_get("/pods").await), [""; 0]);
}

#[tokio::test]
async fn the_log_of_a_pod_resumes_after_any_event() {
    let service = Service::still(|builder| builder).await;
    let pod = create(&service, json!({})).await;
    let path = format!("/pods/{}/logs", id(&pod));
    for _ in 0..3 {
        service.advance(seconds(5));
        act(&service, &id(&pod), "restart").await;
    }
    service.advance(seconds(5));
    // All that a stop, which ends the stream, has written.
    act(&service, &id(&pod), "stop").await;
    let all = events(&service, &path, None, usize::MAX).await;
    assert_eq!(all.len(), 3 + 3 * 3 + 1, "{all:?}");
    assert!(all.windows(2).all(|pair| pair[0]["ts"].as_str() < pair[1]["ts"].as_str()));
    for (index, event) in all.iter().enumerate() {
        let rest = events(&service, &path, event["ts"].as_str(), usize::MAX).await;
        assert_eq!(rest, all[index + 1..]);
        let since = format!("{path}?since={}&tail=5000", event["ts"].as_str().unwrap());
        assert_eq!(events(&service, &since, None, usize::MAX).await, all[index..]);
    }
    let tail = events(&service, &format!("{path}?tail=2"), None, usize::MAX).await;
    assert_eq!(tail, all[all.len() - 2..]);
    let tail = events(&service, &format!("{path}?tail=0"), None, usize::MAX).await;
    assert_eq!(tail, [Value::Null; 0]);
    let own = events(&service, &format!("{path}?source=container"), None, usize::MAX).await;
    assert_eq!(own.len(), 4);
    for query in ["tail=5001", "tail=-1", "source=other", "since=yesterday"] {
        let answer = service.account(Method::GET, &format!("{path}?{query}"), None).await;
        let name = query.split('=').next().unwrap();
        assert_problem(&answer, 400, name);
    }
}

#[tokio::test]
async fn a_line_is_sent_when_its_time_comes_and_the_stream_ends_with_the_pod() {
    let service = Service::still(|builder| builder).await;
    let pod = create(&service, json!({})).await;
    let path = format!("/pods/{}/logs", id(&pod));
    let (lines, ()) = tokio::join!(events(&service, &path, None, usize::MAX), async {
        for _ in 0..4 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            service.advance(Duration::from_millis(500));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        act(&service, &id(&pod), "terminate").await;
    });
    let lines: Vec<_> = lines.iter().map(|it| it["line"].as_str().unwrap()).collect();
    assert_eq!(lines, ["looking for a machine", "starting a container of worker:1", "ready: p"]);
}
