//! Tests of the program `podqueue-local`.

use std::process::Stdio;

use reqwest::StatusCode;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

#[cfg(unix)]
use crate::support::Pipe;
use crate::support::{TEST_DEADLINE, answer, eventually};

/// Starts the program, and reads the variables that it prints.
pub async fn start(arguments: &[&str]) -> (Child, Vec<(String, String)>) {
    start_with(program().args(arguments)).await
}

pub fn program() -> Command {
    #[cfg(unix)]
    crate::signal_dispositions::default_in_children();
    let mut command = Command::new(env!("CARGO_BIN_EXE_podqueue-local"));
    command
        .args(["--listen", "127.0.0.1:0"])
        .env_remove("PODQUEUE_API_KEY")
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    command
}

async fn start_with(command: &mut Command) -> (Child, Vec<(String, String)>) {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut variables: Vec<(String, String)> = Vec::new();
    while variables.last().is_none_or(|(name, _)| name != "PODQUEUE_GRAPHQL_URL") {
        let line = lines.next_line().await.unwrap().unwrap();
        let (name, value) = line.strip_prefix("export ").unwrap().split_once('=').unwrap();
        variables.push((name.to_owned(), value.to_owned()));
    }
    (child, variables)
}

pub fn value<'a>(variables: &'a [(String, String)], name: &str) -> Option<&'a str> {
    variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The words that a shell reads from a value that the program prints.
#[cfg(unix)]
async fn read_by_a_shell(printed: &str) -> String {
    let echo = format!("key={printed}; printf %s \"$key\"");
    let output = Command::new("sh").args(["-c", &echo]).output().await.unwrap();
    String::from_utf8(output.stdout).unwrap()
}

async fn health(variables: &[(String, String)], key: &str) -> u16 {
    let url = format!("{}/v2/echo/health", value(variables, "PODQUEUE_BASE_URL").unwrap());
    answer(reqwest::Client::new().get(url).header("authorization", key)).await.0
}

#[tokio::test]
async fn without_an_option_the_program_makes_and_prints_a_key() {
    let (_child, first) = start(&[]).await;
    let (_child, second) = start(&[]).await;
    let key = value(&first, "PODQUEUE_API_KEY").unwrap();
    assert_eq!(health(&first, key).await, 200);
    assert_eq!(health(&first, "local").await, 401);
    assert_ne!(key, value(&second, "PODQUEUE_API_KEY").unwrap());
}

#[tokio::test]
async fn a_key_of_the_environment_is_taken_and_not_printed() {
    let (_child, variables) = start_with(program().env("PODQUEUE_API_KEY", "canary")).await;
    assert_eq!(value(&variables, "PODQUEUE_API_KEY"), None);
    assert_eq!(health(&variables, "canary").await, 200);
    // An option goes first.
    let mut program = program();
    let command = program.args(["--api-key", "given"]).env("PODQUEUE_API_KEY", "canary");
    let (_child, variables) = start_with(command).await;
    assert_eq!(value(&variables, "PODQUEUE_API_KEY"), Some("given"));
    assert_eq!(health(&variables, "given").await, 200);
    assert_eq!(health(&variables, "canary").await, 401);
}

#[tokio::test]
async fn keys_of_a_file_are_taken_and_not_printed() {
    let path = std::env::temp_dir().join(format!("podqueue-local-keys-{}", fastrand::u64(..)));
    std::fs::write(&path, "canary\n\n another \n").unwrap();
    let (_child, variables) = start(&["--api-key-file", path.to_str().unwrap()]).await;
    let printed = value(&variables, "PODQUEUE_API_KEY").unwrap().to_owned();
    assert!(!printed.contains("canary"), "{printed}");
    for key in ["canary", "another"] {
        assert_eq!(health(&variables, key).await, 200);
    }
    #[cfg(unix)]
    assert_eq!(read_by_a_shell(&printed).await, "canary");
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_key_of_the_standard_input_is_taken_and_not_printed() {
    let mut program = program();
    let mut child = program.args(["--api-key-file", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"canary\n").await.unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let base = line.strip_prefix("export PODQUEUE_BASE_URL=").unwrap();
    assert_eq!(health(&[("PODQUEUE_BASE_URL".to_owned(), base.to_owned())], "canary").await, 200);
}

#[tokio::test]
async fn a_key_file_without_a_key_is_an_error() {
    for file in ["/dev/null", "/nonexistent/key"] {
        let output = program().args(["--api-key-file", file]).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("key file"));
    }
}

#[tokio::test]
async fn a_blank_key_is_an_error() {
    for key in ["", " "] {
        let output = program().args(["--api-key", key]).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("--api-key"));
    }
}

#[tokio::test]
async fn the_program_warns_about_a_public_address_and_accepts_allowed_hosts() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_podqueue-local"));
    program
        .args(["--listen", "0.0.0.0:0", "--allow-host", "gpu-box.example"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let (mut child, variables) = start_with(&mut program).await;
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let warning = lines.next_line().await.unwrap().unwrap();
    assert!(warning.contains("warning") && warning.contains("--allow-host"), "{warning}");
    let url = format!("{}/v2/echo/health", value(&variables, "PODQUEUE_BASE_URL").unwrap());
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    for (host, status) in [("gpu-box.example:80", 200), ("another.example", 421)] {
        let key = value(&variables, "PODQUEUE_API_KEY").unwrap();
        let request = reqwest::Client::new().get(&url).header("authorization", key);
        assert_eq!(answer(request.header("host", host)).await.0, status);
    }
}

#[tokio::test]
async fn the_program_prints_its_addresses_ready_to_paste() {
    let (_child, variables) = start(&["--api-key", "it's a key"]).await;
    let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "PODQUEUE_API_KEY",
        "PODQUEUE_BASE_URL",
        "PODQUEUE_REST_URL",
        "PODQUEUE_ACCOUNT_URL",
        "PODQUEUE_GRAPHQL_URL",
    ];
    assert_eq!(names, expected);
    #[cfg(unix)]
    assert_eq!(read_by_a_shell(&variables[0].1).await, "it's a key");
    let base = &variables[1].1;
    assert!(base.starts_with("http://127.0.0.1:"));
    assert_eq!(variables[2].1, format!("{base}/v1"));
    assert_eq!(variables[3].1, format!("{base}/account"));
    assert_eq!(variables[4].1, format!("{base}/graphql"));
    let http = reqwest::Client::new();
    let request = http.get(format!("{base}/v2/echo/health")).header("authorization", "it's a key");
    assert_eq!(answer(request).await.0, StatusCode::OK);
}

#[cfg(unix)]
#[tokio::test]
async fn the_program_runs_a_command_as_worker_and_streams_in_the_requested_shape() {
    let worker =
        r#"worker=while read -r line; do echo '{"stream": 1}'; echo '{"output": 2}'; done"#;
    let (_child, variables) = start(&["--endpoint", worker, "--stream-shape", "object"]).await;
    let base = &variables[1].1;
    let http = reqwest::Client::new();
    let run = http
        .post(format!("{base}/v2/worker/runsync"))
        .header("authorization", &variables[0].1)
        .body(json!({ "input": {} }).to_string());
    let (_, record) = answer(run).await;
    assert_eq!(record["output"], 2);
    let id = record["id"].as_str().unwrap();
    let stream =
        http.get(format!("{base}/v2/worker/stream/{id}")).header("authorization", &variables[0].1);
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
        answer(http.post(url).header("authorization", &variables[0].1).body(body)).await.1
    };
    assert_eq!(run_sync(json!({})).await["output"], "alive");
    let record = run_sync(json!({ "please": "die" })).await;
    assert_eq!(record["status"], "FAILED");
    assert!(record["error"].as_str().unwrap().contains('7'), "{record}");
    assert_eq!(run_sync(json!({})).await["output"], "alive");
}

#[cfg(unix)]
#[tokio::test]
async fn the_program_stops_cleanly_on_ctrl_c_with_its_workers() {
    let pipe = Pipe::new();
    let (mut child, variables) = start(&["--endpoint", &format!("sh={}", pipe.worker())]).await;
    let run = reqwest::Client::new()
        .post(format!("{}/v2/sh/runsync", variables[1].1))
        .header("authorization", &variables[0].1)
        .body(r#"{"input": {}}"#);
    assert_eq!(answer(run).await.1["status"], "COMPLETED");
    assert!(pipe.is_held());
    let id = child.id().unwrap().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().await.unwrap();
    assert!(sent.success());
    let ended = tokio::time::timeout(TEST_DEADLINE, child.wait());
    assert_eq!(ended.await.unwrap().unwrap().code(), Some(0));
    pipe.released().await;
}

/// Its workers are in process groups of their own, which the terminal does not reach.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_program_stops_with_its_terminal_unless_started_with_nohup() {
    let pipe = Pipe::new();
    let worker = format!("e={} echo here; wait", pipe.holder());
    let path = env!("CARGO_BIN_EXE_podqueue-local");
    let mut program = program();
    program.args(["--worker", &worker, "--worker-count", "1-1", "--worker-logs"]);
    program.stdout(Stdio::null());
    let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while lines.next_line().await.unwrap().unwrap() != "e/worker-0: here" {}
    let hang_up = async |child: &Child| {
        let id = child.id().unwrap().to_string();
        assert!(Command::new("kill").args(["-HUP", &id]).status().await.unwrap().success());
    };
    hang_up(&child).await;
    assert!(tokio::time::timeout(TEST_DEADLINE, child.wait()).await.unwrap().unwrap().success());
    pipe.released().await;
    let mut command = Command::new("nohup");
    command.args([path, "--listen", "127.0.0.1:0"]).env("PODQUEUE_API_KEY", "k");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next_line().await.unwrap().unwrap();
    hang_up(&child).await;
    let ended = tokio::time::timeout(std::time::Duration::from_millis(300), child.wait()).await;
    assert!(ended.is_err(), "{ended:?}");
}

#[tokio::test]
async fn a_wrong_argument_is_explained() {
    for (arguments, expected) in [
        (["--endpoint", "=command"], "expected NAME=COMMAND or NAME"),
        (["--worker", "no-command"], "expected NAME=COMMAND"),
        (["--worker-count", "3"], "expected MIN-MAX, such as 0-3"),
        (["--worker-count", "3-1"], "MIN exceeds MAX: 3 is more than 1"),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_podqueue-local"));
        let output = program.args(arguments).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(expected), "{arguments:?}");
    }
    let error = refusal(program().args(["--worker-env-prefix", "A-B"])).await;
    assert!(error.contains("--worker-env-prefix"), "{error}");
    for (option, endpoint) in [("--endpoint", ".."), ("--worker", ".=cat")] {
        let error = refusal(program().args([option, endpoint])).await;
        assert!(error.contains("--endpoint: no URL can contain the name \"."), "{error}");
    }
    for second in [["--worker", "e=cat"], ["--endpoint", "e=cat"]] {
        let error = refusal(program().args(["--endpoint", "e"]).args(second)).await;
        assert!(error.contains("the endpoint \"e\" is given twice"), "{error}");
    }
}

/// As a person does it: what is printed is pasted into a shell, and the worker started there.
#[cfg(unix)]
#[tokio::test]
async fn a_worker_attaches_with_the_variables_that_are_printed() {
    let mut program = program();
    let command = program.args(["--endpoint", "shout", "--worker-env-prefix", "DEMO_"]);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = String::new();
    while !text.contains("DEMO_LOG_LEVEL") {
        text.push_str(&lines.next_line().await.unwrap().unwrap());
        text.push('\n');
    }
    assert!(
        text.contains("\n\n# For a worker of \"shout\":\nexport DEMO_WEBHOOK_GET_JOB="),
        "{text}"
    );
    let script =
        format!("{text} exec python3 -u {}/examples/worker.py", env!("CARGO_MANIFEST_DIR"));
    let mut shell = Command::new("sh");
    let mut worker = shell.args(["-c", &script]).stdout(Stdio::null()).kill_on_drop(true);
    worker = worker.env("DEMO_POD_ID", "mine");
    let _worker = worker.spawn().unwrap();
    let variable = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("export {name}=")));
        line.unwrap().to_owned()
    };
    let (base, key) = (variable("PODQUEUE_BASE_URL"), variable("PODQUEUE_API_KEY"));
    let run = reqwest::Client::new()
        .post(format!("{base}/v2/shout/runsync"))
        .header("authorization", key)
        .body(r#"{"input": {"text": "a b"}}"#);
    assert_eq!(answer(run).await.1["output"], json!(["A", "B"]));
}

/// The environment of the programs that it starts, and what they print.
#[cfg(unix)]
#[tokio::test]
async fn the_program_starts_workers_and_shows_their_output() {
    let script = "env | grep -e _API_KEY= -e ^DEMO_ | sort >&2; exit 5";
    let mut program = program();
    let command = program
        .args(["--worker", &format!("e={script}"), "--worker-env-prefix", "DEMO_"])
        .args(["--worker-count", "1-1", "--worker-logs", "--manual-clock"])
        .env("DEMO_REALTIME_PORT", "1")
        .env("PODQUEUE_API_KEY", "canary-of-a-user")
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut printed = Vec::new();
    while printed.last().is_none_or(|line: &String| !line.starts_with("podqueue-local: e/")) {
        printed.push(lines.next_line().await.unwrap().unwrap());
    }
    let names: Vec<&str> = printed
        .iter()
        .filter_map(|line| line.strip_prefix("e/worker-0: DEMO_")?.split('=').next())
        .collect();
    let expected = [
        "AI_API_KEY",
        "ENDPOINT_ID",
        "LOG_LEVEL",
        "PING_INTERVAL",
        "POD_HOSTNAME",
        "POD_ID",
        "SKIP_AUTO_SYSTEM_CHECKS",
        "SKIP_GPU_CHECK",
        "WEBHOOK_GET_JOB",
        "WEBHOOK_PING",
        "WEBHOOK_POST_OUTPUT",
        "WEBHOOK_POST_STREAM",
    ];
    assert_eq!(names, expected);
    assert!(printed.contains(&"e/worker-0: DEMO_AI_API_KEY=[redacted]".to_owned()), "{printed:?}");
    let of_the_user = "e/worker-0: PODQUEUE_API_KEY=[redacted]".to_owned();
    assert!(printed.contains(&of_the_user), "{printed:?}");
    let expected = "podqueue-local: e/worker-0: the worker ended: exit status: 5";
    assert_eq!(printed.last().unwrap(), expected);
}

/// Runs the program with settings that it refuses, and returns its message.
async fn refusal(command: &mut Command) -> String {
    let output = tokio::time::timeout(TEST_DEADLINE, command.output());
    let output = output.await.unwrap().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test]
async fn a_key_of_the_environment_may_end_its_line_and_must_be_usable() {
    for key in ["canary\n", "canary\r\n"] {
        let (_child, variables) = start_with(program().env("PODQUEUE_API_KEY", key)).await;
        assert_eq!(health(&variables, "canary").await, 200);
    }
    for key in ["", " ", "\n", "canary\ncanary", "canary\u{7f}", "canarý"] {
        let error = refusal(program().env("PODQUEUE_API_KEY", key)).await;
        assert!(error.contains("PODQUEUE_API_KEY") && !error.contains("canar"), "{error}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let key = std::ffi::OsStr::from_bytes(b"canary\xff");
        let error = refusal(program().env("PODQUEUE_API_KEY", key)).await;
        assert!(error.contains("PODQUEUE_API_KEY") && !error.contains("canar"), "{error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_expression_for_a_key_file_yields_the_key_or_is_absent() {
    for (text, is_plain) in [
        ("canary\nanother\n", true),
        ("canary", true),
        ("canary\r\nanother\r\n", false),
        ("\u{feff}canary\n", false),
        ("\n\ncanary\n", false),
        (" canary \n", false),
    ] {
        let path = std::env::temp_dir().join(format!("podqueue-local-keys-{}", fastrand::u64(..)));
        std::fs::write(&path, text).unwrap();
        let mut program = program();
        let command = program.arg("--api-key-file").arg(&path).stderr(Stdio::piped());
        let (mut child, variables) = start_with(command).await;
        assert_eq!(health(&variables, "canary").await, 200, "{text:?}");
        match value(&variables, "PODQUEUE_API_KEY") {
            Some(printed) => {
                assert!(is_plain, "{text:?} {printed}");
                assert_eq!(read_by_a_shell(printed).await, "canary");
            }
            None => {
                assert!(!is_plain, "{text:?}");
                let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
                let line = lines.next_line().await.unwrap().unwrap();
                assert!(
                    line.contains(path.to_str().unwrap()) && !line.contains("canary"),
                    "{line}"
                );
            }
        }
        std::fs::remove_file(path).unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_file_may_be_a_pipe() {
    let path = std::env::temp_dir().join(format!("podqueue-local-keys-{}", fastrand::u64(..)));
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let name = path.clone();
    let writer = std::thread::spawn(move || std::fs::write(name, "canary\n").unwrap());
    let (_child, variables) = start(&["--api-key-file", path.to_str().unwrap()]).await;
    writer.join().unwrap();
    assert_eq!(health(&variables, "canary").await, 200);
    // Reading it again would block forever.
    assert_eq!(value(&variables, "PODQUEUE_API_KEY"), None);
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_key_file_with_a_line_that_cannot_be_a_key_is_an_error() {
    let path = std::env::temp_dir().join(format!("podqueue-local-keys-{}", fastrand::u64(..)));
    std::fs::write(&path, "good\ncanarý\n").unwrap();
    let error = refusal(program().arg("--api-key-file").arg(&path)).await;
    assert!(error.contains("key file") && !error.contains("canar"), "{error}");
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_name_that_can_never_match_is_an_error() {
    let error = refusal(program().args(["--allow-host", "box:80"])).await;
    assert!(error.contains("--allow-host") && error.contains("box:80"), "{error}");
}

/// A pager that is not scrolled, or a terminal that is held, does not hold the service.
#[cfg(unix)]
#[tokio::test]
async fn the_program_continues_while_standard_error_is_not_read() {
    let mut program = program();
    let command = program
        .args(["--worker", "e=seq 100000; sleep 1000", "--worker-count", "1-1", "--worker-logs"])
        .env("PODQUEUE_API_KEY", "k")
        .stderr(Stdio::piped());
    let (mut child, variables) = start_with(command).await;
    let url = format!(
        "{}/_local/endpoints/e/worker-logs",
        value(&variables, "PODQUEUE_BASE_URL").unwrap()
    );
    let http = reqwest::Client::new();
    eventually("the last line", async || {
        let (_, lines) = answer(http.get(&url).header("authorization", "k")).await;
        lines.as_array().unwrap().last().is_some_and(|line| line["text"] == "100000")
    })
    .await;
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let (mut printed, mut left_out) = (0, 0);
    while printed + left_out < 100_000 {
        let line = lines.next_line().await.unwrap().unwrap();
        match line.strip_prefix("podqueue-local: left out ") {
            Some(rest) => left_out += rest.split(' ').next().unwrap().parse::<u64>().unwrap(),
            None if line.starts_with("e/worker-0: ") => printed += 1,
            None => {}
        }
    }
    assert!(left_out > 0 && printed + left_out == 100_000, "{printed} {left_out}");
    let id = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
    assert!(tokio::time::timeout(TEST_DEADLINE, child.wait()).await.unwrap().unwrap().success());
}

/// The standard error of a command worker is printed, and need not be read.
#[cfg(unix)]
#[tokio::test]
async fn command_workers_continue_while_their_standard_error_is_not_read() {
    const JOBS: usize = 100;
    let worker = "while read -r line; do
        seq 1000 >&2; echo a last word >&2; echo '{\"output\": 1}'
    done";
    let mut program = program();
    let command = program
        .args(["--endpoint", &format!("noisy={worker}"), "--worker-count", "1-1"])
        .env("PODQUEUE_API_KEY", "k")
        .stderr(Stdio::piped());
    let (mut child, variables) = start_with(command).await;
    let base = value(&variables, "PODQUEUE_BASE_URL").unwrap();
    let http = reqwest::Client::new();
    for _ in 0..JOBS {
        let run = http.post(format!("{base}/v2/noisy/run")).header("authorization", "k");
        assert_eq!(answer(run.json(&json!({ "input": {} }))).await.0, 200);
    }
    let get = async |path: &str| {
        answer(http.get(format!("{base}{path}")).header("authorization", "k")).await.1
    };
    eventually("the end of all jobs", async || {
        get("/v2/noisy/health").await["jobs"]["completed"] == JOBS
    })
    .await;
    let last = "/_local/endpoints/noisy/worker-logs?worker=worker-0&search=last%20word";
    eventually("the last line", async || {
        let lines = get(last).await;
        assert!(lines["logs"].as_array().unwrap().iter().all(|line| line["source"] == "stderr"));
        lines["total"].as_u64().unwrap() > 0
    })
    .await;
    // The last ones are kept.
    let kept = get("/_local/endpoints/noisy/worker-logs").await;
    assert!(kept.as_array().unwrap().len() <= 10_000);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut printed = 0;
    loop {
        let line = lines.next_line().await.unwrap().unwrap();
        printed += usize::from(line.starts_with("noisy/worker-0: "));
        if line.starts_with("podqueue-local: left out ") {
            break;
        }
    }
    assert!(printed > 0);
}

#[tokio::test]
async fn the_program_prints_the_link_to_the_page_as_a_shell_comment() {
    let mut child = program().args(["--api-key", "canary"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let link = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some(link) = line.strip_prefix("# The page: ") {
            break link.to_owned();
        }
        assert!(line.starts_with("export "), "{line}");
    };
    assert!(!link.contains("canary"), "{link}");
    let (base, token) = link.split_once("/#token=").unwrap();
    let page = reqwest::Client::new().get(&link).send().await.unwrap();
    let clock = reqwest::Client::new().get(format!("{base}/_local/clock"));
    let clock = clock.header("authorization", token).send().await.unwrap();
    assert_eq!(clock.status(), 200);
    assert_eq!(page.status(), 200);
}

#[tokio::test]
async fn the_scenarios_of_files_are_in_effect_from_the_start() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/scenarios");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort_unstable();
    let mut program = program();
    let command = program.args(["--api-key", "k"]);
    for file in &files {
        command.arg("--scenario").arg(file);
    }
    let (_child, variables) = start_with(command).await;
    let url = format!("{}/_local/scenarios", value(&variables, "PODQUEUE_BASE_URL").unwrap());
    let (_, scenarios) = answer(reqwest::Client::new().get(url).header("authorization", "k")).await;
    let scenarios = scenarios.as_array().unwrap();
    let names: Vec<_> = scenarios.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lossy-submissions", "outage", "slow-network"]);
    for scenario in scenarios {
        assert_eq!(scenario["active"], true, "{scenario}");
        assert!(scenario["description"].is_string(), "{scenario}");
    }
}

#[tokio::test]
async fn a_scenario_that_is_invalid_or_given_twice_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let plain = file("plain.json", r#"{"faults": [{"delayMs": 1}]}"#);
    let invalid = file("invalid.json", r#"{"faults": [{"delayMs": 1}, {"delay": 1}]}"#);
    let unknown = file("unknown.json", r#"{"faults": [{"delayMs": 1}], "fault": 1}"#);
    let cut = file("cut.json", r#"{"faults": [{"delayMs""#);
    let same = file("same.json", r#"{"name": "plain", "faults": [{"delayMs": 2}]}"#);
    let none = folder.path().join("none.json");
    for (last, why) in [
        (&invalid, "invalid.json: fault 2 ({\"delay\":1}): unknown field `delay`"),
        (&unknown, "unknown.json: invalid scenario: unknown field `fault`"),
        (&cut, "cut.json: EOF"),
        (&same, "plain.json has the name \"plain\", too"),
        (&none, "none.json: "),
    ] {
        let mut program = program();
        let command = program.arg("--scenario").arg(&plain).arg("--scenario").arg(last);
        let output = command.output().await.unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(printed.contains(why) && printed.contains("--scenario"), "{printed}");
        assert!(output.stdout.is_empty());
    }
}
