//! Command `mcp`: the program as an assistant starts it, over standard input and output.

use std::process::Stdio;

use podqueue_local::LocalService;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::support::{Fixture, KEY, bare};

/// A server in a process of its own, and its client.
pub struct Server {
    pub child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    next_id: u64,
}

impl Server {
    pub async fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self { child, stdin, stdout, next_id: 0 };
        let info = server
            .request(
                "initialize",
                json!({
                    "protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": { "name": "test", "version": "1" },
                }),
            )
            .await;
        assert_eq!(info.unwrap()["serverInfo"]["name"], "podqueue");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        server.send(&initialized).await;
        server
    }

    async fn send(&mut self, message: &Value) {
        // The process may have been killed.
        let _ = self.stdin.write_all(format!("{message}\n").as_bytes()).await;
    }

    /// Sends a request; returns its id.
    async fn post(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message).await;
        id
    }

    /// Sends a call; returns its id.
    pub async fn post_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.post("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The next response with an id; `None` if the process ends.
    pub async fn response(&mut self) -> Option<(u64, Value)> {
        while let Ok(Some(line)) = self.stdout.next_line().await {
            assert!(!line.contains(KEY), "{line}");
            let message: Value = serde_json::from_str(&line).unwrap();
            if let Some(id) = message["id"].as_u64() {
                assert!(message.get("error").is_none(), "{message}");
                return Some((id, message["result"].clone()));
            }
        }
        None
    }

    async fn request(&mut self, method: &str, params: Value) -> Option<Value> {
        let id = self.post(method, params).await;
        loop {
            let (found, result) = self.response().await?;
            if found == id {
                return Some(result);
            }
        }
    }

    /// The content of a call, or of its error; `None` if the process ends.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Option<Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        let result = self.request("tools/call", params).await?;
        Some(serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap())
    }

    /// Closes standard input, and waits for the end.
    pub async fn close(self) -> Option<i32> {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        child.wait().await.unwrap().code()
    }
}

#[tokio::test]
async fn an_assistant_runs_a_job_over_standard_input() {
    let fixture = Fixture::start().await;
    let mut server = Server::start(&mut fixture.program(&["mcp", "--allow", "run,cancel"])).await;
    let tools = server.request("tools/list", json!({})).await.unwrap();
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["run", "wait", "status", "stream", "cancel", "health", "doctor"]);
    let run = json!({ "endpoint": "echo", "input": { "a": 1 } });
    let job = server.call("run", run.clone()).await.unwrap();
    assert_eq!(job["output"], json!({ "a": 1 }));
    assert_eq!(server.close().await, Some(0));

    let mut server = Server::start(&mut fixture.program(&["mcp", "--allow", "run"])).await;
    let again = server.call("run", run).await.unwrap();
    assert_eq!((&again["job_id"], &again["repeated"]), (&job["job_id"], &json!(true)));
    assert_eq!(server.close().await, Some(0));
}

#[tokio::test]
async fn a_rehearsal_needs_no_settings() {
    let home = tempfile::tempdir().unwrap();
    let mut server = Server::start(&mut bare(home.path(), &["mcp", "--allow", "local"])).await;
    server.call("local_start", json!({})).await.unwrap();
    let run = json!({ "endpoint": "echo", "input": { "a": 1 }, "service": "local" });
    let job = server.call("run", run).await.unwrap();
    assert_eq!(job["output"], json!({ "a": 1 }));
    assert_eq!(server.close().await, Some(0));
}

#[tokio::test]
async fn invalid_options_are_refused() {
    let fixture = Fixture::with(LocalService::builder()).await;
    for (arguments, message) in [
        (&["mcp", "--allow", "everything"][..], "expected run, cancel, batch or local"),
        (&["mcp", "--files", "/no/such/folder"], "--files"),
        (&["mcp", "--max-cost", "5"], "--price"),
        (&["mcp", "--price", "5"], "--max-cost"),
        (&["mcp", "--http", "0.0.0.0:0"], "this machine"),
    ] {
        let ran = fixture.run(arguments).await;
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn http_prints_its_url_and_token_on_standard_error() {
    let fixture = Fixture::start().await;
    let mut command = fixture.program(&["mcp", "--http"]);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let url = lines.next_line().await.unwrap().unwrap();
    assert!(url.contains("serving http://127.0.0.1:") && url.ends_with("/mcp"), "{url}");
    let token = lines.next_line().await.unwrap().unwrap();
    assert!(token.contains("authorization: Bearer "), "{token}");
}
