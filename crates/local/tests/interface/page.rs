//! The page for a browser: who may enter, and what its requests may do.

use podqueue_local::Operation;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{KEY, Service, answer, assert_refused};

/// A browser that has opened the printed link.
pub struct Browser<'a> {
    pub service: &'a Service,
    pub cookie: String,
}

impl<'a> Browser<'a> {
    pub async fn open(service: &'a Service) -> Self {
        let response = without_redirects().get(link(service)).send().await.unwrap();
        assert_eq!(response.status(), 303);
        assert_eq!(response.headers()["location"], "/");
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        Self { service, cookie: cookie.split(';').next().unwrap().to_owned() }
    }

    /// A request as a script of the page sends it.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.bare(method, path).header("sec-fetch-site", "same-origin")
    }

    fn bare(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("{}{path}", self.service.local.base_url());
        self.service.http.request(method, url).header("cookie", &self.cookie)
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

fn without_redirects() -> reqwest::Client {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

pub async fn service() -> Service {
    Service::still(podqueue_local::Builder::page).await
}

#[tokio::test]
async fn it_is_opt_in_and_the_link_opens_it() {
    let without = Service::still(podqueue_local::Builder::control_plane).await;
    assert_eq!(without.local.page_url(), None);
    assert_refused(&without.get("/").await, StatusCode::NOT_FOUND, "no operation");
    let service = service().await;
    let browser = Browser::open(&service).await;
    let page = browser.request(Method::GET, "/").send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert!(page.text().await.unwrap().starts_with("<!doctype html>"));
    let file = browser.request(Method::GET, "/_local/page/index.html").send().await.unwrap();
    assert_eq!(file.status(), 200);
    let none = answer(browser.request(Method::GET, "/_local/page/none.js")).await;
    assert_refused(&none, StatusCode::NOT_FOUND, "no such file");
}

#[tokio::test]
async fn every_response_of_it_keeps_out_what_is_foreign() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let url = service.local.base_url();
    for request in [
        browser.request(Method::GET, "/"),
        browser.request(Method::GET, "/_local/page/index.html"),
        browser.request(Method::GET, "/_local/page/none.js"),
        browser.request(Method::POST, "/"),
        browser.request(Method::DELETE, "/_local/page/main.js"),
        browser.request(Method::OPTIONS, "/_local/page/main.js"),
        browser.request(Method::GET, "/").header("host", "rebound.example"),
        browser.request(Method::GET, "/").header("sec-fetch-site", "cross-site"),
        browser.request(Method::GET, "/_local/none"),
        browser.request(Method::GET, "/_local/endpoints"),
        browser.request(Method::GET, "/_local/events"),
        browser.request(Method::PUT, "/_local/clock"),
        without_redirects().get(link(&service)),
        service.http.get(&url),
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
    }
}

#[tokio::test]
async fn without_the_right_cookie_or_link_it_is_401_and_says_what_to_do() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let base = service.local.base_url();
    let (name, value) = browser.cookie.split_once('=').unwrap();
    let port = service.local.address().port();
    assert_eq!(name, format!("podqueue-local-{port}"));
    let another = Service::still(podqueue_local::Builder::page).await;
    let other = Browser::open(&another).await;
    assert_ne!(other.cookie.split_once('=').unwrap().1, value);
    let cookies = [
        String::new(),
        format!("{name}="),
        format!("{name}={}", &value[1..]),
        format!("{name}={value}0"),
        format!("{name}={KEY}"),
        format!("podqueue-local-1={value}"),
        other.cookie,
    ];
    for cookie in cookies {
        for path in ["/", "/_local/page/index.html"] {
            let request = service.http.get(format!("{base}{path}")).header("cookie", &cookie);
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 401, "{cookie} {path}");
            assert!(!response.headers().contains_key("set-cookie"));
            assert!(response.text().await.unwrap().contains("Open the link"));
        }
        for path in ["/_local/clock", "/v2/echo/health"] {
            let request = service.http.get(format!("{base}{path}")).header("cookie", &cookie);
            assert_eq!(answer(request).await.0, 401, "{cookie} {path}");
        }
    }
    let token = link(&service).split_once("token=").unwrap().1.to_owned();
    for wrong in ["", "wrong", value, KEY, &token[1..], &format!("{token}0")] {
        let wrong = wrong.replace(' ', "+");
        let url = format!("{base}/?token={wrong}");
        let response = service.http.get(url).send().await.unwrap();
        assert_eq!(response.status(), 401, "{wrong}");
        assert!(!response.headers().contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn the_cookie_is_for_this_site_only_and_out_of_reach_of_scripts() {
    let service = service().await;
    let response = without_redirects().get(link(&service)).send().await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    let attributes: Vec<&str> = cookie.split("; ").skip(1).collect();
    assert_eq!(attributes, ["HttpOnly", "SameSite=Strict", "Path=/"]);
    assert!(!cookie.contains(KEY) && !link(&service).contains(KEY));
    let token = link(&service).split_once("token=").unwrap().1.to_owned();
    assert!(!cookie.contains(&token));
}

/// What a browser sends for the page of another origin, with the cookie or the link.
#[tokio::test]
async fn a_foreign_host_and_another_origin_are_refused() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let run = || {
        let request = browser.bare(Method::POST, "/v2/echo/run");
        request.json(&json!({ "input": {} }))
    };
    let fault = || browser.bare(Method::POST, "/_local/faults").json(&json!({ "cut": 1 }));
    let page = || browser.bare(Method::GET, "/");
    let opened = || without_redirects().get(link(&service));
    for request in [run(), fault(), page(), opened()] {
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
        for request in [run(), fault(), page(), opened()] {
            let response = request.header(name, value).send().await.unwrap();
            assert_eq!(response.status(), 403, "{name}: {value}");
            assert!(!response.headers().contains_key("set-cookie"));
        }
    }
    assert_eq!(service.get("/v2/echo/requests").await.1, json!([]));
}

#[tokio::test]
async fn a_change_with_the_cookie_must_come_from_the_page() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    let body = json!({ "input": {} });
    let run = || browser.bare(Method::POST, "/v2/echo/run").json(&body);
    assert_refused(&answer(run()).await, StatusCode::FORBIDDEN, "from the page");
    let typed = run().header("sec-fetch-site", "none");
    assert_refused(&answer(typed).await, StatusCode::FORBIDDEN, "from the page");
    // Chunks go away by being read.
    let stream = browser.bare(Method::GET, "/v2/count/stream/x");
    assert_refused(&answer(stream).await, StatusCode::FORBIDDEN, "from the page");
    let clear = browser.bare(Method::DELETE, "/_local/faults");
    assert_refused(&answer(clear).await, StatusCode::FORBIDDEN, "from the page");
    assert_eq!(answer(browser.bare(Method::GET, "/_local/clock")).await.0, 200);
    let own = service.local.base_url();
    for request in [run().header("sec-fetch-site", "same-origin"), run().header("origin", own)] {
        assert_eq!(answer(request).await.0, 200);
    }
    assert_eq!(service.get("/v2/echo/requests").await.1.as_array().unwrap().len(), 2);
    // Clients with a key are no browsers.
    assert_eq!(service.post_json("/v2/echo/run", body.clone()).await.0, 200);
    assert_eq!(service.post_json("/_local/clock/advance", json!({ "ms": 1 })).await.0, 200);
}

#[tokio::test]
async fn no_other_page_shows_it() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    for destination in ["iframe", "frame", "embed", "object", "fencedframe"] {
        for request in [
            browser.request(Method::GET, "/"),
            browser.request(Method::GET, "/_local/page/index.html"),
            browser.request(Method::GET, "/_local/clock"),
            without_redirects().get(link(&service)),
        ] {
            let response = request.header("sec-fetch-dest", destination).send().await.unwrap();
            assert_eq!(response.status(), 403, "{destination}");
            assert!(!response.headers().contains_key("set-cookie"));
        }
    }
    let script = browser.request(Method::GET, "/").header("sec-fetch-dest", "document");
    assert_eq!(script.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_cookie_opens_what_a_full_key_opens() {
    let service =
        Service::still(|builder| builder.restricted_api_key("reader", [Operation::Status]).page())
            .await;
    let browser = Browser::open(&service).await;
    let (status, _) = browser.post("/v2/echo/run", json!({ "input": {} })).await;
    assert_eq!(status, 200);
    assert_eq!(browser.get("/v1/pods/pod-gpu").await["id"], "pod-gpu");
    let (status, data) = browser.post("/graphql", json!({ "query": "{ _empty }" })).await;
    assert_eq!((status, data), (200, json!({ "data": { "_empty": null } })));
    assert_eq!(service.local.unauthorized_requests(), 0);
    // A key in the header counts for itself.
    let restricted = browser.request(Method::GET, "/v2/echo/health");
    let restricted = restricted.header("authorization", "reader");
    assert_refused(&answer(restricted).await, StatusCode::UNAUTHORIZED, "no permission");
}

#[tokio::test]
async fn a_key_is_no_way_to_the_page() {
    let service =
        Service::still(|builder| builder.restricted_api_key("tester", [Operation::Control]).page())
            .await;
    for key in [KEY, "tester"] {
        for path in ["/", "/_local/page/index.html", "/?token=tester"] {
            let url = format!("{}{path}", service.local.base_url());
            let request = service.http.get(url).header("authorization", key);
            assert_eq!(request.send().await.unwrap().status(), 401, "{key} {path}");
        }
    }
}

#[tokio::test]
async fn neither_the_link_nor_the_cookie_is_ever_in_the_log() {
    let service = service().await;
    let browser = Browser::open(&service).await;
    browser.request(Method::GET, "/").send().await.unwrap();
    browser.post("/v2/echo/run", json!({ "input": {} })).await;
    let log = service.local.requests();
    assert_eq!(log.len(), 1, "{log:?}");
    let everything = format!("{log:?} {}", service.get("/_local/requests").await.1);
    let token = link(&service).split_once("token=").unwrap().1.to_owned();
    for secret in [token.as_str(), browser.cookie.split_once('=').unwrap().1] {
        assert!(!everything.contains(secret), "{everything}");
    }
}
