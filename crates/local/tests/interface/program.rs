//! The program `podqueue-local`.

use std::process::Stdio;

use reqwest::StatusCode;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

#[cfg(unix)]
use crate::support::Pipe;
use crate::support::answer;

/// Starts the program, and reads the variables that it prints.
async fn start(arguments: &[&str]) -> (Child, Vec<(String, String)>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_podqueue-local"))
        .args(["--listen", "127.0.0.1:0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut variables = Vec::new();
    while variables.len() < 4 {
        let line = lines.next_line().await.unwrap().unwrap();
        let (name, value) = line.strip_prefix("export ").unwrap().split_once('=').unwrap();
        variables.push((name.to_owned(), value.to_owned()));
    }
    (child, variables)
}

#[tokio::test]
async fn it_prints_its_addresses_ready_to_paste() {
    let (_child, variables) = start(&["--api-key", "it's a key"]).await;
    let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    let expected =
        ["PODQUEUE_API_KEY", "PODQUEUE_BASE_URL", "PODQUEUE_REST_URL", "PODQUEUE_GRAPHQL_URL"];
    assert_eq!(names, expected);
    assert_eq!(variables[0].1, r"'it'\''s a key'");
    let base = &variables[1].1;
    assert!(base.starts_with("http://127.0.0.1:"));
    assert_eq!(variables[2].1, format!("{base}/v1"));
    assert_eq!(variables[3].1, format!("{base}/graphql"));
    let http = reqwest::Client::new();
    let request = http.get(format!("{base}/v2/echo/health")).header("authorization", "it's a key");
    assert_eq!(answer(request).await.0, StatusCode::OK);
}

#[cfg(unix)]
#[tokio::test]
async fn it_runs_a_command_as_worker_and_streams_in_the_shape_asked_for() {
    let worker =
        r#"worker=while read -r line; do echo '{"stream": 1}'; echo '{"output": 2}'; done"#;
    let (_child, variables) = start(&["--endpoint", worker, "--stream-shape", "object"]).await;
    let base = &variables[1].1;
    let http = reqwest::Client::new();
    let run = http
        .post(format!("{base}/v2/worker/runsync"))
        .header("authorization", "local")
        .body(json!({ "input": {} }).to_string());
    let (_, record) = answer(run).await;
    assert_eq!(record["output"], 2);
    let id = record["id"].as_str().unwrap();
    let stream = http.get(format!("{base}/v2/worker/stream/{id}")).header("authorization", "local");
    let (_, body) = answer(stream).await;
    assert_eq!((&body["status"], &body["stream"][0]["output"]), (&json!("COMPLETED"), &json!(1)));
}

#[cfg(unix)]
#[tokio::test]
async fn a_worker_that_dies_fails_its_job_and_is_replaced() {
    let worker = r#"worker=while read -r line; do
        case "$line" in *die*) exit 7 ;; esac
        echo '{"output": "alive"}'
    done"#;
    let (_child, variables) = start(&["--endpoint", worker]).await;
    let http = reqwest::Client::new();
    let run_sync = async |input: serde_json::Value| {
        let url = format!("{}/v2/worker/runsync", variables[1].1);
        let body = json!({ "input": input }).to_string();
        answer(http.post(url).header("authorization", "local").body(body)).await.1
    };
    assert_eq!(run_sync(json!({})).await["output"], "alive");
    let record = run_sync(json!({ "please": "die" })).await;
    assert_eq!(record["status"], "FAILED");
    assert!(record["error"].as_str().unwrap().contains('7'), "{record}");
    assert_eq!(run_sync(json!({})).await["output"], "alive");
}

#[cfg(unix)]
#[tokio::test]
async fn it_stops_cleanly_on_ctrl_c_with_its_workers() {
    let pipe = Pipe::new();
    let (mut child, variables) = start(&["--endpoint", &format!("sh={}", pipe.worker())]).await;
    let run = reqwest::Client::new()
        .post(format!("{}/v2/sh/runsync", variables[1].1))
        .header("authorization", "local")
        .body(r#"{"input": {}}"#);
    assert_eq!(answer(run).await.1["status"], "COMPLETED");
    assert!(pipe.is_held());
    let id = child.id().unwrap().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().await.unwrap();
    assert!(sent.success());
    let ended = tokio::time::timeout(std::time::Duration::from_secs(10), child.wait());
    assert_eq!(ended.await.unwrap().unwrap().code(), Some(0));
    pipe.released().await;
}

#[tokio::test]
async fn a_wrong_argument_is_explained() {
    let output = Command::new(env!("CARGO_BIN_EXE_podqueue-local"))
        .args(["--endpoint", "no-command"])
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("expected NAME=COMMAND"));
}
