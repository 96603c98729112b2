//! A typed client for hosted GPU work.
#![doc = include_str!("../README.md")]

extern crate self as podqueue;

mod client;
mod error;
pub mod graphql;
mod json;
#[doc(hidden)]
pub mod lenient;
mod queue;
pub mod rest;
mod secret_string;
mod transport;

pub use client::{Client, ClientBuilder, GraphqlBody, QueueAuth};
pub use error::{Error, ErrorKind, Result};
pub use graphql::{NewTemplate, Port, Protocol, Secret, Secrets, Template, Templates};
pub use queue::{
    Endpoint, Health, Job, JobCounts, JobFailure, JobRecord, JobStatus, JobStream, Metrics, Policy,
    Polling, Purged, RemoteCancel, Run, RunSync, S3Config, StatusRequest, StreamChunk, Wait,
    WorkerCounts,
};
pub use rest::Rest;
pub use secret_string::SecretString;
pub use transport::{RateLimits, RetryPolicy};

/// What generated code is made of. Not for other use: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use graphql_client;
    pub use serde;
    pub use serde_json;

    pub use crate::lenient;
}

/// Brings in the operations that the build script generated from your crate's `.graphql` files.
///
/// The build script calls `podqueue_codegen::queries("queries")`; see the README.
#[macro_export]
macro_rules! include_queries {
    () => {
        include!(concat!(env!("OUT_DIR"), "/podqueue_queries.rs"));
    };
}
