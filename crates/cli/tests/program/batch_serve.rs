//! Tests of `batch serve`: what it prints and refuses, and crashes at random moments.

use std::collections::BTreeMap;
use std::env;
use std::io::{Write, stderr};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use podqueue_batch::serve::api::types::BatchStatus;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;

use crate::serving::{api, check_all, fixture, submit, until_ended, use_servers};
use crate::support::ended;

/// The line that it prints first: its URL.
pub async fn first_line(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    lines.next_line().await.unwrap().unwrap()
}

#[tokio::test]
async fn the_server_prints_its_url_and_ends_on_a_signal() {
    let (fixture, _) = fixture().await;
    for is_json in [false, true] {
        let mut arguments = vec!["batch", "serve", "poet", "--dir", "b", "--listen", "127.0.0.1:0"];
        arguments.extend(is_json.then_some("--json"));
        let mut child = fixture.program(&arguments).spawn().unwrap();
        let line = first_line(&mut child).await;
        let url = match is_json {
            true => {
                serde_json::from_str::<Value>(&line).unwrap()["url"].as_str().unwrap().to_owned()
            }
            false => line,
        };
        let address = url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap();
        let api = api(address);
        let id = submit(&api, &[format!("{is_json}")]).await.unwrap();
        let batch = until_ended(&api, &id).await;
        assert_eq!(batch.status, Some(BatchStatus::Completed));
        crate::interruptions::signal(&child, rustix::process::Signal::TERM);
        ended(child).await.assert_code(0);
    }
}

#[tokio::test]
async fn invalid_arguments_are_refused() {
    let (fixture, _) = fixture().await;
    let serve = async |arguments: &[&str]| {
        fixture.run(&[&["batch", "serve", "--dir", "b"], arguments].concat()).await
    };
    serve(&[]).await.fails(2, "ENDPOINT");
    serve(&["a", "b"]).await.fails(2, "MODEL=ENDPOINT");
    serve(&["m=a", "m=b"]).await.fails(2, "the model m has two endpoints");
    serve(&[""]).await.fails(2, "has no id");
    serve(&["m="]).await.fails(2, "has no id");
    serve(&["=a"]).await.fails(2, "has no name");
    serve(&["a", "--listen", "0.0.0.0:0"]).await.fails(2, "keys");
    serve(&["a", "--api-key-file", "missing"]).await.fails(2, "missing");
    serve(&["a", "--journal", "file.journal"]).await.fails(2, "--journal");
    let keys = fixture.home.path().join("keys");
    std::fs::write(&keys, "a b secret-of-a-client").unwrap();
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(&keys, mode(0o644)).unwrap();
    serve(&["a", "--api-key-file", "keys"]).await.fails(2, "chmod 600");
    std::fs::set_permissions(&keys, mode(0o600)).unwrap();
    let ran = serve(&["a", "--api-key-file", "keys"]).await;
    ran.fails(2, "line 1");
    assert!(!ran.stderr.contains("secret-of-a-client"));
    assert!(!fixture.home.path().join("b").exists(), "nothing was created");
}

/// Kills the server at random moments of uploads, validation, runs, cancellation and finalizing.
///
/// `scripts/serve.sh` does so for longer: `SERVE_SECONDS` and `SERVE_SEED`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_at_any_moment_loses_nothing() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (time, seed) = (number("SERVE_SECONDS").unwrap_or(6), number("SERVE_SEED").unwrap_or(7));
    let mut random = fastrand::Rng::with_seed(seed);
    let (fixture, calls) = fixture().await;
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let start = || {
        let arguments = ["batch", "serve", "poet", "--dir", "b", "--listen", &address, "--quiet"];
        fixture.program(&arguments).spawn().unwrap()
    };
    let (apis, began, mut kills) = ([api(&address)], Instant::now(), 0);
    let mut confirmed = BTreeMap::new();
    while began.elapsed() < Duration::from_secs(time) {
        let mut server = start();
        let end = Instant::now() + Duration::from_millis(random.u64(30..1_200));
        use_servers(&apis, &mut random, &mut confirmed, end).await;
        server.kill().await.unwrap();
        kills += 1;
    }
    let _server = start();
    let (lines, unknown) = check_all(&apis[0], &calls, &confirmed, false).await;
    let batches = confirmed.len();
    let done = format!("{kills} kills, {batches} batches, {lines} lines, {unknown} unknown");
    writeln!(stderr(), "seed {seed}: {done}").unwrap();
}
