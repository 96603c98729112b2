//! Account interface: endpoints, Pods, volumes, the catalog and the bill, by calls and types
//! generated from `openapi/account.yaml`.
//!
//! The interface is the second version of the service's REST interface, at a URL of its own
//! ([`ClientBuilder::account_url`](crate::ClientBuilder::account_url)), and replaces
//! [`rest`](crate::rest) and [`graphql`](crate::graphql), which the service is retiring.
//!
//! Each operation in the description becomes a method of [`Account`] that returns a builder to be
//! awaited. Responses are read leniently; a request that breaks a rule of the interface, such as one
//! with both `gpu` and `cpu`, or a value out of its bounds, is refused before it is sent, with
//! [`Error::field`](crate::Error::field). An error's text has the title, the
//! detail and each fault of the service's problem, and [`Error::decode`](crate::Error::decode) reads
//! it as [`types::ErrorResponse`].
//!
//! ```no_run
//! # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
//! use podqueue::account::types::{CreateEndpointGpuConfig, CreateEndpointRequest};
//! use podqueue::account::types::{EndpointType, QueueDelayScaling};
//!
//! let account = client.account();
//! // A worker is added when a job has waited for four seconds.
//! let scaling = QueueDelayScaling::new(4.0).into();
//! let mut body = CreateEndpointRequest::new("my-endpoint", scaling, EndpointType::Queue);
//! body.image = Some("registry.example/worker:1".to_owned());
//! body.gpu = Some(CreateEndpointGpuConfig::new(["ADA_24"]));
//! let endpoint = account.create_endpoint(body).await?;
//! let id = endpoint.id.unwrap_or_default();
//!
//! for worker in account.list_endpoint_workers(&id).await?.workers {
//!     println!("{:?} is {:?}", worker.id, worker.status);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The service announces how many requests it admits a minute, an hour and a day: calls wait for
//! that instead of getting a 429, unless [`RateLimits`](crate::RateLimits) are off. Such a wait may
//! be long; [`call_timeout`](crate::ClientBuilder::call_timeout) bounds it.
//!
//! Written by hand, because they are more than one call: [`AccountEndpoint::logs`] and
//! [`AccountPod::logs`], which resume after a lost connection, and [`AccountEndpoint::scale`], whose
//! guard restores the former numbers of workers.

mod logs;
mod rules;
mod scale;

/// Generated from `openapi/account.yaml`, like the calls of other crates.
mod generated {
    use crate as __runtime;

    include!(concat!(env!("OUT_DIR"), "/podqueue_account.rs"));
}

use std::sync::Arc;

use podqueue_runtime::__private::InterfaceDetails;

pub use self::generated::*;
pub use self::logs::{LogLine, Logs};
pub use self::scale::{Scaled, WorkerLimits};

/// The interface's name in errors, its rules, and that it announces its rate limits.
pub(crate) const DETAILS: InterfaceDetails = InterfaceDetails {
    name: "account",
    check: rules::check,
    successor: |_| None,
    announces_limits: true,
};

impl Account {
    /// Returns a handle to the endpoint with this id. Sends nothing.
    #[must_use]
    pub fn endpoint(&self, id: impl AsRef<str>) -> AccountEndpoint {
        AccountEndpoint { account: self.clone(), id: id.as_ref().into() }
    }

    /// Returns a handle to the Pod with this id. Sends nothing.
    #[must_use]
    pub fn pod(&self, id: impl AsRef<str>) -> AccountPod {
        AccountPod { account: self.clone(), id: id.as_ref().into() }
    }
}

/// An endpoint of the account; returned by [`Account::endpoint`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AccountEndpoint {
    account: Account,
    id: Arc<str>,
}

/// A Pod of the account; returned by [`Account::pod`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AccountPod {
    account: Account,
    id: Arc<str>,
}

impl AccountEndpoint {
    /// The id of the endpoint.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl AccountPod {
    /// The id of the Pod.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}
