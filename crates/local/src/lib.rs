//! An embedded service that behaves as the hosted one does: the job queue, the REST reads of
//! Pods and templates, and the GraphQL calls for templates and secrets, over real HTTP on a port
//! of this machine. Code is tested against it instead of the cloud, with time under control.
//!
//! ```
//! use std::time::Duration;
//! use podqueue_local::{LocalJob, LocalService};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let local = LocalService::builder()
//!     .api_key("local")
//!     .endpoint("greet", |job: LocalJob| async move {
//!         let name = job.input["name"].as_str().ok_or("input.name is required")?;
//!         Ok(json!({ "greeting": format!("Hello, {name}!") }))
//!     })
//!     .manual_clock()
//!     .start()
//!     .await?;
//!
//! // Point a client at these, with the key from above.
//! println!("{} {} {}", local.base_url(), local.rest_url(), local.graphql_url());
//!
//! // Half an hour later, every result of `/run` is gone.
//! local.clock().advance(Duration::from_secs(30 * 60));
//! # Ok(()) }
//! ```
//!
//! # Endpoints that are always there
//!
//! | endpoint | what it does |
//! |---|---|
//! | `echo` | returns its input |
//! | `count` | streams `{"n": 0}`, `{"n": 1}` … up to and including `input.n`, at most 10,000, and returns the list of them; with `input.ms` it sleeps for that long before each |
//! | `sleep` | sleeps for `input.ms` milliseconds on the service's clock and returns `{"slept": ms}` |
//! | `fail` | fails with `input.message` |
//!
//! # Making it inconvenient
//!
//! Time is turned by [`Clock::advance`] on a [`Builder::manual_clock`], limits answer 429 with
//! [`Builder::rate_limits`], workers start cold with [`Builder::workers_of`], and
//! [`LocalService::add_fault`] takes faults: delays, any response, resets, refused connections, and
//! responses that are lost, cut, stalled, flawed, repeated or another job's.
//! What happened is in [`LocalService::requests`] and [`LocalService::webhook_deliveries`].
//!
//! # The control plane
//!
//! With [`Builder::control_plane`], and always in the program, the same is offered over HTTP, to
//! whoever has a key of the service in the header `authorization`. A
//! [restricted key](Builder::restricted_api_key) without [`Operation::Control`] gets 401, and a JSON
//! body that is not declared as `application/json` gets 415.
//!
//! | request | what it does |
//! |---|---|
//! | `GET /_local/requests` | the log of requests |
//! | `GET /_local/webhooks` | the log of webhook tries |
//! | `POST /_local/webhooks/{job_id}/redeliver` | calls a job's webhook again |
//! | `GET /_local/clock` | `{"nowMs": …, "manual": …}` |
//! | `POST /_local/clock/advance` | body `{"ms": 60000}` |
//! | `POST /_local/faults` | adds a fault: `operation`, `endpoint`, `times` or `probability` and `seed`, `delayMs`, `processed`, and one of `answer` (`status`, `headers`, `body`), `reset` (`afterBytes`), `down` (`ms`), `truncate` (bytes), `drip` (`bytes`, `pauseMs`), `cut` (bytes), `stall` (`true`), `rewrite` (`foreign`, `nan`, `byte-order-mark`), `again` (`at-once`, `before-the-next`) |
//! | `DELETE /_local/faults` | ends all faults |
//! | `POST /_local/pods`, `POST /_local/templates` | adds or replaces one, in the REST shape |
//! | `DELETE /_local/pods/{id}` | takes a Pod away |
//! | `GET /_local/openapi/queue.yaml`, `GET /_local/openapi/rest.yaml` | the OpenAPI descriptions that the service follows; without a key, as descriptions are published |
//! | `PUT /_local/openapi/rest.yaml` | publishes another text in its place |
//!
//! The operations are named `run`, `runsync`, `status`, `stream`, `cancel`, `retry`,
//! `purge-queue`, `health`, `openai`, `requests`, `get-pod`, `get-template` and `graphql`.
//!
//! # Hostile pages and peers
//!
//! Any web page in a browser can send requests to this machine. So requests are refused whose `Host`
//! is no name of this machine (421, see [`Builder::allow_host`]), that come from a page of another
//! origin by their `Origin` or `Sec-Fetch-Site` (403), or that bring GraphQL a body not declared as
//! `application/json` (415); there are no CORS headers. A body has to be whole within 5
//! minutes, with no pause above 30 seconds; a connection is closed after 100 seconds without a whole
//! head of a request, idle or not, and after 60 where it does not read its response, all in real time.
//! Heads are at most 64 KiB, connections 4,096 ([`Builder::max_connections`]), and logs and GraphQL
//! documents are bounded.
//!
//! # Readings
//!
//! Where the interface leaves room, the service decides as follows.
//!
//! - **Records**: `delayTime` and `executionTime` are milliseconds, and stand in every record of
//!   `/status` and `/runsync`; while a job waits or runs, they grow. A job that failed has the
//!   handler's message as `error`.
//! - **`/runsync`** whose `wait` runs out answers the record as it stands, and the job goes on.
//! - **Retention** of a result is 30 minutes for `/run`; for `/runsync` it is the `wait`, but at
//!   least 1 and at most 5 minutes. The ttl ends a job whatever its state.
//! - **TIMED_OUT** is a job that ran for its executionTimeout.
//! - **`/cancel`** of a cancelled job answers as the first time; of one that ended otherwise, 400.
//!   The handler is told ([`LocalJob::cancelled`]) and dropped a second later; its worker is free
//!   at once.
//! - **`/retry`** of a job that is neither FAILED nor TIMED_OUT is 400. The ttl still counts from
//!   the submission.
//! - **Health**: `completed` and `failed` count the jobs that ended so, timed out ones as failed,
//!   also after their records are gone; a retried job counts as `retried` and no longer as
//!   failed. So completed, failed, in progress, in queue, cancelled, purged, and removed by their
//!   ttl before they ended add up to all jobs submitted. A job that is starting on a new worker
//!   is in the queue until that worker is ready.
//! - **Workers**: a job starts one when none is idle, unless the job is of low priority.
//! - **Chunks** are drained by reading, and cleared by a retry. A chunk whose JSON exceeds
//!   1,000,000 bytes is split: a string into strings, an array into arrays, an object into
//!   objects with the members dealt out in order, an item or member that is itself too long by
//!   the same rule. Concatenating the parts gives the whole.
//! - **`/openai/*`** runs a synchronous job with the input
//!   `{"openai_route": "/v1/…", "openai_input": <the body>}`, and answers the job's output, or
//!   500 with its error. **`/requests`** answers the list of the endpoint's records.
//! - **Webhooks** are POST requests with the record, `input` and `webhook`, for every terminal
//!   state. TLS is not spoken: an `https` receiver counts as one that does not answer.
//! - **Payloads** are refused above 10 MiB (`/run`) and 20 MiB (`/runsync`), and a `webhook` above
//!   8 KiB, all with 400.
//! - **Errors** have JSON bodies, `{"error": "…"}`; on GraphQL `{"errors": [{"message": "…"}]}`,
//!   with HTTP 200 for what was executed and 400 for what could not be.
//! - **Templates**: what `saveTemplate` with an `id` leaves out stays as it is.

mod builder;
mod catalog;
mod clock;
mod descriptions;
mod error;
mod faults;
mod graphql;
mod http;
mod limits;
mod operation;
mod queue;
mod refusal;
mod service;
mod site;
mod sync;
mod webhook;
mod worker;

pub use builder::Builder;
pub use catalog::{
    BOUND_TEMPLATE, CPU_POD, GPU_POD, OWN_TEMPLATE, PUBLIC_TEMPLATE, STARTING_POD, VENDOR_TEMPLATE,
    WORKER_POD,
};
pub use clock::Clock;
pub use error::Error;
pub use faults::Fault;
pub use http::RequestRecord;
pub use limits::{RateLimit, RateLimits, RateWindow};
pub use operation::Operation;
pub use queue::{StreamShape, Workers};
pub use service::LocalService;
pub use webhook::WebhookDelivery;
pub use worker::{HandlerError, JobContext, JobPolicy, LocalJob, S3Config};

/// The code of the page that introduces the crate compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
