//! Results that several processes publish to one folder of object storage.

use std::collections::BTreeSet;
use std::fs;

use podqueue_batch::{Batch, Object, Publication};
use serde_json::{Value, json};

use crate::support::{Folder, endpoint, service};

#[tokio::test]
async fn processes_publish_parts_of_their_own_and_the_last_of_them_the_manifest() {
    let folder = Folder::new();
    folder.write_inputs((0..60).map(|n| match n % 10 {
        0 => json!({ "fail": "no" }),
        _ => json!({ "n": n }),
    }));
    let local = service().start().await.unwrap();
    let url = format!("file://{}/", folder.path("out").display());
    let run = async |results: &str| {
        let opening = Batch::open(folder.journal()).inputs(folder.inputs());
        let batch = opening.results(folder.path(results)).await.unwrap();
        let publication = Publication::to(Object::parse(&url).unwrap()).part_bytes(500);
        batch.run(endpoint(&local, "double")).publish_to(publication).await.unwrap()
    };
    // The first leaves work to the others, and has published its results when they end.
    let opening = Batch::open(folder.journal()).inputs(folder.inputs());
    let first = opening.results(folder.path("a.jsonl")).await.unwrap();
    let publication = Publication::to(Object::parse(&url).unwrap()).part_bytes(500);
    let taking = first.run(endpoint(&local, "double")).publish_to(publication).take(20);
    assert_eq!(taking.await.unwrap().manifest, None);
    drop(first);
    let (second, third) = tokio::join!(run("b.jsonl"), run("c.jsonl"));
    assert!(second.manifest.is_some() || third.manifest.is_some());
    let read = |name: &str| fs::read_to_string(folder.path("out").join(name)).unwrap();
    let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
    let mut indexes = BTreeSet::new();
    for kind in ["parts", "failures"] {
        for part in manifest[kind].as_array().unwrap() {
            for line in read(part["name"].as_str().unwrap()).lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                assert!(indexes.insert(line["index"].as_u64().unwrap()), "{line} is there twice");
            }
        }
    }
    assert_eq!(indexes, (0..60).collect());
    assert_eq!(manifest["counts"]["failed"], 6);
    // The first comes back, with nothing to do.
    let report = run("a.jsonl").await;
    assert_eq!((report.submitted_now, report.manifest.is_some()), (0, true));
}
