//! Bad input never takes the service down: whatever is sent, there is an answer in JSON with a
//! status that the interface knows, and the service goes on.

use std::sync::LazyLock;

use podqueue_local::{Builder, LocalJob};
use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::support::{KEY, Service, members};

/// One service for all tests here: what one request breaks, the next would notice.
static SHARED: LazyLock<(Runtime, Service)> = LazyLock::new(|| {
    let runtime = Runtime::new().unwrap();
    // Handlers that end at once: no request has a reason to wait.
    let setup = |builder: Builder| {
        builder
            .without_builtin_endpoints()
            .endpoint("echo", |job: LocalJob| async { Ok(job.input) })
            .endpoint("fail", |_: LocalJob| async { Err("as asked".into()) })
            .control_plane()
            .max_payloads(100_000, 100_000)
            .max_queued(50)
    };
    let service = runtime.block_on(Service::still(setup));
    (runtime, service)
});

/// Sends a request, asserts that its answer is one of the interface, and gives it.
fn sent(method: Method, path: &str, body: Vec<u8>) -> (u16, Value) {
    let (runtime, service) = &*SHARED;
    runtime.block_on(async {
        let request = service
            .http
            .request(method.clone(), format!("{}{path}", service.local.base_url()))
            .header("authorization", KEY)
            .body(body)
            .timeout(std::time::Duration::from_secs(10));
        let response = request.send().await.unwrap_or_else(|e| panic!("{method} {path}: {e:?}"));
        let status = response.status();
        let text = response.text().await.unwrap();
        let answer: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{method} {path}: {status} {text:?}: {error}"));
        (status.as_u16(), answer)
    })
}

fn assert_known((status, answer): &(u16, Value)) {
    match StatusCode::from_u16(*status).unwrap() {
        StatusCode::OK => {}
        StatusCode::BAD_REQUEST
        | StatusCode::UNAUTHORIZED
        | StatusCode::NOT_FOUND
        | StatusCode::METHOD_NOT_ALLOWED
        | StatusCode::TOO_MANY_REQUESTS => {
            assert!(matches!(members(answer)[..], ["error"] | ["errors"]), "{answer}");
        }
        other => panic!("{other} {answer}"),
    }
}

/// Any JSON, with the names that the service looks for among its members.
fn json_value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(vec![0, 1, 4999, 5000, 10_000, 604_800_000, 604_800_001]).prop_map(Value::from),
    ];
    let text = prop_oneof![
        any::<String>(),
        select(vec!["http://127.0.0.1:9/", "https://", "ftp://a", "run", "echo", "pod-gpu", "a/b"])
            .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            hash_map(name(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    let known = select(vec![
        "input",
        "policy",
        "ttl",
        "executionTimeout",
        "lowPriority",
        "s3Config",
        "accessId",
        "endpointUrl",
        "n",
        "ms",
        "message",
        "query",
        "variables",
        "operationName",
        "id",
        "name",
        "operation",
        "endpoint",
        "times",
        "probability",
        "answer",
        "status",
        "headers",
        "body",
        "truncate",
        "drip",
        "bytes",
        "pauseMs",
        "templateId",
        "ports",
        "env",
        "volumeInGb",
        "imageName",
        "desiredStatus",
        "isServerless",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => any::<String>()]
}

/// A body: JSON, JSON that was damaged, or anything.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let whole = json_value().prop_map(|value| value.to_string().into_bytes());
    let submission = json_value().prop_map(|policy| {
        json!({ "input": { "n": policy.clone() }, "policy": policy }).to_string().into_bytes()
    });
    let damaged =
        (json_value(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(value, at, byte)| {
            let mut bytes = value.to_string().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        });
    prop_oneof![3 => whole, 3 => submission, 2 => damaged, 1 => vec(any::<u8>(), 0..200)]
}

/// One segment of a path, escaped or wrongly escaped; no `.` and `..`, which clients resolve.
fn segment() -> impl Strategy<Value = String> {
    let escaped = vec(any::<u8>(), 1..12)
        .prop_map(|bytes| bytes.iter().map(|byte| format!("%{byte:02X}")).collect());
    prop_oneof![
        4 => select(vec!["v1", "v2", "echo", "fail", "run", "runsync", "status", "stream",
            "cancel", "retry", "purge-queue", "health", "openai", "requests", "pods", "templates",
            "pod-gpu", "template-own", "graphql", "_local", "clock"]).prop_map(str::to_owned),
        2 => "[A-Za-z0-9_~!$&'()*+,;=:@-]{1,12}",
        1 => "[A-Za-z%]{1,8}",
        1 => escaped,
    ]
}

fn query() -> impl Strategy<Value = String> {
    let name = select(vec!["wait", "ttl", "api_key", "includeMachine", "includePublicTemplates"]);
    let value = prop_oneof![Just("true".to_owned()), "[0-9]{1,25}", "[ -~&&[^#]]{0,10}"];
    vec((name, value), 0..3).prop_map(|pairs| {
        pairs.into_iter().map(|(name, value)| format!("{name}={value}&")).collect()
    })
}

fn method() -> impl Strategy<Value = Method> {
    select(vec![Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body(
        path in select(vec![
            "/v2/echo/run", "/v2/echo/runsync", "/v2/fail/run", "/v2/fail/runsync",
            "/v2/echo/openai/v1/x", "/graphql?api_key=a+key",
        ]),
        body in body(),
    ) {
        assert_known(&sent(Method::POST, path, body));
    }

    #[test]
    fn any_path(
        method in method(),
        segments in vec(segment(), 1..6),
        query in query(),
        body in body(),
    ) {
        let path = format!("/{}?{query}", segments.join("/"));
        let (status, answer) = sent(method, &path, body);
        // The openai path hands on what its handler makes of it, a failure included.
        if status == 500 {
            prop_assert!(path.contains("openai"), "{path} {answer}");
        } else {
            assert_known(&(status, answer));
        }
    }

    #[test]
    fn any_control(
        method in method(),
        path in select(vec![
            "pods", "templates", "clock/advance", "clock", "requests", "webhooks",
            "webhooks/x/redeliver", "pods/pod-gpu", "pods/%ff",
        ]),
        body in body(),
    ) {
        assert_known(&sent(method, &format!("/_local/{path}"), body));
    }

    /// A fault may do to the requests it hits what it says; the control plane stays as it is, and
    /// ending the fault mends the rest.
    #[test]
    fn any_fault(mut rule in json_value(), extra in json_value()) {
        if let Value::Object(rule) = &mut rule {
            rule.insert("endpoint".to_owned(), json!("hit"));
            rule.entry("answer").or_insert(extra);
        }
        let body = rule.to_string().into_bytes();
        assert_known(&sent(Method::POST, "/_local/faults", body));
        prop_assert_eq!(sent(Method::DELETE, "/_local/faults", Vec::new()).0, 200);
        prop_assert_eq!(sent(Method::GET, "/v2/echo/health", Vec::new()).0, 200);
    }
}
