//! Calls on the wire: the same calls made by the code of both generators, judged by the description.
//!
//! `survey/wire/calls.yaml` describes the operations; `ours.rs` and `theirs.rs` beside it are the
//! programs that make the calls, each in the way that its generator's code offers. What a request has
//! to be, and what has to be decoded of the response, is in [`CALLS`]. Spellings that mean the same on
//! the wire are equal: `%2B` and `+` in a path, the order of a query, the layout of JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::recorder::{Recorded, Recorder, Response};
use crate::Failure;
use crate::generation::{Outcome, generate};
use crate::user_crate::{TOKIO, UserCrate, root};

/// A call, as the description wants it.
struct Call {
    name: &'static str,
    method: &'static str,
    /// Percent-encoded.
    target: &'static str,
    /// Headers that the request has to have.
    headers: &'static [(&'static str, &'static str)],
    /// JSON, or a form; empty for none.
    body: &'static str,
    response: Response,
    /// What is decoded, as JSON: the value, or the status of an error and its body.
    decoded: &'static str,
}

const JSON: &str = "application/json";
const THING: &str = r#"{"id": 1, "state": "open"}"#;
const OK: Response = (200, JSON, THING);

const GET: Call = Call {
    name: "",
    method: "GET",
    target: "",
    headers: &[],
    body: "",
    response: OK,
    decoded: THING,
};

const SENDS_JSON: &[(&str, &str)] = &[("content-type", JSON)];

/// In the order of the programs.
const CALLS: [Call; 21] = [
    Call { name: "path: plain", target: "/files/a-b_c.txt", ..GET },
    Call {
        name: "path: reserved characters",
        target: "/files/a%2Fb%3Fc%23d%25e%20f%2Bg%26h%3Bi%5Bj%5D",
        ..GET
    },
    Call { name: "path: beyond ASCII", target: "/files/%C3%BC%E2%82%AC%F0%9F%A6%80", ..GET },
    Call {
        name: "query: reserved characters",
        target: "/search?text=a%2Bb%26c%3Dd%20%23%25%C3%BC",
        ..GET
    },
    Call {
        name: "query: array, a pair for each item",
        target: "/search?text=x&tag=a%26b&tag=c%2Cd",
        ..GET
    },
    Call {
        name: "query: array, by commas",
        target: "/search?text=x&ids=1,-2,9007199254740993",
        ..GET
    },
    Call { name: "query: array, by pipes", target: "/search?text=x&names=a|b%20c", ..GET },
    Call { name: "query: boolean", target: "/search?text=x&exact=false", ..GET },
    Call { name: "query: enum with a space", target: "/search?text=x&order=newest%20first", ..GET },
    Call {
        name: "query: deepObject",
        target: "/filter?filter%5Bcolor%5D=red%26blue&filter%5Bsize%5D=3",
        ..GET
    },
    Call {
        name: "header: text and number",
        target: "/traced",
        headers: &[("x-trace", "a b;c=\"d\""), ("x-depth", "-3")],
        ..GET
    },
    Call {
        name: "body: required list that is empty",
        method: "POST",
        target: "/things",
        headers: SENDS_JSON,
        body: r#"{"name": "a\"\u0000ü", "sizes": []}"#,
        response: (201, JSON, THING),
        ..GET
    },
    Call {
        name: "body: a field that is null",
        method: "PATCH",
        target: "/things/1",
        headers: SENDS_JSON,
        body: r#"{"note": null}"#,
        ..GET
    },
    Call {
        name: "body: form",
        method: "POST",
        target: "/form",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "text=a%2Bb%26c+%C3%BC&count=2",
        ..GET
    },
    Call {
        name: "response: all fields",
        target: "/things/9007199254740993",
        response: (
            200,
            JSON,
            r#"{"id": 9007199254740993, "state": "closed", "note": "é", "weight": 0.1, "labels": {"a b": "c"}, "shape": {"kind": "square", "side": 2.5}}"#,
        ),
        decoded: r#"{"id": 9007199254740993, "state": "closed", "note": "é", "weight": 0.1, "labels": {"a b": "c"}, "shape": {"kind": "square", "side": 2.5}}"#,
        ..GET
    },
    Call {
        name: "response: nulls and unknown fields",
        target: "/things/1",
        response: (200, JSON, r#"{"id": 1, "state": "open", "note": null, "added": [1]}"#),
        ..GET
    },
    Call {
        name: "response: a value that the enum lacks",
        target: "/things/1",
        response: (200, JSON, r#"{"id": 1, "state": "held"}"#),
        decoded: r#"{"id": 1, "state": "held"}"#,
        ..GET
    },
    Call {
        name: "response: a branch that the union lacks",
        target: "/things/1",
        response: (200, JSON, r#"{"id": 1, "state": "open", "shape": {"kind": "line"}}"#),
        decoded: r#"{"id": 1, "state": "open", "shape": {"kind": "line"}}"#,
        ..GET
    },
    Call {
        name: "response: 204 without a body",
        method: "DELETE",
        target: "/things/1",
        response: (204, JSON, ""),
        decoded: "null",
        ..GET
    },
    Call {
        name: "error: described, with its body",
        target: "/files/none",
        response: (404, JSON, r#"{"code": "missing", "place": "here"}"#),
        decoded: r#"{"status": 404, "body": {"code": "missing", "place": "here"}}"#,
        ..GET
    },
    Call {
        name: "error: not described, and no JSON",
        target: "/files/none",
        response: (418, "text/html", "<p>tea</p>"),
        decoded: r#"{"status": 418}"#,
        ..GET
    },
];

/// Makes all calls by both programs, and prints a line for each. False if ours makes or decodes one in
/// another way than described.
pub fn run(rival: &Path, rival_name: &str) -> Result<bool, Failure> {
    let recorder = Recorder::start(CALLS.iter().map(|it| it.response).collect())?;
    let sides = [("ours", ours()?), (rival_name, theirs(rival)?)];
    let mut verdicts = Vec::new();
    for (_, program) in &sides {
        let output = Command::new(program).arg(recorder.port.to_string()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        let requests = recorder.take();
        let of_call = |(index, call): (usize, &Call)| {
            let requests: Vec<_> = requests.iter().filter(|it| it.call == index).collect();
            differences(call, &requests, lines.get(index).unwrap_or(&json!("the program ended")))
        };
        verdicts.push(CALLS.iter().enumerate().map(of_call).collect::<Vec<_>>());
    }
    println!("\n{:42} on the wire, by the description", "call");
    for (index, call) in CALLS.iter().enumerate() {
        let of = |side: usize| verdicts[side][index].join("; ");
        let said = match (of(0), of(1)) {
            (ours, theirs) if ours == theirs && ours.is_empty() => "equal".to_owned(),
            (ours, theirs) if ours == theirs => format!("equal, not as described: {ours}"),
            (ours, theirs) => {
                let of = |(name, said): (&str, String)| match said.is_empty() {
                    true => format!("{name} as described"),
                    false => format!("{name}: {said}"),
                };
                [(sides[0].0, ours), (sides[1].0, theirs)].map(of).join(" | ")
            }
        };
        println!("{:42} {said}", call.name);
    }
    Ok(verdicts[0].iter().all(Vec::is_empty))
}

/// What of a call is not as described.
fn differences(call: &Call, requests: &[&Recorded], decoded: &Value) -> Vec<String> {
    let mut found = Vec::new();
    match requests {
        [] => found.push("no request".to_owned()),
        [request] => found.extend(of_request(call, request)),
        several => found.push(format!("{} requests", several.len())),
    }
    let expected = serde_json::from_str(call.decoded).unwrap_or_default();
    if without_nulls(decoded) != without_nulls(&expected) {
        found.push(format!("decoded as {decoded}"));
    }
    found
}

fn of_request(call: &Call, request: &Recorded) -> Vec<String> {
    let mut found = Vec::new();
    if (request.method.as_str(), meaning(&request.target)) != (call.method, meaning(call.target)) {
        found.push(format!("sent {} {}", request.method, request.target));
    }
    for (name, value) in call.headers {
        let sent = request.headers.get(*name).map_or("", String::as_str);
        let bare = if *name == "content-type" { sent.split(';').next() } else { Some(sent) };
        if bare != Some(value) {
            found.push(format!("sent {name}: {sent}"));
        }
    }
    let body = String::from_utf8_lossy(&request.body);
    let is_same = match serde_json::from_str::<Value>(call.body) {
        Ok(expected) => serde_json::from_str::<Value>(&body).is_ok_and(|it| it == expected),
        Err(_) => pairs(&body) == pairs(call.body),
    };
    if !is_same {
        found.push(format!("sent the body {body}"));
    }
    found
}

/// The segments of a path and the pairs of a query, decoded.
fn meaning(target: &str) -> (Vec<String>, BTreeMap<String, Vec<String>>) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let segments = path.split('/').map(|it| percent_decode_str(it).decode_utf8_lossy().into());
    (segments.collect(), pairs(query))
}

/// The values of each name, in their order, decoded as those of a form.
fn pairs(query: &str) -> BTreeMap<String, Vec<String>> {
    let decoded =
        |it: &str| percent_decode_str(&it.replace('+', " ")).decode_utf8_lossy().into_owned();
    let mut pairs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in query.split('&').filter_map(|it| it.split_once('=')) {
        pairs.entry(decoded(name)).or_default().push(decoded(value));
    }
    pairs
}

/// Numbers by their value, and without the fields that are null or empty: a field that is not there
/// need not be shown in the same way.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, it)| (name.clone(), without_nulls(it)));
            fields.filter(|(_, it)| !it.is_null() && *it != json!({}) && *it != json!([])).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
        }
        other => other.clone(),
    }
}

fn ours() -> Result<PathBuf, Failure> {
    let user = UserCrate::of_callers("calls-of-ours")?;
    let generation = generate(&file("calls.yaml"), &user.file("generated.rs"))?;
    if !matches!(generation.outcome, Outcome::Generated { .. }) {
        return Err("the calls are not generated".into());
    }
    build(&user, "ours.rs")
}

fn theirs(program: &Path) -> Result<PathBuf, Failure> {
    let user = super::generate_theirs(program, &file("calls.yaml"), "calls-of-theirs")?;
    let user = user.ok_or("the other generator refuses the calls")?;
    let manifest = user.folder.join("Cargo.toml");
    let dependencies = fs::read_to_string(&manifest)?;
    fs::write(manifest, format!("{}\n{TOKIO}\n", dependencies.trim_end()))?;
    build(&user, "theirs.rs")
}

fn build(user: &UserCrate, name: &str) -> Result<PathBuf, Failure> {
    user.write("main.rs", &fs::read_to_string(file(name))?)?;
    fs::remove_file(user.file("lib.rs")).ok();
    match user.build()? {
        Some(program) => Ok(program),
        None => Err(format!("{name} does not compile:\n{}", user.log()?).into()),
    }
}

fn file(name: &str) -> PathBuf {
    root().join("survey/wire").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_compared_by_their_meaning() {
        assert_eq!(meaning("/a%2Bb?x=1&y=a%20b"), meaning("/a+b?y=a+b&x=1"));
        assert_ne!(meaning("/a%2Fb"), meaning("/a/b"));
        assert_ne!(meaning("/a?x=1&x=2"), meaning("/a?x=2&x=1"));
        assert_ne!(meaning("/a?x=1,2"), meaning("/a?x=1&x=2"));
    }

    #[test]
    fn responses_are_compared_without_absent_fields() {
        let of = |it: Value| without_nulls(&it);
        assert_eq!(of(json!({"a": 1.0, "b": null, "c": {}})), of(json!({"a": 1})));
        assert_ne!(
            of(json!({"a": 9_007_199_254_740_992_i64})),
            of(json!({"a": 9_007_199_254_740_993_i64}))
        );
        assert_ne!(of(json!({"a": [null]})), of(json!({"a": []})));
    }
}
