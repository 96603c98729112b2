//! Fixture: a service, and a browser that has its page open.

use podqueue_local::{Builder, LocalService};
use serde_json::{Value, json};

use super::driver::Driver;

pub const KEY: &str = "the key of these tests";

pub const ENTER: char = '\u{E007}';
pub const ESCAPE: char = '\u{E00C}';
pub const TAB: char = '\u{E004}';
pub const CONTROL: char = '\u{E009}';
pub const DOWN: char = '\u{E015}';
pub const END: char = '\u{E010}';
pub const SHIFT: char = '\u{E008}';

pub struct Page {
    pub local: LocalService,
    pub http: reqwest::Client,
    pub browser: Driver,
}

/// Starts a service with a page, and opens that at 1600 × 1000; `None` without a browser.
#[expect(clippy::print_stderr, reason = "a skipped test is reported")]
pub async fn open(setup: impl FnOnce(Builder) -> Builder) -> Option<Page> {
    let Some(browser) = Driver::start(1600, 1000).await else {
        eprintln!("skipped: chromedriver is not installed");
        return None;
    };
    let local = setup(LocalService::builder().api_key(KEY).page()).start().await.unwrap();
    let page = Page { local, http: reqwest::Client::new(), browser };
    page.enter().await;
    Some(page)
}

/// Prints a measurement, for `--nocapture`.
#[expect(clippy::print_stderr, reason = "a figure is worth more than its bound")]
pub fn report(what: &str, figure: f64, unit: &str) {
    eprintln!("{what}: {figure:.1} {unit}");
}

impl Page {
    /// Opens the link of the service.
    pub async fn enter(&self) {
        self.browser.open(&self.local.page_url().unwrap()).await;
        self.until("document.body.dataset.connection === 'live'").await;
    }

    pub async fn until(&self, expression: &str) -> Value {
        self.browser.until(expression).await
    }

    /// Waits until an element shows exactly this text.
    pub async fn until_text(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        let shown = format!("document.querySelector({selector})?.innerText.trim() === {text}");
        self.until(&shown).await;
    }

    /// Waits until an element shows a text that contains this.
    pub async fn until_shown(&self, selector: &str, part: &str) {
        let (selector, part) = (json!(selector), json!(part));
        let shown = format!("document.querySelector({selector})?.innerText.includes({part})");
        self.until(&shown).await;
    }

    pub async fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({}).innerText", json!(selector));
        self.browser.run(&script).await.as_str().unwrap().trim().to_owned()
    }

    /// Posts to the service as another client.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.local.base_url()));
        let request = request.header("authorization", KEY).json(&body);
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Puts to the service as another client.
    pub async fn put(&self, path: &str, body: Value) {
        let request = self.http.put(format!("{}{path}", self.local.base_url()));
        let response = request.header("authorization", KEY).json(&body).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
    }

    pub async fn get(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.local.base_url()));
        request.header("authorization", KEY).send().await.unwrap().json().await.unwrap()
    }

    /// Submits a job as another client, and returns its id.
    pub async fn run(&self, endpoint: &str, input: Value) -> String {
        let record = self.post(&format!("/v2/{endpoint}/run"), json!({ "input": input })).await;
        record["id"].as_str().unwrap_or_else(|| panic!("{record}")).to_owned()
    }

    /// Waits until the service says that a job has a status.
    pub async fn until_status(&self, endpoint: &str, id: &str, status: &str) -> Value {
        loop {
            let record = self.get(&format!("/v2/{endpoint}/status/{id}")).await;
            if record["status"] == status {
                return record;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Shows what a hash names.
    pub async fn visit(&self, hash: &str) {
        self.browser.run(&format!("location.hash = {}", json!(hash))).await;
    }

    /// Shows the jobs of an endpoint.
    pub async fn show(&self, endpoint: &str) {
        let name = json!(endpoint);
        let link = format!("location.hash = new URLSearchParams({{ endpoint: {name} }})");
        self.browser.run(&link).await;
        self.until_text("#endpoint-name", endpoint).await;
    }

    /// Shows a page or, with an endpoint shown, a view of it, by its link.
    pub async fn enter_view(&self, view: &str) {
        self.browser.click(&format!("nav a[href$='view={view}']")).await;
        self.until(&format!("!document.getElementById('{view}').hidden")).await;
    }

    /// Shows the form for submitting a job to an endpoint.
    pub async fn prepare(&self, endpoint: &str) {
        self.show(endpoint).await;
        self.enter_view("submit").await;
    }

    /// Writes an input into the form.
    pub async fn fill_input(&self, input: &str) {
        self.browser.fill("#submit-body", &format!("{{\"input\": {input}}}")).await;
    }

    /// Opens a job by its id: the search finds it.
    pub async fn open_job(&self, id: &str) {
        self.browser.fill("#job-search", id).await;
        self.until_text("#jobs-found", "1 job").await;
        self.browser.click("#job-list tbody:not(.spacer) tr code").await;
        self.until_text("#job-id", id).await;
    }

    /// Checks that the page raised no error and asked no other host. `expected` are the statuses
    /// that the service was made to respond with: the browser logs those.
    pub async fn end_soundly(self, expected: &[&str]) {
        let origin = self.local.base_url();
        for entry in self.browser.log("browser").await {
            let message = entry["message"].as_str().unwrap();
            let is_expected = entry["source"] == "network"
                && expected.iter().any(|status| message.contains(status));
            assert!(is_expected, "the console has: {entry}");
        }
        for entry in self.browser.log("performance").await {
            let event: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
            if event["message"]["method"] == "Network.requestWillBeSent" {
                let url = event["message"]["params"]["request"]["url"].as_str().unwrap();
                let is_own = url.starts_with(&origin) || url.starts_with("data:");
                assert!(is_own, "the page asked {url}");
            }
        }
    }
}
