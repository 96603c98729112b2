//! Tests of the commands that use the account interface.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::account_server::{AccountServer, Received, Response, event, events, ok};
use crate::json::check_shape;
use crate::support::{KEY, bare, ran, ran_with_stdin};

fn endpoint() -> Value {
    json!({
        "id": "e1", "name": "painter", "type": "QUEUE", "image": "registry.example/painter:1",
        "gpu": {"pools": ["ADA_24", "AMPERE_80"], "count": 2, "allowedCudaVersions": [],
            "minCudaVersion": null},
        "workers": {"min": 1, "max": 3, "idleTimeout": 10},
        "scaling": {"type": "QUEUE_DELAY", "queueDelay": 4.0}, "env": {"TOKEN": "env-value"},
        "flashboot": "OFF", "timeout": 300_000, "dataCenterIds": [], "networkVolumes": [],
        "createdAt": "2026-11-27T00:00:00Z",
    })
}

fn pod() -> Value {
    json!({
        "id": "p1", "name": "notebook", "status": "RUNNING", "image": "registry.example/n:1",
        "gpu": {"id": "GPU-A", "count": 2}, "cost": 1.5, "env": {"TOKEN": "env-value"},
        "ports": ["8888/http"], "locked": false, "actions": ["stop", "restart"],
    })
}

/// Responses as those of the service.
fn service(request: &Received) -> Response {
    let (method, path) = request.line.split_once(' ').unwrap();
    let path = path.split('?').next().unwrap().strip_prefix("/v2").unwrap();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let volume =
        json!({"id": "v1", "name": "models", "size": 100, "dataCenter": "DC", "type": "STANDARD"});
    let template = json!({
        "id": "t1", "name": "worker", "image": "i:1", "serverless": true, "category": "NVIDIA",
        "env": {"TOKEN": "env-value"},
    });
    let period = json!({"startTime": "2026-11-26T00:00:00Z", "endTime": "2026-11-27T00:00:00Z",
        "totalAmount": 1.25, "gpuAmount": 1.0, "serverlessGpuAmount": 1.0, "serverlessId": "e1",
        "podId": "p1", "networkVolumeId": "v1", "clusterId": "c1"});
    match (method, &parts[..]) {
        ("DELETE", _) => (204, "application/json", String::new()),
        (_, ["serverless", _, "workers"]) => ok(json!({
            "workers": [
                {"id": "w1", "status": "RUNNING", "isStale": true, "version": 1, "gpuCount": 2,
                    "gpuTypeId": "GPU-A", "uptimeSeconds": 90},
                {"id": "w2", "status": "THROTTLED", "isStale": false, "gpuCount": 2},
            ],
            "summary": {"running": 1, "throttled": 1, "total": 2}, "endpointVersion": 2,
        })),
        (_, ["serverless", _, "releases"]) => ok(json!({
            "endpointVersion": 2,
            "rollout": {"inProgress": true, "workersOnLatest": 1, "workersTotal": 2},
            "releases": [{"id": "r2", "version": 2, "source": "MANUAL", "workerCount": 1,
                "createdAt": "2026-11-27T00:00:00Z",
                "diff": [{"field": "env", "old": null, "new": {"TOKEN": "env-value"}}]}],
        })),
        (_, ["serverless", _, "workers", _, "logs"] | ["pods", _, "logs"]) => {
            events([event(1, "one"), event(2, "\u{1b}[31mtwo")].concat())
        }
        ("GET", ["serverless"]) => ok(json!({"endpoints": [endpoint()]})),
        (_, ["serverless", ..]) => ok(endpoint()),
        ("GET", ["pods"]) => ok(json!({"pods": [pod()]})),
        (_, ["pods", ..]) => ok(pod()),
        ("GET", ["templates"] | ["catalog", "templates"]) => ok(json!({"templates": [template]})),
        (_, ["templates", ..]) => ok(template),
        ("GET", ["network-volumes"]) => ok(json!({"networkVolumes": [volume]})),
        (_, ["network-volumes", ..]) => ok(volume),
        (_, ["catalog", "gpus"]) => ok(json!({"gpus": [{
            "id": "GPU-A", "name": "GPU A", "pool": "ADA_24", "memory": 24, "secure": true,
            "price": {"secure": 0.5, "community": 0.25, "serverless": 0.75},
            "availability": "HIGH",
        }, {
            "id": "GPU-B", "pool": "HOPPER_80", "memory": 80, "price": {"secure": 3.0,
                "community": 0, "serverless": 4.0}, "availability": "LOW",
        }]})),
        (_, ["billing", ..]) => ok(json!({"records": [period], "metadata": {}})),
        _ => (404, "application/problem+json", json!({"title": "Not Found"}).to_string()),
    }
}

#[tokio::test]
async fn lists_are_tables_for_people() {
    let server = AccountServer::start(service).await;
    for (arguments, line) in [
        (
            &["endpoint", "list"][..],
            "e1  painter  QUEUE  2 ADA_24,AMPERE_80  1-3      registry.example/painter:1",
        ),
        (&["endpoint", "workers", "e1"], "w1  RUNNING    1 (stale)  GPU-A  -            1m 30s  -"),
        (&["endpoint", "workers", "e1"], "w2  THROTTLED  -          -      -            -       -"),
        (&["endpoint", "releases", "e1"], "2        2026-11-27T00:00:00Z  MANUAL  1        env"),
        (&["pod", "list"], "p1  notebook  RUNNING  2 GPU-A   1.5000     registry.example/n:1"),
        (&["template", "list"], "t1  worker  serverless  NVIDIA    i:1"),
        (&["template", "list", "--public", "official"], "t1  worker  serverless"),
        (&["volume", "list"], "v1  models  100  STANDARD  DC"),
        (&["gpu", "list"], "GPU-A  ADA_24     24  0.5000  0.2500     0.7500      HIGH"),
        // It is not offered.
        (&["gpu", "list"], "GPU-B  HOPPER_80  80  3.0000  -          4.0000      LOW"),
        (&["billing"], "1.2500"),
        (&["billing", "endpoints", "--id", "e1", "--by", "day"], "e1        1.0000"),
        (&["billing", "pods", "--last", "7"], "p1   1.0000"),
        (&["billing", "volumes", "--since", "7days"], "v1      -"),
        (&["billing", "clusters", "--until", "2026-11-27T00:00:00Z"], "c1       1.0000"),
    ] {
        let ran = server.run(arguments).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stdout.contains(line), "{arguments:?}: {}", ran.stdout);
        assert!(!ran.stdout.contains("env-value"), "{}", ran.stdout);
    }
    let lines: Vec<String> = server.requests().into_iter().map(|it| it.line).collect();
    for line in [
        "GET /v2/catalog/gpus?include=AVAILABILITY",
        "GET /v2/billing/serverless?bucketSize=day&serverlessId=e1",
        "GET /v2/billing/pods?lastN=7",
        "GET /v2/catalog/templates?source=official",
    ] {
        assert!(lines.iter().any(|it| it == line), "no {line}: {lines:?}");
    }
}

#[tokio::test]
async fn whole_numbers_are_integers() {
    let server = AccountServer::start(service).await;
    let json = server.run(&["endpoint", "get", "e1", "--json"]).await.stdout;
    assert!(json.contains(r#""queueDelay":4,"#), "{json}");
    let table = server.run(&["endpoint", "get", "e1"]).await.stdout;
    assert!(!table.contains("4.0"), "{table}");
}

#[tokio::test]
async fn each_command_prints_json_as_documented() {
    let server = AccountServer::start(service).await;
    for (shape, arguments) in [
        ("endpoint", &["endpoint", "list"][..]),
        ("endpoint", &["endpoint", "get", "e1"]),
        ("endpoint", &["endpoint", "create", "e", "--image", "i", "--gpu", "ADA_24", "--yes"]),
        ("endpoint", &["endpoint", "update", "e1", "--image", "i:2"]),
        ("endpoint_scaled", &["endpoint", "scale", "e1", "--max", "1"]),
        ("endpoint_worker", &["endpoint", "workers", "e1"]),
        ("endpoint_release", &["endpoint", "releases", "e1"]),
        ("log_line", &["endpoint", "logs", "e1"]),
        ("deleted", &["endpoint", "delete", "e1", "--yes"]),
        ("account_pod", &["pod", "list"]),
        ("account_pod", &["pod", "get", "p1"]),
        ("account_pod", &["pod", "create", "p", "--image", "i", "--gpu", "GPU-A", "--yes"]),
        ("account_pod", &["pod", "start", "p1", "--yes"]),
        ("account_pod", &["pod", "stop", "p1"]),
        ("account_pod", &["pod", "restart", "p1", "--yes"]),
        ("log_line", &["pod", "logs", "p1"]),
        ("deleted", &["pod", "delete", "p1", "--yes"]),
        ("account_template", &["template", "list"]),
        ("account_template", &["template", "get", "t1"]),
        ("account_template", &["template", "create", "t", "--image", "i"]),
        ("account_template", &["template", "update", "t1", "--image", "i"]),
        ("deleted", &["template", "delete", "t1", "--yes"]),
        ("volume", &["volume", "list"]),
        ("volume", &["volume", "get", "v1"]),
        ("volume", &["volume", "create", "m", "--size-gb", "10", "--data-center", "DC", "--yes"]),
        ("volume", &["volume", "update", "v1", "--name", "n"]),
        ("deleted", &["volume", "delete", "v1", "--yes"]),
        ("gpu", &["gpu", "list", "--for", "serverless", "--count", "2"]),
        ("bill", &["billing"]),
        ("bill", &["billing", "endpoints"]),
        ("bill", &["billing", "pods"]),
        ("bill", &["billing", "volumes"]),
        ("bill", &["billing", "clusters"]),
    ] {
        let ran = server.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stdout.is_empty(), "{arguments:?} printed nothing");
        let is_get = arguments.get(1) == Some(&"get");
        assert!(is_get || !ran.stdout.contains("env-value"), "{}", ran.stdout);
        for line in ran.stdout.lines() {
            check_shape(shape, &serde_json::from_str(line).unwrap());
        }
    }
}

#[tokio::test]
async fn bodies_are_made_of_options_and_a_file() {
    let server = AccountServer::start(service).await;
    let home = server.home.path();
    let file = json!({
        "name": "of-file", "image": "i:1", "env": {"A": "1"}, "networkVolumes": [],
        "gpu": {"pools": ["ADA_24"]}, "workers": {"min": 0, "max": 9},
    });
    fs::write(home.join("endpoint.json"), file.to_string()).unwrap();
    let create = ["endpoint", "create", "--file", "endpoint.json", "--max", "2", "--env", "B"];
    let mut program = server.program(&[&create[..], &["--env", "C=3", "--yes"]].concat());
    ran(program.env("B", "2")).await.assert_code(0);
    let file = json!({"registry": null, "dataCenterIds": []}).to_string();
    let mut update = server.program(&["endpoint", "update", "e/1", "--file", "-"]);
    ran_with_stdin(&mut update, &file).await.assert_code(0);
    server.run(&["endpoint", "scale", "e1", "--min", "0"]).await.assert_code(0);
    let pod = ["pod", "create", "n", "--image", "i", "--cpu", "cpu5c:4", "--volume", "v1:/data"];
    let volume = ["--volume-gb", "50", "--volume-mount-path", "/own", "--cloud", "secure", "-y"];
    server.run(&[&pod[..], &volume].concat()).await.assert_code(0);
    server.run(&["pod", "stop", "p1"]).await.assert_code(0);
    let template = ["template", "create", "t", "--image", "i", "--serverless", "--env", "A=b"];
    server.run(&template).await.assert_code(0);
    server.run(&["template", "update", "t1", "--port", "8888/http"]).await.assert_code(0);
    server.run(&["volume", "update", "v1", "--size-gb", "200", "-y"]).await.assert_code(0);
    let changes = server.changes().into_iter().map(|it| (it.line, it.body));
    let expected = [
        (
            "POST /v2/serverless",
            json!({
                "name": "of-file", "image": "i:1", "env": {"A": "1", "B": "2", "C": "3"},
                "networkVolumes": [], "gpu": {"pools": ["ADA_24"]},
                "workers": {"min": 0, "max": 2}, "type": "QUEUE",
                "scaling": {"type": "QUEUE_DELAY", "queueDelay": 4.0},
            }),
        ),
        ("PATCH /v2/serverless/e%2F1", json!({"registry": null, "dataCenterIds": []})),
        ("PATCH /v2/serverless/e1", json!({"workers": {"min": 0, "max": 3, "idleTimeout": 10}})),
        (
            "POST /v2/pods",
            json!({
                "name": "n", "image": "i", "cpu": {"id": "cpu5c", "vcpuCount": 4},
                "cloud": "SECURE", "mounts": {
                    "persistent": {"size": 50, "path": "/own"},
                    "network": [{"volumeId": "v1", "path": "/data"}],
                },
            }),
        ),
        ("POST /v2/pods/p1/action", json!({"action": "stop"})),
        (
            "POST /v2/templates",
            json!({"name": "t", "image": "i", "serverless": true, "env": {"A": "b"}}),
        ),
        ("PATCH /v2/templates/t1", json!({"ports": ["8888/http"]})),
        ("PATCH /v2/network-volumes/v1", json!({"size": 200})),
    ];
    let expected = expected.map(|(line, body)| (line.to_owned(), body));
    assert_eq!(changes.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn an_invalid_body_is_refused_before_it_is_sent() {
    let server = AccountServer::start(service).await;
    fs::write(server.home.path().join("old.json"), r#"{"imageName": "i", "flashboot": "OFF"}"#)
        .unwrap();
    fs::write(server.home.path().join("list.json"), "[]").unwrap();
    for (arguments, message) in [
        (&["endpoint", "create", "e", "--file", "old.json"][..], "unknown field `imageName`"),
        (&["endpoint", "create", "--file", "list.json"], "not a JSON object"),
        (&["endpoint", "create", "--image", "i", "--gpu", "p"], "`name`"),
        (&["endpoint", "create", "e", "--image", "i"], "`gpu` is missing"),
        (&["endpoint", "create", "e", "--gpu", "p"], "`image` is missing"),
        (
            &["endpoint", "create", "e", "--image", "i", "--gpu", "p", "--cpu", "c:2"],
            "together with `gpu`",
        ),
        (&["endpoint", "update", "e"], "nothing to change"),
        (&["template", "update", "t"], "nothing to change"),
        (&["template", "update", "t", "--registry-auth", ""], "expected an id"),
        (&["pod", "create", "p", "--image", "i", "--registry-auth", ""], "expected an id"),
        (&["endpoint", "scale", "e", "--min", "5"], "exceeds the maximum"),
        (
            &["endpoint", "create", "e", "--image", "i", "--gpu", ""],
            "`gpu.pools` must not be empty",
        ),
        (&["endpoint", "create", "", "--image", "i", "--gpu", "p"], "`name` must not be empty"),
        (
            &["endpoint", "create", "e", "--image", "i", "--gpu", "p", "--min", "4"],
            "`workers.min` must not exceed `workers.max`",
        ),
        (
            &["endpoint", "create", "e", "--image", "i", "--cpu", "c:2,c:2"],
            "`cpu` must not have an item twice",
        ),
        (&["endpoint", "update", "e", "--idle-timeout", "2h"], "`workers.idleTimeout` must be"),
        (&["endpoint", "update", "e", "--queue-delay", "100ms"], "`scaling.queueDelay` must be"),
        (&["endpoint", "update", "e", "--port", "99999/http"], "`ports` must be a port"),
        (&["pod", "create", "p", "--image", "i", "--gpu", ""], "`gpu.id` must not be empty"),
        (&["volume", "update", "v", "--size-gb", "5000"], "`size` must be from 10 to 4096"),
        (&["volume", "create", "v", "--size-gb", "10", "--data-center", ""], "`dataCenter` must"),
        (&["pod", "create", "p", "--image", "i"], "`gpu` is missing"),
        (&["template", "create", "t", "--image", "i", "--readme", "old.json"], "first version"),
    ] {
        let yes: &[&str] = if arguments[0] == "template" { &[] } else { &["--yes"] };
        server.run(&[arguments, yes].concat()).await.fails(2, message);
    }
    for logs in [&["endpoint", "logs", "e"][..], &["pod", "logs", "p"]] {
        server.run(&[logs, &["--tail", "5001"]].concat()).await.fails(2, "`tail` must be");
    }
    assert!(server.changes().is_empty(), "{:?}", server.changes());
    let refused = server.run(&["endpoint", "update", "e1", "--env", "OTHER=1"]).await;
    refused.fails(2, "It loses the variables TOKEN.");
    server.run(&["endpoint", "update", "e1", "--env", "TOKEN=1"]).await.assert_code(0);
    let refused = server.run(&["template", "update", "t1", "--env", "OTHER=1"]).await;
    refused.fails(2, "It loses the variables TOKEN.");
    server.run(&["template", "update", "t1", "--env", "TOKEN=1"]).await.assert_code(0);
}

#[tokio::test]
async fn commands_that_cost_or_delete_need_a_confirmation() {
    let server = AccountServer::start(service).await;
    for arguments in [
        &["endpoint", "create", "e", "--image", "i", "--gpu", "p"][..],
        &["endpoint", "update", "e1", "--max", "9"],
        &["endpoint", "update", "e1", "--env", "OTHER=1"],
        &["endpoint", "scale", "e1", "--max", "9"],
        &["endpoint", "scale", "e1", "--min", "2"],
        &["endpoint", "delete", "e1"],
        &["pod", "create", "p", "--image", "i", "--gpu", "g"],
        &["pod", "start", "p1"],
        &["pod", "restart", "p1"],
        &["pod", "delete", "p1"],
        &["template", "delete", "t1"],
        &["volume", "create", "v", "--size-gb", "10", "--data-center", "DC"],
        &["volume", "update", "v1", "--size-gb", "20"],
        &["volume", "delete", "v1"],
    ] {
        server.run(arguments).await.fails(2, "Pass --yes to confirm");
    }
    assert!(server.changes().is_empty(), "{:?}", server.changes());
}

#[tokio::test]
async fn without_the_url_the_setting_is_named() {
    let server = AccountServer::start(service).await;
    let home = server.home.path();
    for arguments in
        [&["endpoint", "list"][..], &["pod", "list"], &["gpu", "list"], &["template", "list"]]
    {
        let mut program = bare(home, arguments);
        let ran = ran(program.env("PODQUEUE_API_KEY", KEY)).await;
        ran.fails(2, "the URL of the account interface is not set");
        assert!(ran.stderr.contains("set PODQUEUE_ACCOUNT_URL, or account_url"), "{}", ran.stderr);
    }
    let settings = format!("[profile.a]\naccount_url = \"{}\"\n", server.url);
    fs::write(home.join("config.toml"), settings).unwrap();
    let mut program = bare(home, &["endpoint", "list", "--profile", "a"]);
    ran(program.env("PODQUEUE_API_KEY", KEY)).await.assert_code(0);
    let shown = ran(&mut bare(home, &["config", "--profile", "a"])).await;
    assert!(shown.stdout.contains(&server.url), "{}", shown.stdout);
}

#[tokio::test]
async fn a_problem_is_shown_whole_and_without_the_key() {
    let server = AccountServer::start(|_| {
        let body = json!({"title": "Unprocessable", "status": 422, "detail": format!("by {KEY}"),
            "errors": ["image: no such tag", "name: taken"]});
        (422, "application/problem+json", body.to_string())
    })
    .await;
    let create = ["endpoint", "create", "e", "--image", "i", "--gpu", "p", "--yes"];
    let ran = server.run(&create).await;
    ran.fails(1, "image: no such tag");
    assert!(ran.stderr.contains("name: taken"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_retired_command_names_the_setting() {
    let server = AccountServer::start(|_| (410, "application/json", "{}".to_owned())).await;
    let mut program = bare(server.home.path(), &["pod", "get", "p"]);
    let ran = ran(program.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_REST_URL", &server.url)).await;
    ran.fails(1, "the account interface replaces it: set PODQUEUE_ACCOUNT_URL");
    assert!(!ran.stderr.contains("client.account"), "{}", ran.stderr);
}

#[tokio::test]
async fn retired_interfaces_are_no_fault_where_the_account_interface_replaces_them() {
    let server = AccountServer::start(|request| match request.line.contains("/v2/serverless") {
        true => ok(json!({"endpoints": []})),
        false => (410, "application/json", "{}".to_owned()),
    })
    .await;
    let doctor = || {
        let mut program = bare(server.home.path(), &["doctor"]);
        let key = program.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_BASE_URL", &server.url);
        key.env("PODQUEUE_REST_URL", &server.url).env("PODQUEUE_GRAPHQL_URL", &server.url);
        program
    };
    let without = ran(&mut doctor()).await;
    without.assert_code(1);
    let hint = "the account interface replaces it: set PODQUEUE_ACCOUNT_URL";
    assert_eq!(without.stdout.matches(hint).count(), 2, "{}", without.stdout);
    assert!(!without.stdout.contains("something other"), "{}", without.stdout);

    let with = ran(doctor().env("PODQUEUE_ACCOUNT_URL", &server.url)).await;
    with.assert_code(0);
    assert_eq!(with.stdout.matches("retired by the service").count(), 2, "{}", with.stdout);
}

/// A service keeps the response open for new lines.
#[tokio::test]
async fn logs_end_once_the_existing_lines_are_printed() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await.unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        stream.write_all((head.to_owned() + &event(1, "one")).as_bytes()).await.unwrap();
        std::future::pending::<()>().await;
    });
    let home = tempfile::tempdir().unwrap();
    let mut program = bare(home.path(), &["pod", "logs", "p"]);
    let ran = ran(program.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_ACCOUNT_URL", url)).await;
    ran.assert(0, "2026-11-27T00:00:01Z one\n");
}

/// One worker is busy when the other has been quiet for long.
#[tokio::test]
async fn logs_of_an_endpoint_wait_for_a_worker_that_responds_late() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).await.unwrap();
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: ";
                if request.contains("/logs") {
                    let is_late = request.contains("/w2/");
                    tokio::time::sleep(Duration::from_secs(if is_late { 3 } else { 0 })).await;
                    let text = format!("{head}text/event-stream\r\n\r\n{}", event(1, "one"));
                    stream.write_all(text.as_bytes()).await.unwrap();
                    std::future::pending::<()>().await;
                }
                let body = json!({"workers": [{"id": "w1"}, {"id": "w2"}]});
                let text = format!("{head}application/json\r\n\r\n{body}");
                stream.write_all(text.as_bytes()).await.unwrap();
            });
        }
    });
    let home = tempfile::tempdir().unwrap();
    let mut program = bare(home.path(), &["endpoint", "logs", "e"]);
    let ran = ran(program.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_ACCOUNT_URL", url)).await;
    ran.assert(0, "2026-11-27T00:00:01Z w1 one\n2026-11-27T00:00:01Z w2 one\n");
}

#[tokio::test]
async fn logs_are_printed_by_worker() {
    let server = AccountServer::start(service).await;
    let logs = ["endpoint", "logs", "e1", "--worker", "w1", "--tail", "5", "--source", "container"];
    let printed = "2026-11-27T00:00:01Z w1 one\n2026-11-27T00:00:02Z w1 \\u{1b}[31mtwo\n";
    server.run(&logs).await.assert(0, printed);
    let line = "GET /v2/serverless/e1/workers/w1/logs?source=container&tail=5";
    assert_eq!(server.requests()[0].line, line);
    let all = server.run(&["endpoint", "logs", "e1"]).await;
    assert!(all.stdout.contains(" w1 one\n") && all.stdout.contains(" w2 one\n"), "{all:?}");
}

#[tokio::test]
async fn a_wait_for_the_quota_is_reported() {
    let server =
        AccountServer::announcing(r#""minute";r=0;t=1"#, |request| match request.line.as_str() {
            line if line.ends_with("/workers") => ok(json!({"workers": [{"id": "w1"}]})),
            line if line.contains("/logs") => events(event(1, "one")),
            _ => ok(json!({"id": "e1"})),
        })
        .await;
    let waited = server.run(&["endpoint", "logs", "e1"]).await;
    waited.assert(0, "2026-11-27T00:00:01Z w1 one\n");
    let told = "waiting for the rate limits of the service, which start anew in 1s\n";
    assert_eq!(waited.stderr, told);
    let quiet = server.run(&["endpoint", "logs", "e1", "--quiet"]).await;
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    let doctor = server.run(&["doctor", "e1"]).await;
    assert!(doctor.stderr.contains(told), "{doctor:?}");
}

/// Whether the numbers that are absent beside others are kept is not documented.
#[tokio::test]
async fn an_update_sends_omitted_worker_limits_unchanged() {
    let server = AccountServer::start(service).await;
    let update = ["endpoint", "update", "e1", "--yes"];
    for (options, body) in [
        (&["--max", "5"][..], json!({"workers": {"min": 1, "max": 5, "idleTimeout": 10}})),
        (&["--gpu", "HOPPER_80"], json!({"gpu": {"pools": ["HOPPER_80"], "count": 2}})),
        (&["--gpu-count", "1"], json!({"gpu": {"count": 1}})),
    ] {
        server.run(&[&update[..], options].concat()).await.assert_code(0);
        assert_eq!(server.changes().pop().map(|it| it.body), Some(body));
    }
    let refused = server.run(&[&update[..], &["--min", "4"]].concat()).await;
    refused.fails(2, "`workers.min` must not exceed `workers.max`, 3");
}

/// With two workers, the second log is read in the second period.
#[tokio::test]
async fn existing_log_lines_wait_for_the_quota() {
    let server = AccountServer::announcing(r#""minute";r=0;t=2"#, |request| {
        match request.line.ends_with("/workers") {
            true => ok(json!({"workers": [{"id": "w1"}, {"id": "w2"}]})),
            false => events(event(1, "one")),
        }
    })
    .await;
    let waited = server.run(&["endpoint", "logs", "e1"]).await;
    waited.assert_code(0);
    for worker in ["w1", "w2"] {
        assert!(waited.stdout.contains(&format!("{worker} one")), "{}", waited.stdout);
    }
}

#[tokio::test]
async fn a_refusal_says_what_the_service_says_and_what_to_do() {
    for (status, code, advice) in [
        (402, 1, "check the balance of the account"),
        (403, 4, "lacks permission for this"),
        (409, 1, "conflicts with the present state"),
        (422, 1, "breaks a rule of the service"),
    ] {
        let server = AccountServer::start(move |_| {
            let problem = json!({"title": "Refused", "detail": "no more of pool X"});
            (status, "application/problem+json", problem.to_string())
        })
        .await;
        for arguments in [&["endpoint", "list"][..], &["endpoint", "update", "e1", "--name", "n"]] {
            let refused = server.run(arguments).await;
            refused.fails(code, "no more of pool X");
            assert!(refused.stderr.contains(advice), "{}", refused.stderr);
        }
    }
}

#[tokio::test]
async fn a_creation_without_an_id_may_have_created_something() {
    let created = ["{}", r#"{"endpoint": {"id": "e1"}}"#, r#"{"id": ""}"#, r#"{"id": null}"#];
    for (body, code) in created.into_iter().map(|body| (body, 201)).chain([("{}", 500)]) {
        let server =
            AccountServer::start(move |_| (code, "application/json", body.to_owned())).await;
        for (arguments, list) in [
            (
                &["endpoint", "create", "e", "--image", "i", "--gpu", "ADA_24"][..],
                "podqueue endpoint list",
            ),
            (&["pod", "create", "p", "--image", "i", "--gpu", "GPU-A"], "podqueue pod list"),
            (
                &["volume", "create", "v", "--size-gb", "10", "--data-center", "DC"],
                "podqueue volume list",
            ),
            (&["template", "create", "t", "--image", "i"], "podqueue template list"),
        ] {
            let mut arguments = arguments.to_vec();
            if arguments[0] != "template" {
                arguments.push("--yes");
            }
            let failed = server.run(&arguments).await;
            failed.fails(5, list);
            assert_eq!(failed.stdout, "", "{arguments:?}");
        }
    }
}

/// Each attempt may have deleted it.
#[tokio::test]
async fn a_deletion_without_a_readable_response_may_have_taken_effect() {
    for (status, media, body) in
        [(502, "application/json", "{}"), (200, "text/html", "<html>sign in</html>")]
    {
        let server = AccountServer::start(move |_| (status, media, body.to_owned())).await;
        for (thing, list) in [
            ("endpoint", "podqueue endpoint list"),
            ("pod", "podqueue pod list"),
            ("volume", "podqueue volume list"),
            ("template", "podqueue template list"),
        ] {
            let failed = server.run(&[thing, "delete", "x", "--yes"]).await;
            failed.fails(5, list);
            assert!(failed.stderr.contains("it may have taken effect"), "{failed:?}");
        }
    }
    let server = AccountServer::start(|_| (501, "application/json", "{}".to_owned())).await;
    server.run(&["pod", "delete", "x", "--yes"]).await.assert_code(1);
}

/// The disk is full.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_was_changed_is_named_if_it_cannot_be_printed() {
    let server = AccountServer::start(service).await;
    for (arguments, hint) in [
        (
            &["endpoint", "create", "e", "--image", "i", "--gpu", "ADA_24", "--yes"][..],
            "it was created: e1",
        ),
        (&["volume", "delete", "v1", "--yes"], "the change has taken effect"),
        (&["endpoint", "scale", "e1", "--min", "1", "--yes"], "the change has taken effect"),
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut program = server.program(&[arguments, &["--quiet"]].concat());
        let child = program.stdout(full).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let ran = child.wait_with_output().await.unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{told}");
        assert!(told.contains("failed to write the output") && told.contains(hint), "{told}");
    }
    // Nothing else tells the id.
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    let create = ["endpoint", "create", "e", "--image", "i", "--gpu", "ADA_24", "--yes"];
    let mut program = server.program(&create);
    let child = program.stdout(closed).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let ran = child.wait_with_output().await.unwrap();
    let told = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{told}");
    assert!(told.contains("the output is closed; it was created: e1"), "{told}");
}

#[tokio::test]
async fn values_that_a_field_cannot_express_are_refused_before_sending() {
    let server = AccountServer::start(service).await;
    let update = ["endpoint", "update", "e1", "--yes"];
    for (options, reason) in [
        (&["--idle-timeout", "1.5s"][..], "whole seconds"),
        (&["--idle-timeout", "1us"], "whole seconds"),
        (&["--execution-timeout", "1us"], "whole milliseconds"),
        (&["--cpu", "a:4:4"], "a:4:4"),
        (&["--env", "NAME=1", "--env", "OTHER=1", "--env", "NAME=2"], "--env NAME"),
        (&["--image", ""], "image"),
    ] {
        let refused = server.run(&[&update[..], options].concat()).await;
        refused.fails(2, reason);
        assert!(!refused.stderr.contains("NAME=2"), "{}", refused.stderr);
    }
    for (body, field) in [
        (r#"{"scaling": {"queueDelay": 4}}"#, "`scaling.type`"),
        (r#"{"scaling": {"type": null, "queueDelay": 4}}"#, "`scaling.type`"),
        (r#"{"scaling": {}}"#, "`scaling.type`"),
        (r#"{"scaling": {"type": "QUEUE_DELAY"}}"#, "`queueDelay`"),
        (r#"{"scaling": {"type": "QUEUE_DELAY", "requestCount": 4}}"#, "`queueDelay`"),
    ] {
        let mut program = server.program(&[&update[..], &["--file", "-"]].concat());
        ran_with_stdin(&mut program, body).await.fails(2, field);
    }
    assert!(server.requests().is_empty(), "{:?}", server.requests());
    let sent = [&update[..], &["--idle-timeout", "1m", "--execution-timeout", "1.5s"]].concat();
    server.run(&sent).await.assert_code(0);
    let workers = json!({"min": 1, "max": 3, "idleTimeout": 60});
    let body = json!({"workers": workers, "timeout": 1_500});
    assert_eq!(server.changes().pop().map(|it| it.body), Some(body));
}

/// The log is lost once, and continues where it was.
#[cfg(unix)]
#[tokio::test]
async fn followed_logs_end_by_ctrl_c() {
    use rustix::process::Signal;
    use tokio::io::{AsyncBufReadExt, BufReader};

    let responses = AtomicUsize::new(0);
    let server = AccountServer::start(move |_| match responses.fetch_add(1, Ordering::SeqCst) {
        0 => events([event(1, "one"), event(2, "two")].concat()),
        1 => events([event(2, "two"), event(3, "three")].concat()),
        _ => events(event(3, "three")),
    })
    .await;
    let mut child = server.program(&["pod", "logs", "p1", "--follow"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for text in ["one", "two", "three"] {
        let line = lines.next_line().await.unwrap().unwrap();
        assert!(line.ends_with(&format!("Z {text}")), "{line}");
    }
    crate::interruptions::signal(&child, Signal::INT);
    let ran = crate::support::ended(child).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (130, ""));
}
