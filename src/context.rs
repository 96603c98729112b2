//! What all calls of a client share. Created by [`Client`](crate::Client), and held by endpoints,
//! jobs and the other interfaces.

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

use reqwest::Url;

use crate::error::{Attempted, Error, Result};
use crate::secret_string::SecretString;
use crate::transport::{Auth, Transport};

/// What all calls of a client share.
pub(crate) struct Context {
    pub(crate) transport: Transport,
    /// Each URL without a slash at the end; `None` where it was not set.
    pub(crate) base_url: Option<Url>,
    pub(crate) rest_url: Option<Url>,
    /// Whether no path is added to the URL of the REST interface where it has none.
    pub(crate) is_rest_url_exact: bool,
    pub(crate) graphql_url: Option<Url>,
    /// Whether plain http to other machines is allowed.
    pub(crate) plain_http: bool,
    pub(crate) queue_auth: QueueAuth,
    pub(crate) graphql_body: GraphqlBody,
    pub(crate) polling: Polling,
    pub(crate) poll_lines: PollLines,
    /// The largest bodies of `/run` and `/runsync`, in bytes.
    pub(crate) run_limit: usize,
    pub(crate) run_sync_limit: usize,
    pub(crate) retried: Retried,
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

/// The form of a GraphQL request's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphqlBody {
    /// Only `{"query": …}`, as the interface documents it: variables are inlined into the document
    /// as literals.
    #[default]
    QueryOnly,
    /// `{"query": …, "variables": …, "operationName": …}`, as most GraphQL servers accept it.
    Variables,
}

impl Context {
    pub(crate) fn base_url(&self, attempted: &Attempted) -> Result<&Url> {
        set(&self.base_url, "base_url", attempted)
    }

    pub(crate) fn rest_url(&self, attempted: &Attempted) -> Result<&Url> {
        set(&self.rest_url, "rest_url", attempted)
    }

    pub(crate) fn graphql_url(&self, attempted: &Attempted) -> Result<&Url> {
        set(&self.graphql_url, "graphql_url", attempted)
    }

    /// What is sent with all calls and must not be shown of any response.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        self.transport.wire.secrets_of_all_calls()
    }
}

fn set<'a>(url: &'a Option<Url>, field: &str, attempted: &Attempted) -> Result<&'a Url> {
    url.as_ref().ok_or_else(|| {
        Error::refused(attempted, field, "is not set: pass it to the client's builder")
    })
}

impl QueueAuth {
    pub(crate) fn of_calls(self) -> Auth {
        match self {
            Self::Bearer => Auth::Bearer,
            Self::BareKey => Auth::BareKey,
        }
    }
}

impl fmt::Debug for Context {
    /// Shows the URLs without their queries, which can hold the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |url: &Option<Url>| {
            url.clone().map(|mut url| {
                url.set_query(None);
                String::from(url)
            })
        };
        f.debug_struct("Client")
            .field("base_url", &shown(&self.base_url))
            .field("rest_url", &shown(&self.rest_url))
            .field("graphql_url", &shown(&self.graphql_url))
            .finish_non_exhaustive()
    }
}
