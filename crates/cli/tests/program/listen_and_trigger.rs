//! Tests of `podqueue listen` and `podqueue trigger`.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::support::{Fixture, bare, ran};

/// A receiver that responds with these statuses in order, and then with 200.
struct Receiver {
    url: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

/// A path and a body.
type Call = (String, Vec<u8>);

impl Receiver {
    async fn start(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hooks/token", listener.local_addr().unwrap());
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let log = Arc::clone(&calls);
        tokio::spawn(async move {
            let mut statuses = statuses.iter();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let mut stream = BufReader::new(stream);
                let (mut line, mut path, mut length) = (String::new(), String::new(), 0);
                while stream.read_line(&mut line).await.unwrap() > 2 {
                    let lower = line.to_lowercase();
                    if let Some(value) = lower.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    } else if path.is_empty() {
                        path = line.split(' ').nth(1).unwrap().to_owned();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).await.unwrap();
                log.lock().unwrap().push((path, body));
                let status = statuses.next().unwrap_or(&200);
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
            }
        });
        Self { url, calls }
    }

    fn bodies(&self) -> Vec<Value> {
        let calls = self.calls.lock().unwrap();
        calls.iter().map(|(_, body)| serde_json::from_slice(body).unwrap()).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.calls.lock().unwrap().iter().map(|(path, _)| path.clone()).collect()
    }
}

#[tokio::test]
async fn the_record_of_a_job_is_delivered_until_it_is_accepted() {
    let fixture = Fixture::start().await;
    let receiver = Receiver::start(&[500, 202]).await;
    let job = fixture.submit("echo", "{\"a\": 1}").await;
    let listen = ["listen", "echo", &job, "--forward-to", &receiver.url, "--pause", "10ms"];
    let ran = fixture.run(&listen).await;
    assert!(ran.stderr.contains("is delivered again"), "{}", ran.stderr);
    let lines = |status: [u16; 3]| -> String {
        let numbered = status.iter().enumerate();
        numbered.map(|(n, status)| format!("{job}  attempt {}  {status}\n", n + 1)).collect()
    };
    ran.assert(0, &lines([500, 202, 200]));
    let bodies = receiver.bodies();
    assert_eq!(bodies.len(), 3);
    assert_eq!(
        (&bodies[2]["id"], &bodies[2]["status"]),
        (&job.as_str().into(), &"COMPLETED".into())
    );
    assert_eq!(
        (&bodies[2]["output"]["a"], &bodies[2]["webhook"]),
        (&1.into(), &receiver.url.as_str().into())
    );
}

#[tokio::test]
async fn a_receiver_that_never_accepts_is_called_three_times() {
    let fixture = Fixture::start().await;
    let receiver = Receiver::start(&[500, 500, 500]).await;
    let job = fixture.submit("fail", "{\"message\": \"boo\"}").await;
    let listen = ["listen", "fail", &job, "--forward-to", &receiver.url, "--pause", "10ms"];
    let refused = fixture.run(&listen).await;
    refused.fails(1, "the receiver did not accept job");
    refused.fails(1, "hint: it must respond with 200");
    assert_eq!(receiver.bodies().iter().filter(|body| body["status"] == "FAILED").count(), 3);
}

#[tokio::test]
async fn an_invented_job_is_delivered_without_a_key() {
    let fixture = Fixture::start().await;
    let receiver = Receiver::start(&[]).await;
    let trigger = |more: &[&str]| {
        let arguments = [&["trigger"], more, &["--to", &receiver.url]].concat();
        bare(fixture.home.path(), &arguments)
    };
    for (event, status) in [
        ("completed", "COMPLETED"),
        ("failed", "FAILED"),
        ("timed-out", "TIMED_OUT"),
        ("cancelled", "CANCELLED"),
    ] {
        let ran = ran(&mut trigger(&[event, "--job", "j1"])).await;
        ran.assert(0, "j1  attempt 1  200\n");
        let body = receiver.bodies().pop().unwrap();
        assert_eq!((&body["id"], &body["status"]), (&"j1".into(), &status.into()));
    }
    let twice =
        ran(&mut trigger(&["completed", "--twice", "--late", "10ms", "--wrong-token"])).await;
    assert_eq!((twice.code, twice.stdout.lines().count()), (0, 2), "{}", twice.stderr);
    assert_eq!(receiver.paths()[4..], ["/hooks/wrong-token", "/hooks/wrong-token"]);
    assert_eq!(ran(&mut trigger(&["completed", "--oversize"])).await.code, 0);
    assert!(receiver.calls.lock().unwrap().last().unwrap().1.len() > 64 * 1024 * 1024);
    let exact = trigger(&["completed", "--output", "[1e400, 1.50]"]);
    ran(&mut { exact }).await.assert_code(0);
    let last = receiver.calls.lock().unwrap().last().unwrap().1.clone();
    assert!(String::from_utf8(last).unwrap().contains("\"output\":[1e400, 1.50]"));
    let unreachable = ["trigger", "failed", "--to", "http://127.0.0.1:9/h", "--pause", "0s"];
    let unreachable = ran(&mut bare(fixture.home.path(), &unreachable)).await;
    assert!(unreachable.stdout.contains("refused"), "{}", unreachable.stdout);
    unreachable.fails(1, "hint: check the URL, and that the receiver runs");
    let mut invalid = bare(fixture.home.path(), &["trigger", "failed", "--to", "localhost"]);
    ran(&mut invalid).await.fails(2, "must be an http or https URL");
}
