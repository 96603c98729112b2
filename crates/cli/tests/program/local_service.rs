//! Tests of the commands about a local service: its jobs, its logs, and how it starts.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use podqueue_local::{LocalService, Workers};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::ChildStderr;

use crate::json::check_shape;
use crate::support::{Fixture, KEY, ran};

async fn fixture() -> Fixture {
    let upper = "while read -r line; do echo working >&2; echo '{\"output\": \"A\"}'; done";
    let builder = LocalService::builder().control_plane().command_endpoint("upper", upper);
    Fixture::with(builder.workers_of("upper", Workers::between(1, 1))).await
}

#[tokio::test]
async fn the_jobs_of_an_endpoint_are_listed() {
    let fixture = fixture().await;
    let job = fixture.submit("echo", "{\"text\": \"needle\"}").await;
    fixture.run(&["wait", "echo", &job]).await.assert_code(0);
    for number in 0..3 {
        fixture.submit("fail", &format!("{{\"message\": \"boo {number}\"}}")).await;
    }
    let listed = fixture.run(&["jobs", "echo"]).await;
    let row = listed.stdout.lines().nth(1).unwrap();
    assert!(row.starts_with(&job) && row.contains("COMPLETED"), "{listed:?}");
    assert!(row.contains("needle"), "{listed:?}");
    let found = fixture.run(&["jobs", "fail", "--search", "boo 1", "--json"]).await;
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    check_shape("local_job", &found);
    let limited = fixture.run(&["jobs", "fail", "--limit", "2"]).await;
    assert_eq!(limited.stdout.lines().count(), 3, "{limited:?}");
    assert!(limited.stderr.contains("2 of 3"), "{limited:?}");
    let none = fixture.run(&["jobs", "echo", "--status", "failed,TIMED_OUT"]).await;
    assert_eq!(none.stdout.lines().count(), 1, "{none:?}");
    let unknown = fixture.run(&["jobs", "no-such"]).await;
    unknown.fails(6, "has no endpoint no-such");
    assert!(unknown.stderr.contains("hint: its endpoints: "), "{}", unknown.stderr);
    fixture.run(&["jobs", "echo", "--status", "FAILED,done"]).await.fails(2, "IN_PROGRESS");
}

#[tokio::test]
async fn another_service_has_no_list_of_jobs() {
    let fixture = Fixture::start().await;
    fixture.run(&["jobs", "echo"]).await.fails(6, "hint: only a local service");
    fixture.run(&["logs"]).await.fails(6, "hint: only a local service");
}

#[tokio::test]
async fn requests_and_output_are_shown_by_time() {
    let fixture = fixture().await;
    fixture.run(&["run", "upper", "{}"]).await.assert(0, "\"A\"\n");
    let shown = fixture.run(&["logs"]).await;
    let position = |text: &str| shown.stdout.find(text).unwrap_or_else(|| panic!("{shown:?}"));
    assert!(position("200  POST /v2/upper/run") < position("stderr: working"));
    let workers = fixture.run(&["logs", "upper", "--only", "workers"]).await;
    assert!(!workers.stdout.contains("/v2/") && workers.stdout.contains("working"), "{workers:?}");
    let json = fixture.run(&["logs", "--json"]).await;
    let lines: Vec<Value> =
        json.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.iter().for_each(|line| check_shape("local_log", line));
    for kind in ["request", "worker"] {
        assert!(lines.iter().any(|line| line["kind"] == kind), "{json:?}");
    }
    let unknown = fixture.run(&["logs", "no-such"]).await;
    unknown.fails(6, "has no endpoint no-such");
    assert!(unknown.stderr.contains("hint: its endpoints: "), "{}", unknown.stderr);
}

#[tokio::test]
async fn lines_of_one_moment_are_shown_in_their_order() {
    let handler =
        "while read -r line; do printf 'one\\ntwo\\nthree\\n' >&2; echo '{\"output\": 1}'; done";
    let builder = LocalService::builder().control_plane().command_endpoint("lines", handler);
    let fixture = Fixture::with(builder).await;
    fixture.run(&["run", "lines", "{}"]).await.assert_code(0);
    let shown = fixture.run(&["logs", "lines", "--only", "workers"]).await;
    let position = |text: &str| shown.stdout.find(text).unwrap_or_else(|| panic!("{shown:?}"));
    assert!(position("one") < position("two") && position("two") < position("three"), "{shown:?}");
}

/// More lines than a list of the service has, and none twice.
#[tokio::test]
async fn followed_logs_have_each_new_line_once() {
    let fixture = fixture().await;
    fixture.run(&["health", "echo"]).await.assert_code(0);
    let mut logs = fixture.program(&["logs", "--follow", "--tail", "0"]);
    let mut child = logs.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut first, mut sent) = (None, 0);
    while first.is_none() {
        let request = fixture.run(&["run", "echo", &format!("{{\"n\": {sent}}}")]).await;
        request.assert_code(0);
        sent += 1;
        let next = tokio::time::timeout(Duration::from_millis(700), lines.next_line()).await;
        first = next.ok().map(|line| line.unwrap().unwrap());
    }
    let client = fixture.local.base_url();
    let http = format!("{client}/v2/echo/health");
    for _ in 0..3 {
        // Each in a connection of its own, as fast as they go.
        let calls = (0..250).map(|_| get(&http));
        futures_util::future::join_all(calls).await;
    }
    let mut count = 0;
    while count < 750 {
        let Some(line) = lines.next_line().await.unwrap() else {
            panic!("{:?}", child.wait_with_output().await.unwrap());
        };
        count += usize::from(line.contains("GET /v2/echo/health"));
    }
    let more = tokio::time::timeout(Duration::from_secs(1), lines.next_line()).await;
    assert!(more.is_err(), "{more:?}");
}

async fn get(url: &str) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    let request = format!(
        "GET /{path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {KEY}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.read_to_end(&mut Vec::new()).await.unwrap();
}

#[tokio::test]
async fn the_page_is_opened_by_a_private_file_and_its_link_is_shown_where_it_is_seen() {
    use std::os::unix::fs::PermissionsExt;

    let fixture = Fixture::start().await;
    let home = fixture.home.path();
    let browser = home.join("xdg-open");
    fs::write(&browser, "#!/bin/sh\necho \"$1\" > opened.new && mv opened.new opened\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let mut local = fixture.program(&["local", "--listen", "127.0.0.1:0", "--open"]);
    let path = format!("{}:{}", home.display(), std::env::var("PATH").unwrap());
    local.env("PATH", path).env("HOME", home).stdout(File::create(home.join("env.sh")).unwrap());
    let mut child = local.stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let link = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some(link) = line.strip_prefix("podqueue: the page: ") {
            break link.to_owned();
        }
    };
    assert!(link.contains("/#token="), "{link}");
    let opened = home.join("opened");
    while !opened.exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Not the link itself, which every user of the machine would see in the process list.
    let file = PathBuf::from(fs::read_to_string(opened).unwrap().trim());
    assert_eq!(file.parent(), Some(home), "{file:?}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0);
    let redirect = fs::read_to_string(&file).unwrap();
    assert!(redirect.contains(&format!("content=\"0;url={link}\"")), "{redirect}");
    kill(Pid::from_raw(child.id().unwrap().cast_signed()), Signal::SIGTERM).unwrap();
    child.wait().await.unwrap();
    assert!(!file.exists());
}

/// Reads lines until one that ends with a text.
async fn until(lines: &mut Lines<BufReader<ChildStderr>>, end: &str) {
    while !lines.next_line().await.unwrap().unwrap().ends_with(end) {}
}

#[tokio::test]
async fn endpoints_of_a_file_follow_its_changes() {
    let fixture = Fixture::start().await;
    let file = fixture.home.path().join("local.toml");
    let write = |says: &[(&str, &str)]| {
        let entry = |(name, says): &(&str, &str)| {
            let command = format!("while read -r line; do echo '{{\"output\": \"{says}\"}}'; done");
            format!("[endpoints.{name}]\ncommand = {command:?}\nworkers = \"1-1\"\n")
        };
        fs::write(&file, says.iter().map(entry).collect::<String>()).unwrap();
    };
    let listen = ["local", "--listen", "127.0.0.1:0", "--json", "--config", "local.toml"];
    fixture.run(&listen).await.fails(2, "local.toml");
    write(&[("one", "1"), ("two", "2")]);
    fixture.run(&[&listen[..], &["--endpoint", "one"]].concat()).await.fails(2, "--endpoint");
    let mut local = fixture.program(&listen);
    let mut child = local.stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let ready = BufReader::new(child.stdout.take().unwrap()).lines().next_line().await;
    let ready: Value = serde_json::from_str(&ready.unwrap().unwrap()).unwrap();
    let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
    let run = async |endpoint: &str| {
        let mut run = fixture.program(&["run", endpoint, "{}"]);
        ran(run.env("PODQUEUE_BASE_URL", ready["base_url"].as_str().unwrap())).await
    };
    run("one").await.assert(0, "\"1\"\n");
    write(&[("one", "1"), ("two", "II"), ("three", "3")]);
    until(&mut messages, "three is added, two is changed").await;
    for (endpoint, output) in [("one", "\"1\"\n"), ("two", "\"II\"\n"), ("three", "\"3\"\n")] {
        run(endpoint).await.assert(0, output);
    }
    fs::write(&file, "[endpoints.one]\ncommand = 1").unwrap();
    // The message of the parser ends with what was expected, in the same line.
    until(&mut messages, "expected a string; the endpoints stay as they are").await;
    fs::remove_file(&file).unwrap();
    let missing = "No such file or directory (os error 2); the endpoints stay as they are";
    until(&mut messages, missing).await;
    run("two").await.assert(0, "\"II\"\n");
    write(&[("one", "1")]);
    until(&mut messages, "three is removed, two is removed").await;
    run("three").await.assert_code(6);
}
