//! What all calls of a client share. Created by [`Client`](crate::Client), and held by endpoints,
//! jobs and the other interfaces.

#[cfg(test)]
#[path = "../crates/runtime/src/fair_queue/model.rs"]
mod model;
mod poll_line;
mod polling;
mod retried;

pub(crate) use self::poll_line::{PollLine, PollLines};
pub(crate) use self::polling::Pauses;
pub use self::polling::Polling;
pub(crate) use self::retried::Retried;
#[cfg(feature = "webhook")]
pub(crate) use self::retried::RetriedListener;

use std::fmt;

use podqueue_runtime::graphql::GraphqlBody;
use podqueue_runtime::{Authorization, SecretString, Service};

use crate::observe::Observer;
use crate::rate_limits::RateLimits;

/// What all calls of a client share.
pub(crate) struct Context {
    /// The services at the URLs of the three interfaces, which share one transport. Where a URL was
    /// not set, calls are refused.
    pub(crate) queue: Service,
    pub(crate) rest: Service,
    pub(crate) graphql: Service,
    pub(crate) graphql_body: GraphqlBody,
    pub(crate) rate_limits: RateLimits,
    pub(crate) polling: Polling,
    pub(crate) poll_lines: PollLines,
    /// The largest bodies of `/run` and `/runsync`, in bytes.
    pub(crate) run_limit: usize,
    pub(crate) run_sync_limit: usize,
    pub(crate) retried: Retried,
    pub(crate) observer: Observer,
}

/// The form of the queue interface's `authorization` header. The service accepts both
/// ([Authentication](crate#the-interface)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueAuth {
    /// `Bearer <key>`
    #[default]
    Bearer,
    /// The key alone.
    BareKey,
}

impl QueueAuth {
    pub(crate) fn of_calls(self, key: &SecretString) -> Authorization {
        match self {
            Self::Bearer => Authorization::bearer(key.clone()),
            Self::BareKey => Authorization::header("authorization", key.clone()),
        }
    }
}

impl fmt::Debug for Context {
    /// Shows the URLs without their queries, which can hold the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |service: &Service| {
            service.known_url().cloned().map(|mut url| {
                url.set_query(None);
                String::from(url)
            })
        };
        f.debug_struct("Client")
            .field("base_url", &shown(&self.queue))
            .field("rest_url", &shown(&self.rest))
            .field("graphql_url", &shown(&self.graphql))
            .finish_non_exhaustive()
    }
}
