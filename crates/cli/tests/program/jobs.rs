//! Tests of commands on jobs and endpoints.

use std::time::Duration;

use podqueue_local::{Fault, LocalService, Operation, Workers};

use crate::batch::Stderr;
use crate::run::never;
use crate::support::Fixture;

#[tokio::test]
async fn a_job_is_awaited_by_its_id() {
    let fixture = Fixture::start().await;
    let job = fixture.submit("echo", "{\"a\": 1}").await;
    fixture.run(&["wait", "echo", &job]).await.assert(0, "{\"a\":1}\n");
    let ran = fixture.run(&["status", "echo", &job]).await;
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("JOB "), "{}", ran.stdout);
    assert!(lines[1].starts_with(&job) && lines[1].contains("COMPLETED"), "{}", ran.stdout);
    let job = fixture.submit("count", "{\"n\": 1}").await;
    fixture.run(&["stream", "count", &job]).await.assert(0, "{\"n\":0}\n{\"n\":1}\n");
}

#[tokio::test]
async fn several_jobs_exit_with_the_most_severe_code() {
    let fixture = Fixture::start().await;
    let (good, bad) = (fixture.submit("echo", "{}").await, fixture.submit("echo", "{}").await);
    let ran = fixture.run(&["wait", "echo", &good, &bad]).await;
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 3), "{}", ran.stderr);
    let ran = fixture.run(&["status", "echo", &good, "no-such-job", &bad, "--json"]).await;
    ran.fails(6, "no-such-job");
    assert_eq!(ran.stdout.lines().count(), 2);
    let failed = fixture.submit("fail", "{\"message\": \"boo\"}").await;
    fixture.run(&["wait", "fail", &failed]).await.fails(3, "boo");
    let ran = fixture.run(&["status", "fail", &failed]).await;
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.contains("boo"), "{}", ran.stdout);
}

#[tokio::test]
async fn a_job_is_cancelled_and_a_failed_one_retried() {
    let fixture = Fixture::with(LocalService::builder().endpoint("never", never)).await;
    let job = fixture.submit("never", "{}").await;
    let ran = fixture.run(&["cancel", "never", &job]).await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("CANCELLED"), "{}", ran.stdout);
    fixture.run(&["wait", "never", &job]).await.fails(3, "was cancelled");
    let job = fixture.submit("fail", "{\"message\": \"boo\"}").await;
    fixture.run(&["wait", "fail", &job]).await.fails(3, "boo");
    let ran = fixture.run(&["retry", "fail", &job]).await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("IN_QUEUE"), "{}", ran.stdout);
    let job = fixture.submit("echo", "{}").await;
    fixture.run(&["wait", "echo", &job]).await.assert(0, "{}\n");
    fixture.run(&["retry", "echo", &job]).await.fails(1, "400");
}

#[tokio::test]
async fn the_error_of_the_last_poll_is_reported_once() {
    let fixture = Fixture::start().await;
    let job = fixture.submit("echo", "{}").await;
    fixture.local.add_fault(Fault::response(503, "{}").on(Operation::Status));
    let ran = fixture.run(&["wait", "echo", &job, "--timeout", "1s"]).await;
    ran.fails(124, "the last poll failed: status 503");
    assert_eq!(ran.stderr.matches("status 503").count(), 1, "{}", ran.stderr);
}

#[tokio::test]
async fn a_timeout_of_zero_reads_the_status() {
    let fixture = Fixture::with(LocalService::builder().endpoint("never", never)).await;
    let job = fixture.submit("echo", "{\"a\": 1}").await;
    fixture.run(&["wait", "echo", &job]).await.assert_code(0);
    fixture.run(&["wait", "echo", &job, "--timeout", "0s"]).await.assert(0, "{\"a\":1}\n");
    let job = fixture.submit("never", "{}").await;
    fixture.requests_to("/run", 2).await;
    let ran = fixture.run(&["wait", "never", &job, "--timeout", "0s"]).await;
    ran.fails(124, "last seen as IN_");
    let cancel = ["wait", "never", &job, "--timeout", "0s", "--cancel-on-timeout"];
    fixture.run(&cancel).await.fails(124, "timed out after 0s");
    let ran = fixture.run(&["stream", "echo", "j", "--timeout", "0s"]).await;
    ran.fails(124, "did not end within 0s");
}

#[tokio::test]
async fn a_stream_without_chunks_hints_at_the_output() {
    let fixture = Fixture::start().await;
    let ran = fixture.run(&["run", "echo", "{}", "--stream"]).await;
    ran.assert(0, "");
    ran.fails(0, "the job has no chunks to read; its whole output: podqueue wait echo ");
    let job = fixture.submit("count", "{\"n\": 0}").await;
    let ran = fixture.run(&["stream", "count", &job]).await;
    ran.assert(0, "{\"n\":0}\n");
    assert_eq!(ran.stderr, "");
}

#[tokio::test]
async fn an_unreadable_stream_reports_no_state_of_its_job() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::stall().on(Operation::Stream));
    let ran = fixture.run(&["stream", "echo", "j", "--timeout", "1s"]).await;
    ran.fails(124, "the stream of job j did not end within 1s");
    assert!(!ran.stderr.contains("not finished"), "{}", ran.stderr);
}

#[tokio::test]
async fn an_expired_result_exits_with_6() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    let job = fixture.submit("echo", "{}").await;
    fixture.run(&["wait", "echo", &job]).await.assert(0, "{}\n");
    fixture.local.clock().advance(Duration::from_secs(31 * 60));
    fixture.run(&["wait", "echo", &job]).await.fails(6, "404");
}

#[tokio::test]
async fn a_purge_requires_confirmation() {
    let workers = Workers::between(0, 0);
    let fixture = Fixture::with(LocalService::builder().workers_of("echo", workers)).await;
    fixture.submit("echo", "{}").await;
    fixture.run(&["purge", "echo"]).await.fails(2, "--yes");
    let ran = fixture.run(&["health", "echo"]).await;
    assert!(ran.stdout.contains("jobs     1  in queue"), "{}", ran.stdout);
    fixture.run(&["purge", "echo", "--yes"]).await.assert(0, "removed 1 job\n");
}

#[tokio::test]
async fn health_is_watched_until_an_interruption() {
    use tokio::io::{AsyncBufReadExt, BufReader};

    let fixture = Fixture::start().await;
    let mut child =
        fixture.program(&["health", "echo", "--watch", "--interval", "1s"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = async || lines.next_line().await.unwrap().unwrap();
    assert!(next().await.contains("QUEUED"));
    for _ in 0..2 {
        assert!(next().await.trim_start().starts_with('0'));
    }
}

#[tokio::test]
async fn watched_health_continues_after_transient_errors_only() {
    use tokio::io::{AsyncBufReadExt, BufReader};

    let fixture = Fixture::start().await;
    let trouble = || Fault::response(501, "{}").on(Operation::Health);
    fixture.local.add_fault(trouble());
    let watch = ["health", "echo", "--watch", "--interval", "1s"];
    let mut child = fixture.program(&watch).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = Stderr::by(&mut child);
    said.until("does not support this operation; trying again").await;
    fixture.requests_to("/health", 3).await;
    fixture.local.clear_faults();
    lines.next_line().await.unwrap();
    assert!(lines.next_line().await.unwrap().unwrap().trim_start().starts_with('0'));
    fixture.local.add_fault(Fault::response(407, "{}").on(Operation::Health));
    // The first error was reported once, although it was repeated.
    assert!(said.next().await.contains("a proxy requires"));
    assert!(said.next().await.contains("HTTPS_PROXY"));
    fixture.local.clear_faults();
    fixture.local.add_fault(Fault::response(401, "{}").on(Operation::Health));
    said.until("error: ").await;
    assert_eq!(child.wait().await.unwrap().code(), Some(4));
    fixture.run(&["health", "no-such", "--watch"]).await.fails(6, "podqueue doctor no-such");
}
