//! Runtime of typed HTTP API clients: retries, rate limits, redaction.
//!
//! ```no_run
//! # async fn example(key: String) -> podqueue_runtime::Result<()> {
//! use podqueue_runtime::{Authorization, Call, Idempotency, Method, Operation, Service};
//!
//! static LIST_PETS: Operation = Operation::new("list_pets", Method::GET, Idempotency::Idempotent);
//!
//! let service = Service::builder("https://shop.example/v1")
//!     .authorization(Authorization::bearer(key))
//!     .build()?;
//! let call = Call::new(&LIST_PETS, "/pets").query("limit", "50");
//! let pets: Vec<serde_json::Value> = service.send(call).await?.json()?;
//! # let _ = pets;
//! # Ok(())
//! # }
//! ```
//!
//! Calls are usually generated, by `podqueue-codegen` in a build script, from an OpenAPI
//! description ([`include_rest!`]) or from GraphQL operations ([`include_queries!`]).
//!
//! - [`Service`] and [`ServiceBuilder`]: URL, authorization, timeouts, retries, rate limits,
//!   proxies.
//! - [`Call`], [`Operation`] and [`Reply`]: a call as a value, and its response.
//! - [`Idempotency`] and [`RetryPolicy`]: what is retried, how often and how soon. A call that may
//!   have taken effect and has its effect twice is not retried; it fails with
//!   [`ErrorKind::OutcomeUnknown`].
//! - [`RateLimits`] and [`Limit`]: calls wait instead of getting a 429.
//! - [`Error`] and [`ErrorKind`]: what can go wrong, and what to do about it. The authorization and
//!   the secrets of a request never appear in errors, logs or `Debug` output.
//! - [`ServerEvents`]: responses that are streams of events. [`graphql`]: GraphQL services.
//! - [`Observation`]: events for metrics. Each call is also a `tracing` span, `podqueue.call`.

// The features that items need, as badges on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod authorization;
mod builder;
mod call;
mod error;
mod events;
#[doc(hidden)]
pub mod fair_queue;
pub mod graphql;
mod headers;
mod in_flight;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod lenient;
mod limiter;
mod observe;
#[doc(hidden)]
pub mod open_enum;
mod part;
#[doc(hidden)]
pub mod redact;
#[doc(hidden)]
pub mod rest;
mod retry;
mod secret_string;
mod service;
mod sync;
#[cfg(test)]
mod test_random;
mod transport;
mod url;

pub use authorization::Authorization;
pub use builder::ServiceBuilder;
pub use call::{Call, Operation, Request};
pub use error::{Error, ErrorKind, Result};
pub use events::{ServerEvent, ServerEvents, TypedEvents};
pub use headers::{Headers, WithHeaders};
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time", feature = "uuid"))]
pub use lenient::formats::Parsed;
#[cfg(feature = "shared-limits")]
pub use limiter::{ChangeRecords, LimitStore, SharedLimits, StoreError};
pub use limiter::{Limit, RateLimits};
pub use observe::Observation;
pub use part::Part;
pub use reqwest::Method;
pub use rest::pages::{Items, Pages};
pub use retry::{Idempotency, RetryPolicy};
pub use secret_string::SecretString;
pub use service::Service;
pub use transport::Reply;
pub use url::Path;

/// Support for generated code and for crates that depend on this crate. Not public API: it changes
/// without notice.
#[doc(hidden)]
pub mod __private {
    pub use graphql_client;
    pub use serde;
    pub use serde_json;

    pub use crate::__discriminated_union as discriminated_union;
    pub use crate::__object as object;
    pub use crate::__open_enum as open_enum;
    pub use crate::__own as own;
    pub use crate::__untagged_union as untagged_union;
    pub use crate::authorization::Credential;
    pub use crate::builder::Settings;
    pub use crate::error::{Attempted, ShownId, service_message};
    pub use crate::lenient;
    pub use crate::observe::Observer;
    pub use crate::redact::Untyped;
    pub use crate::retry::retry_after;
    pub use crate::service::Service;
    pub use crate::transport::{Transport, require_runtime};
    pub use crate::url::{base_url, check_url, is_loopback};
    pub use crate::{fair_queue, json, redact, rest};

    /// The future of a generated call.
    pub type Sending<T> = rest::Sending<T, crate::Error>;
}

/// Includes the operations that the build script generated from your crate's `.graphql` files.
///
/// The build script calls `podqueue_codegen::Build::new().schema(…).queries("queries").run()`, with
/// the schema of the service.
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
/// The build script calls `podqueue_codegen::Build::new().rest("openapi").run()`. If the crate has
/// several descriptions, name one by its file without the extension, in a separate module:
///
/// ```ignore
/// mod shop {
///     podqueue_runtime::include_rest!("shop");
/// }
///
/// let shop = shop::Api::new(&service);
/// ```
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
