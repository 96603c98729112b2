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
//! - `Api::fake()`, with the feature `fake`: the same calls against a fake of the service, for tests.
//! - [`Observation`]: events for metrics. Each call is also a `tracing` span, `podqueue.call`.

// The features that items need, as badges on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "client")]
mod authorization;
#[cfg(feature = "client")]
mod builder;
#[cfg(feature = "client")]
mod call;
#[cfg(feature = "client")]
mod download;
#[cfg(feature = "client")]
mod error;
#[cfg(feature = "client")]
mod events;
#[cfg(feature = "client")]
#[doc(hidden)]
pub mod fair_queue;
#[cfg(feature = "fake")]
mod fake;
#[cfg(feature = "client")]
pub mod graphql;
#[cfg(feature = "client")]
mod in_flight;
#[cfg(feature = "client")]
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod lenient;
#[cfg(feature = "client")]
mod limiter;
#[cfg(feature = "client")]
mod observe;
#[doc(hidden)]
pub mod open_enum;
#[cfg(feature = "client")]
mod part;
#[doc(hidden)]
pub mod redact;
#[cfg(feature = "client")]
mod response_headers;
#[cfg(feature = "client")]
#[doc(hidden)]
pub mod rest;
#[cfg(feature = "client")]
mod retry;
mod secret_string;
#[cfg(feature = "client")]
mod service;
#[cfg(feature = "client")]
mod sync;
#[cfg(test)]
mod test_random;
#[cfg(feature = "client")]
mod transport;
#[cfg(feature = "client")]
mod upload;
#[cfg(feature = "client")]
mod url;

#[cfg(feature = "client")]
pub use authorization::Authorization;
#[cfg(feature = "client")]
pub use builder::ServiceBuilder;
#[cfg(feature = "client")]
pub use call::{Call, Operation, Request};
#[cfg(feature = "client")]
pub use download::{Download, JsonLines};
#[cfg(feature = "client")]
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "client")]
pub use events::{ServerEvent, ServerEvents, TypedEvents};
#[cfg(feature = "fake")]
pub use fake::Fake;
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time", feature = "uuid"))]
pub use lenient::formats::Parsed;
#[cfg(feature = "shared-limits")]
pub use limiter::{ChangeRecords, LimitStore, SharedLimits, StoreError};
#[cfg(feature = "client")]
pub use limiter::{Limit, RateLimits};
#[cfg(feature = "client")]
pub use observe::Observation;
#[cfg(feature = "client")]
pub use part::Part;
#[cfg(feature = "client")]
pub use reqwest::Method;
#[cfg(feature = "client")]
pub use response_headers::{Headers, WithHeaders};
#[cfg(feature = "client")]
pub use rest::pages::{Items, Pages};
#[cfg(feature = "client")]
pub use retry::{Idempotency, RetryPolicy};
pub use secret_string::SecretString;
#[cfg(feature = "client")]
pub use service::Service;
#[cfg(feature = "client")]
pub use transport::Reply;
#[cfg(feature = "client")]
pub use upload::Upload;
#[cfg(feature = "client")]
pub use url::Path;

/// Support for generated code and for crates that depend on this crate. Not public API: it changes
/// without notice.
#[doc(hidden)]
pub mod __private {
    pub use serde;
    pub use serde_json;

    pub use crate::__discriminated_union as discriminated_union;
    pub use crate::__object as object;
    pub use crate::__open_enum as open_enum;
    pub use crate::__own as own;
    pub use crate::__untagged_union as untagged_union;
    pub use crate::__when_client as when_client;
    pub use crate::__when_fake as when_fake;
    #[cfg(feature = "fake")]
    pub use crate::fake::Fake;
    pub use crate::lenient;
    pub use crate::redact::{self, Untyped};

    #[cfg(feature = "client")]
    pub use self::client::*;

    #[cfg(feature = "client")]
    mod client {
        pub use graphql_client;

        pub use crate::authorization::Credential;
        pub use crate::builder::Settings;
        pub use crate::error::{Attempted, ShownId, service_message};
        pub use crate::observe::Observer;
        pub use crate::retry::retry_after;
        pub use crate::service::{BrokenRule, InterfaceDetails, Service};
        pub use crate::transport::{Transport, require_runtime};
        pub use crate::url::{base_url, check_url, is_loopback};
        pub use crate::{fair_queue, json, rest};

        /// The future of a generated call.
        pub type Sending<T> = rest::Sending<T, crate::Error>;
    }
}

/// Expands to its items: the feature `client` is on.
#[cfg(feature = "client")]
#[doc(hidden)]
#[macro_export]
macro_rules! __when_client {
    ($($item:tt)*) => { $($item)* };
}

/// Expands to nothing: the feature `client` is off.
#[cfg(not(feature = "client"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __when_client {
    ($($item:tt)*) => {};
}

/// Expands to nothing: the feature `fake` is off.
#[cfg(not(feature = "fake"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __when_fake {
    ($($item:item)*) => {};
}

/// Includes the operations that the build script generated from your crate's `.graphql` files.
///
/// The build script calls `podqueue_codegen::Build::new().schema(…).queries("queries").run()`, with
/// the schema of the service.
#[cfg(feature = "client")]
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
/// The macro belongs in a module, not in a function. Without the feature `client`, it brings in the
/// module `types` alone; with the feature `fake` of `podqueue-runtime`, `shop::Api::fake()` starts a
/// fake of the described service, for tests.
#[macro_export]
macro_rules! include_rest {
    ($($name:tt)?) => {
        ::std::include!(::std::env!(
            "PODQUEUE_REST",
            "this crate needs a build script, `build.rs`, whose `main` calls `podqueue_codegen::Build::new().rest(\"openapi\").run()`"
        ));
        $crate::__included_rest! { [$crate] $($name)? }
    };
}

/// Includes calls and types.
#[cfg(feature = "client")]
#[doc(hidden)]
#[macro_export]
macro_rules! __included_rest {
    ($($description:tt)*) => { podqueue_rest! { $($description)* } };
}

/// Includes types alone.
#[cfg(not(feature = "client"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __included_rest {
    ($($description:tt)*) => { podqueue_rest! { types $($description)* } };
}
