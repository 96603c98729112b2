//! A local emulator of the hosted service: the job queue, the account interface, and the REST reads
//! and GraphQL calls that it replaces, over real HTTP on a local port. Test your code against it
//! instead of the cloud, with time and failures under control.
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
//! println!("{} {}", local.base_url(), local.account_url());
//!
//! // Half an hour later, every result of `/run` has expired.
//! local.clock().advance(Duration::from_secs(30 * 60));
//! # Ok(()) }
//! ```
//!
//! # Built-in endpoints
//!
//! | endpoint | behavior |
//! |---|---|
//! | `echo` | returns its input |
//! | `count` | streams `{"n": 0}`, `{"n": 1}` … up to and including `input.n` (at most 10,000), and returns them as a list; with `input.ms` it sleeps for that many milliseconds before each |
//! | `sleep` | sleeps for `input.ms` milliseconds on the service's clock and returns `{"slept": ms}` |
//! | `fail` | fails with `input.message` |
//!
//! # Workers that attach
//!
//! A worker program of the hosted service fetches its jobs over HTTP. It runs unchanged against
//! this service: started by it ([`Builder::worker_endpoint`]), or elsewhere
//! ([`Builder::endpoint_for_workers`]) with the variables that [`LocalService::worker_environment`]
//! returns. [`Builder::worker_env_prefix`] sets the prefix of their names.
//!
//! | below `/v2/{endpoint_id}` | effect |
//! |---|---|
//! | `GET /job-take/{worker}` | waits up to 5 seconds for a job: 200 with `id`, `input` and the other fields of its submission, or 204 |
//! | `GET /job-take-batch/{worker}?batch_size=n` | the same for up to `n` jobs, as a list |
//! | `GET /job-stop/{worker}` | waits up to 5 seconds for jobs that the worker is to stop: 200 with `jobsToStop`, or 204 |
//! | `POST /job-stream/{worker}/{job}` | adds a chunk: `output`, and optionally `metrics` |
//! | `POST /job-done/{worker}/{job}` | ends a job with `output`, `error`, both or neither; with the `status` `IN_PROGRESS` it reports progress; with `stopPod` the worker requests replacement |
//! | `GET /ping/{worker}` | reports that the worker is alive, or with `status=unhealthy` that it is not well |
//!
//! The waits are in real time, and also end when the clock is advanced. The bare key in the
//! variables opens these routes only. Names end at the first `&`, for workers that append
//! parameters to a URL without a query. Requests of workers are not logged; faults reach them.
//!
//! - **Lost workers**: a worker that misses three pings in a row ([`Workers::ping_interval`]), or
//!   whose process ends, is lost. Its jobs return to their place in the queue once, which counts as
//!   `retried`, and fail the second time. However far the clock is advanced at once, that is one
//!   missed ping, since workers ping in real time. A worker that is restarted under its old id is
//!   the same worker: jobs that it no longer runs time out.
//! - **Stops**: a worker is told once to stop a job that was cancelled, timed out or was deleted,
//!   or that it lost, and again when a ping names the job as running.
//! - **Results** above 20 MiB, or 10 MiB for a job of `/run`, are refused with 400
//!   ([`Builder::max_payloads`]), as is a body that is not JSON, such as NaN. If the job then times
//!   out, its `error` says why. Reports on jobs that have ended, or that another worker has, are
//!   ignored, except for `stopPod`.
//! - **Unhealthy workers** get no more jobs. The health report counts them as running while they
//!   have jobs, and never as idle; the control plane shows the check and the reason. A program
//!   without jobs that says so three times in a row and does not end is replaced.
//! - **Starts**: a program is starting until it first takes a job, and at least for the
//!   [cold start](Workers::cold_start). If programs end again and again before one of them finishes
//!   a job, the next programs start ever less often, up to a minute apart.
//! - **Replacement**: a worker that asks for it with `stopPod` gets no more jobs. Once its last job
//!   is over, its program is killed and a new program starts; a worker that was started elsewhere
//!   may attach again.
//!
//! # The account interface
//!
//! Below [`LocalService::account_url`] the service speaks all 53 operations of the second version of
//! its REST interface. Endpoints that are created there exist at once for the queue; what they run
//! is decided by the name of their image. The page `docs/account.md` of the repository says what
//! each object does. [`Builder::retired`] lets the interfaces that it replaces respond with 410.
//!
//! # Simulating failures
//!
//! - [`Builder::manual_clock`] stops time, and [`Clock::advance`] moves it.
//! - [`Builder::rate_limits`] enforces the documented rate limits with 429.
//! - [`Builder::workers_of`] gives an endpoint cold starts.
//! - [`LocalService::add_fault`] injects a [`Fault`]: a delay, an arbitrary response, a connection
//!   reset, refused connections, or a response that is lost, cut, stalled, malformed, duplicated or
//!   another job's.
//!
//! [`LocalService::requests`], [`LocalService::webhook_deliveries`] and
//! [`LocalService::worker_logs`] return the logs of the service.
//!
//! # The control plane
//!
//! [`Builder::control_plane`] offers the same over HTTP; in the `podqueue-local` program it is
//! always on. Requests carry an API key in the `authorization` header. A
//! [restricted key](Builder::restricted_api_key) without [`Operation::Control`] gets 401, and a
//! JSON body without `content-type: application/json` gets 415.
//!
//! | request | effect |
//! |---|---|
//! | `GET /_local/events` | returns a stream of server-sent events that notify of changes |
//! | `GET /_local/endpoints` | returns the endpoints with their counts |
//! | `GET /_local/endpoints/{name}/jobs` | returns a window of the jobs, by `status` and `search` |
//! | `GET /_local/endpoints/{name}/jobs/{id}` | returns all that is known of a job |
//! | `POST /_local/endpoints/{name}/jobs/cancel`, `…/jobs/retry` | cancels or retries jobs by their `ids`, or all that `status` and `search` find |
//! | `GET /_local/endpoints/{name}/activity` | with a page, returns the counts of the last five minutes |
//! | `GET /_local/limits` | returns how far the rate limits are used |
//! | `GET /_local/requests` | returns the request log; with a query, a window of it |
//! | `GET /_local/requests/{number}` | returns a request of the window, with its bodies where they are kept |
//! | `GET /_local/webhooks` | returns the log of webhook attempts, whose URLs are without credentials; with a query, a window of it |
//! | `POST /_local/webhooks/{job_id}/redeliver` | calls a finished job's webhook again |
//! | `GET /_local/endpoints/{name}/workers` | returns the workers that are attached or starting |
//! | `GET /_local/endpoints/{name}/worker-env` | returns the environment of a worker as a file; with `base_url`, for another URL of this service |
//! | `GET /_local/endpoints/{name}/worker-logs` | returns the worker log, of one worker with `worker`, about one job with `job`; with `offset`, `limit` or `search`, a window of it |
//! | `GET /_local/clock` | returns `{"nowMs": …, "manual": …}` |
//! | `POST /_local/clock/advance` | advances the clock: `{"ms": 60000}`, or `{"toNextEvent": true}` |
//! | `POST /_local/faults` | adds a fault: `operation`, `endpoint`, `times` or `probability` and `seed`, `delayMs`, `processed`, and at most one of `response` (`status`, `headers`, `body`), `reset` (`afterBytes`), `down` (`ms`), `truncate` (bytes), `drip` (`bytes`, `pauseMs`), `cut` (bytes), `stall` (`true`), `rewrite` (`foreign`, `nan`, `byte-order-mark`), `again` (`at-once`, `before-the-next`) |
//! | `GET /_local/faults` | returns the faults with their ids |
//! | `DELETE /_local/faults`, `DELETE /_local/faults/{id}` | removes all faults, or a single fault |
//! | `GET /_local/scenarios` | returns the scenarios: named lists of faults, with `active` |
//! | `PUT /_local/scenarios/{name}` | defines and starts a scenario: `faults`, `description` |
//! | `POST /_local/scenarios/{name}/start`, `DELETE /_local/scenarios/{name}` | starts or ends a scenario |
//! | `POST /_local/pods`, `POST /_local/templates` | adds or replaces a Pod or template, in the shape that REST returns |
//! | `DELETE /_local/pods/{id}` | removes a Pod |
//! | `GET /_local/openapi/queue.yaml`, `workers.yaml`, `rest.yaml` or `account.yaml` | returns the OpenAPI description that the service follows; no key required |
//! | `PUT /_local/openapi/rest.yaml` | publishes another text in its place; the service itself does not change |
//!
//! The names of operations are `run`, `runsync`, `status`, `stream`, `cancel`, `retry`,
//! `purge-queue`, `health`, `openai`, `requests`, `job-take`, `job-take-batch`, `job-stop`,
//! `job-stream`, `job-done`, `ping`, `get-pod`, `get-template`, `graphql` and `account`.
//!
//! A window begins with the newest item, after `offset` items, and has at most `limit` items: 100
//! by default, and 500 at most. The README has the details.
//!
//! # The page
//!
//! [`Builder::page`] serves a page for a browser at `/`, which shows all this, and changes it. It
//! is opened with the link that [`LocalService::page_url`] returns and the program prints. The
//! fragment of the link is a token, which the page sends in the header `authorization` to the
//! control plane and the queue; it sets no cookie, which other ports of this machine would get.
//! Where there is a page, endpoints keep the last 1,000 expired jobs, without their values, and up
//! to 16 MiB of chunks.
//!
//! # Hostile pages and peers
//!
//! Any web page in a browser can send requests to this machine. The service therefore refuses
//! requests
//!
//! - whose `Host` is not a name of this machine: 421, see [`Builder::allow_host`];
//! - that a page of another origin sent, by `Origin` or `Sec-Fetch-Site`: 403, except that a link
//!   of any page may lead a tab here;
//! - for GraphQL or the control plane without `content-type: application/json`: 415.
//!
//! The service sends no CORS headers.
//!
//! All limits on peers are in real time. A request body must be complete within 5 minutes, without
//! a pause longer than 30 seconds; the rest of a refused body is read for 5 seconds. A connection
//! is closed after 100 idle seconds, 15 seconds after the first byte of a request head that is not
//! complete, and after 60 seconds if the client does not read its response. A request head is
//! limited to 64 KiB, connections to 4,096 ([`Builder::max_connections`]), those among them that
//! have sent something but no key, and wait for their clients, to 256, and logs and GraphQL
//! documents are bounded.
//!
//! # Interpretations
//!
//! The service behaves as follows in cases that the interface does not define.
//!
//! - **Records**: `delayTime` and `executionTime` are in milliseconds and appear in every record of
//!   `/status` and `/runsync`; they grow while a job waits or runs. A failed job has the handler's
//!   message as `error`.
//! - **`/runsync`** returns the current record when its `wait` is over, and the job continues.
//! - **Retention** of a result is 30 minutes for `/run`; for `/runsync` it is the `wait`, but at
//!   least 1 and at most 5 minutes. The ttl removes a job in any state.
//! - **TIMED_OUT** is the state of a job that ran for its executionTimeout.
//! - **`/cancel`** of a cancelled job succeeds again; of a job that ended otherwise, it
//!   returns 400. The handler is notified ([`LocalJob::cancelled`]) and dropped a second later; its
//!   worker is free immediately.
//! - **`/retry`** of a job that is neither FAILED nor TIMED_OUT returns 400. The ttl still counts
//!   from the submission.
//! - **Health**: `completed` and `failed` (timed-out jobs included) still count a job after its
//!   record has expired; a retried job counts as `retried` and no longer as failed. Completed,
//!   failed, in progress, in queue, cancelled, purged, and removed by their ttl before they ended
//!   add up to all jobs submitted. A job that is starting on a new worker is in the queue until
//!   that worker is ready.
//! - **Workers**: a job starts a worker when none is idle, unless the job has low priority.
//! - **Chunks** are removed by reading them, and by a retry. A chunk whose JSON exceeds 1,000,000
//!   bytes is split: a string into strings, an array into arrays, an object into objects, in order;
//!   an item or member that is itself too long is split by the same rule. Concatenating the parts
//!   gives the whole.
//! - **`/openai/*`**, by POST and GET, runs a job with the input
//!   `{"openai_route": "/v1/…", "openai_input": <the body>}` and returns its only chunk if it has
//!   exactly one, or else its output, or 500 with its error, in the shape of OpenAI's errors. With
//!   `"stream": true` the chunks are piped as server-sent events as they come: a string verbatim,
//!   anything else as `data: …`. A caller that leaves before `data: [DONE]` cancels the job, and so
//!   does a chunk or a result that is refused because it is too large or not JSON: the call ends
//!   with an error. Without a response after 5 minutes, a call that is not streamed gets 500. A
//!   query is not passed on, because workers compare the route with those that they know.
//! - **Existing clients** POST to `/status` and `/stream`, which are answered like their GET, and
//!   call `/status-sync/{job_id}`, which waits for the job as `/runsync` does, for its `wait`:
//!   unless the service is [strict](Builder::strict).
//! - **`/requests`** returns the list of the endpoint's records.
//! - **Webhooks** are POST requests with the record, `input` and `webhook`, for every terminal
//!   state. TLS is not supported: a call to an `https` receiver fails.
//! - **Payloads** above 10 MiB (`/run`) or 20 MiB (`/runsync`) and a `webhook` above 8 KiB are
//!   refused with 400.
//! - **Errors** have JSON bodies, `{"error": "…"}`; GraphQL returns
//!   `{"errors": [{"message": "…"}]}`, with HTTP 200 if the document was executed, and 400 if not.
//! - **Templates**: `saveTemplate` with an `id` leaves omitted fields unchanged.

mod account;
mod bounded_log;
mod builder;
mod changes;
mod clock;
mod error;
mod faults;
mod graphql;
mod http;
mod operation;
#[cfg(feature = "program")]
#[doc(hidden)]
pub mod program;
mod queue;
mod rate_limits;
mod resources;
mod retired;
mod router;
mod scenarios;
mod service;
mod tasks;
mod webhook;
mod worker;

pub use builder::Builder;
pub use clock::Clock;
pub use error::Error;
pub use faults::Fault;
pub use http::RequestRecord;
pub use operation::Operation;
pub use queue::{StreamShape, Workers};
pub use rate_limits::{RateLimit, RateLimits, RateWindow};
pub use resources::{
    BOUND_TEMPLATE, CPU_POD, GPU_POD, OWN_TEMPLATE, PUBLIC_TEMPLATE, STARTING_POD, VENDOR_TEMPLATE,
    WORKER_POD,
};
pub use retired::RetiredInterface;
pub use service::LocalService;
pub use webhook::WebhookDelivery;
pub use worker::{
    FailedWithOutput, HandlerError, JobContext, JobPolicy, LocalJob, LogSource, S3Config,
    WorkerLogLine,
};

/// The code of the page that introduces the crate compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
