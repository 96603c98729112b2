//! Redaction over HTTP: a service that repeats what it was sent, in every encoding. No secret is
//! shown, and nothing else is redacted.

use std::error::Error as _;
use std::time::Duration;

use podqueue::__private::rest::{self, Changes, RestCall};
use podqueue::graphql::{SaveTemplate, SecretCreate, save_template, secret_create, types};
use podqueue::rest::Authorization;
use podqueue::{
    Client, Error, ErrorKind, GraphqlBody, NewTemplate, RetryPolicy, S3Config, Service,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{KEY, Reply, Script};

/// It can stand in a header.
const API_KEY: &str = "Ky0+Qz7/=%&<\"'\\xW9uJ";
const STORAGE: &str = "St0rage/\"q\\=<é&%+🦀zX";
const ENV: &str = "Env1ron/\"m\\=<ü&%+\nnT";
const SECRET: &str = "S3cr/et\"v\\=<ñ&%+\tuE";
const HOOK: &str = "H00kT0k3nH00kT0k3nH00kT0k3nH00kT0k3n";
const BODY: &str = "B0dy/P4ss\"w\\=<ö&%+oRd";
const QUERY: &str = "Qu3ry/T0\"k\\=<ä&%+eN";
const PATH: &str = "P4th-T0\"k\\=<ß&%+eN";
const HEADER: &str = "H34der/T0k=<&%+eN";

const ALL: [&str; 9] = [API_KEY, STORAGE, ENV, SECRET, HOOK, BODY, QUERY, PATH, HEADER];

/// An encoding of a text, with its name.
type Encoding = (&'static str, fn(&str) -> String);

const ENCODINGS: [Encoding; 19] = [
    ("unchanged", str::to_owned),
    ("JSON", |text| in_json(text, |it| !it.is_ascii_graphic(), false)),
    ("JSON of Gson", |text| in_json(text, |it| "=<>&'".contains(it), false)),
    ("JSON of .NET", |text| in_json(text, |it| !it.is_ascii() || "+<>&'\"".contains(it), true)),
    ("JSON of PHP", |text| in_json(text, |it| !it.is_ascii(), false).replace('/', "\\/")),
    ("JSON, all of it", |text| in_json(text, |_| true, true)),
    ("JSON in JSON", |text| in_json(&in_json(text, |it| !it.is_ascii(), false), |_| false, false)),
    ("Debug", |text| format!("{text:?}")),
    ("a URL", |text| in_url(text, false)),
    ("a URL, in capitals", |text| in_url(text, true)),
    ("a URL in a URL", |text| in_url(&in_url(text, false), true)),
    ("HTML", |text| in_html(text, |it| format!("&#{};", u32::from(it)))),
    ("hex", |text| text.bytes().map(|byte| format!("{byte:02x}")).collect()),
    ("quoted-printable", |text| {
        let quoted = in_url(text, true).replace('%', "=");
        let lines: Vec<_> = quoted.as_bytes().chunks(19).map(String::from_utf8_lossy).collect();
        lines.join("=\r\n")
    }),
    ("a list of bytes", |text| format!("{:?}", text.as_bytes())),
    ("a list of bytes in lines", |text| format!("{:#?}", text.as_bytes())),
    ("pairs of digits", |text| text.bytes().map(|byte| format!("{byte:02X}:")).collect()),
    ("wrapped", |text| {
        let characters: Vec<_> = text.chars().collect();
        characters.chunks(7).map(String::from_iter).collect::<Vec<_>>().join("\n")
    }),
    ("HTML in HTML", |text| {
        in_html(text, |it| format!("&#x{:x};", u32::from(it))).replace('&', "&amp;")
    }),
];

fn in_json(text: &str, escaped: fn(char) -> bool, capitals: bool) -> String {
    let mut written = String::new();
    for character in text.chars() {
        if escaped(character) || character.is_control() {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let digits = if capitals { format!("{unit:04X}") } else { format!("{unit:04x}") };
                written.push_str(&format!("\\u{digits}"));
            }
        } else if matches!(character, '"' | '\\') {
            written.extend(['\\', character]);
        } else {
            written.push(character);
        }
    }
    written
}

fn in_url(text: &str, capitals: bool) -> String {
    let mut written = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' => written.push(byte.into()),
            _ if capitals => written.push_str(&format!("%{byte:02X}")),
            _ => written.push_str(&format!("%{byte:02x}")),
        }
    }
    written
}

fn in_html(text: &str, numbered: fn(char) -> String) -> String {
    let mut written = String::new();
    for character in text.chars() {
        match character {
            '"' => written.push_str("&quot;"),
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            it if it.is_ascii_alphanumeric() => written.push(it),
            it => written.push_str(&numbered(it)),
        }
    }
    written
}

/// Positions of the secret in a response.
const PLACES: [fn(&str) -> Reply; 9] = [
    |said| Reply::json(400, json!({"error": said})),
    |said| Reply::json(500, json!({"errors": [{"message": said, "extensions": {said: [said]}}]})),
    |said| Reply::json(400, json!({"errors": [{"message": said, "extensions": {said: [said]}}]})),
    |said| {
        Reply::ok(json!({"errors": [{"message": "m", "path": [said], "extensions": {"q": said}}]}))
    },
    |said| Reply::json(401, said),
    |said| Reply::json(502, format!("<html><title>{said}</title><body>{said}</body></html>")),
    // As Python writes it: no JSON.
    |said| Reply::json(400, format!("{{\"error\": \"{said}\", \"score\": NaN}}")),
    |said| Reply::ok(said),
    |said| Reply::ok(json!({"id": {said: [said]}, "data": {said: said}, "env": [said]})),
];

fn values(encode: fn(&str) -> String) -> String {
    ALL.map(encode).join(" | ")
}

#[tokio::test]
async fn nothing_of_a_secret_is_shown_however_it_is_escaped() {
    for (name, encode) in ENCODINGS {
        for (place, reply) in PLACES.into_iter().enumerate() {
            // The whole request takes long to search.
            let echo = Reply::made(move |request| match place {
                0 => reply(&format!("{} and {}", values(encode), encode(&request.body))),
                _ => reply(&values(encode)),
            });
            let server = Script::then_always([], echo).await;
            let form = if place % 2 == 0 { GraphqlBody::QueryOnly } else { GraphqlBody::Variables };
            let settings = server.settings().api_key(API_KEY).graphql_body(form);
            let client = settings.retry(RetryPolicy::never()).build().unwrap();
            let errors = drive(&client).await;
            assert!(errors.len() >= 7, "{name}, {place}: {}", errors.len());
            for (call, error) in errors {
                check(&format!("{name}, {place}, {call}"), &error);
            }
        }
    }
}

#[tokio::test]
async fn a_secret_that_the_service_cuts_short_is_not_shown_in_part() {
    for cut in [9, 11, 14, 17] {
        let echo = Reply::made(move |_| {
            let pieces = ALL.map(|secret| secret.chars().take(cut).collect::<String>());
            Reply::json(400, json!({"error": pieces.join("… ")}))
        });
        let server = Script::then_always([], echo).await;
        for (call, error) in drive(&server.settings().api_key(API_KEY).build().unwrap()).await {
            // Of those that the call holds.
            let shown = format!("{error} {}", error.body().unwrap());
            let own = match call {
                "run" => STORAGE,
                "create" | "save" => ENV,
                "store" | "secret" => SECRET,
                "write" => BODY,
                _ => API_KEY,
            };
            let piece: String = own.chars().take(9).collect();
            assert!(!shown.contains(&piece), "{cut}, {call}: {shown}");
        }
    }
}

fn check(what: &str, error: &Error) {
    let mut shown = format!("{error}\n{error:?}\n{error:#?}\n{:?}\n", error.field());
    shown.push_str(&format!("{:?}\n{:?}\n", error.record(), error.graphql()));
    let mut source = error.source();
    while let Some(beneath) = source {
        shown.push_str(&format!("{beneath}\n{beneath:?}\n"));
        source = beneath.source();
    }
    shown.push_str(&error.body().unwrap_or_default());
    let own = match what.rsplit(' ').next().unwrap() {
        "run" => vec![API_KEY, STORAGE, HOOK],
        "create" | "save" => vec![API_KEY, ENV],
        "store" | "secret" => vec![API_KEY, SECRET],
        "write" => vec![API_KEY, ENV, BODY, QUERY, PATH, HEADER],
        _ => vec![API_KEY],
    };
    for secret in own {
        let characters: Vec<_> = secret.chars().collect();
        for piece in characters.windows(6) {
            let piece: String = piece.iter().collect();
            for spelled in [piece.clone(), in_json(&piece, |_| false, false)] {
                let around = shown.split_once(&spelled).map(|(before, after)| {
                    let before: String = before.chars().rev().take(200).collect();
                    let before: String = before.chars().rev().collect();
                    format!("{before}{spelled}{}", after.chars().take(100).collect::<String>())
                });
                assert_eq!(around, None, "{what}: {piece} of {secret}");
            }
        }
    }
}

/// Makes calls with a secret in every possible position, and returns their errors.
async fn drive(client: &Client) -> Vec<(&'static str, Error)> {
    let storage = S3Config::new("id", STORAGE, "b", "https://storage.example");
    let hook = format!("https://me.example/hooks/{HOOK}");
    let template = NewTemplate::pod("n", "i").container_disk_gb(1).volume_gb(1).env("A", ENV);
    let endpoint = client.endpoint("ep");
    let env = types::EnvironmentVariableInput { key: "A".to_owned(), value: ENV.to_owned() };
    let input = types::SaveTemplateInput { env: Some(vec![env]), ..Default::default() };
    let save = client.graphql().execute::<SaveTemplate>(save_template::Variables { input });
    let input = types::SecretCreateInput { name: "n".to_owned(), value: SECRET.to_owned() };
    let store = client.graphql().execute::<SecretCreate>(secret_create::Variables { input });
    let results = [
        ("run", endpoint.run(&json!({})).s3_config(storage).webhook(hook).await.map(drop)),
        ("status", endpoint.job("j").status().await.map(drop)),
        ("health", endpoint.health().await.map(drop)),
        ("create", client.templates().create(template).await.map(drop)),
        ("delete", client.templates().delete("n").await),
        ("secret", client.secrets().create("n", SECRET).await.map(drop)),
        ("save", save.await.map(drop)),
        ("store", store.await.map(drop)),
        ("write", write(client, "PATCH").await),
    ];
    results.into_iter().filter_map(|(call, result)| Some((call, result.err()?))).collect()
}

/// A REST call as the generator writes it, with a secret in each part of it.
async fn write(client: &Client, method: &'static str) -> podqueue::Result<()> {
    let body = json!({"name": "n", "env": {"A": ENV, "DEBUG": "1"}, "login": {"password": BODY}});
    RestCall::new(Service::from(client).below("/v1"), "write", method)
        .literal("/things/")
        .parameter("accessToken", &PATH)
        .query("api_key", &Vec::from([QUERY.to_owned()]))
        .header("x-auth-token", &HEADER)
        .json(Some(&body), Changes::NONE)
        .send(rest::whole::<Vec<String>>)
        .await
        .map(drop)
}

#[tokio::test]
async fn every_method_is_sent_as_itself_and_retried_as_its_semantics_allow() {
    for (method, sent) in [
        ("GET", 2),
        ("HEAD", 2),
        ("OPTIONS", 2),
        ("TRACE", 2),
        ("PUT", 2),
        ("DELETE", 2),
        ("POST", 1),
        ("PATCH", 1),
    ] {
        let server = Script::of([Reply::Close, Reply::ok("")]).await;
        let service = Service::from(&server.client()).below("/v1");
        let call = RestCall::new(service, "it", method).literal("/it");
        let result: podqueue::Result<()> = call.send(rest::nothing).await;
        assert_eq!(server.lines(), vec![format!("{method} /v1/it"); sent]);
        let kind = result.err().map(|error| error.kind());
        assert_eq!(kind, (sent == 1).then_some(ErrorKind::OutcomeUnknown), "{method}");
    }
}

#[tokio::test]
async fn trivial_values_names_and_the_clients_own_text_are_not_redacted() {
    let template = || {
        let template = NewTemplate::pod("n", "i").container_disk_gb(1).volume_gb(1);
        let template = template.env("DEBUG", "1").env("TRACE", "true").env("SIZE", "small");
        template.env("errors", "message").env("LEVEL", "0").env("A_LONG_VARIABLE", "400")
    };
    let message = "1 error: env A_LONG_VARIABLE of saveTemplate must be true or small, not 0";
    for status in [200, 400] {
        let errors = json!({"errors": [{"message": message, "path": ["saveTemplate", 1]}]});
        let server = Script::of([Reply::json(status, &errors)]).await;
        let error = server.client().templates().create(template()).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::Graphql, Some(status)), "{error}");
        assert_eq!(error.graphql().unwrap().errors()[0].message, message);
        assert_eq!(error.body().unwrap(), errors.to_string());
        assert!(!error.to_string().contains("redacted"), "{error}");
    }
    let server = Script::of([Reply::json(403, json!({"error": message}))]).await;
    let error = server.client().templates().create(template()).await.unwrap_err();
    assert!(error.to_string().contains("status 403") && error.to_string().contains(message));

    // A key is a secret however short, but only where the service says it.
    for key in ["4", "40", "i", "not", "template", "saveTemplate", "SaveTemplate"] {
        let said = json!({"errors": [{"message": format!("the key {key:?} is wrong")}]});
        let server = Script::of([Reply::json(400, said.clone()), Reply::json(401, said)]).await;
        let client = server.settings().api_key(key).build().unwrap();
        let error = client.templates().create(template()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Graphql, "{key}: {error}");
        let expected = "SaveTemplate on the GraphQL interface: the service says: the key \"[redacted]\" is wrong";
        assert_eq!(error.to_string(), expected, "{key}");
        let error = client.endpoint(key).job(key).status().await.unwrap_err();
        let expected = format!("status of job {key:?} on endpoint {key:?}: status 401: ");
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert!(error.to_string().ends_with("the service says: the key \"[redacted]\" is wrong"));
    }
}

#[tokio::test]
async fn an_authorization_that_cannot_be_sent_is_refused() {
    let server = Script::then_always([], Reply::json(200, json!({}))).await;
    for (authorization, rule) in [
        (Authorization::bearer(""), "must not be empty"),
        (Authorization::bearer(" "), "must not be empty"),
        (Authorization::header("x-api-key", ""), "must not be empty"),
        (Authorization::query("key", ""), "must not be empty"),
        (Authorization::header("x key", "canary-1"), "has a name that cannot stand in a header"),
        (Authorization::header("x-key", "canary-1\n"), "has a value that cannot stand in a header"),
        (
            Authorization::header("Content-Length", "1"),
            "has the name of a header that the HTTP client sets",
        ),
    ] {
        let error = Service::from(&server.client()).at(server.url(), authorization).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("REST settings: refused before sending: `authorization` {rule}")
        );
    }
}

#[tokio::test]
async fn a_credential_in_base64_is_not_shown_decoded() {
    let said = "the password canary-1 of me:canary-1 is wrong";
    let server = Script::then_always([], Reply::json(401, json!({"error": said}))).await;
    let basic = "Basic bWU6Y2FuYXJ5LTE=";
    let authorization = Authorization::header("authorization", basic);
    let target = Service::from(&server.client()).at(server.url(), authorization).unwrap();
    let get = |service: &Service| RestCall::new(service.clone(), "get", "GET").literal("/things");
    let input = json!({"headers": {"Authorization": basic}});
    let by_name = Authorization::basic("me", "canary-1");
    let by_name = Service::from(&server.client()).at(server.url(), by_name).unwrap();
    for error in [
        get(&target).send(rest::nothing).await.unwrap_err(),
        get(&by_name).send(rest::nothing).await.unwrap_err(),
        get(&target).header("authorization", &basic).send(rest::nothing).await.unwrap_err(),
        server.endpoint().run(&input).await.map(drop).unwrap_err(),
    ] {
        let expected = "the password [redacted] of [redacted] is wrong";
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

#[tokio::test]
async fn none_of_several_keys_is_shown() {
    let all = || {
        Authorization::basic("me", "canary-1")
            .and(Authorization::header("x-app-id", "canary-2"))
            .and(Authorization::query("key", "canary-3&"))
            .and(Authorization::cookie("session", "canary-4"))
            .and(Authorization::cookie("user", "canary-5"))
    };
    let said = "canary-1 bWU6Y2FuYXJ5LTE= canary-2 canary-3& canary-3%26 session=canary-4; \
                user=canary-5 canary-4 canary-5";
    let server = Script::then_always([], Reply::json(401, json!({"error": said}))).await;
    let target = Service::from(&server.client()).at(server.url(), all()).unwrap();
    let call = RestCall::new(target.clone(), "get", "GET").literal("/a");
    let error: Result<(), _> = call.send(rest::nothing).await;
    let error: podqueue::Error = error.unwrap_err();
    let shown = format!("{error} {error:?} {:?} {target:?} {:?}", error.body(), all());
    assert!(shown.contains("[redacted]"), "{shown}");
    assert!(!shown.contains("canary") && !shown.contains("bWU6Y2Fu"), "{shown}");
}

#[tokio::test]
async fn a_response_in_utf_16_shows_no_secret() {
    let little: fn(u16) -> [u8; 2] = u16::to_le_bytes;
    for bytes in [little, u16::to_be_bytes] {
        let said = format!("\u{feff}you sent {KEY}");
        let body: Vec<u8> = said.encode_utf16().flat_map(bytes).collect();
        for status in [200, 400] {
            let server = serving(status, body.clone()).await;
            let settings = Client::builder().api_key(KEY).base_url(server);
            let job = settings.build().unwrap().endpoint("ep").job("j");
            let error = job.status().await.unwrap_err();
            let shown = format!("{error} {error:?} {:?}", error.body());
            let letters = shown.replace(['\0', '\u{fffd}'], "").replace("\\0", "");
            assert!(letters.contains("[redacted]") && !letters.contains("canary"), "{shown}");
        }
    }
}

/// The URL of a server that answers each request with these bytes.
async fn serving(status: u16, body: Vec<u8>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let head = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\n\r\n", body.len());
    let response = [head.into_bytes(), body].concat();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read_buf(&mut Vec::with_capacity(4_096)).await;
            let _ = stream.write_all(&response).await;
        }
    });
    url
}

#[tokio::test]
async fn a_status_or_a_name_that_is_a_secret_is_not_shown() {
    let record = json!({"id": "j", "status": format!("SAW {KEY}"), KEY: 1});
    let server = Script::then_always([], Reply::ok(record)).await;
    let job = server.endpoint().job("j");
    let wait = || job.wait().timeout(Duration::from_millis(20));
    let record = job.status().await.unwrap();
    let mut shown = format!("{record:?}");
    for error in [
        record.output::<Value>().unwrap_err(),
        wait().await.unwrap_err(),
        wait().cancel_on_timeout().await.unwrap_err(),
    ] {
        shown.push_str(&format!("\n{error}\n{error:?}\n{:?}", error.remote_cancel()));
    }
    assert!(shown.contains("SAW [redacted]"), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
}

#[tokio::test]
async fn control_characters_of_the_service_are_escaped_in_errors() {
    let said = "\u{1b}[2J\u{7}gone\r\nand back";
    let failed = json!({"id": "j", "status": "FAILED", "error": said});
    let script = [Reply::json(400, json!({"error": said})), Reply::ok(failed)];
    let server = Script::of(script).await;
    let job = server.endpoint().job("j");
    for error in [job.status().await.unwrap_err(), job.wait().await.unwrap_err()] {
        let shown = error.to_string();
        assert!(shown.contains(r"\u{1b}[2J\u{7}gone"), "{shown}");
        assert!(!shown.contains(|it: char| it.is_control() && it != '\n'), "{shown:?}");
    }
}

#[tokio::test]
async fn a_secret_among_the_names_of_a_response_is_redacted() {
    let wrong = json!({"env": {API_KEY: [1]}});
    let server = Script::of([Reply::ok(wrong)]).await;
    let client = server.settings().api_key(API_KEY).build().unwrap();
    let error = client.rest().get_pod("p").await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Decode, Some("env.[redacted]")));
    assert!(error.to_string().contains("`env.[redacted]` in the response"), "{error}");
    let value: Value = serde_json::from_str(&error.body().unwrap()).unwrap();
    assert_eq!(value, json!({"env": {"[redacted]": [1]}}));
}

#[tokio::test]
async fn a_handlers_message_shows_no_secret_of_the_submission() {
    const CREDENTIAL: &str = "St0rageCred3ntial";
    let text = format!("denied: {CREDENTIAL}, {HOOK}, {API_KEY}");
    let detail = json!({"error_message": text, "error_type": CREDENTIAL, "error_traceback": text});
    let errors = [json!(text), json!(detail.to_string()), detail];
    for failed in errors.map(|error| json!({"id": "j", "status": "FAILED", "error": error})) {
        let queued = json!({"id": "j", "status": "IN_QUEUE"});
        let server =
            Script::of([Reply::ok(queued), Reply::ok(&failed), Reply::json(400, &failed)]).await;
        let endpoint = server.settings().api_key(API_KEY).build().unwrap().endpoint("ep");
        let storage = S3Config::new("id", CREDENTIAL, "b", "https://storage.example");
        let run = endpoint.run(&json!({})).s3_config(storage);
        let job = run.webhook(format!("https://me.example/{HOOK}")).await.unwrap();
        let error = job.wait().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::JobFailed);
        let failure = error.record().unwrap().failure().unwrap();
        let refused = job.cancel().await.unwrap_err();
        let shown = format!("{error} {error:?} {failure:?} {refused} {}", refused.body().unwrap());
        assert!(shown.contains("denied: [redacted], [redacted], [redacted]"), "{shown}");
        for secret in [CREDENTIAL, HOOK, API_KEY] {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
    }
}

#[tokio::test]
async fn a_partial_result_that_cannot_be_read_shows_no_secret() {
    let said = json!({"data": {"saveTemplate": {ENV: [1]}}, "errors": [{"message": "half of it"}]});
    let server = Script::of([Reply::ok(said)]).await;
    let template = NewTemplate::pod("n", "i").container_disk_gb(1).volume_gb(1).env("A", ENV);
    let error = server.client().templates().create(template).await.unwrap_err();
    type Wrong = std::collections::HashMap<String, std::collections::HashMap<String, String>>;
    let error = error.graphql().unwrap().partial_data::<Wrong>().unwrap_err();
    assert_eq!(error.field(), Some("data.saveTemplate.[redacted]"), "{error}");
}

/// As the generator writes an operation whose variable has another name than the place it stands
/// in.
struct Keep;

impl podqueue::graphql::Operation for Keep {
    type Variables = Value;
    type Data = Value;
    const NAME: &'static str = "Keep";
    const TEXT: &'static str =
        "mutation Keep($what: String!) { secretCreate(input: {name: \"n\", value: $what}) { id } }";
    const DOCUMENT: &'static podqueue::graphql::document::Document = &{
        use podqueue::graphql::document::*;
        Document {
            kind: Kind::Mutation,
            parts: &[
                Part::Text("mutation Keep { secretCreate(input: {name: \"n\" "),
                Part::Entry { name: "value", variable: "what" },
                Part::Text("}) { id } }"),
            ],
            variables: &[Variable {
                name: "what",
                shape: Shape::String,
                presence: Presence::Required,
                default: None,
                secret_places: &["value"],
            }],
        }
    };
}

#[tokio::test]
async fn a_variable_in_a_secrets_place_is_a_secret_whatever_its_name() {
    for form in [GraphqlBody::QueryOnly, GraphqlBody::Variables] {
        let echo = Reply::made(|request| Reply::json(400, json!({"error": request.body})));
        let server = Script::then_always([], echo).await;
        let client = server.settings().graphql_body(form).build().unwrap();
        let error = client.graphql().execute::<Keep>(json!({"what": SECRET})).await.unwrap_err();
        check("store", &error);
        assert!(error.to_string().contains("[redacted]"), "{error}");
    }
}

#[cfg(feature = "webhook")]
#[tokio::test]
async fn a_record_that_a_webhook_confirms_shows_no_secret_of_the_submission() {
    const CREDENTIAL: &str = "St0rageCred3ntial";
    let queued = json!({"id": "j", "status": "IN_QUEUE"});
    let failed = json!({"id": "j", "status": "FAILED", "error": format!("denied: {CREDENTIAL}")});
    let server =
        Script::then_always([Reply::ok(&queued), Reply::ok(&queued)], Reply::ok(failed)).await;
    let endpoint = server.endpoint();
    let webhooks = podqueue::Webhooks::builder(&endpoint).build().unwrap();
    let url = webhooks.url("https://me.example/hooks").unwrap();
    let path = url.expose().split_once("me.example").unwrap().1.to_owned();
    let storage = S3Config::new("id", CREDENTIAL, "b", "https://storage.example");
    let job = endpoint.run(&json!({})).s3_config(storage).webhook(url).await.unwrap();
    let waiting = job.wait().notified_by(&webhooks);
    let waiting = tokio::spawn(async move { waiting.await });
    while server.requests().len() < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    webhooks.receive(&path, br#"{"id":"j","status":"FAILED"}"#).await;
    let error = waiting.await.unwrap().unwrap_err();
    let shown = format!("{error} {:?}", error.record().unwrap().failure());
    assert!(error.to_string().ends_with("denied: [redacted]"), "{shown}");
    assert!(!shown.contains(CREDENTIAL), "{shown}");
}
