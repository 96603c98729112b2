//! Tests of JSON: the documented shapes of `--json`, and verbatim numbers.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use podqueue_local::{Fault, GPU_POD, Operation};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;

use crate::support::{Fixture, KEY, ran, ran_with_stdin};

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/output.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Validates a value by the keywords of the schema.
#[track_caller]
fn check(schema: &Value, value: &Value, path: &str) {
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "description" | "required" | "additionalProperties" => {}
            "enum" => {
                assert!(rule.as_array().unwrap().contains(value), "{path}: {value} is not listed");
            }
            "type" => {
                let is = |name: &Value| match name.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "number" => value.is_number(),
                    "integer" => value.is_u64(),
                    "null" => value.is_null(),
                    other => panic!("{path}: no rule for the type {other}"),
                };
                let fits = rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is));
                assert!(fits, "{path}: {value} is not {rule}");
            }
            "properties" => {
                let Some(object) = value.as_object() else { continue };
                for (name, member) in object {
                    match rule.get(name) {
                        Some(of_member) => check(of_member, member, &format!("{path}.{name}")),
                        None => panic!("{path}.{name} is not documented"),
                    }
                }
                for name in schema["required"].as_array().into_iter().flatten() {
                    assert!(object.contains_key(name.as_str().unwrap()), "{path}: no {name}");
                }
            }
            other => panic!("{path}: no rule for the keyword {other}"),
        }
    }
}

/// Validates a value by its shape in the schema.
#[track_caller]
pub fn check_shape(shape: &str, value: &Value) {
    let schema = &schema()["$defs"][shape];
    assert!(schema.is_object(), "{shape} is not documented");
    check(schema, value, shape);
}

/// Runs a command, and checks each line that it prints.
async fn checked(fixture: &Fixture, code: i32, shape: &str, arguments: &[&str]) -> Vec<Value> {
    let mut program = fixture.program(arguments);
    let ran = ran_with_stdin(program.arg("--json"), "the value\n").await;
    assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
    let lines = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert!(!lines.is_empty(), "{arguments:?} printed nothing");
    lines.iter().for_each(|line| check_shape(shape, line));
    lines
}

#[tokio::test]
async fn the_local_service_is_announced_as_data() {
    let fixture = Fixture::start().await;
    let more = ["--listen", "127.0.0.1:0", "--endpoint", "attached", "--json"];
    for (key, shown) in [(None, None), (Some("canary-given"), Some("canary-given"))] {
        let mut local = fixture.program(&["local"]);
        local.args(key.into_iter().flat_map(|key| ["--api-key", key])).args(more);
        let mut child = local.spawn().unwrap();
        let line = BufReader::new(child.stdout.take().unwrap()).lines().next_line().await;
        let ready: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
        check(&schema()["$defs"]["local"], &ready, "local");
        assert_eq!(ready["api_key"].as_str(), shown);
        let key = key.unwrap_or(KEY);
        let url = ready["base_url"].as_str().unwrap();
        let mut run = fixture.program(&["run", "echo", "{\"a\":1}"]);
        let run = run.env("PODQUEUE_BASE_URL", url).env("PODQUEUE_API_KEY", key);
        ran(run).await.assert(0, "{\"a\":1}\n");
        assert!(ready["page_url"].as_str().unwrap().starts_with(&format!("{url}/#token=")));
        let worker = ready["worker_environments"]["attached"].as_object().unwrap();
        assert!(worker["WEBHOOK_GET_JOB"].as_str().unwrap().starts_with(url), "{ready}");
        child.kill().await.unwrap();
    }
}

#[tokio::test]
async fn json_shapes_match_the_schema() {
    let fixture = Fixture::start().await;
    let job = checked(&fixture, 0, "job", &["run", "echo", "{}"]).await[0]["job_id"].clone();
    let job = job.as_str().unwrap();
    checked(&fixture, 3, "job", &["run", "fail", "{\"message\": \"boo\"}"]).await;
    checked(&fixture, 0, "job", &["run", "echo", "{}", "--sync"]).await;
    checked(&fixture, 0, "job", &["status", "echo", job, job]).await;
    checked(&fixture, 0, "job", &["wait", "echo", job]).await;
    let detached =
        checked(&fixture, 0, "detached", &["run", "count", "{\"n\":2}", "--detach"]).await;
    let count = detached[0]["job_id"].as_str().unwrap();
    assert_eq!(checked(&fixture, 0, "chunk", &["stream", "count", count]).await.len(), 3);
    checked(&fixture, 0, "chunk", &["run", "count", "{\"n\":1}", "--stream"]).await;
    let slow =
        checked(&fixture, 0, "detached", &["run", "sleep", "{\"ms\":600000}", "--detach"]).await;
    let slow = slow[0]["job_id"].as_str().unwrap();
    checked(&fixture, 0, "job", &["cancel", "sleep", slow]).await;
    let failed = checked(&fixture, 0, "detached", &["run", "fail", "{}", "--detach"]).await;
    let failed = failed[0]["job_id"].as_str().unwrap();
    checked(&fixture, 3, "job", &["wait", "fail", failed]).await;
    checked(&fixture, 0, "job", &["retry", "fail", failed]).await;
    checked(&fixture, 0, "health", &["health", "echo"]).await;
    checked(&fixture, 0, "purge", &["purge", "echo", "--yes"]).await;
    checked(&fixture, 0, "check", &["doctor", "echo", "--job", job]).await;
    checked(&fixture, 6, "check", &["doctor", "no-such"]).await;
    let mut uncalled = fixture.program(&["doctor", "--json"]);
    uncalled.env_remove("PODQUEUE_REST_URL").env_remove("PODQUEUE_GRAPHQL_URL");
    for line in ran(&mut uncalled).await.stdout.lines() {
        check(&schema()["$defs"]["check"], &serde_json::from_str(line).unwrap(), "check");
    }
    fixture.write_inputs(2);
    let batch = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl"];
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    checked(&fixture, 5, "batch_report", &batch).await;
    checked(&fixture, 0, "batch_check", &["batch", "run", "in.jsonl", "--dry-run"]).await;
    checked(&fixture, 0, "batch_status", &["batch", "status", "out.jsonl"]).await;
    checked(&fixture, 5, "batch_watch", &["batch", "watch", "out.jsonl"]).await;
    checked(&fixture, 0, "batch_unknown", &["batch", "unknown", "out.jsonl"]).await;
    checked(&fixture, 0, "batch_result", &["batch", "export", "out.jsonl"]).await;
    checked(&fixture, 0, "batch_cancelled", &["batch", "cancel", "out.jsonl"]).await;
    checked(&fixture, 0, "batch_retried", &["batch", "retry", "out.jsonl"]).await;
    checked(&fixture, 0, "config", &["config"]).await;
    checked(&fixture, 0, "where", &["config", "--where"]).await;
    let created =
        checked(&fixture, 0, "template", &["template", "create", "w", "--image", "i:1"]).await;
    let id = created[0]["id"].as_str().unwrap();
    let update = ["template", "update", id, "--name", "w", "--image", "i:2", "--env", "A=b"];
    checked(&fixture, 0, "template", &update).await;
    checked(&fixture, 0, "deleted", &["template", "delete", "w", "--yes"]).await;
    let secret = checked(&fixture, 0, "secret", &["secret", "create", "s"]).await;
    let id = secret[0]["id"].as_str().unwrap();
    checked(&fixture, 0, "deleted", &["secret", "delete", id, "--yes"]).await;
    let unreachable = ["trigger", "failed", "--to", "http://127.0.0.1:9/hook", "--pause", "0s"];
    checked(&fixture, 1, "delivery", &unreachable).await;
    let listen = ["listen", "echo", job, "--forward-to", "http://127.0.0.1:9/h", "--pause", "0s"];
    checked(&fixture, 1, "delivery", &listen).await;
    let pod = fixture.run(&["pod", "get", GPU_POD, "--json"]).await;
    assert!(serde_json::from_str::<Value>(&pod.stdout).unwrap()["id"] == GPU_POD);
}

/// An integer beyond 64 bits, a fraction with a trailing zero, a number beyond the range of a
/// double, and a duplicate name, in unsorted order.
const NUMBERS: &str = r#"{"z":12345678901234567890123,"b":1.10,"a":1e400,"a":2}"#;

#[tokio::test]
async fn a_response_is_printed_with_all_its_digits() {
    let fixture = Fixture::start().await;
    let fault = |body: String, operation| {
        fixture.local.clear_faults();
        fixture.local.add_fault(Fault::response(200, body).on(operation));
    };
    let printed = format!("{NUMBERS}\n");
    fault(NUMBERS.to_owned(), Operation::OpenAi);
    fixture.run(&["openai", "echo", "v1/models"]).await.assert(0, &printed);

    std::fs::write(fixture.home.path().join("query"), "{ a }").unwrap();
    fault(format!("{{\"data\": {NUMBERS}}}"), Operation::GraphQl);
    fixture.run(&["graphql", "query"]).await.assert(0, &printed);
    let errors = r#""errors": [{"message": "boo"}]"#;
    fault(format!("{{\"data\": {NUMBERS}, {errors}}}"), Operation::GraphQl);
    fixture.run(&["graphql", "query"]).await.assert(1, &printed);

    let completed = |output: &str| {
        let body = format!(r#"{{"id":"j","status":"COMPLETED","output":{output}}}"#);
        fault(body, Operation::Status);
    };
    completed(NUMBERS);
    fixture.run(&["wait", "echo", "j"]).await.assert(0, &printed);
    // Python writes such invalid JSON; next to it, a number beyond a double is null.
    completed(&NUMBERS.replace("1.10", "NaN"));
    fixture
        .run(&["wait", "echo", "j"])
        .await
        .assert(0, &printed.replace("1.10", "null").replace("1e400", "null"));
    completed("{\"a\": 01}");
    for more in [&[][..], &["--json"]] {
        let ran = fixture.run(&[&["wait", "echo", "j"][..], more].concat()).await;
        ran.fails(1, "`output` in the response is not JSON");
        assert!(!ran.stdout.contains("null"), "{}", ran.stdout);
    }
}

#[tokio::test]
async fn a_request_is_sent_with_all_its_digits() {
    let fixture = Fixture::start().await;
    let bodies: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&bodies);
    let handler = async move |request: Request| {
        let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        let streams = body.contains("\"stream\":true");
        log.lock().unwrap().push(body);
        let (kind, response) = match streams {
            true => ("text/event-stream", "data: 1\n\n"),
            false => ("application/json", r#"{"data": 1}"#),
        };
        ([(CONTENT_TYPE, kind)], response)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(handler);
    tokio::spawn(axum::serve(listener, router).into_future());
    std::fs::write(fixture.home.path().join("query"), "{ a }").unwrap();

    let number = "12345678901234567890123";
    let body = format!("{{\"seed\":{number},\"t\":1.10}}");
    let variable = format!("a={number}");
    for (arguments, sent) in [
        (&["openai", "e", "v1/x", &body][..], &body),
        (
            &["openai", "e", "v1/x", "--stream", &body],
            &format!("{{\"seed\":{number},\"stream\":true,\"t\":1.10}}"),
        ),
        (
            &["graphql", "query", "--var", &variable, "--var", "b=1.10"],
            &format!("{{\"query\":\"{{ a }}\",\"variables\":{{\"a\":{number},\"b\":1.10}}}}"),
        ),
    ] {
        let mut program = fixture.program(arguments);
        program.env("PODQUEUE_BASE_URL", &url).env("PODQUEUE_GRAPHQL_URL", &url);
        ran(&mut program).await.assert_code(0);
        assert_eq!(bodies.lock().unwrap().pop().as_ref(), Some(sent), "{arguments:?}");
    }
}
