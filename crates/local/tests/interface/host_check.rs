//! Host and origin check: requests that a browser sends for a page of another origin are refused on
//! every interface.

use podqueue_local::Builder;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use crate::support::{KEY, Service, raw};

/// One request to each interface, with its key, that would change something.
fn requests(headers: &str) -> [String; 4] {
    let run = json!({ "input": {} }).to_string();
    let secret = json!({
        "query": r#"mutation { secretCreate(input: { name: "s", value: "v" }) { id } }"#,
    });
    let fault = json!({ "response": { "status": 500 } }).to_string();
    let request = |line: &str, body: &str| {
        format!(
            "{line} HTTP/1.1\r\n{headers}authorization: Bearer {KEY}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len(),
        )
    };
    [
        request("POST /v2/echo/run", &run),
        request("GET /v1/pods/pod-gpu", ""),
        request("POST /graphql?api_key=a+key", &secret.to_string()),
        request("POST /_local/faults", &fault),
    ]
}

async fn service() -> Service {
    Service::still(podqueue_local::Builder::control_plane).await
}

/// Sends these to a service of their own, and asserts how it responds to each, and that it did
/// nothing where it refused.
async fn assert_all(service: &Service, headers: &str, status: u16) {
    for request in requests(headers) {
        let response = raw(service, request.as_bytes()).await;
        let expected = format!("HTTP/1.1 {status} ");
        assert!(response.starts_with(&expected), "{request}\n{response}");
        assert!(!response.to_lowercase().contains("access-control-"), "{response}");
    }
    let done = usize::from(status == 200);
    service.local.clear_faults();
    assert_eq!(service.local.secret_ids().len(), done);
    let jobs = service.get("/v2/echo/requests").await.1;
    assert_eq!(jobs.as_array().unwrap().len(), done);
}

#[tokio::test]
async fn a_host_that_is_not_this_machine_is_refused() {
    let service = service().await;
    let port = service.local.address().port();
    for host in [
        "rebound.example",
        &format!("rebound.example:{port}"),
        "localhost.rebound.example",
        "127.0.0.1.rebound.example",
        "192.0.2.7",
        "[2001:db8::1]",
        "0.0.0.0",
        "user@localhost",
        "localhost, rebound.example",
        "",
    ] {
        assert_all(&service, &format!("host: {host}\r\n"), 421).await;
    }
    assert_all(&service, "", 400).await;
    assert_all(&service, "host: localhost\r\nhost: rebound.example\r\n", 400).await;
}

#[tokio::test]
async fn loopback_names_and_addresses_are_accepted() {
    for host in ["localhost", "LocalHost:1", "127.0.0.1", "127.3.2.1:80", "[::1]:8000", "[::1]"] {
        assert_all(&service().await, &format!("host: {host}\r\n"), 200).await;
    }
}

#[tokio::test]
async fn a_target_of_another_host_is_refused_whatever_the_host_header() {
    let service = service().await;
    let request = |authority: &str| {
        format!(
            "GET http://{authority}/v2/echo/health HTTP/1.1\r\nhost: localhost\r\n\
             authorization: {KEY}\r\nconnection: close\r\n\r\n"
        )
    };
    let response = raw(&service, request("rebound.example").as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 421 "), "{response}");
    let response = raw(&service, request("localhost").as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
}

#[tokio::test]
async fn further_hosts_can_be_allowed() {
    let allow = |builder: podqueue_local::Builder| {
        builder.allow_host("gpu-box.example").allow_host("192.0.2.7").control_plane()
    };
    for host in ["GPU-box.example:9000", "192.0.2.7"] {
        assert_all(&Service::still(allow).await, &format!("host: {host}\r\n"), 200).await;
    }
    assert_all(&Service::still(allow).await, "host: another.example\r\n", 421).await;
}

#[tokio::test]
async fn a_service_for_other_machines_is_called_by_the_address_at_which_it_is_reached() {
    let listen =
        |builder: podqueue_local::Builder| builder.listen(([0, 0, 0, 0], 0)).control_plane();
    for host in ["0.0.0.0:1", "127.0.0.1"] {
        assert_all(&Service::still(listen).await, &format!("host: {host}\r\n"), 200).await;
    }
    for host in ["192.0.2.7", "rebound.example"] {
        assert_all(&Service::still(listen).await, &format!("host: {host}\r\n"), 421).await;
    }
}

#[tokio::test]
async fn a_page_of_another_origin_is_refused() {
    let service = service().await;
    for header in [
        "origin: https://page.example",
        "origin: http://localhost:3000",
        "origin: https://localhost:8000",
        "origin: chrome-extension://localhost:8000",
        "origin: http://localhost",
        "origin: http://127.0.0.1:8000",
        "origin: null",
        "origin: ",
        "origin: file://",
        "origin: http://localhost:8000\r\norigin: https://page.example",
        "sec-fetch-site: cross-site",
        "sec-fetch-site: same-site",
        "origin: http://localhost:8000\r\nsec-fetch-site: cross-site",
    ] {
        assert_all(&service, &format!("host: localhost:8000\r\n{header}\r\n"), 403).await;
    }
}

#[tokio::test]
async fn requests_of_the_own_origin_and_of_a_typed_address_are_accepted() {
    for header in [
        "origin: http://localhost:8000",
        "origin: http://localhost:8000\r\nsec-fetch-site: same-origin",
        "sec-fetch-site: none",
    ] {
        let headers = format!("host: localhost:8000\r\n{header}\r\n");
        assert_all(&service().await, &headers, 200).await;
    }
}

async fn assert_status(service: &Service, request: &str, status: u16) {
    let response = raw(service, request.as_bytes()).await;
    assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{request}\n{response}");
}

#[tokio::test]
async fn a_link_of_another_origin_may_lead_a_tab_here_but_no_frame_image_or_form() {
    let service = Service::still(Builder::page).await;
    let get = |path: &str, headers: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nhost: localhost:8000\r\nsec-fetch-site: cross-site\r\n\
             {headers}connection: close\r\n\r\n"
        )
    };
    let tab = "sec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n";
    assert_status(&service, &get("/", tab), 200).await;
    for frame in [
        "sec-fetch-mode: navigate\r\nsec-fetch-dest: iframe\r\n",
        "sec-fetch-mode: no-cors\r\nsec-fetch-dest: document\r\n",
        "sec-fetch-mode: no-cors\r\nsec-fetch-dest: image\r\n",
        "sec-fetch-mode: navigate\r\n",
        "sec-fetch-dest: document\r\n",
        "origin: https://page.example\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n",
    ] {
        assert_status(&service, &get("/", frame), 403).await;
    }
    let form = get("/v2/echo/run", tab).replacen("GET", "POST", 1);
    assert_status(&service, &form, 403).await;
    // Without a key, nothing else is to be had.
    assert_status(&service, &get("/v2/echo/health", tab), 401).await;
}

#[tokio::test]
async fn cross_origin_preflight_requests_are_refused() {
    let service = service().await;
    for path in ["/v2/echo/run", "/graphql", "/_local/faults", "/nowhere"] {
        let request = format!(
            "OPTIONS {path} HTTP/1.1\r\nhost: localhost\r\norigin: https://page.example\r\n\
             access-control-request-method: POST\r\nconnection: close\r\n\r\n"
        );
        let response = raw(&service, request.as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 403 "), "{response}");
        assert!(!response.to_lowercase().contains("access-control-"), "{response}");
    }
}

/// The content types of a POST that a page may send to any host without a preflight request.
#[tokio::test]
async fn a_body_that_is_not_declared_as_json_is_refused() {
    let service = service().await;
    let base = service.local.base_url();
    let secret =
        r#"{"query": "mutation { secretCreate(input: { name: \"s\", value: \"v\" }) { id } }"}"#;
    let bodies = [
        (format!("{base}/graphql?api_key=a+key"), secret),
        (format!("{base}/_local/faults"), r#"{"response": {"status": 500}}"#),
        (format!("{base}/_local/clock/advance"), r#"{"ms": 1000}"#),
        (format!("{base}/_local/pods"), r#"{"id": "p"}"#),
        (format!("{base}/_local/templates"), r#"{"id": "t", "name": "t"}"#),
    ];
    for (url, body) in &bodies {
        for content_type in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=application/json",
            "text/plain; application/json",
            "application/jsonp",
            "",
        ] {
            let request = service.http.post(url).header("authorization", KEY);
            let request = request.header(CONTENT_TYPE, content_type).body(*body);
            assert_eq!(request.send().await.unwrap().status(), 415, "{url} {content_type}");
        }
        let request = service.http.post(url).header("authorization", KEY).body(*body);
        assert_eq!(request.send().await.unwrap().status(), 415, "{url}");
    }
    assert!(service.local.secret_ids().is_empty());
    assert_eq!(service.get("/_local/clock").await.1["nowMs"], 0);
    for (url, body) in &bodies {
        let request = service.http.post(url).header("authorization", KEY);
        let request = request.header(CONTENT_TYPE, "Application/JSON; charset=utf-8").body(*body);
        assert_eq!(request.send().await.unwrap().status(), 200, "{url}");
    }
}

#[tokio::test]
async fn an_allowed_name_is_normalized() {
    for (name, hosts) in [
        ("GPU-Box.Example.", ["gpu-box.example", "GPU-BOX.EXAMPLE.:80"]),
        ("gpu_box", ["gpu_box.", "gpu_box:1"]),
        ("[2001:DB8:0:0::1]", ["[2001:db8::1]:80", "[2001:0db8::0001]"]),
        ("2001:db8::1", ["[2001:db8::1]", "[2001:DB8:0::1]:9"]),
        ("::ffff:192.0.2.7", ["192.0.2.7", "[::ffff:c000:207]"]),
    ] {
        for host in hosts {
            let allow = |builder: Builder| builder.allow_host(name).control_plane();
            assert_all(&Service::still(allow).await, &format!("host: {host}\r\n"), 200).await;
        }
    }
    assert_all(&service().await, "host: localhost.:80\r\n", 200).await;
}

#[tokio::test]
async fn a_name_that_no_request_could_have_is_refused_at_the_start() {
    for name in [
        "",
        " ",
        ".",
        "box:80",
        "192.0.2.7:80",
        "[2001:db8::1]:80",
        "http://box",
        "box/",
        "box/path",
        "*.example",
        "*",
        "user@box",
        "two words",
        " box",
        "box\n",
        "a..b",
        ".box",
        "[box]",
        "[192.0.2.7]",
        "fe80::1%eth0",
        "bücher.example",
        "box,other",
        "box?",
        "box#",
    ] {
        let started = podqueue_local::LocalService::builder().allow_host(name).start().await;
        let error = started.map(|_| ()).expect_err(name);
        assert_eq!(error.setting(), Some("allow_host"), "{name:?}");
        assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
    }
}
