//! Results in object storage: parts, failures, large outputs and the manifest.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use podqueue_batch::{ErrorKind, Object, Publication, Report, Run, State};
use podqueue_local::{HandlerError, LocalJob, LocalService};
use serde_json::{Value, json};

use super::server::Server;
use crate::support::{Folder, endpoint, service};

/// The text of the parts in their order.
pub fn parts(objects: &BTreeMap<String, Vec<u8>>) -> String {
    let is_part = |name: &str| name.rsplit('/').next().unwrap().starts_with("part-");
    let parts = objects.iter().filter(|(name, _)| is_part(name));
    parts.map(|(_, content)| String::from_utf8(content.clone()).unwrap()).collect()
}

/// Asserts that the manifest lists the objects, and returns it.
pub fn manifest(objects: &BTreeMap<String, Vec<u8>>, folder: &str) -> Value {
    let content = |name: &str| &objects[&format!("{folder}{name}")];
    let manifest: Value = serde_json::from_slice(content("manifest.json")).unwrap();
    for kind in ["parts", "failures"] {
        for part in manifest[kind].as_array().unwrap() {
            let content = content(part["name"].as_str().unwrap());
            let lines = content.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(part["lines"], lines, "{part}");
            assert_eq!(part["bytes"], content.len(), "{part}");
            assert_eq!(part["blake3"], blake3::hash(content).to_hex().to_string(), "{part}");
        }
    }
    manifest
}

/// The objects of a folder, by their path in it.
fn objects(folder: &Folder, name: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.path(name)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder.path(name)).unwrap().to_str().unwrap();
                found.insert(name.to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn published_to(folder: &Folder, name: &str) -> Publication {
    let url = format!("file://{}/", folder.path(name).display());
    Publication::to(Object::parse(&url).unwrap()).part_bytes(300)
}

async fn run(folder: &Folder, local: &LocalService, set: impl FnOnce(Run) -> Run) -> Report {
    let batch = folder.open().max_inline_output(20).await.unwrap();
    set(batch.run(endpoint(local, "double"))).await.unwrap()
}

fn text(path: &std::path::Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn results_and_failures_are_published_in_parts_with_a_manifest() {
    let folder = Folder::new();
    let local = service().start().await.unwrap();
    folder.write_inputs((0..20).map(|n| match n % 4 {
        3 => json!({ "fail": "no" }),
        _ => json!({ "n": n }),
    }));
    let report = run(&folder, &local, |run| run.publish_to(published_to(&folder, "out"))).await;
    let url = format!("file://{}/manifest.json", folder.path("out").display());
    assert_eq!(report.manifest.as_deref(), Some(url.as_str()));
    let found = objects(&folder, "out");
    assert_eq!(parts(&found), text(&folder.path("results.jsonl")));
    let failures: Vec<_> = found.iter().filter(|(name, _)| name.starts_with("failed-")).collect();
    let failed: Vec<u8> = failures.iter().flat_map(|(_, content)| (*content).clone()).collect();
    assert_eq!(
        String::from_utf8(failed).unwrap(),
        text(&folder.path("results.jsonl.failed.jsonl"))
    );
    let manifest = manifest(&found, "");
    assert_eq!(manifest["counts"]["completed"], 15);
    assert_eq!(manifest["failures"].as_array().unwrap().len(), failures.len());
    assert!(failures.len() > 1 && manifest["parts"].as_array().unwrap().len() > 5);
    // Nothing is left to do, and nothing changes.
    let report = run(&folder, &local, |run| run.publish_to(published_to(&folder, "out"))).await;
    assert_eq!((report.submitted_now, report.manifest.as_deref()), (0, Some(url.as_str())));
    assert_eq!(objects(&folder, "out"), found);
}

#[tokio::test]
async fn a_later_run_publishes_what_was_not_and_replaces_the_end_after_a_retry() {
    let folder = Folder::new();
    let local = service().start().await.unwrap();
    folder.write_inputs((0..8).map(|n| json!({ "n": n, "fail": (n > 2).then_some("no") })));
    // Without publication, and not to its end.
    run(&folder, &local, |run| run.take(4)).await;
    let publish = |run: Run| run.publish_to(published_to(&folder, "out"));
    let report = run(&folder, &local, |run| publish(run.take(1))).await;
    assert_eq!(report.manifest, None, "inputs are left");
    assert_eq!(parts(&objects(&folder, "out")), text(&folder.path("results.jsonl")));
    let report = run(&folder, &local, publish).await;
    assert_eq!((report.counts.of(State::Completed), report.manifest.is_some()), (3, true));
    let first = manifest(&objects(&folder, "out"), "");
    assert!(first["failures"].as_array().unwrap().len() > 1);
    // What failed completes now.
    let other = LocalService::builder()
        .api_key(crate::support::KEY)
        .endpoint("double", |_| async { Ok::<_, HandlerError>(json!(1)) })
        .start()
        .await
        .unwrap();
    let batch = folder.open().await.unwrap();
    batch.retry(&[State::Failed]).await.unwrap();
    let report = batch.run(endpoint(&other, "double")).publish_to(published_to(&folder, "out"));
    assert!(report.await.unwrap().is_complete());
    let found = objects(&folder, "out");
    assert_eq!(parts(&found), text(&folder.path("results.jsonl")));
    let last = manifest(&found, "");
    assert_eq!((&last["failures"], &last["counts"]["completed"]), (&json!([]), &json!(8)));
    assert!(found.iter().all(|(name, text)| !name.starts_with("failed-") || text.is_empty()));
    assert_eq!(last["parts"][0], first["parts"][0], "a part never changes");
}

#[tokio::test]
async fn large_outputs_are_published_where_their_lines_name_them() {
    let folder = Folder::with(4);
    let large = "x".repeat(50);
    let output = json!(large);
    let local = LocalService::builder()
        .api_key(crate::support::KEY)
        .endpoint("double", move |_| {
            let output = output.clone();
            async move { Ok::<_, HandlerError>(output) }
        })
        .start()
        .await
        .unwrap();
    run(&folder, &local, |run| run.publish_to(published_to(&folder, "out"))).await;
    let found = objects(&folder, "out");
    let lines = parts(&found);
    assert_eq!(lines, text(&folder.path("results.jsonl")));
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let name = line["output_file"].as_str().unwrap();
        assert_eq!(found[name], format!("\"{large}\"").into_bytes());
    }
}

#[tokio::test]
async fn parts_are_published_while_the_batch_runs() {
    let (server, folder) = (Server::start().await, Folder::with(40));
    let local = LocalService::builder()
        .api_key(crate::support::KEY)
        .endpoint("double", |job: LocalJob| async move {
            let n = job.input["n"].as_u64().unwrap();
            // The last one holds the batch up.
            tokio::time::sleep(Duration::from_millis(if n == 39 { 6_000 } else { 1 })).await;
            Ok::<_, HandlerError>(json!(n))
        })
        .start()
        .await
        .unwrap();
    let publication = Publication::to(server.object("out")).part_bytes(1_000);
    let batch = folder.open().await.unwrap();
    let watched = server.clone();
    let run = tokio::spawn(async move {
        batch.run(endpoint(&local, "double")).publish_to(publication).await.unwrap()
    });
    crate::support::until(async || watched.get("out/part-00000.jsonl").is_some()).await;
    assert!(!run.is_finished(), "the batch runs");
    assert_eq!(watched.get("out/manifest.json"), None);
    run.await.unwrap();
    let found = server.all("out/");
    assert_eq!(parts(&found), text(&folder.path("results.jsonl")));
    manifest(&found, "out/");
}

#[tokio::test]
async fn folders_and_parts_of_others_are_refused_and_kept() {
    let (one, other) = (Folder::with(3), Folder::with(3));
    let local = service().start().await.unwrap();
    run(&one, &local, |run| run.publish_to(published_to(&one, "out"))).await;
    let before = objects(&one, "out");
    let batch = other.open().await.unwrap();
    let publish = |to| batch.run(endpoint(&local, "double")).publish_to(published_to(&one, to));
    let error = publish("out").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
    assert!(error.to_string().contains("results of another batch"), "{error}");
    assert_eq!(objects(&one, "out"), before);
    assert_eq!(batch.status().await.unwrap().counts.of(State::Pending), 3, "nothing is submitted");
    // A part of another program is found when it is written.
    fs::create_dir(one.path("mine")).unwrap();
    one.write("mine/part-00000.jsonl", "mine\n");
    let error = publish("mine").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
    let message = error.to_string();
    assert!(message.contains("mine/part-00000.jsonl exists"), "{message}");
    assert!(message.contains("Nothing is lost"), "{message}");
    assert_eq!(text(&one.path("mine/part-00000.jsonl")), "mine\n");
    // All jobs are done, and another folder gets all parts.
    assert_eq!(batch.status().await.unwrap().counts.of(State::Completed), 3);
    assert!(publish("new").await.unwrap().manifest.is_some());
    assert_eq!(parts(&objects(&one, "new")), text(&other.path("results.jsonl")));
}
