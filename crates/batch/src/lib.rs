//! Durable batches: hundreds of thousands of inputs for a serverless endpoint, with a journal of
//! inputs, submissions and results that survives crashes.
//!
//! ```
//! use podqueue::Client;
//! use podqueue_batch::{Batch, Inputs, Sqlite};
//! use podqueue_local::LocalService;
//! use serde_json::json;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! // A local emulator of the service. For the hosted one: `Client::from_env()`.
//! let local = LocalService::builder().api_key("local").start().await?;
//! let client = Client::builder().api_key("local").base_url(local.base_url()).build()?;
//!
//! let batch = Batch::open(Sqlite::file(folder.path().join("answers.journal")))
//!     .inputs(Inputs::iter((0..100).map(|n| json!({ "n": n }))))
//!     .results(folder.path().join("answers.jsonl"))
//!     .await?;
//! let report = batch.run(client.endpoint("echo")).await?;
//! assert!(report.is_complete());
//! # Ok(())
//! # }
//! ```
//!
//! - [`Batch`]: open, run, retry, cancel. [`Inputs`]: files, iterators, streams.
//! - [`Run`]: the settings of a run, its [`Progress`] and its [`Report`]. [`Stopper`] ends it
//!   early. [`Budget`]: the price of its executions, and the bound of their [`Cost`].
//! - [`State`]: the states of an input. [`OnUnknown`]: the policy for unknown outcomes.
//! - [`Reader`]: the status of a batch that another process runs.
//! - [`Sqlite`]: a journal in a file, for one process. `Postgres`, with the feature `postgres`: a
//!   journal in a database, for any number of machines.
//! - `Object`, with the features `s3`, `gcs`, `azure` or only `object-storage`: inputs from object
//!   storage, and results there.
//! - [`Submit`]: the step that submits.
//! - `serve`, with the feature of that name: the OpenAI-compatible Batch API in front of an
//!   endpoint.
//!
//! # How it works
//!
//! Each step is durable before the next step. That an input is about to be submitted
//! ([`State::Intent`]) is recorded before the request is sent; the job's id ([`State::Submitted`])
//! before the first poll; the output before [`State::Completed`]. So whenever a process crashes,
//! the next process knows which inputs are certain, and which are [`State::Unknown`]: at most 200,
//! the concurrency of `/run`, and usually a handful, because inputs are claimed just as the
//! client's rate limiter has room for them.
//!
//! All rate limits are those of the [client](podqueue::Client). Status reads go to the job whose
//! result may expire first. The number of outstanding jobs follows the rate at which they end
//! ([`Run::window`]).

#![cfg_attr(docsrs, feature(doc_cfg))]

mod batch;
mod budget;
mod clock;
mod error;
mod files;
mod formats;
mod handle_state;
mod input_state;
mod inputs;
mod journal;
mod progress;
#[cfg(feature = "object-storage")]
mod published_parts;
mod results;
mod run;
mod run_notes;
mod runner;
#[cfg(feature = "serve")]
pub mod serve;
mod status;
#[cfg(feature = "object-storage")]
mod storage;
#[cfg(feature = "unstable-store")]
#[doc(hidden)]
pub mod store;
#[cfg(not(feature = "unstable-store"))]
mod store;
mod submission;
mod sync;
mod webhook;

pub use batch::{Batch, Checked, Open, Retried};
pub use budget::{Budget, Cost, Estimate};
pub use error::{Error, ErrorKind, Result};
pub use formats::FileFormat;
pub use formats::columns::{Column, ColumnType, ColumnTypes};
pub use input_state::{Counts, State};
pub use inputs::{ChangedInputs, Inputs};
pub use progress::{MaxFailures, Progress, Report, Stopped};
#[cfg(feature = "object-storage")]
pub use published_parts::Publication;
pub use results::Exported;
pub use run::{Run, Stopper};
pub use run_notes::{Ending, LiveProgress};
pub use status::{Reader, RefusedInput, Status, UnknownInput};
#[cfg(feature = "object-storage")]
pub use storage::Object;
#[cfg(feature = "postgres")]
pub use store::Postgres;
pub use store::{JournalStore, RunRecord, Sqlite};
pub use submission::{JobId, OnUnknown, PostRun, Submission, Submit};

/// The code of the page that introduces the crate compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
