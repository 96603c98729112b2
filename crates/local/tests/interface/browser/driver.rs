//! WebDriver client, with the commands that these tests need (W3C recommendation "WebDriver"), and
//! a pool of browsers.
//!
//! The start of a browser takes longer than most tests, so a test returns its browser to the pool,
//! and the next test gets a new tab in it: an origin of its own, since each service has another
//! port, and no state of a tab. A test that panics ends its browser.
//!
//! A process of its own owns each browser ([`owner`]), and ends it when the process of the tests
//! has ended, however that happens: no code runs after the last test.

use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Timeout of a script in the browser. A state that a test waits for has half of it.
const NEVER_MS: u64 = 60_000;

/// The member under which WebDriver passes a reference to an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Twice as many tests have a browser at once as there are processors, however many tests run: the
/// longest ones wait for the page, which shows a few updates in a second.
static PERMITS: LazyLock<Semaphore> = LazyLock::new(|| {
    Semaphore::new(
        std::thread::available_parallelism().map_or(4, |processors| 2 * processors.get()),
    )
});

/// The browsers that no test has.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// A browser, and the process that owns it. It ends when this is dropped.
struct Browser {
    owner: Child,
    /// The owner ends when this is closed.
    stdin: Option<ChildStdin>,
    /// Open, in case the driver prints more.
    _output: BufReader<ChildStdout>,
    session: String,
}

impl Browser {
    /// `None` without `chromedriver` on the machine.
    async fn start(width: u32, height: u32) -> Option<Self> {
        let mut owner = Command::new(env::current_exe().unwrap())
            .args(["browser::driver::owner", "--exact", "--ignored", "--nocapture"])
            .env("BROWSER_OWNER", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(owner.stdout.take().unwrap());
        let port = output.by_ref().lines().map_while(Result::ok).find_map(|line| {
            let port = line.split_once("successfully on port ")?.1;
            Some(port.trim_end_matches('.').to_owned())
        });
        let Some(port) = port else {
            let _ = owner.wait();
            return None;
        };
        let base = format!("http://127.0.0.1:{port}");
        // One process for all pages and for drawing: each test has another origin, which would start
        // a process of its own.
        let mut options = json!({
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-networking", "--no-first-run", "--hide-scrollbars",
                "--in-process-gpu", "--disable-site-isolation-trials", "--renderer-process-limit=1",
                format!("--window-size={width},{height}"),
            ],
        });
        // Without windows and menus, the same browser takes less time.
        let shell = "/usr/lib/chromium/chromium-headless-shell";
        if Path::new(shell).exists() {
            options["binary"] = json!(shell);
        }
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "timeouts": { "script": NEVER_MS, "pageLoad": NEVER_MS },
        }}});
        let http = reqwest::Client::new();
        let session = post(&http, &format!("{base}/session"), capabilities).await;
        let session = format!("{base}/session/{}", session["sessionId"].as_str().unwrap());
        let mut stdin = owner.stdin.take().unwrap();
        writeln!(stdin, "{session}").unwrap();
        Some(Self { owner, stdin: Some(stdin), _output: output, session })
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.stdin = None;
        // A test may be unwinding, and nothing of this is about its subject.
        let _ = self.owner.wait();
    }
}

/// Child process of the tests: it owns a browser. It reads the URL of the session, and ends the
/// browser, which would outlive its driver, when its standard input ends.
#[test]
#[ignore = "the process that owns a browser of these tests"]
fn owner() {
    if env::var_os("BROWSER_OWNER").is_none() {
        return;
    }
    // Where the browser keeps its profile, of which it leaves parts.
    let folder = TempDir::new().unwrap();
    let driver = Command::new("chromedriver")
        .arg("--port=0")
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .spawn();
    let Ok(mut driver) = driver else { return };
    let mut session = String::new();
    let _ = io::stdin().read_line(&mut session);
    let _ = io::stdin().read_to_end(&mut Vec::new());
    let _ = quit(session.trim_end());
    let _ = driver.kill();
    let _ = driver.wait();
}

/// Ends a session, and its browser.
fn quit(session: &str) -> io::Result<()> {
    let url = session.strip_prefix("http://").and_then(|url| url.split_once('/'));
    let Some((authority, path)) = url else { return Ok(()) };
    let mut connection = TcpStream::connect(authority)?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(connection, "DELETE /{path} HTTP/1.1\r\nHost: {authority}\r\n\r\n")?;
    connection.read(&mut [0]).map(drop)
}

async fn post(http: &reqwest::Client, url: &str, body: Value) -> Value {
    let response = http.post(url).body(body.to_string()).send().await.unwrap();
    let body: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    let error = &body["value"]["error"];
    assert!(error.is_null(), "{url}: {error}: {}", body["value"]["message"]);
    body["value"].clone()
}

/// A browser of the pool, with one tab that no other test has used.
pub struct Driver {
    /// Until it is returned to the pool.
    browser: Option<Browser>,
    session: String,
    http: reqwest::Client,
    _permit: SemaphorePermit<'static>,
}

impl Driver {
    /// Takes a browser whose page has this size from the pool, or starts one; `None` without
    /// `chromedriver` on the machine.
    pub async fn start(width: u32, height: u32) -> Option<Self> {
        let permit = PERMITS.acquire().await.unwrap();
        let idle = IDLE.lock().unwrap().pop();
        let browser = match idle {
            Some(browser) => browser,
            None => Browser::start(width, height).await?,
        };
        let session = browser.session.clone();
        // A client of its own, since each test has another runtime.
        let http = reqwest::Client::new();
        let driver = Self { browser: Some(browser), session, http, _permit: permit };
        let old = driver.tabs().await;
        driver.open_tab().await;
        for tab in old.as_array().unwrap() {
            driver.post("/window", json!({ "handle": tab })).await;
            driver.close_tab().await;
        }
        driver.switch_to_tab(0).await;
        for log in ["browser", "performance"] {
            driver.log(log).await;
        }
        // Headless, the size of the window is not that of what it shows.
        driver.resize(width, height).await;
        Some(driver)
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        post(&self.http, &format!("{}{path}", self.session), body).await
    }

    /// The handles of the tabs, in the order in which they were opened.
    async fn tabs(&self) -> Value {
        let response = self.http.get(format!("{}/window/handles", self.session)).send().await;
        let body = response.unwrap().bytes().await.unwrap();
        let handles: Value = serde_json::from_slice(&body).unwrap();
        handles["value"].clone()
    }

    /// Opens another tab, and makes it the one that is driven.
    pub async fn open_tab(&self) {
        let tab = self.post("/window/new", json!({ "type": "tab" })).await;
        self.post("/window", json!({ "handle": tab["handle"] })).await;
    }

    /// Closes the tab that is driven; another one has to be chosen then.
    pub async fn close_tab(&self) {
        let request = self.http.delete(format!("{}/window", self.session));
        assert!(request.send().await.unwrap().status().is_success());
    }

    /// Drives the tab that was opened first, or after that as many others.
    pub async fn switch_to_tab(&self, number: usize) {
        self.post("/window", json!({ "handle": self.tabs().await[number] })).await;
    }

    pub async fn open(&self, url: &str) {
        self.post("/url", json!({ "url": url })).await;
    }

    pub async fn back(&self) {
        self.post("/back", json!({})).await;
    }

    pub async fn reload(&self) {
        self.post("/refresh", json!({})).await;
    }

    /// Calls the browser's own protocol.
    pub async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("/goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    /// Makes the page this wide and high.
    pub async fn resize(&self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Makes the browser prefer `light` or `dark`.
    pub async fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Runs the body of a function in the page.
    pub async fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// Runs the body of an async function in the page, and waits for what it returns.
    pub async fn wait_for(&self, script: &str) -> Value {
        let script = format!(
            "const done = arguments[0];
             (async () => {{ {script} }})().then((value) => done({{ value }}), (error) => \
             done({{ error: String(error) }}));"
        );
        let result = self.post("/execute/async", json!({ "script": script, "args": [] })).await;
        assert!(result["error"].is_null(), "{}", result["error"]);
        result["value"].clone()
    }

    /// Waits until an expression is true in the page, which is looked at whenever something in it
    /// changes, and returns its value.
    pub async fn until(&self, expression: &str) -> Value {
        let script = format!(
            "return new Promise((resolve, reject) => {{
                const deadline = performance.now() + {deadline};
                let observer, timer;
                const look = () => {{
                    let value;
                    try {{ value = ({expression}); }} catch {{}}
                    const isLate = performance.now() > deadline;
                    if (!value && !isLate) return;
                    observer?.disconnect();
                    clearInterval(timer);
                    if (value) resolve(value);
                    else reject(new Error({message} + document.body.innerText));
                }};
                observer = new MutationObserver(look);
                observer.observe(document, {{
                    subtree: true, childList: true, characterData: true, attributes: true,
                }});
                timer = setInterval(look, 50);
                look();
            }});",
            deadline = NEVER_MS / 2,
            message = json!(format!("never true: {expression}\n")),
        );
        self.wait_for(&script).await
    }

    /// Waits for an element, and scrolls to it.
    async fn element(&self, selector: &str) -> String {
        let scroll = "?.scrollIntoView({ block: 'center' })";
        let found = format!("document.querySelector({})", json!(selector));
        self.until(&format!("({found}{scroll}, {found} !== null)")).await;
        let query = json!({ "using": "css selector", "value": selector });
        let element = self.post("/element", query).await;
        format!("/element/{}", element[ELEMENT].as_str().unwrap())
    }

    /// Scrolls to an element and clicks it as a mouse does: what covers it would get the click.
    pub async fn click(&self, selector: &str) {
        let element = self.element(selector).await;
        self.post(&format!("{element}/click"), json!({})).await;
    }

    /// Clears a field and writes into it.
    pub async fn fill(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        self.post(&format!("{element}/clear"), json!({})).await;
        self.post(&format!("{element}/value"), json!({ "text": text })).await;
    }

    /// Chooses an option of a `select` by its value.
    pub async fn choose(&self, selector: &str, value: &str) {
        self.click(&format!("{selector} option[value='{value}']")).await;
    }

    /// Presses keys one after another, wherever the focus is.
    pub async fn press(&self, keys: &str) {
        let press = |key: char| {
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
        };
        let actions: Vec<Value> = keys.chars().flat_map(press).collect();
        let source = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", json!({ "actions": [source] })).await;
    }

    /// Presses keys one after another, without a pause; shift is held between two of it.
    pub async fn press_at_once(&self, keys: &str) {
        let keys = json!({ "text": keys });
        let focus = self.post(
            "/execute/sync",
            json!({
                "script": "return document.activeElement", "args": [],
            }),
        );
        let element = focus.await[ELEMENT].as_str().unwrap().to_owned();
        self.post(&format!("/element/{element}/value"), keys).await;
    }

    /// Presses a key while another one is held.
    pub async fn press_with(&self, held: char, key: char) {
        let action = |kind: &str, key: char| json!({ "type": kind, "value": key.to_string() });
        let actions = [
            action("keyDown", held),
            action("keyDown", key),
            action("keyUp", key),
            action("keyUp", held),
        ];
        let source = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", json!({ "actions": [source] })).await;
    }

    /// Takes what a log of the browser has got since it was taken last.
    pub async fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.post("/se/log", json!({ "type": kind })).await;
        log.as_array().unwrap().clone()
    }

    /// Takes a picture of the window, as a PNG in base64.
    pub async fn picture(&self) -> String {
        let picture = self.devtools("Page.captureScreenshot", json!({ "format": "png" })).await;
        picture["data"].as_str().unwrap().to_owned()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(browser) = self.browser.take().filter(|_| !std::thread::panicking()) {
            IDLE.lock().unwrap().push(browser);
        }
    }
}
