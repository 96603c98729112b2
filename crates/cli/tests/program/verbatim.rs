//! JSON reaches the service and the output with all its digits, whatever a type of Rust can hold.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use podqueue_local::{Fault, Operation};
use tokio::net::TcpListener;

use crate::support::{Site, ran};

/// More digits than an integer or a float has, a fraction that a float writes otherwise, and what is
/// out of its range; with a name twice, and not in the order of the alphabet.
const NUMBERS: &str = r#"{"z":12345678901234567890123,"b":1.10,"a":1e400,"a":2}"#;

#[tokio::test]
async fn a_response_is_printed_with_all_its_digits() {
    let site = Site::start().await;
    let fault = |body: String, operation| {
        site.local.clear_faults();
        site.local.add_fault(Fault::response(200, body).on(operation));
    };
    let printed = format!("{NUMBERS}\n");
    fault(NUMBERS.to_owned(), Operation::OpenAi);
    site.run(&["openai", "echo", "v1/models"]).await.assert(0, &printed);

    std::fs::write(site.home.path().join("query"), "{ a }").unwrap();
    fault(format!("{{\"data\": {NUMBERS}}}"), Operation::GraphQl);
    site.run(&["graphql", "query"]).await.assert(0, &printed);
    let errors = r#""errors": [{"message": "boo"}]"#;
    fault(format!("{{\"data\": {NUMBERS}, {errors}}}"), Operation::GraphQl);
    site.run(&["graphql", "query"]).await.assert(1, &printed);

    let completed = |output: &str| {
        let body = format!(r#"{{"id":"j","status":"COMPLETED","output":{output}}}"#);
        fault(body, Operation::Status);
    };
    completed(NUMBERS);
    site.run(&["wait", "echo", "j"]).await.assert(0, &printed);
    // Python writes it, although JSON has no such number; one beyond a double is null beside it.
    completed(&NUMBERS.replace("1.10", "NaN"));
    site.run(&["wait", "echo", "j"])
        .await
        .assert(0, &printed.replace("1.10", "null").replace("1e400", "null"));
    completed("{\"a\": 01}");
    for more in [&[][..], &["--json"]] {
        let ran = site.run(&[&["wait", "echo", "j"][..], more].concat()).await;
        ran.fails(1, "`output` in the response is not JSON");
        assert!(!ran.stdout.contains("null"), "{}", ran.stdout);
    }
}

#[tokio::test]
async fn a_request_is_sent_with_all_its_digits() {
    let site = Site::start().await;
    let bodies: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&bodies);
    let handler = async move |request: Request| {
        let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        let streams = body.contains("\"stream\":true");
        log.lock().unwrap().push(body);
        let (kind, response) = match streams {
            true => ("text/event-stream", "data: 1\n\n"),
            false => ("application/json", r#"{"data": 1}"#),
        };
        ([(CONTENT_TYPE, kind)], response)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(handler);
    tokio::spawn(axum::serve(listener, router).into_future());
    std::fs::write(site.home.path().join("query"), "{ a }").unwrap();

    let number = "12345678901234567890123";
    let body = format!("{{\"seed\":{number},\"t\":1.10}}");
    let variable = format!("a={number}");
    for (arguments, sent) in [
        (&["openai", "e", "v1/x", &body][..], &body),
        (
            &["openai", "e", "v1/x", "--stream", &body],
            &format!("{{\"seed\":{number},\"stream\":true,\"t\":1.10}}"),
        ),
        (
            &["graphql", "query", "--var", &variable, "--var", "b=1.10"],
            &format!("{{\"query\":\"{{ a }}\",\"variables\":{{\"a\":{number},\"b\":1.10}}}}"),
        ),
    ] {
        let mut program = site.program(arguments);
        program.env("PODQUEUE_BASE_URL", &url).env("PODQUEUE_GRAPHQL_URL", &url);
        ran(&mut program).await.assert_code(0);
        assert_eq!(bodies.lock().unwrap().pop().as_ref(), Some(sent), "{arguments:?}");
    }
}
