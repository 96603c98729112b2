//! Access to the page: its link, its token, and its security headers.

use podqueue_local::Operation;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{KEY, Service, answer, assert_refused};

/// A browser that has opened the printed link.
pub struct Browser<'a> {
    pub service: &'a Service,
    pub token: String,
}

impl<'a> Browser<'a> {
    pub async fn open(service: &'a Service) -> Self {
        Self { service, token: token(service) }
    }

    /// A request as a script of the page sends it.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.bare(method, path).header("sec-fetch-site", "same-origin");
        request.bearer_auth(&self.token)
    }

    /// A request that the browser sends for any other page.
    fn bare(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("{}{path}", self.service.local.base_url());
        self.service.http.request(method, url)
    }

    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = answer(self.request(Method::GET, path)).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.request(Method::POST, path).json(&body)).await
    }
}

fn link(service: &Service) -> String {
    service.local.page_url().unwrap()
}

fn token(service: &Service) -> String {
    link(service).split_once("#token=").unwrap().1.to_owned()
}

pub async fn service() -> Service {
    Service::still(podqueue_local::Builder::page).await
}

#[tokio::test]
async fn the_page_is_opt_in_and_its_link_opens_it() {
    let without = Service::still(podqueue_local::Builder::control_plane).await;
    assert_eq!(without.local.page_url(), None);
    assert_refused(&without.get("/").await, StatusCode::NOT_FOUND, "no operation");
    let service = service().await;
    let browser = Browser::open(&service).await;
    let page = service.http.get(link(&service)).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert!(page.text().await.unwrap().starts_with("<!doctype html>"));
    let file = browser.bare(Method::GET, "/_local/page/index.html").send().await.unwrap();
    assert_eq!(file.status(), 200);
    let none = answer(browser.bare(Method::GET, "/_local/page/none.js")).await;
    assert_refused(&none, StatusCode::NOT_FOUND, "no such file");
}

#[tokio::test]
async fn every_response_of_it_keeps_out_what_is_foreign() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    for request in [
        browser.request(Method::GET, "/"),
        browser.bare(Method::GET, "/"),
        browser.bare(Method::GET, "/").header("sec-fetch-dest", "iframe"),
        browser.request(Method::GET, "/_local/page/index.html"),
        browser.request(Method::GET, "/_local/page/none.js"),
        browser.request(Method::POST, "/"),
        browser.request(Method::DELETE, "/_local/page/main.js"),
        browser.request(Method::OPTIONS, "/_local/page/main.js"),
        browser.request(Method::GET, "/").header("host", "rebound.example"),
        browser.request(Method::GET, "/").header("sec-fetch-site", "cross-site"),
        browser.request(Method::GET, "/_local/none"),
        browser.request(Method::GET, "/_local/endpoints"),
        browser.bare(Method::GET, "/_local/endpoints"),
        browser.request(Method::GET, "/_local/events"),
        browser.request(Method::PUT, "/_local/clock"),
    ] {
        let response = request.send().await.unwrap();
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'self'; frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("cache-control"), "no-store");
        assert!(!response.headers().contains_key("access-control-allow-origin"));
        // A cookie would be sent to every other port of this machine.
        assert!(!response.headers().contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn the_token_has_the_permissions_of_a_full_key() {
    let service =
        Service::still(|builder| builder.restricted_api_key("reader", [Operation::Status]).page())
            .await;
    let browser = Browser::open(&service).await;
    let (status, _) = browser.post("/v2/echo/run", json!({ "input": {} })).await;
    assert_eq!(status, 200);
    assert_eq!(browser.get("/_local/clock").await["nowMs"], 0);
    assert_eq!(service.local.unauthorized_requests(), 0);
    let other = Service::still(podqueue_local::Builder::page).await;
    let foreign = token(&other);
    let wrong = ["", "wrong", &browser.token[1..], &format!("{}0", browser.token), &foreign];
    for path in ["/_local/clock", "/_local/events", "/v2/echo/health"] {
        for wrong in wrong {
            let request = browser.bare(Method::GET, path).header("authorization", wrong);
            assert_eq!(answer(request).await.0, 401, "{path} {wrong}");
        }
        for place in ["cookie", "x-token", "referer"] {
            let request = browser.bare(Method::GET, path).header(place, &browser.token);
            assert_eq!(answer(request).await.0, 401, "{path} {place}");
        }
    }
    let (status, _) = service.get(&format!("/_local/clock?token={}", browser.token)).await;
    assert_eq!(status, 200, "a key in the header counts for itself");
    assert_ne!(browser.token, KEY);
}

/// The headers that a browser would send for the page of another origin, if it had the token.
#[tokio::test]
async fn a_foreign_host_and_another_origin_are_refused() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let with_token =
        |method, path: &str| browser.bare(method, path).header("authorization", &browser.token);
    let run = || with_token(Method::POST, "/v2/echo/run").json(&json!({ "input": {} }));
    let fault = || with_token(Method::POST, "/_local/faults").json(&json!({ "cut": 1 }));
    let page = || with_token(Method::GET, "/");
    for request in [run(), fault(), page()] {
        let response = request.header("host", "rebound.example").send().await.unwrap();
        assert_eq!(response.status(), 421);
    }
    for (name, value) in [
        ("origin", "https://page.example"),
        ("origin", "http://localhost:3000"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        for request in [run(), fault(), page()] {
            let response = request.header(name, value).send().await.unwrap();
            assert_eq!(response.status(), 403, "{name}: {value}");
        }
    }
    assert_eq!(service.get("/v2/echo/requests").await.1, json!([]));
}

/// A browser sends no fragment, so not even a request for the link itself has the token.
#[tokio::test]
async fn the_token_is_in_no_file_and_in_no_log() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let page = service.http.get(link(&service)).send().await.unwrap().text().await.unwrap();
    browser.post("/v2/echo/run", json!({ "input": {} })).await;
    let log = service.local.requests();
    assert_eq!(log.len(), 1, "{log:?}");
    let everything = format!("{page} {log:?} {}", service.get("/_local/requests").await.1);
    assert!(!everything.contains(&browser.token), "{everything}");
    assert!(!link(&service).contains(KEY));
}
