//! A typed client for a service that runs work on hosted GPUs: a queue of jobs for serverless
//! endpoints, Pods and templates over REST, templates and secrets over GraphQL.
//!
//! ```
//! use podqueue::{Client, ErrorKind};
//! use podqueue_local::{LocalJob, LocalService};
//! use serde_json::{Value, json};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A local emulator of the service, for tests. For the hosted one: `Client::from_env()`.
//! let local = LocalService::builder()
//!     .api_key("local")
//!     .endpoint("shout", |job: LocalJob| async move {
//!         let text = job.input["text"].as_str().ok_or("input.text is required")?;
//!         Ok(json!({ "text": text.to_uppercase() }))
//!     })
//!     .start()
//!     .await?;
//! let client = Client::builder().api_key("local").base_url(local.base_url()).build()?;
//! let endpoint = client.endpoint("shout");
//!
//! // Submit a job, keep its id, wait for its result.
//! let job = endpoint.run(&json!({ "text": "hi" })).await?;
//! let output: Value = endpoint.job(job.id()).wait().await?.output()?;
//! assert_eq!(output["text"], "HI");
//!
//! // A job that fails is an error, with the handler's own message.
//! let error = endpoint.run_sync(&json!({})).await.unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::JobFailed);
//! assert!(error.to_string().contains("input.text is required"));
//! # Ok(())
//! # }
//! ```
//!
//! # Where to start
//!
//! - [`Client`] and [`ClientBuilder`]: keys, URLs, timeouts, retries, rate limits, proxies.
//! - [`Endpoint`]: submit jobs ([`run`](Endpoint::run), [`run_sync`](Endpoint::run_sync),
//!   [`run_all`](Endpoint::run_all)); [`Job`]: wait for one, stream from it, cancel it, retry it.
//! - The module `account`, behind the feature of the same name: endpoints, workers, logs, Pods,
//!   volumes, the catalog and the bill.
//! - [`Client::rest`] and [`rest`]: read Pods and templates. [`Templates`], [`Secrets`]
//!   and [`graphql`]: change templates and secrets, and run your own queries
//!   ([`include_queries!`]).
//! - [`Error`] and [`ErrorKind`]: what can go wrong, and what to do about it.
//! - Without async: the module `blocking`, behind the feature of the same name.
//!
//! # The interface
//!
//! Documentation of the sections of the service's interface:
//!
//! | section | here |
//! |---|---|
//! | Job submission body, policy object, s3Config object | [`Endpoint::run`], [`Endpoint::run_sync`], [`Policy`], [`S3Config`] |
//! | Job status record, States and transitions | [`JobRecord`], [`JobStatus`], [`Job`] |
//! | Stream chunk | [`JobStream`], [`StreamChunk`], [`Metrics`] |
//! | Purge result, Health report | [`Purged`], [`Health`] |
//! | Pod, Template (REST read shape), REST reads | [`rest`] |
//! | Template (GraphQL shape), Secret, GraphQL | [`graphql`], [`Templates`], [`Secrets`] |
//! | Authentication | [`ClientBuilder::api_key`], [`QueueAuth`] |
//! | Errors | [`Error`], [`ErrorKind`] |
//! | Events | the module `webhook`, behind the feature of the same name |
//! | Limits | [`Policy`], [`RunSync::wait`], [`ClientBuilder::payload_limits`], [`RateLimits`] |
//!
//! # What the client does for you
//!
//! - **Nothing is done twice**, unless you opt in ([`Run::at_least_once`]). A submission, a purge
//!   or a creation that may have taken effect is not retried; it fails with
//!   [`ErrorKind::OutcomeUnknown`]. Everything else is retried automatically, according to a single
//!   [`RetryPolicy`].
//! - **Nothing is lost.** A failed job is an error with the handler's message and the record; a
//!   synchronous wait that times out leaves you with a handle to the job; a partial GraphQL result
//!   comes with its error.
//! - **Nothing leaks.** The key, secrets, environment values and storage credentials never appear
//!   in `Debug` output, errors or logs. Redirects are not followed.
//! - **Invalid requests are refused before they are sent**, and the error names the field and the
//!   rule; responses are read leniently.

// The features that items need, as badges on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "account")]
pub mod account;
mod aliases;
#[cfg(feature = "blocking")]
pub mod blocking;
mod client;
mod error;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzz;
pub mod graphql;
mod observe;
mod queue;
mod rate_limits;
pub mod rest;
#[cfg(feature = "blocking")]
mod sync;
#[cfg(feature = "webhook")]
pub mod webhook;

pub use aliases::{
    Download, Items, JsonLines, Pages, Request, ServerEvent, ServerEvents, TypedEvents,
};
pub use client::{Client, ClientBuilder, QueueAuth};
pub use error::{Error, ErrorKind, Result};
pub use graphql::secrets::{Secret, Secrets};
pub use graphql::templates::{NewTemplate, Port, Protocol, Template, Templates};
pub use observe::Observation;
pub use podqueue_runtime::graphql::GraphqlBody;
pub use podqueue_runtime::{
    Authorization, Headers, Part, RetryPolicy, SecretString, Service, Upload, WithHeaders,
};
#[cfg(feature = "shared-limits")]
pub use podqueue_runtime::{ChangeRecords, LimitStore, SharedLimits, StoreError};
pub use queue::{
    Endpoint, Finished, Health, Job, JobCounts, JobFailure, JobRecord, JobStatus, JobStream,
    Metrics, Notifier, Policy, Polling, Purged, RemoteCancel, Run, RunAll, RunSync, S3Config,
    StatusRequest, StreamChunk, UndocumentedStatus, Wait, WorkerCounts,
};
pub use rate_limits::RateLimits;

#[cfg(feature = "webhook")]
pub use webhook::receiver::Webhooks;

/// Support for generated code. Not public API: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use podqueue_runtime::__private::*;

    /// The future of a generated call.
    pub type Sending<T> = rest::Sending<T, crate::Error>;

    #[cfg(fuzzing)]
    pub use crate::fuzz;
}

/// Includes the operations that the build script generated from your crate's `.graphql` files.
///
/// The build script calls `podqueue_codegen::queries("queries")`, which uses the schema that
/// podqueue ships with; see the README. With a schema of your own, it calls
/// `podqueue_codegen::Build::new().queries("queries").schema("schema.graphql").run()`.
#[macro_export]
macro_rules! include_queries {
    () => {
        #[allow(unused_imports)]
        use $crate as __runtime;

        include!(concat!(
            env!(
                "OUT_DIR",
                "this crate needs a build script, `build.rs`, whose `main` calls `podqueue_codegen::queries(\"queries\")`"
            ),
            "/podqueue_queries.rs"
        ));
    };
}

/// Brings in the calls that the build script generated from an OpenAPI description of your crate:
/// `Api` with a method for each operation, the builders that these return, and the module `types`.
///
/// The build script calls `podqueue_codegen::Build::new().rest("openapi").run()`; see the README.
/// If the crate has several descriptions, name one by its file without the extension, in a separate
/// module: `mod pets { podqueue::include_rest!("pets"); }`.
///
/// The macro belongs in a module, not in a function.
#[macro_export]
macro_rules! include_rest {
    ($($name:tt)?) => {
        ::std::include!(::std::env!(
            "PODQUEUE_REST",
            "this crate needs a build script, `build.rs`, whose `main` calls `podqueue_codegen::Build::new().rest(\"openapi\").run()`"
        ));
        podqueue_rest! { [$crate] $($name)? }
    };
}
