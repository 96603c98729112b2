//! Tests of `podqueue batch run` with inputs and results in object storage.

use std::fs;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{Fixture, ran};

/// A server that refuses each request with this status, as S3 does: with parts of the request.
async fn refusing(status: u16, code: &str) -> String {
    let body = format!(
        "<Error><Code>{code}</Code><AWSAccessKeyId>canary</AWSAccessKeyId>\
         <CanonicalRequest>x-amz-security-token:canary</CanonicalRequest></Error>"
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 16 * 1024]).await;
            let head = format!(
                "HTTP/1.1 {status} status\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
    });
    url
}

#[tokio::test]
async fn inputs_and_results_may_be_in_object_storage() {
    let fixture = Fixture::start().await;
    let home = fixture.home.path().to_owned();
    fs::create_dir(home.join("here")).unwrap();
    fixture.write_inputs(7);
    fs::rename(home.join("in.jsonl"), home.join("here/prompts.jsonl")).unwrap();
    let url = |name: &str| format!("file://{}/{name}", home.display());
    let (inputs, out) = (url("here/prompts.jsonl"), url("out/"));
    let run = ["batch", "run", &inputs, "-e", "echo", "-o", &out];
    let first = fixture.run(&run).await;
    first.assert_code(0);
    let manifest = url("out/manifest.json");
    assert!(first.stdout.contains(&manifest), "{first:?}");
    let results = fs::read_to_string(home.join("prompts.results.jsonl")).unwrap();
    assert_eq!(fs::read_to_string(home.join("out/part-00000.jsonl")).unwrap(), results);
    // The other commands take the file of results.
    assert_eq!(fixture.status("prompts.results.jsonl").await["completed"], 7);
    let again = fixture.run(&[&run[..], &["--json"]].concat()).await;
    let report: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&report["submitted_now"], &report["manifest"]), (&0.into(), &manifest.into()));
    // A dry run reads them, too.
    fixture.run(&["batch", "run", &inputs, "--dry-run"]).await.assert_code(0);
    // A changed object is refused, and the hint says how to accept it.
    fs::write(home.join("here/prompts.jsonl"), "{\"n\": 70}\n".repeat(7)).unwrap();
    let changed = fixture.run(&run).await;
    changed.fails(2, "have changed since the batch began");
    assert!(changed.stderr.contains("--force"), "{changed:?}");
    fixture.run(&[&run[..], &["--force"]].concat()).await.assert_code(0);
}

#[tokio::test]
async fn errors_of_the_storage_are_one_line_with_their_exit_code_and_no_secret() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(2);
    let wrong = refusing(403, "SignatureDoesNotMatch").await;
    let missing = refusing(404, "NoSuchBucket").await;
    let s3 = ["batch", "run", "s3://bucket/in.jsonl", "-e", "echo", "-o", "out.jsonl"];
    let to_s3 = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "s3://bucket/out/"];
    for (arguments, endpoint, exit, why) in [
        (&s3, &wrong, 2, "the storage refused access"),
        (&s3, &missing, 2, "there is no such bucket or object"),
        (&to_s3, &wrong, 1, "the storage refused access (SignatureDoesNotMatch)"),
        (&to_s3, &missing, 1, "there is no such bucket or object (NoSuchBucket)"),
    ] {
        let mut program = fixture.program(arguments);
        program.env("AWS_ENDPOINT_URL", endpoint).env("AWS_ALLOW_HTTP", "true");
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] {
            program.env(name, "canary");
        }
        let ended = ran(&mut program).await;
        ended.fails(exit, why);
        assert!(ended.stderr.contains("s3://bucket/"), "{ended:?}");
        assert!(!ended.stderr.contains("canary"), "{ended:?}");
    }
    assert_eq!(fixture.submissions(), 0);
    for url in ["s3://key:canary@bucket/in.jsonl", "s3://bucket/in.jsonl?X-Amz-Signature=canary"] {
        let ended = fixture.run(&["batch", "run", url, "-e", "echo", "-o", "out.jsonl"]).await;
        ended.fails(2, "belong into the environment");
        assert!(!ended.stderr.contains("canary"), "{ended:?}");
    }
}
