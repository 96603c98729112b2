//! The canary: a recognisable value in each secret's place, every path driven, everything printed
//! searched.

use std::error::Error as _;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue::{Error, NewTemplate, QueueAuth, S3Config, SecretString};
use serde_json::{Value, json};

use crate::support::{KEY, Reply, Script};

const SECRETS: [&str; 7] = [
    "hook-canary",
    "proxy-canary",
    "key-canary",
    "secret-canary",
    "env-canary",
    "access-canary",
    "storage-canary",
];

#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().extend_from_slice(text.as_bytes());
    }

    fn error(&self, error: &Error) {
        let mut text = format!("{error}\n{error:?}\n{error:#?}\n");
        text.push_str(&format!("{:?} {:?}", error.record(), error.graphql()));
        let mut source = error.source();
        while let Some(beneath) = source {
            text.push_str(&format!("{beneath}\n{beneath:?}\n"));
            source = beneath.source();
        }
        self.note(&text);
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Replies that repeat what was sent, in each way in which a call can end.
fn endings() -> Vec<Reply> {
    let mut endings: Vec<_> = [200, 400, 401, 404, 418, 429, 500, 502]
        .into_iter()
        .flat_map(|status| ["error", "errors"].map(|field| Reply::Echo { status, field }))
        .collect();
    endings.extend([
        Reply::json(307, "").header("location", format!("https://{KEY}.example/?api_key={KEY}")),
        Reply::Close,
        Reply::Truncate { body: "{".to_owned() },
        Reply::ok("no json"),
    ]);
    endings
}

#[tokio::test]
async fn no_secret_is_ever_shown() {
    let printed = Printed::default();
    let writer = printed.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();

    for ending in endings() {
        let server = Script::then_always([], ending).await;
        for error in drive(&server, &printed).await {
            // What was sent must not be shown in a reply either. What else a reply holds is the
            // service's own, and `Error::body` says so.
            printed.note(&error.body().unwrap_or_default());
        }
    }
    let good = Reply::ok(json!({
        "id": "j", "status": "FAILED", "error": format!("the handler saw {KEY}"),
        "env": {"A": "env-canary"}, "cost": 1,
        "data": {"saveTemplate": {"id": "t", "env": [{"key": "A", "value": "env-canary"}]},
                 "secretCreate": {"id": "s"}, "secretDelete": null, "deleteTemplate": null}
    }));
    let server = Script::then_always([], good).await;
    drive(&server, &printed).await;
    // A reply whose secret stands where something else is expected.
    let wrong = json!({"id": 5, "env": {"A": ["env-canary"]}, "machine": "env-canary"});
    let server = Script::of([Reply::ok(wrong)]).await;
    let error = server.client().rest().get_pod("p").await.unwrap_err();
    printed.note(&format!("{error} {error:?} {:?}", error.source().map(ToString::to_string)));

    // A proxy that wants a password, one that answers and one that cannot be reached.
    let nowhere = Script::of([]).await.url().to_owned();
    for proxy in [server.url(), &nowhere] {
        let settings = server.settings().base_url("http://queue.example").allow_plain_http();
        let settings = settings.proxy(proxy.replace("http://", "http://me:proxy-canary@"));
        printed.note(&format!("{settings:?}"));
        if let Err(error) = settings.build().unwrap().endpoint("ep").job("j").status().await {
            printed.error(&error);
        }
    }

    let text = String::from_utf8_lossy(&printed.0.lock().unwrap()).into_owned();
    assert!(text.contains("podqueue.call"), "the trace is captured");
    assert!(text.contains("hyper"), "and that of the HTTP stack");
    for secret in SECRETS {
        if let Some(place) = text.find(secret) {
            let from = text.floor_char_boundary(place.saturating_sub(300));
            let to = text.ceil_char_boundary(place + 100);
            panic!("{secret} is shown: {}", &text[from..to]);
        }
    }
}

/// Every call of all three interfaces, with a secret wherever one can stand.
async fn drive(server: &Script, printed: &Printed) -> Vec<Error> {
    let mut errors = Vec::new();
    let storage = S3Config::new("access-canary", "storage-canary", "b", "https://storage.example");
    let template = NewTemplate::pod("n", "i").container_disk_gb(1).volume_gb(1);
    let template = template.env("A", "env-canary");
    printed.note(&format!("{storage:?} {template:?} {:?}", SecretString::from(KEY)));
    for auth in [QueueAuth::Bearer, QueueAuth::BareKey] {
        let settings = server.settings().queue_auth(auth).timeout(Duration::from_millis(500));
        let told = printed.clone();
        let settings = settings.observe(move |event| told.note(&format!("{event:?}")));
        printed.note(&format!("{settings:?}"));
        let client = settings.build().unwrap();
        let endpoint = client.endpoint("ep");
        let job = endpoint.job("j");
        let run = endpoint.run(&json!({})).s3_config(storage.clone());
        let run = run.webhook("https://me.example/hooks/hook-canary-0123456789-0123456789");
        printed.note(&format!("{client:?} {endpoint:?} {job:?} {run:?}"));
        let wait = job.wait().timeout(Duration::from_millis(5)).cancel_on_timeout();
        let results = [
            run.await.map(|job| format!("{job:?}")),
            endpoint.run_sync(&json!({})).await.map(|record| format!("{record:?}")),
            endpoint.health().await.map(|health| format!("{health:?}")),
            endpoint.purge_queue().await.map(|purged| format!("{purged:?}")),
            endpoint.openai("v1/models", &json!({})).await.map(|_| String::new()),
            endpoint.requests().await.map(|_| String::new()),
            job.status().await.map(|record| format!("{record:?}")),
            job.cancel().await.map(|record| format!("{record:?}")),
            job.retry().await.map(|record| format!("{record:?}")),
            job.status().await.and_then(|record| record.output::<Value>()).map(|_| String::new()),
            wait.await.map(|record| format!("{record:?}")),
            client.rest().get_pod("p").await.map(|pod| format!("{pod:?}")),
            client.rest().get_template("t").await.map(|template| format!("{template:?}")),
            client.templates().create(template.clone()).await.map(|saved| format!("{saved:?}")),
            client.templates().update("t", template.clone()).await.map(|t| format!("{t:?}")),
            client.templates().delete("n").await.map(|()| String::new()),
            client.secrets().create("n", "secret-canary").await.map(|made| format!("{made:?}")),
            client.secrets().delete("s").await.map(|()| String::new()),
        ];
        for result in results {
            match result {
                Ok(shown) => printed.note(&shown),
                Err(error) => {
                    printed.error(&error);
                    errors.push(error);
                }
            }
        }
    }
    errors
}
