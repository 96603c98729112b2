//! Canary tests: a recognizable value in place of each secret, every code path run, and all output
//! searched for them.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::__private::rest::{self, Changes, RestCall};
use podqueue::graphql::{SaveTemplate, SecretCreate, save_template, secret_create, types};
use podqueue::{Error, GraphqlBody, NewTemplate, QueueAuth, S3Config, SecretString, Service};
use serde_json::{Value, json};

use crate::support::{Printed, Reply, Script};

/// A key of this test alone: all tests of the process write to the captured trace, in which a test's
/// server may show what it received.
const KEY: &str = "secrecy-canary+5f2b=";

const HOOK_TOKEN: &str = "hook-canary-0123456789-0123456789";

const SECRETS: [&str; 11] = [
    "path-canary",
    "address-canary",
    "body-canary",
    "hook-canary",
    "proxy-canary",
    // `me:proxy-canary` in Base64.
    "bWU6cHJveHktY2FuYXJ5",
    "secrecy-canary",
    "secret-canary",
    "env-canary",
    "access-canary",
    "storage-canary",
];

/// Prints an error in every form, with its sources.
fn note_error(printed: &Printed, error: &Error) {
    let mut text = format!("{error}\n{error:?}\n{error:#?}\n");
    text.push_str(&format!("{:?} {:?}", error.record(), error.graphql()));
    let mut source = error.source();
    while let Some(beneath) = source {
        text.push_str(&format!("{beneath}\n{beneath:?}\n"));
        source = beneath.source();
    }
    printed.note(&text);
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
        Reply::ok("{").cut_off(),
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
        #[cfg(feature = "webhook")]
        receive(&server, &printed).await;
    }
    let good = Reply::ok(json!({
        "id": "j", "status": "FAILED", "error": format!("the handler saw {KEY}"),
        "env": {"A": "env-canary"}, "cost": 1,
        "data": {"saveTemplate": {"id": "t", "env": [{"key": "A", "value": "env-canary"}]},
                 "secretCreate": {"id": "s"}, "secretDelete": null, "deleteTemplate": null}
    }));
    let server = Script::then_always([], good).await;
    drive(&server, &printed).await;
    #[cfg(feature = "webhook")]
    receive(&server, &printed).await;
    // Chunks, and a job that has ended well.
    let chunk = json!({"output": format!("the handler saw {KEY}"), "metrics": {}});
    let chunks = [Reply::ok(json!([chunk])), Reply::ok(json!({"status": KEY, "stream": [chunk]}))];
    let done = Reply::ok(json!({"id": "j", "status": "COMPLETED", "output": 1}));
    let server = Script::then_always(chunks, done).await;
    let items: Vec<_> = server.endpoint().job("j").stream::<u32>().collect().await;
    let (first, second) = (items[0].as_ref().unwrap_err(), items[1].as_ref().unwrap_err());
    note_error(&printed, first);
    note_error(&printed, second);
    assert_eq!(items.len(), 2);
    #[cfg(feature = "webhook")]
    receive(&server, &printed).await;
    // A reply whose secret stands where something else is expected.
    let wrong = json!({"id": 5, "env": {"A": ["env-canary"]}, "machine": "env-canary"});
    let server = Script::of([Reply::ok(wrong)]).await;
    let error = server.client().rest().get_pod("p").await.unwrap_err();
    printed.note(&format!("{error} {error:?} {:?}", error.source().map(ToString::to_string)));

    // A proxy that wants a password: one that answers, one that repeats what it was sent, and one
    // that cannot be reached.
    let nowhere = Script::of([]).await.url().to_owned();
    let repeating = Script::then_always([], Reply::Echo { status: 407, field: "error" }).await;
    for proxy in [server.url(), repeating.url(), &nowhere] {
        let settings =
            server.settings().api_key(KEY).base_url("http://queue.example").allow_plain_http();
        let settings = settings.proxy(proxy.replace("http://", "http://me:proxy-canary@"));
        printed.note(&format!("{settings:?}"));
        if let Err(error) = settings.build().unwrap().endpoint("ep").job("j").status().await {
            note_error(&printed, &error);
            printed.note(&error.body().unwrap_or_default());
        }
    }
    assert_eq!(repeating.requests().len(), 1);

    let text = printed.text();
    assert!(text.contains("podqueue.call"), "the trace is captured");
    assert!(text.contains("hyper"), "and that of the HTTP stack");
    #[cfg(feature = "webhook")]
    {
        assert!(text.contains("podqueue.webhook"), "and that of the webhooks");
        for answer in ["Handled", "Repeated", "NotConfirmed", "HandlerFailed", "UnknownToken"] {
            assert!(text.contains(&format!("answered {answer}")), "{answer}");
        }
    }
    for secret in SECRETS {
        if let Some(place) = text.find(secret) {
            let from = text.floor_char_boundary(place.saturating_sub(300));
            let to = text.ceil_char_boundary(place + 100);
            panic!("{secret} is shown: {}", &text[from..to]);
        }
    }
}

/// Every call of the interfaces, with a secret wherever one can stand.
async fn drive(server: &Script, printed: &Printed) -> Vec<Error> {
    let mut errors = Vec::new();
    let address = "https://me:address-canary@storage.example/?X-Signature=address-canary";
    let storage = S3Config::new("access-canary", "storage-canary", "b", address);
    let template = NewTemplate::pod("n", "i").container_disk_gb(1).volume_gb(1);
    let template = template.env("A", "env-canary");
    printed.note(&format!("{storage:?} {template:?} {:?}", SecretString::from(KEY)));
    for (auth, body) in
        [(QueueAuth::Bearer, GraphqlBody::QueryOnly), (QueueAuth::BareKey, GraphqlBody::Variables)]
    {
        let settings = server.settings().api_key(KEY).queue_auth(auth).graphql_body(body);
        let settings = settings.timeout(Duration::from_millis(500));
        let told = printed.clone();
        let settings = settings.observe(move |seen| told.note(&format!("{seen:?}")));
        printed.note(&format!("{settings:?}"));
        let client = settings.build().unwrap();
        let endpoint = client.endpoint("ep");
        let job = endpoint.job("j");
        let run = endpoint.run(&json!({})).s3_config(storage.clone());
        let hook = format!("https://me:hook-canary-login@me.example/hooks/{HOOK_TOKEN}");
        let run = run.webhook(hook.clone());
        let moment = Duration::from_millis(5);
        let all = endpoint.run_all([json!({})]);
        let all = all.submit(|run| run.s3_config(storage.clone()).webhook(hook.clone()));
        let all = all.wait(move |wait| wait.timeout(moment).cancel_on_timeout());
        let stream = job.stream::<Value>();
        let save = client.graphql().execute::<SaveTemplate>(save_template::Variables {
            input: types::SaveTemplateInput {
                name: "n".to_owned(),
                image_name: "i".to_owned(),
                container_disk_in_gb: 1,
                volume_in_gb: 1,
                env: Some(vec![types::EnvironmentVariableInput {
                    key: "A".to_owned(),
                    value: "env-canary".to_owned(),
                }]),
                ..Default::default()
            },
        });
        let input =
            types::SecretCreateInput { name: "n".to_owned(), value: "secret-canary".to_owned() };
        let store = client.graphql().execute::<SecretCreate>(secret_create::Variables { input });
        printed.note(&format!("{client:?} {endpoint:?} {job:?} {run:?} {all:?} {stream:?}"));
        printed.note(&format!("{save:?} {store:?}"));
        // As the generator writes a call of a description that has such parts.
        let service = Service::from(&client).below("/v1");
        let write = RestCall::new(service, "write", "PUT").literal("/logins/");
        let write =
            write.parameter("token", &"path-canary").query("apiKey", &"path-canary".to_owned());
        let write = write.header("x-auth-token", &"path-canary");
        let body = json!({"password": "body-canary", "env": {"A": "env-canary"}});
        let write = write.json(Some(&body), Changes::NONE);
        let write: rest::Sending<(), Error> = write.send(rest::nothing);
        let password = json!({"password": "body-canary"}).as_object().unwrap().clone();
        let wait = job.wait().timeout(moment).cancel_on_timeout();
        let results = [
            run.await.map(|job| format!("{job:?}")),
            endpoint.run_sync(&json!({})).await.map(|record| format!("{record:?}")),
            endpoint.health().await.map(|health| format!("{health:?}")),
            endpoint.purge_queue().await.map(|purged| format!("{purged:?}")),
            endpoint.openai("v1/models", &json!({})).await.map(|_| String::new()),
            endpoint.openai_stream("v1/x", &json!({})).await.map(|events| format!("{events:?}")),
            endpoint.requests().await.map(|_| String::new()),
            client.graphql().raw("mutation { m }", password.clone()).await.map(|_| String::new()),
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
            save.await.map(|_| String::new()),
            store.await.map(|made| format!("{made:?}")),
            write.await.map(|()| String::new()),
        ];
        #[cfg(feature = "account")]
        let results = results.into_iter().chain(drive_account(&client, printed).await);
        // It continues as long as the failures are transient.
        let chunks = stream.take(2).map(|chunk| chunk.map(|_| String::new()));
        let until = tokio::time::sleep(Duration::from_millis(20));
        let chunks: Vec<_> = chunks.take_until(until).collect().await;
        let ended: Vec<_> =
            all.map(|done| done.result.map(|record| format!("{record:?}"))).collect().await;
        assert_eq!(ended.len(), 1);
        let results = results.into_iter().chain(chunks).chain(ended);
        for result in results {
            match result {
                Ok(shown) => printed.note(&shown),
                Err(error) => {
                    note_error(printed, &error);
                    errors.push(error);
                }
            }
        }
    }
    errors
}

/// Calls of the account interface that take a secret, and those written by hand.
#[cfg(feature = "account")]
async fn drive_account(
    client: &podqueue::Client,
    printed: &Printed,
) -> Vec<podqueue::Result<String>> {
    use podqueue::account::types::{CreatePodRequest, CreateRegistryRequest};

    let account = client.account();
    let registry = CreateRegistryRequest {
        name: "n".to_owned(),
        password: "body-canary".to_owned(),
        username: "u".to_owned(),
    };
    let mut pod = CreatePodRequest::new("n");
    pod.template_id = Some("t".to_owned());
    pod.env.insert("A".to_owned(), "env-canary".to_owned());
    let (endpoint, logs) = (account.endpoint("e"), account.pod("p").logs());
    printed.note(&format!("{account:?} {endpoint:?} {logs:?} {registry:?} {pod:?}"));
    let pod = account.create_pod(pod).set("gpu", json!({"id": "g"}));
    let until = tokio::time::sleep(Duration::from_millis(20));
    let lines: Vec<_> = logs.take(2).take_until(until).collect().await;
    let lines = lines.into_iter().map(|line| line.map(|line| format!("{line:?}")));
    let results = [
        account.create_registry(registry).await.map(|made| format!("{made:?}")),
        pod.await.map(|pod| format!("{pod:?}")),
        account.get_pod("p").await.map(|pod| format!("{pod:?}")),
        endpoint.scale(0, 1).await.map(|scaled| format!("{scaled:?}")),
    ];
    results.into_iter().chain(lines).collect()
}

/// Deliveries over HTTP, good and bad, to a receiver whose handler fails at first.
#[cfg(feature = "webhook")]
async fn receive(server: &Script, printed: &Printed) {
    use podqueue::Webhooks;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let tries = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let builder = Webhooks::builder(&server.endpoint()).token(HOOK_TOKEN).body_limit(100);
    let builder = builder.on_job(move |_| {
        let tries = tries.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        async move { if tries < 2 { Err("the disk is full") } else { Ok(()) } }
    });
    printed.note(&format!("{builder:?}"));
    let webhooks = builder.build().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url = webhooks.url(&format!("http://{address}/hooks")).unwrap();
    printed.note(&format!("{webhooks:?} {url:?} {:?}", webhooks.token()));
    let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
    let serving = tokio::spawn(async move { axum::serve(listener, app).await });
    let good = r#"{"id":"j","status":"COMPLETED"}"#;
    let large = "x".repeat(200);
    let path = url.expose().split_once(&address.to_string()).unwrap().1.to_owned();
    for (path, body) in [
        (path.as_str(), good),
        (&path, good),
        (&path, good),
        (&path, "no json"),
        (&path, &large),
        (&path[..path.len() - 1], good),
    ] {
        let answer = webhooks.receive(path, body.as_bytes()).await;
        printed.note(&format!("answered {answer:?}"));
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nhost: me\r\nconnection: close\r\n");
        let request = format!("{head}content-length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).await.unwrap();
        printed.note(&String::from_utf8_lossy(&reply));
    }
    let wait = server.endpoint().job("j").wait().timeout(Duration::from_millis(5));
    match wait.notified_by(&webhooks).await {
        Ok(record) => printed.note(&format!("{record:?}")),
        Err(error) => note_error(printed, &error),
    }
    serving.abort();
}

/// True if a type is `Serialize`: the constant of the inherent block goes before that of the trait.
struct Probe<T>(std::marker::PhantomData<T>);

trait NotSerialize {
    const IS_SERIALIZE: bool = false;
}

impl<T> NotSerialize for Probe<T> {}

impl<T: serde::Serialize> Probe<T> {
    const IS_SERIALIZE: bool = true;
}

#[test]
fn types_with_a_secret_are_not_serialize() {
    const {
        assert!(Probe::<podqueue::Policy>::IS_SERIALIZE && Probe::<String>::IS_SERIALIZE);
        assert!(!Probe::<SecretString>::IS_SERIALIZE);
        assert!(!Probe::<S3Config>::IS_SERIALIZE);
        assert!(!Probe::<NewTemplate>::IS_SERIALIZE);
        assert!(!Probe::<podqueue::Run>::IS_SERIALIZE);
        assert!(!Probe::<podqueue::RunSync>::IS_SERIALIZE);
        assert!(!Probe::<podqueue::ClientBuilder>::IS_SERIALIZE);
    }
}
