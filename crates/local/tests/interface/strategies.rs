//! Property test strategies: arbitrary values, bodies, paths, faults and bytes, with the names and
//! values that the service parses among them.

use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use reqwest::Method;
use serde_json::{Value, json};

/// Any JSON, with the names that the service looks for among its members.
pub fn json_value() -> impl Strategy<Value = Value> {
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

pub fn name() -> impl Strategy<Value = String> {
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
        "response",
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
pub fn body() -> impl Strategy<Value = Vec<u8>> {
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
pub fn segment() -> impl Strategy<Value = String> {
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

pub fn query() -> impl Strategy<Value = String> {
    let name = select(vec!["wait", "ttl", "api_key", "includeMachine", "includePublicTemplates"]);
    let value = prop_oneof![Just("true".to_owned()), "[0-9]{1,25}", "[ -~&&[^#]]{0,10}"];
    vec((name, value), 0..3).prop_map(|pairs| {
        pairs.into_iter().map(|(name, value)| format!("{name}={value}&")).collect()
    })
}

pub fn method() -> impl Strategy<Value = Method> {
    select(vec![Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH])
}

pub fn control_path() -> impl Strategy<Value = String> {
    let known = select(vec![
        "pods",
        "templates",
        "clock/advance",
        "clock",
        "requests",
        "webhooks",
        "faults",
        "webhooks/x/redeliver",
        "pods/pod-gpu",
        "pods/%ff",
        "openapi/rest.yaml",
        "openapi/x",
    ]);
    prop_oneof![
        4 => known.prop_map(str::to_owned),
        1 => vec(segment(), 0..4).prop_map(|segments| segments.join("/")),
    ]
}

/// A fault, mostly of a right form, in which any value may be a wrong one.
pub fn fault() -> impl Strategy<Value = Value> {
    let number = || prop_oneof![4 => 0_u64..6, 1 => any::<u64>()].prop_map(Value::from);
    let answer =
        (100_u64..1000, json_value(), any::<String>()).prop_map(|(status, headers, body)| {
            let headers = if headers.is_object() { headers } else { json!({ "a": "b" }) };
            json!({ "response": { "status": status, "headers": headers, "body": body } })
        });
    let plain_answer = (200_u64..1000, any::<String>())
        .prop_map(|(status, body)| json!({ "response": { "status": status, "body": body } }));
    let effect = prop_oneof![
        Just(json!({})),
        answer,
        plain_answer,
        number().prop_map(|bytes| json!({ "reset": { "afterBytes": bytes } })),
        (0_u64..4).prop_map(|ms| json!({ "down": { "ms": ms } })),
        number().prop_map(|bytes| json!({ "truncate": bytes })),
        (number(), 0_u64..5000)
            .prop_map(|(bytes, pause)| json!({ "drip": { "bytes": bytes, "pauseMs": pause } })),
        json_value().prop_map(|value| json!({ "response": value })),
    ];
    let chosen = prop_oneof![
        Just(json!({})),
        number().prop_map(|times| json!({ "times": times })),
        (0.0..=1.0, any::<u64>())
            .prop_map(|(probability, seed)| json!({ "probability": probability, "seed": seed })),
    ];
    let operation = select(vec!["run", "status", "health", "get-pod", "graphql", "openai"]);
    let more = (proptest::option::of(operation), any::<bool>(), 0_u64..3000);
    (effect, chosen, more, proptest::option::weighted(0.1, (name(), json_value()))).prop_map(
        |(effect, chosen, (operation, processed, delay), odd)| {
            let mut rule = json!({ "processed": processed, "delayMs": delay });
            if let Some(operation) = operation {
                rule["operation"] = json!(operation);
            }
            for part in [effect, chosen] {
                for (name, value) in part.as_object().unwrap() {
                    rule[name] = value.clone();
                }
            }
            if let Some((name, value)) = odd {
                rule[name] = value;
            }
            rule
        },
    )
}

/// Bytes of a connection: damaged requests, or random bytes.
pub fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let usual = select(vec![
        "transfer-encoding: chunked",
        "content-length: 5",
        "connection: close",
        "expect: 100-continue",
        "authorization: Bearer a key",
        "accept: */*",
    ]);
    let odd = select(vec![
        "transfer-encoding: gzip, chunked",
        "content-length: -1",
        "content-length: 99999999999999999999",
        "connection: upgrade\r\nupgrade: websocket",
    ]);
    let header = prop_oneof![
        12 => usual.prop_map(str::to_owned),
        1 => odd.prop_map(str::to_owned),
        1 => "[a-z-]{0,12}:[ -~]{0,30}",
    ];
    let target = prop_oneof![
        5 => select(vec![
            "/v2/echo/run", "/v2/echo/runsync?wait=1000", "/v2/echo/health", "/v1/pods/pod-gpu",
            "/graphql?api_key=a+key", "/_local/clock/advance",
        ])
        .prop_map(str::to_owned),
        5 => (vec(segment(), 0..5), query())
            .prop_map(|(segments, query)| format!("/{}?{query}", segments.join("/"))),
        1 => "[ -~]{0,40}",
    ];
    let version = prop_oneof![
        9 => Just("HTTP/1.1"),
        1 => select(vec!["HTTP/1.0", "HTTP/2.0", "HTTP/9", ""]),
    ];
    let request = (method(), target, version, vec(header, 0..5), body()).prop_map(
        |(method, target, version, headers, body)| {
            let mut bytes =
                format!("{method} {target} {version}\r\nhost: localhost\r\n").into_bytes();
            for header in headers {
                bytes.extend(header.bytes());
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"\r\n");
            bytes.extend(body);
            bytes
        },
    );
    let damage = vec((any::<prop::sample::Index>(), any::<u8>()), 0..2);
    let damaged = (vec(request, 1..3), damage).prop_map(|(requests, damage)| {
        let mut bytes = requests.concat();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    });
    prop_oneof![4 => damaged, 1 => vec(any::<u8>(), 0..300)]
}
