//! Isolation of the page token from other servers on the same host name, which share cookies and
//! storage of the browser.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use reqwest::Method;
use serde_json::json;

use super::support::{Page, open};

/// Script of the other server's page: what it can read, and its requests to the service with all
/// that the browser adds.
const SCRIPT: &str = "
    const seen = [document.cookie, document.referrer, location.href,
        JSON.stringify(sessionStorage), JSON.stringify(localStorage), name];
    const answers = [];
    for (const [method, path, body] of ATTACKS) {
        const request = fetch(SERVICE + path, { method, body, credentials: 'include', mode: 'no-cors' });
        answers.push(await request.then(({ status }) => status, () => 0));
    }
    return { seen, answers };
";

/// Requests that require a key.
fn attacks() -> [(Method, &'static str, String); 3] {
    [
        (Method::POST, "/v2/echo/run", json!({ "input": {} }).to_string()),
        (Method::POST, "/_local/clock/advance", json!({ "ms": 60_000 }).to_string()),
        (Method::POST, "/_local/faults", json!({ "operation": "run", "cut": 0 }).to_string()),
    ]
}

/// Starts another server on the loopback address. Returns its URL, and what it gets to see.
async fn neighbour() -> (String, Arc<Mutex<Vec<(String, String)>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let received: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let log = received.clone();
    let answer = move |request: Request| {
        let mut log = log.lock().unwrap();
        log.push(("line".to_owned(), format!("{} {}", request.method(), request.uri())));
        let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
            (name.to_string(), value.to_str().unwrap().to_owned())
        };
        log.extend(request.headers().iter().map(header));
        let page = "<!doctype html><title>another server</title>";
        std::future::ready(([(CONTENT_TYPE, "text/html")], page).into_response())
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    (url, received)
}

async fn assert_untouched(page: &Page, jobs: usize) {
    assert_eq!(page.get("/v2/echo/requests").await.as_array().unwrap().len(), jobs);
    assert_eq!(page.get("/_local/faults").await, json!([]));
    assert_eq!(page.get("/_local/clock").await["nowMs"], 0);
}

/// Cookies ignore ports, so a cookie of the page would go to every server of this machine.
#[tokio::test(flavor = "multi_thread")]
async fn another_server_of_the_host_gets_no_token() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    let (neighbour, received) = neighbour().await;
    let base = page.local.base_url();
    let token = page.local.page_url().unwrap().rsplit(['=', '/']).next().unwrap().to_owned();
    assert!(token.len() >= 32, "{token}");
    page.show("echo").await;
    // The page works, also after it was loaded anew, and shows the token nowhere.
    page.browser.reload().await;
    page.until("document.body.dataset.connection === 'live'").await;
    page.enter_view("submit").await;
    page.browser.click("#submit-send").await;
    page.show("echo").await;
    page.until_text("#jobs-found", "1 job").await;
    let address = page.browser.run("return location.href").await;
    assert!(!address.as_str().unwrap().contains(&token), "{address}");

    // The user goes from the page to the other server, by a link and by an address.
    let link = json!(neighbour);
    let follow = format!(
        "const link = Object.assign(document.createElement('a'), {{ href: {link}, \
         referrerPolicy: 'unsafe-url' }}); document.body.append(link); link.click();"
    );
    page.browser.run(&follow).await;
    page.until("document.title === 'another server'").await;
    page.browser.open(&neighbour).await;
    let attacks = attacks();
    let listed: Vec<_> =
        attacks.iter().map(|(method, path, body)| (method.as_str(), path, body)).collect();
    let script = SCRIPT.replace("ATTACKS", &json!(listed).to_string());
    let script = script.replace("SERVICE", &json!(base).to_string());
    let result = page.browser.wait_for(&script).await;
    assert!(!result["seen"].to_string().contains(&token), "{result}");
    assert_untouched(&page, 1).await;

    // A client that is no browser sends all that the other server got, and claims to be the page.
    let received = received.lock().unwrap().clone();
    assert!(received.iter().any(|(name, _)| name == "user-agent"), "the browser was there");
    assert!(!format!("{received:?}").contains(&token), "{received:?}");
    for (method, path, body) in attacks {
        let mut request = page.http.request(method, format!("{base}{path}")).body(body);
        for (name, value) in &received {
            // Headers that identify the client are omitted or forged.
            let tells = ["line", "host", "connection"].contains(&name.as_str());
            if !tells && !name.starts_with("sec-") {
                request = request.header(name, value);
            }
        }
        let request = request.header("content-type", "application/json").header("origin", &base);
        let status = request.send().await.unwrap().status();
        assert!(!status.is_success(), "{path}: {status}");
    }
    assert_untouched(&page, 1).await;
    // The page is open still when its user comes back.
    page.browser.open(&base).await;
    page.until("document.body.dataset.connection === 'live'").await;
}
