//! Tests of `podqueue doctor`: settings, key, service, workers and jobs.

use podqueue_local::{Fault, LocalService, Operation, Workers};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::run::never;
use crate::support::{Fixture, KEY, Ran, bare, ran};

async fn doctor(fixture: &Fixture, variable: (&str, &str)) -> Ran {
    ran(fixture.program(&["doctor", "echo"]).env(variable.0, variable.1)).await
}

#[track_caller]
fn assert_shows(ran: &Ran, code: i32, text: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    assert!(ran.stdout.contains(text), "{}", ran.stdout);
}

#[tokio::test]
async fn a_working_setup_passes_every_check() {
    let fixture = Fixture::start().await;
    let ran = fixture.run(&["doctor", "echo"]).await;
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.starts_with("ok")), "{}", ran.stdout);
    assert_shows(&fixture.run(&["doctor"]).await, 0, "podqueue doctor ENDPOINT");
}

#[tokio::test]
async fn invalid_ids_are_refused() {
    let fixture = Fixture::start().await;
    for id in ["", "..", " . "] {
        fixture.run(&["doctor", id]).await.fails(2, "expected an id");
        fixture.run(&["doctor", "echo", "--job", id]).await.fails(2, "expected an id");
    }
    assert!(fixture.local.requests().is_empty());
}

#[tokio::test]
async fn a_missing_wrong_or_unprivileged_key_is_diagnosed() {
    let restricted = LocalService::builder()
        .restricted_api_key("no-graphql", [Operation::Health, Operation::GetPod]);
    let fixture = Fixture::with(restricted).await;
    assert_shows(&ran(&mut bare(fixture.home.path(), &["doctor"])).await, 4, "no API key is set");
    let wrong = doctor(&fixture, ("PODQUEUE_API_KEY", "wrong")).await;
    assert_shows(&wrong, 4, "the key is wrong");
    let partial = doctor(&fixture, ("PODQUEUE_API_KEY", "no-graphql")).await;
    assert_shows(&partial, 4, "the key lacks permission: queue accepts it");
}

#[tokio::test]
async fn everything_missing_or_invalid_is_diagnosed_at_once() {
    let home = tempfile::tempdir().unwrap();
    let missing = ran(&mut bare(home.path(), &["doctor"])).await;
    assert_shows(&missing, 4, "no API key is set");
    assert_shows(&missing, 4, "the URL of the job queue is not set");
    let mut program = bare(home.path(), &["doctor", "echo"]);
    program
        .env("PODQUEUE_REST_URL", "rest.example")
        .env("PODQUEUE_GRAPHQL_URL", "ftp://me:canary@g");
    let invalid = ran(program.env("PODQUEUE_API_KEY", KEY)).await;
    assert_shows(&invalid, 2, "PODQUEUE_REST_URL is not a URL: rest.example");
    assert_shows(&invalid, 2, "PODQUEUE_GRAPHQL_URL must be an https URL: ftp://…@g");
    assert_shows(&invalid, 2, "the URL of the job queue is not set");
    assert!(!invalid.stdout.contains("canary"), "{}", invalid.stdout);
}

#[tokio::test]
async fn a_missing_wrong_or_unreachable_url_is_diagnosed() {
    let fixture = Fixture::start().await;
    let mut program = bare(fixture.home.path(), &["doctor"]);
    assert_shows(&ran(program.env("PODQUEUE_API_KEY", KEY)).await, 2, "PODQUEUE_BASE_URL");
    let variable = ("PODQUEUE_BASE_URL", "ftp://queue.example");
    assert_shows(&doctor(&fixture, variable).await, 2, "must be an https URL");
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("http://{gone}");
    assert_shows(&doctor(&fixture, ("PODQUEUE_BASE_URL", &url)).await, 1, "nothing listens there");
    let variable = ("PODQUEUE_BASE_URL", "https://queue.invalid");
    assert_shows(&doctor(&fixture, variable).await, 1, "no such host");
    // This service does not speak TLS.
    let url = fixture.local.base_url().replace("http:", "https:");
    assert_shows(&doctor(&fixture, ("PODQUEUE_BASE_URL", &url)).await, 1, "TLS failed");
    fixture.local.add_fault(Fault::gateway(404).on(Operation::Health));
    assert_shows(&fixture.run(&["doctor", "echo"]).await, 1, "something other than the service");
    fixture.local.clear_faults();
    fixture
        .local
        .add_fault(Fault::redirect(301, "https://elsewhere.example").on(Operation::Health));
    assert_shows(&fixture.run(&["doctor", "echo"]).await, 1, "leads elsewhere");
    fixture.local.clear_faults();
    for (status, code, text) in
        [(403, 4, "lacks permission, or something on the way"), (407, 1, "of the proxy")]
    {
        fixture.local.add_fault(Fault::response(status, "{}").on(Operation::Health));
        assert_shows(&fixture.run(&["doctor", "echo"]).await, code, text);
        fixture.local.clear_faults();
    }
}

#[tokio::test]
async fn another_server_or_a_refusing_proxy_is_diagnosed() {
    let fixture = Fixture::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_u8().await.unwrap();
            stream.write_all(b"SSH-2.0-other\r\n").await.unwrap();
        }
    });
    let url = format!("http://{address}");
    assert_shows(
        &doctor(&fixture, ("PODQUEUE_BASE_URL", &url)).await,
        1,
        "something other than the service",
    );
    let mut behind = fixture.program(&["doctor", "echo"]);
    behind.env("PODQUEUE_BASE_URL", "https://queue.example").env("NO_PROXY", "127.0.0.1");
    let proxy = format!("http://me:canary-password@{address}");
    let ran = ran(behind.env("HTTPS_PROXY", proxy)).await;
    assert_shows(&ran, 1, "the proxy does not let the call through");
    assert!(!ran.stdout.contains("canary-password"), "{}", ran.stdout);
}

#[tokio::test]
async fn an_unknown_endpoint_is_diagnosed() {
    let fixture = Fixture::start().await;
    assert_shows(&fixture.run(&["doctor", "no-such"]).await, 6, "has no endpoint no-such");
}

#[tokio::test]
async fn missing_unhealthy_and_throttled_workers_are_diagnosed() {
    let fixture =
        Fixture::with(LocalService::builder().workers_of("echo", Workers::between(0, 0))).await;
    assert_shows(&fixture.run(&["doctor", "echo"]).await, 0, "warning  workers   there are none");
    for (workers, text) in
        [(r#""unhealthy": 2"#, "read the logs"), (r#""throttled": 1"#, "no GPU free")]
    {
        let jobs = r#"{"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0}"#;
        let workers = format!(r#"{{"idle": 0, "running": 0, {workers}}}"#);
        let body = format!(r#"{{"jobs": {jobs}, "workers": {workers}}}"#);
        fixture.local.clear_faults();
        fixture.local.add_fault(Fault::response(200, body).on(Operation::Health));
        assert_shows(&fixture.run(&["doctor", "echo"]).await, 0, text);
    }
}

#[tokio::test]
async fn throttled_calls_are_diagnosed() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::response(429, "{}").on(Operation::Health));
    assert_shows(&fixture.run(&["doctor", "echo"]).await, 1, "use up its rate limit");
}

#[tokio::test]
async fn a_queued_job_is_diagnosed() {
    let none = Workers::between(0, 0);
    let builder = LocalService::builder().workers_of("echo", none).endpoint("never", never);
    let fixture = Fixture::with(builder.workers_of("never", Workers::between(1, 1))).await;
    let job = fixture.submit("echo", "{}").await;
    let ran = fixture.run(&["doctor", "echo", "--job", &job]).await;
    assert_shows(&ran, 0, "there are no workers");
    assert_shows(&ran, 0, "is IN_QUEUE");
    fixture.submit("never", "{}").await;
    let second = fixture.submit("never", "{}").await;
    let ran = fixture.run(&["doctor", "never", "--job", &second]).await;
    assert_shows(&ran, 0, "all 1 workers are busy");
    assert_shows(&fixture.run(&["doctor", "echo", "--job", "no-such"]).await, 6, "its id is wrong");
}
