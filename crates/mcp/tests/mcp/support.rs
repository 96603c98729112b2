//! Fixture: a local service as the hosted one, and a server with a client.

use podqueue::Client;
use podqueue_local::LocalService;
use podqueue_mcp::{Action, Builder, Server};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The key of the service, which no result may contain.
pub const KEY: &str = "canary-0b7e5f9c41";

/// Limit of a whole result.
pub const MAX_BYTES: usize = 8_000;

pub struct Fixture {
    pub local: LocalService,
    pub state: TempDir,
    /// The folder of the files of batches.
    pub files: TempDir,
}

impl Fixture {
    pub async fn start() -> Self {
        Self::with(LocalService::builder()).await
    }

    pub async fn with(builder: podqueue_local::Builder) -> Self {
        let local = builder.api_key(KEY).start().await.unwrap();
        let folder = || tempfile::tempdir().unwrap();
        Self { local, state: folder(), files: folder() }
    }

    /// A server that may run and cancel jobs.
    pub fn builder(&self) -> Builder {
        self.read_only().allow([Action::Run, Action::Cancel])
    }

    /// A server that may run batches as well.
    pub fn with_batches(&self) -> Builder {
        self.builder().allow([Action::Batch]).files([self.files.path()])
    }

    /// Writes a file of inputs.
    pub fn write(&self, name: &str, inputs: impl IntoIterator<Item = Value>) {
        let lines: String = inputs.into_iter().map(|input| format!("{input}\n")).collect();
        std::fs::write(self.files.path().join(name), lines).unwrap();
    }

    /// The lines of a file of results, by their index.
    pub fn results(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.files.path().join(name)).unwrap();
        let mut lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.sort_by_key(|line| line["index"].as_u64());
        lines
    }

    pub fn read_only(&self) -> Builder {
        Server::builder(self.state.path()).client(self.client())
    }

    /// A client of the service.
    pub fn client(&self) -> Client {
        let builder = Client::builder().api_key(KEY).base_url(self.local.base_url());
        builder.account_url(self.local.account_url()).build().unwrap()
    }

    pub async fn serve(&self) -> Assistant {
        Assistant::of(self.builder()).await
    }

    /// The number of submissions that the service accepted.
    pub fn accepted(&self) -> usize {
        let is_run = |path: &str| path.ends_with("/run");
        let requests = self.local.requests();
        requests.iter().filter(|it| is_run(&it.path) && it.status.is_none_or(|it| it < 300)).count()
    }
}

/// A client of a server, over HTTP.
pub struct Assistant {
    pub client: RunningService<RoleClient, ()>,
    pub url: String,
    pub token: String,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Result<(), podqueue_mcp::Error>>,
}

impl Assistant {
    pub async fn of(builder: Builder) -> Self {
        let address = "127.0.0.1:0".parse().unwrap();
        let server = builder.build().unwrap().listen(address, None).await.unwrap();
        let (url, token) = (server.url(), server.token().to_owned());
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(server.serve(async {
            let _ = stopped.await;
        }));
        let client = connect(&url, &token).await;
        Self { client, url, token, stop, served }
    }

    /// Calls a tool. Its result is within the limit, without the key, and the same as text; that of
    /// an error is text alone.
    pub async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        call(&self.client, tool, arguments).await
    }

    /// The structured content of a call that succeeds.
    pub async fn ok(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.unwrap()
    }

    /// The message of a call that fails.
    pub async fn error(&self, tool: &'static str, arguments: Value) -> String {
        self.failure(tool, arguments).await["message"].as_str().unwrap().to_owned()
    }

    /// The content of a call that fails.
    pub async fn failure(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        as_text(&result)
    }

    /// Calls `batch_status` until no process runs the batch.
    pub async fn ended(&self, batch: &Value) -> Value {
        loop {
            let status = json!({ "batch": batch, "wait_s": 25 });
            let reply = self.ok("batch_status", status).await;
            if reply["running"] == false {
                return reply;
            }
        }
    }

    /// The names of the tools.
    pub async fn tools(&self) -> Vec<String> {
        let tools = self.client.list_all_tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    pub async fn stop(self) {
        let _ = self.client.cancel().await;
        let _ = self.stop.send(());
        self.served.await.unwrap().unwrap();
    }
}

pub async fn connect(url: &str, token: &str) -> RunningService<RoleClient, ()> {
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(token);
    ().serve(StreamableHttpClientTransport::from_config(config)).await.unwrap()
}

pub async fn call(
    client: &RunningService<RoleClient, ()>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    let result = client.call_tool(request).await.unwrap();
    let text = serde_json::to_string(&result).unwrap();
    assert!(text.len() <= MAX_BYTES, "{} bytes: {text}", text.len());
    assert!(!text.contains(KEY), "{text}");
    let is_error = result.is_error == Some(true);
    let expected = (!is_error).then(|| as_text(&result));
    assert_eq!(expected, result.structured_content);
    result
}

fn as_text(result: &CallToolResult) -> Value {
    serde_json::from_str(&result.content[0].as_text().unwrap().text).unwrap()
}
