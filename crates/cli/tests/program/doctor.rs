//! `podqueue doctor` tells apart what can be wrong.

use podqueue_local::{Fault, LocalService, Operation, Workers};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::run::never;
use crate::support::{KEY, Ran, Site, bare, ran};

async fn doctor(site: &Site, variable: (&str, &str)) -> Ran {
    ran(site.program(&["doctor", "echo"]).env(variable.0, variable.1)).await
}

#[track_caller]
fn says(ran: &Ran, code: i32, text: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    assert!(ran.stdout.contains(text), "{}", ran.stdout);
}

#[tokio::test]
async fn all_is_well() {
    let site = Site::start().await;
    let ran = site.run(&["doctor", "echo"]).await;
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.starts_with("ok")), "{}", ran.stdout);
    says(&site.run(&["doctor"]).await, 0, "podqueue doctor ENDPOINT");
}

#[tokio::test]
async fn the_key_is_missing_wrong_or_lacks_permission() {
    let restricted = LocalService::builder()
        .restricted_api_key("no-graphql", [Operation::Health, Operation::GetPod]);
    let site = Site::with(restricted).await;
    says(&ran(&mut bare(site.home.path(), &["doctor"])).await, 4, "no API key is set");
    let wrong = doctor(&site, ("PODQUEUE_API_KEY", "wrong")).await;
    says(&wrong, 4, "the key is wrong");
    let partial = doctor(&site, ("PODQUEUE_API_KEY", "no-graphql")).await;
    says(&partial, 4, "the key lacks permission: queue accepts it");
}

#[tokio::test]
async fn a_url_is_missing_wrong_or_out_of_reach() {
    let site = Site::start().await;
    let mut program = bare(site.home.path(), &["doctor"]);
    says(&ran(program.env("PODQUEUE_API_KEY", KEY)).await, 2, "PODQUEUE_BASE_URL");
    let variable = ("PODQUEUE_BASE_URL", "ftp://queue.example");
    says(&doctor(&site, variable).await, 2, "must be an https URL");
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("http://{gone}");
    says(&doctor(&site, ("PODQUEUE_BASE_URL", &url)).await, 1, "nothing listens there");
    let variable = ("PODQUEUE_BASE_URL", "https://queue.invalid");
    says(&doctor(&site, variable).await, 1, "no such host");
    // This service does not speak TLS.
    let url = site.local.base_url().replace("http:", "https:");
    says(&doctor(&site, ("PODQUEUE_BASE_URL", &url)).await, 1, "TLS failed");
    site.local.add_fault(Fault::gateway(404).on(Operation::Health));
    says(&site.run(&["doctor", "echo"]).await, 1, "something other than the service");
    site.local.clear_faults();
    site.local.add_fault(Fault::redirect(301, "https://elsewhere.example").on(Operation::Health));
    says(&site.run(&["doctor", "echo"]).await, 1, "leads elsewhere");
    site.local.clear_faults();
    for (status, text) in
        [(403, "lacks permission, or something on the way"), (407, "of the proxy")]
    {
        site.local.add_fault(Fault::response(status, "{}").on(Operation::Health));
        says(&site.run(&["doctor", "echo"]).await, 1, text);
        site.local.clear_faults();
    }
}

#[tokio::test]
async fn something_else_listens_there_or_a_proxy_refuses() {
    let site = Site::start().await;
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
    says(&doctor(&site, ("PODQUEUE_BASE_URL", &url)).await, 1, "something other than the service");
    let mut behind = site.program(&["doctor", "echo"]);
    behind.env("PODQUEUE_BASE_URL", "https://queue.example").env("NO_PROXY", "127.0.0.1");
    let proxy = format!("http://me:canary-password@{address}");
    let ran = ran(behind.env("HTTPS_PROXY", proxy)).await;
    says(&ran, 1, "the proxy does not let the call through");
    assert!(!ran.stdout.contains("canary-password"), "{}", ran.stdout);
}

#[tokio::test]
async fn the_endpoint_is_unknown() {
    let site = Site::start().await;
    says(&site.run(&["doctor", "no-such"]).await, 6, "has no endpoint no-such");
}

#[tokio::test]
async fn workers_are_missing_unhealthy_or_throttled() {
    let site = Site::with(LocalService::builder().workers_of("echo", Workers::between(0, 0))).await;
    says(&site.run(&["doctor", "echo"]).await, 0, "warning  workers   there are none");
    for (workers, text) in
        [(r#""unhealthy": 2"#, "read the logs"), (r#""throttled": 1"#, "no GPU free")]
    {
        let jobs = r#"{"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0}"#;
        let workers = format!(r#"{{"idle": 0, "running": 0, {workers}}}"#);
        let body = format!(r#"{{"jobs": {jobs}, "workers": {workers}}}"#);
        site.local.clear_faults();
        site.local.add_fault(Fault::response(200, body).on(Operation::Health));
        says(&site.run(&["doctor", "echo"]).await, 0, text);
    }
}

#[tokio::test]
async fn calls_are_throttled() {
    let site = Site::start().await;
    site.local.add_fault(Fault::response(429, "{}").on(Operation::Health));
    says(&site.run(&["doctor", "echo"]).await, 1, "use up its rate limit");
}

#[tokio::test]
async fn why_a_job_is_still_queued() {
    let none = Workers::between(0, 0);
    let builder = LocalService::builder().workers_of("echo", none).endpoint("never", never);
    let site = Site::with(builder.workers_of("never", Workers::between(1, 1))).await;
    let job = site.submit("echo", "{}").await;
    let ran = site.run(&["doctor", "echo", "--job", &job]).await;
    says(&ran, 0, "there are no workers");
    says(&ran, 0, "is IN_QUEUE");
    site.submit("never", "{}").await;
    let second = site.submit("never", "{}").await;
    let ran = site.run(&["doctor", "never", "--job", &second]).await;
    says(&ran, 0, "all 1 workers are busy");
    says(&site.run(&["doctor", "echo", "--job", "no-such"]).await, 6, "its id is wrong");
}
