//! Sessions: what the page shows, recorded by the program, and replayed.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;

use crate::program::{program, start, value};
use crate::support::{Answer, answer, assert_refused, eventually};

const KEY: &str = "a key that no session has";

/// A running program, to whose service requests are sent with a key.
pub struct Running {
    child: Child,
    base_url: String,
    key: String,
}

impl Running {
    pub async fn recording(file: &Path, more: &[&str]) -> Self {
        let file = file.to_str().unwrap();
        let (child, variables) =
            start(&[&["--record", file, "--api-key", KEY], more].concat()).await;
        let base_url = value(&variables, "PODQUEUE_BASE_URL").unwrap().to_owned();
        Self { child, base_url, key: KEY.to_owned() }
    }

    /// A program that prints the link to the page, and nothing else.
    pub async fn replaying(file: &Path) -> Self {
        let mut child = program().arg("--replay").arg(file).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().unwrap();
        let (base_url, token) =
            line.strip_prefix("# The page: ").unwrap().split_once("/#token=").unwrap();
        Self { child, base_url: base_url.to_owned(), key: token.to_owned() }
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let url = format!("{}{path}", self.base_url);
        let request = reqwest::Client::new().request(method, url).bearer_auth(&self.key);
        answer(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.send(Method::GET, path, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    pub async fn run(&self, endpoint: &str, input: Value) -> String {
        let body = json!({ "input": input, "webhook": "http://user:hidden@127.0.0.1:9/" });
        let (_, job) =
            self.send(Method::POST, &format!("/v2/{endpoint}/runsync"), Some(body)).await;
        job["id"].as_str().unwrap().to_owned()
    }

    /// Ends the program as Ctrl-C in a terminal or a supervisor does.
    pub async fn end(mut self) {
        let id = i32::try_from(self.child.id().unwrap()).unwrap();
        kill(Pid::from_raw(id), Signal::SIGTERM).unwrap();
        assert!(matches!(self.child.wait().await.unwrap().signal(), None | Some(15)));
    }

    pub fn page_url(&self) -> String {
        format!("{}/#token={}", self.base_url, self.key)
    }
}

/// The part of a list that a session has: bulk changes are not possible, and not counted.
fn comparable(mut body: Value) -> Value {
    if let Some(list) = body.as_object_mut() {
        list.retain(|name, _| name != "retryable" && name != "cancellable");
    }
    body
}

#[tokio::test]
async fn a_session_is_replayed_as_it_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.json");
    let worker = "while read -r job; do echo \"a line\" >&2; echo '{\"output\": 1}'; done";
    let endpoint = format!("odd name/é={worker}");
    let options = ["--manual-clock", "--rate-limits", "--endpoint", &endpoint];
    let recorded = Running::recording(&file, &options).await;
    let odd = "odd%20name%2F%C3%A9";
    let big = recorded.run("echo", json!({ "seed": u64::MAX, "text": "needle" })).await;
    let failed = recorded.run("fail", json!({ "message": "out of memory" })).await;
    let logged = recorded.run(odd, json!({})).await;
    let fault = json!({ "operation": "cancel", "delayMs": 5 });
    recorded.send(Method::POST, "/_local/faults", Some(fault)).await;
    let webhooks = "/_local/webhooks?limit=9";
    // The clock stands still, so that they are not called again.
    eventually("all webhooks are called", async || recorded.get(webhooks).await["total"] == 3)
        .await;

    let paths = [
        "/_local/endpoints".to_owned(),
        "/_local/limits".to_owned(),
        "/_local/faults".to_owned(),
        "/_local/scenarios".to_owned(),
        webhooks.to_owned(),
        "/_local/requests?limit=2&offset=1".to_owned(),
        "/_local/requests?search=FAIL/run".to_owned(),
        "/_local/requests?status=4".to_owned(),
        format!("/_local/requests?job={big}"),
        "/_local/requests/0".to_owned(),
        "/_local/endpoints/echo/jobs?".to_owned(),
        "/_local/endpoints/echo/jobs?search=NEEDLE".to_owned(),
        "/_local/endpoints/echo/jobs?search=seed%22:184467".to_owned(),
        "/_local/endpoints/echo/jobs?search=nothing".to_owned(),
        "/_local/endpoints/fail/jobs?status=FAILED,EXPIRED&search=of%20mem".to_owned(),
        "/_local/endpoints/fail/jobs?status=COMPLETED".to_owned(),
        format!("/_local/endpoints/echo/jobs/{big}"),
        format!("/_local/endpoints/fail/jobs/{failed}"),
        format!("/_local/endpoints/{odd}/jobs/{logged}"),
        format!("/_local/endpoints/{odd}/worker-logs?limit=5"),
        format!("/_local/endpoints/{odd}/worker-logs?search=LINE&job={logged}"),
        format!("/_local/endpoints/{odd}/worker-logs?search=other"),
    ];
    let mut live = Vec::new();
    for path in &paths {
        live.push(recorded.get(path).await);
    }
    recorded.end().await;
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&file).unwrap();
    for secret in [KEY, "hidden"] {
        assert!(!text.contains(secret), "{secret}");
    }

    let replayed = Running::replaying(&file).await;
    for (path, live) in paths.iter().zip(live) {
        assert_eq!(comparable(replayed.get(path).await), comparable(live), "{path}");
    }
    let steps = replayed.get("/_local/endpoints/echo/activity").await["steps"].clone();
    let submitted =
        steps.as_array().unwrap().iter().map(|step| step["submitted"].as_u64().unwrap());
    assert_eq!(submitted.sum::<u64>(), 1);
    let (first, second) =
        (replayed.get("/_local/clock").await, replayed.get("/_local/clock").await);
    assert_eq!((&first, &first["manual"]), (&second, &json!(true)));
}

#[tokio::test]
async fn a_replay_runs_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.json");
    let recorded = Running::recording(&file, &[]).await;
    let id = recorded.run("echo", json!({})).await;
    recorded.end().await;
    let replayed = Running::replaying(&file).await;
    let refused = "recorded session";
    for (method, path) in [
        (Method::POST, "/v2/echo/run".to_owned()),
        (Method::GET, format!("/v2/echo/status/{id}")),
        (Method::POST, "/_local/clock/advance".to_owned()),
        (Method::POST, "/_local/endpoints/echo/jobs/retry".to_owned()),
        (Method::DELETE, "/_local/faults".to_owned()),
    ] {
        let response = replayed.send(method, &path, Some(json!({ "ms": 1 }))).await;
        assert_refused(&response, StatusCode::CONFLICT, refused);
    }
    for path in ["/_local/endpoints/nobody/jobs", "/_local/requests/9999", "/_local/nothing"] {
        let response = replayed.send(Method::GET, path, None).await;
        assert_refused(&response, StatusCode::NOT_FOUND, refused);
    }
    let client = reqwest::Client::new();
    let url = format!("{}/_local/endpoints/echo/jobs/{id}", replayed.base_url);
    assert_eq!(client.get(&url).send().await.unwrap().status(), 401);
    let rebound = client.get(&url).bearer_auth(&replayed.key).header("host", "example.com");
    assert_eq!(rebound.send().await.unwrap().status(), 421);
}

#[tokio::test]
async fn a_killed_program_leaves_a_whole_session() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.json");
    // Empty files are made by mktemp.
    std::fs::write(&file, "").unwrap();
    let mut recorded = Running::recording(&file, &[]).await;
    eventually("the session is written", async || {
        std::fs::metadata(&file).is_ok_and(|file| file.len() > 0)
    })
    .await;
    recorded.child.kill().await.unwrap();
    let replayed = Running::replaying(&file).await;
    assert_eq!(replayed.get("/_local/endpoints").await[0]["name"], "count");
    // The next session takes its place.
    Running::recording(&file, &[]).await.end().await;
}

#[tokio::test]
async fn files_that_are_no_session_are_refused_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let absent = folder.path().join("absent/session.json");
    for (content, why) in [
        ("[endpoints]\n", "not a recorded session"),
        ("{\"podqueueSession\": 2}", "a session of version 2, but only 1 is known"),
        ("{\"podqueueSession\": 1}", "an invalid session: missing field `recordedMs`"),
    ] {
        std::fs::write(&path, content).unwrap();
        for option in ["--record", "--replay"] {
            let output = program().arg(option).arg(&path).output().await.unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
            let expected = format!("{option} {}: {why}", path.display());
            assert!(message.contains(&expected), "{message}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
    }
    for option in ["--record", "--replay"] {
        let output = program().arg(option).arg(&absent).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
    // Replaced, a device would be lost to everybody; by this test, only the link.
    let link = folder.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let output = program().arg("--record").arg(&link).output().await.unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("/dev/null is not a file"), "{message}");
    let together = program().args(["--replay", "a", "--endpoint", "b"]).output().await.unwrap();
    assert_eq!(together.status.code(), Some(2));
}
