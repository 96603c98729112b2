//! The account interface: the client's calls, logs and guard of scaling against the local service.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::account::types::{
    CreateEndpointGpuConfig, CreateEndpointRequest, CreateGpuConfig, CreatePodRequest,
    CreateTemplateRequest, EndpointType, LogSource, PodAction, PodActionRequest, PodStatus,
    QueueDelayScaling, UpdateEndpointRequest, WorkerStatus,
};
use podqueue::account::{Account, WorkerLimits};
use podqueue::{ErrorKind, JobStatus};
use podqueue_local::{Fault, OWN_TEMPLATE, Operation, RateLimits, RetiredInterface};
use serde_json::json;

use crate::local::support::{HeldBack, client, service, settings, until};

fn new_endpoint(image: &str) -> CreateEndpointRequest {
    let scaling = QueueDelayScaling::new(4.0).into();
    let mut body = CreateEndpointRequest::new("mine", scaling, EndpointType::Queue);
    body.image = Some(image.to_owned());
    body.gpu = Some(CreateEndpointGpuConfig::new(["ADA_24"]));
    body
}

async fn created(account: &Account, image: &str) -> String {
    account.create_endpoint(new_endpoint(image)).await.unwrap().id.unwrap()
}

async fn summary(account: &Account, id: &str) -> (i64, i64) {
    let workers = account.list_endpoint_workers(id).await.unwrap();
    let summary = workers.summary.unwrap();
    (summary.total.unwrap(), summary.running.unwrap())
}

#[tokio::test]
async fn an_endpoint_runs_jobs_as_soon_as_it_is_created() {
    let local = service().start().await.unwrap();
    let client = client(&local);
    let account = client.account();
    let id = created(&account, "registry.example/echo:1").await;
    let job = client.endpoint(&id).run(&json!({ "a": 1 })).await.unwrap();
    until(&job, JobStatus::Completed).await;
    let workers = account.list_endpoint_workers(&id).await.unwrap().workers;
    assert_eq!(workers[0].status, Some(WorkerStatus::Idle));
    let body = UpdateEndpointRequest { image: Some("echo:2".to_owned()), ..Default::default() };
    account.update_endpoint(&id, body).await.unwrap();
    let releases = account.list_endpoint_releases(&id).await.unwrap().releases;
    assert_eq!(releases[0].diff[0].field.as_deref(), Some("image"));
    account.delete_endpoint(&id).await.unwrap();
    let error = client.endpoint(&id).run(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = account.get_endpoint(&id).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn the_guard_of_scaling_keeps_workers_warm_and_restores_the_numbers() {
    let local = service().manual_clock().start().await.unwrap();
    let account = client(&local).account();
    let id = created(&account, "sleep").await;
    let mut scaled = account.endpoint(&id).scale(2, 2).await.unwrap();
    assert_eq!(scaled.former(), WorkerLimits { min: 0, max: 3 });
    assert_eq!(summary(&account, &id).await, (2, 0));
    local.clock().advance(Duration::from_secs(3600));
    assert_eq!(summary(&account, &id).await, (2, 0));
    assert!(scaled.restore().await.unwrap());
    local.clock().advance(Duration::from_secs(10));
    assert_eq!(summary(&account, &id).await, (0, 0));
}

async fn pod(account: &Account) -> String {
    let mut body = CreatePodRequest::new("p");
    body.image = Some("worker:1".to_owned());
    body.gpu = Some(CreateGpuConfig::new("gpu-24gb"));
    account.create_pod(body).await.unwrap().id.unwrap()
}

async fn act(account: &Account, id: &str, action: PodAction) {
    account.pod_action(id, PodActionRequest { action }).await.unwrap();
}

#[tokio::test]
async fn a_pod_is_started_and_stopped() {
    let local = service().manual_clock().start().await.unwrap();
    let account = client(&local).account();
    let id = pod(&account).await;
    for (advanced, status) in
        [(0, PodStatus::Provisioning), (1, PodStatus::Starting), (1, PodStatus::Running)]
    {
        local.clock().advance(Duration::from_secs(advanced));
        assert_eq!(account.get_pod(&id).await.unwrap().status, Some(status));
    }
    act(&account, &id, PodAction::Stop).await;
    assert_eq!(account.get_pod(&id).await.unwrap().status, Some(PodStatus::Exited));
    act(&account, &id, PodAction::Terminate).await;
    assert_eq!(account.get_pod(&id).await.unwrap_err().kind(), ErrorKind::NotFound);
}

/// The connection is cut 20 times, within an event or between two.
#[tokio::test]
async fn a_log_whose_connection_is_cut_again_and_again_is_read_once() {
    let local = service().manual_clock().start().await.unwrap();
    let account = client(&local).account();
    let id = pod(&account).await;
    for _ in 0..5 {
        local.clock().advance(Duration::from_secs(5));
        act(&account, &id, PodAction::Restart).await;
    }
    local.clock().advance(Duration::from_secs(5));
    act(&account, &id, PodAction::Stop).await;
    let whole: Vec<_> = account.pod(&id).logs().map(Result::unwrap).collect().await;
    assert_eq!(whole.len(), 3 + 5 * 3 + 1);
    let cut = Fault::cut(333).on(Operation::Account).times(20);
    local.add_fault(cut);
    let resumed: Vec<_> = account.pod(&id).logs().map(Result::unwrap).collect().await;
    assert_eq!(resumed, whole);
}

#[tokio::test]
async fn the_logs_of_all_workers_are_followed() {
    let local = service().start().await.unwrap();
    let client = client(&local);
    let account = client.account();
    let id = created(&account, "echo").await;
    let endpoint = account.endpoint(&id);
    account.endpoint(&id).scale(1, 1).await.unwrap().keep();
    let first = client.endpoint(&id).run(&json!({})).await.unwrap();
    until(&first, JobStatus::Completed).await;
    let mut lines = endpoint.logs().source(LogSource::System).follow();
    let second = client.endpoint(&id).run(&json!({})).await.unwrap();
    for job in [first, second] {
        for what in ["started", "finished"] {
            let line = lines.next().await.unwrap().unwrap();
            assert_eq!(line.worker_id.as_deref(), Some("worker-0"));
            assert_eq!(line.line, format!("job {} {what}", job.id()));
        }
    }
}

#[tokio::test]
async fn templates_are_shared_by_all_interfaces() {
    let local = service().start().await.unwrap();
    let client = client(&local);
    let account = client.account();
    let body = CreateTemplateRequest::new("image:1", "t");
    let template = account.create_template(body).await.unwrap();
    let id = template.id.unwrap();
    let read = client.rest().get_template(&id).await.unwrap();
    assert_eq!(read.name.as_deref(), Some("t"));
    client.templates().delete("t").await.unwrap();
    assert_eq!(account.get_template(&id).await.unwrap_err().kind(), ErrorKind::NotFound);
}

/// The client asks as fast as it can, on a clock that runs when it waits.
#[tokio::test(start_paused = true)]
async fn announced_limits_are_kept_and_used() {
    let _held_back = HeldBack::new();
    let limits = RateLimits::documented().account_requests(10, 1000, 10_000);
    let local = service().rate_limits(limits).start().await.unwrap();
    let account = client(&local).account();
    let started = tokio::time::Instant::now();
    for _ in 0..40 {
        account.get_ssh_keys().await.unwrap();
    }
    let minutes = started.elapsed().as_secs_f64() / 60.0;
    assert!((2.9..4.0).contains(&minutes), "40 calls at 10 a minute took {minutes} minutes");
    let refused = local.requests().iter().filter(|it| it.status == Some(429)).count();
    assert_eq!(refused, 0);
}

#[tokio::test]
async fn a_retired_interface_names_its_successor() {
    let retired = [RetiredInterface::Rest, RetiredInterface::GraphQl];
    let local = service().retired(retired).start().await.unwrap();
    let client = settings(&local).build().unwrap();
    let error = client.rest().get_template(OWN_TEMPLATE).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gone);
    assert!(error.to_string().contains("client.account().get_template("), "{error}");
    let error = client.templates().delete("notebook").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gone);
    client.account().get_template(OWN_TEMPLATE).await.unwrap();
}
