//! Services of a server: the hosted service, and the service on this machine once it was started.

use std::sync::OnceLock;

use podqueue::{Client, Endpoint};
use podqueue_local::LocalService;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::random::random_hex;
use crate::reply::{Failure, Next};

/// The service that a tool calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ServiceName {
    /// The hosted service, whose jobs cost money.
    #[default]
    Hosted,
    /// The service on this machine, which `local_start` starts.
    Local,
}

impl ServiceName {
    /// The name as an argument; `None` for the default.
    pub(crate) fn argument(self) -> Option<&'static str> {
        (self == Self::Local).then_some("local")
    }
}

/// A service that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub(crate) name: ServiceName,
    pub(crate) client: Client,
    /// Identity in the call journal: the URL of the hosted service, and a number of its own for
    /// each service on this machine, which forgets its jobs when it ends.
    pub(crate) identity: String,
    pub(crate) has_account: bool,
}

impl Service {
    pub(crate) fn endpoint(&self, id: &str) -> Endpoint {
        self.client.endpoint(id)
    }
}

/// A service on this machine, until it is dropped.
struct Rehearsal {
    service: Service,
    local: LocalService,
}

pub(crate) struct Services {
    hosted: Option<Service>,
    local: tokio::sync::Mutex<()>,
    rehearsal: OnceLock<Rehearsal>,
}

impl Services {
    pub(crate) fn new(client: Option<Client>, has_account: bool) -> Self {
        let hosted = client.map(|client| {
            let identity = client.endpoint("any").base_url().unwrap_or("no URL").to_owned();
            Service { name: ServiceName::Hosted, client, identity, has_account }
        });
        Self { hosted, local: tokio::sync::Mutex::default(), rehearsal: OnceLock::new() }
    }

    pub(crate) fn hosted(&self) -> Option<&Service> {
        self.hosted.as_ref()
    }

    /// The service with this name; a failure if it is not set up or not started.
    pub(crate) fn get(&self, name: ServiceName) -> Result<Service, Failure> {
        match name {
            ServiceName::Hosted => self.hosted.clone().ok_or_else(|| {
                Failure::new(
                    "the hosted service is not set up: the user sets PODQUEUE_API_KEY and \
                     PODQUEUE_BASE_URL, or a profile",
                )
            }),
            ServiceName::Local => {
                let rehearsal = self.rehearsal.get();
                rehearsal.map(|rehearsal| rehearsal.service.clone()).ok_or_else(|| {
                    Failure::new("the service on this machine is not started")
                        .next(Next::new("local_start", serde_json::json!({})))
                })
            }
        }
    }

    /// Starts the service on this machine, once. Returns its URL, and true if it was started
    /// before.
    pub(crate) async fn start_local(&self) -> Result<(String, bool), Error> {
        let _starting = self.local.lock().await;
        if let Some(rehearsal) = self.rehearsal.get() {
            return Ok((rehearsal.local.base_url(), true));
        }
        let key = random_hex()?;
        let local = LocalService::builder().api_key(key.as_str()).start().await;
        let local = local.map_err(|error| Error::new("start the local service", error))?;
        let client = Client::builder()
            .api_key(key)
            .base_url(local.base_url())
            .account_url(local.account_url())
            .build()
            .map_err(|error| Error::new("set up a client of the local service", error))?;
        let identity = format!("local {}", random_hex()?);
        let service = Service { name: ServiceName::Local, client, identity, has_account: true };
        let url = local.base_url();
        let _ = self.rehearsal.set(Rehearsal { service, local });
        Ok((url, false))
    }
}
