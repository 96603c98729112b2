//! Client of a local service's control plane, `/_local`.

use podqueue::ErrorKind;
use podqueue_runtime::{Authorization, Call, Idempotency, Method, Operation, Path, Service};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// The largest number of items that a list of the control plane has.
pub const PAGE: usize = 500;

const ONLY_LOCAL: &str = "only a local service lists its jobs and logs: podqueue local";

static READ: Operation =
    Operation::new("reading the local service", Method::GET, Idempotency::Idempotent);

/// The control plane at the URL of the job queue.
pub struct ControlPlane {
    service: Service,
    url: String,
}

/// An endpoint of a local service.
#[derive(Deserialize)]
pub struct LocalEndpoint {
    pub name: String,
    pub kind: String,
}

impl ControlPlane {
    pub fn new(context: &Context) -> Result<Self, Failure> {
        let settings = context.settings()?;
        let key = settings.read_key()?;
        let url = settings.base_url.clone().ok_or_else(|| {
            Failure::usage("the URL of the local service is not set")
                .hint("set PODQUEUE_BASE_URL, as `podqueue local` prints it")
        })?;
        if let Some(failure) = settings.invalid_urls().into_iter().next() {
            return Err(failure);
        }
        let root = url.trim_end_matches('/').trim_end_matches("/v2");
        let builder = Service::builder(root).authorization(Authorization::bearer(key));
        let builder = if settings.allow_plain_http { builder.allow_plain_http() } else { builder };
        let service =
            builder.build().map_err(|error| Failure::from(podqueue::Error::from(error)))?;
        Ok(Self { service, url: crate::settings::redacted_url(root) })
    }

    /// Reads what is at a path; `None` if the service has nothing there.
    pub async fn read<T: DeserializeOwned>(
        &self,
        path: Path,
        query: &[(&str, String)],
    ) -> Result<Option<T>, Failure> {
        let call = Call::new(&READ, path);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        let read = match self.service.send(call).await {
            Ok(reply) => reply.json().map(Some),
            // The service says so in JSON; another server knows no such path.
            Err(error) if error.kind() == podqueue_runtime::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        read.map_err(|error| {
            let error = podqueue::Error::from(error);
            let is_other = error.kind() == ErrorKind::Decode;
            let failure = Failure::from(error);
            if is_other { failure.hint(ONLY_LOCAL) } else { failure }
        })
    }

    /// The endpoints of the service; a failure if it has no control plane.
    pub async fn endpoints(&self) -> Result<Vec<LocalEndpoint>, Failure> {
        let endpoints = self.read(Path::new("/_local/endpoints"), &[]).await?;
        endpoints.ok_or_else(|| self.lacks("control plane").hint(ONLY_LOCAL))
    }

    /// Failure for an endpoint that is not among those of the service.
    pub fn lacks_endpoint(&self, name: &str, endpoints: &[LocalEndpoint]) -> Failure {
        let names: Vec<_> = endpoints.iter().map(|it| it.name.as_str()).collect();
        self.lacks(&format!("endpoint {name}")).hint(match names.as_slice() {
            [] => "it has no endpoints".to_owned(),
            names => format!("its endpoints: {}", names.join(", ")),
        })
    }

    fn lacks(&self, what: &str) -> Failure {
        Failure::new(Exit::NotFound, format!("{} has no {what}", self.url))
    }
}
