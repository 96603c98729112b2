//! Inputs from an object: its copy, an interrupted copy, and an object that has changed.

use std::fs;
use std::sync::{Arc, Mutex};

use podqueue_batch::{Batch, ErrorKind, Inputs, Object, Open, State};
use serde_json::{Value, json};

use super::server::{CANARY, Fault, Server};
use crate::support::{Folder, endpoint, service};

/// A batch in this folder with the inputs of an object.
fn open(folder: &Folder, object: Object) -> Open {
    let results = folder.path("results.jsonl");
    Batch::open(folder.journal()).inputs(Inputs::object(object)).results(results)
}

fn lines(inputs: impl Iterator<Item = Value>) -> String {
    inputs.map(|input| format!("{input}\n")).collect()
}

#[tokio::test]
async fn an_interrupted_copy_continues_and_the_batch_is_that_of_a_local_file() {
    let (server, folder) = (Server::start().await, Folder::new());
    let local = service().start().await.unwrap();
    // Three ranges.
    let pad = "x".repeat(1 << 20);
    let text = lines((0..18).map(|n| json!({ "n": n, "pad": pad })));
    server.put("in.jsonl", text.clone());
    let ranges = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&ranges);
    server.on_request(move |method, _, range| {
        let mut ranges = seen.lock().unwrap();
        ranges.push(format!("{method} {range}"));
        match ranges.len() {
            // The third range.
            4 => Fault::Status(403, "<Error><Code>ExpiredToken</Code></Error>".to_owned()),
            _ => Fault::None,
        }
    });
    let error = open(&folder, server.object("in.jsonl")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Inputs);
    let text_of_error = error.to_string();
    assert!(text_of_error.contains("s3://bucket/in.jsonl"), "{error}");
    assert!(text_of_error.contains("(ExpiredToken)"), "{error}");
    ranges.lock().unwrap().clear();
    let batch = open(&folder, server.object("in.jsonl")).await.unwrap();
    let range = 8 << 20;
    // The last range that was written may not be durable.
    let expected = [
        "HEAD ".to_owned(),
        format!("GET bytes={range}-{}", 2 * range - 1),
        format!("GET bytes={}-{}", 2 * range, text.len() - 1),
    ];
    assert_eq!(*ranges.lock().unwrap(), expected);
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(report.counts.of(State::Completed), 18);
    drop(batch);
    ranges.lock().unwrap().clear();
    open(&folder, server.object("in.jsonl")).await.unwrap();
    assert_eq!(*ranges.lock().unwrap(), ["HEAD "], "only the version is compared");
    // Without the object, the copy is the file of inputs.
    Batch::open(folder.journal()).results(folder.path("results.jsonl")).await.unwrap();
}

#[tokio::test]
async fn an_object_that_has_changed_is_refused_unless_changes_are_accepted() {
    let (server, folder) = (Server::start().await, Folder::new());
    let local = service().start().await.unwrap();
    server.put("in.jsonl", lines((0..3).map(|n| json!({ "n": n }))));
    let batch = open(&folder, server.object("in.jsonl")).await.unwrap();
    batch.run(endpoint(&local, "double")).take(1).await.unwrap();
    drop(batch);
    server.put("in.jsonl", lines((10..15).map(|n| json!({ "n": n }))));
    let error = open(&folder, server.object("in.jsonl")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged);
    assert!(error.to_string().contains("restore the object"), "{error}");
    let accepting = open(&folder, server.object("in.jsonl")).accept_changed_inputs();
    let batch = accepting.await.unwrap();
    assert_eq!((batch.changed_inputs().pending, batch.changed_inputs().kept), (2, 1));
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(report.counts.of(State::Completed), 5);
    let outputs: Vec<_> =
        folder.results().values().map(|line| line["output"]["n"].clone()).collect();
    assert_eq!(outputs, [0, 22, 24, 26, 28]);
}

#[tokio::test]
async fn an_object_of_another_format_is_copied_and_then_converted() {
    let (server, folder) = (Server::start().await, Folder::new());
    let local = service().start().await.unwrap();
    server.put("rows.csv", "n\n1\n2\n");
    let batch = open(&folder, server.object("rows.csv")).await.unwrap();
    assert_eq!(batch.columns()[0].name, "n");
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    let outputs = |folder: &Folder| -> Vec<Value> {
        folder.results().values().map(|line| line["output"]["n"].clone()).collect()
    };
    assert_eq!(outputs(&folder), [2, 4]);
    // The copy of the object itself is not needed any more.
    let copies = || fs::read_dir(folder.path("results.jsonl.inputs")).unwrap().count();
    assert_eq!(copies(), 1);
    // It is neither copied nor converted again, and refused if it has changed.
    assert!(open(&folder, server.object("rows.csv")).await.unwrap().columns().is_empty());
    server.put("rows.csv", "n\n1\n2\n3\n");
    let error = open(&folder, server.object("rows.csv")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    // An object that cannot be converted is named by its URL.
    server.put("torn.csv", "n\n\"1\n");
    let torn = Folder::new();
    let error = open(&torn, server.object("torn.csv")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Inputs);
    let why = "s3://bucket/torn.csv has a quote in line 2 that never ends";
    assert!(error.to_string().contains(why), "{error}");
}

#[tokio::test]
async fn an_object_that_changes_while_it_is_copied_is_refused() {
    let (server, folder) = (Server::start().await, Folder::new());
    let pad = "x".repeat(9 << 20);
    server.put("in.jsonl", lines((0..2).map(|n| json!({ "n": n, "pad": pad }))));
    let (changing, mut requests) = (server.clone(), 0);
    server.on_request(move |_, _, _| {
        requests += 1;
        if requests == 3 {
            let changing = changing.clone();
            // The lock of the server is held here.
            std::thread::spawn(move || changing.put("in.jsonl", "{\"n\": 1}\n"));
            return Fault::Slow(std::time::Duration::from_millis(300));
        }
        Fault::None
    });
    let error = open(&folder, server.object("in.jsonl")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    let batch = open(&folder, server.object("in.jsonl")).await.unwrap();
    assert_eq!(batch.status().await.unwrap().counts.total(), 1);
}

#[tokio::test]
async fn unusable_objects_are_refused_before_a_file_is_created_and_no_secret_is_shown() {
    let (server, folder) = (Server::start().await, Folder::new());
    server.put("empty.jsonl", "");
    // As the service responds to a wrong secret: with parts of the signed request.
    let body = "<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>canary-id</AWSAccessKeyId>\
                <CanonicalRequest>x-amz-security-token:canary-token</CanonicalRequest></Error>";
    for (name, fault, kind, why) in [
        ("empty.jsonl", Fault::None, ErrorKind::Inputs, "has no inputs"),
        ("none.jsonl", Fault::None, ErrorKind::Inputs, "no such bucket or object"),
        (
            "in.jsonl",
            Fault::Status(403, body.to_owned()),
            ErrorKind::Inputs,
            "the storage refused access",
        ),
        ("in.jsonl", Fault::Status(400, body.to_owned()), ErrorKind::Unreachable, "400"),
    ] {
        server.on_request(move |_, _, _| fault.clone());
        let opening = open(&folder, server.object(name));
        assert!(!format!("{opening:?}").contains(CANARY), "{opening:?}");
        let error = opening.await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        let text = format!("{error} {error:?}");
        assert!(text.contains(why) && !text.contains(CANARY), "{text}");
        assert!(!error.to_string().contains('\n'), "{error}");
        assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 0, "{name}");
    }
    let error = Batch::open(folder.journal()).inputs(Inputs::object(server.object("in.jsonl")));
    assert_eq!(error.await.unwrap_err().kind(), ErrorKind::Settings, "without results");
}
