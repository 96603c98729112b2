//! Endpoint factory: starts endpoints with the workers that the configuration of the service names,
//! also while it runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::endpoint::{Endpoint, EndpointSettings, JobRunner, WorkerKind};
use crate::clock::Clock;
use crate::tasks::Tasks;
use crate::webhook::Webhooks;
use crate::worker::{
    CommandHandler, Handler, LogListener, WorkerEnvironment, WorkerLog, WorkerProgram,
};

/// The workers of an endpoint, before it is started.
#[derive(Clone)]
pub(crate) enum EndpointWorkers {
    Handler(WorkerKind, Arc<dyn Handler>),
    /// Processes of a shell command, which get jobs as lines of JSON.
    Command(String),
    /// Workers that attach; the service starts them if there is a command.
    Attached(Option<String>),
}

impl EndpointWorkers {
    fn kind(&self) -> WorkerKind {
        match self {
            Self::Handler(kind, _) => *kind,
            Self::Command(_) => WorkerKind::Command,
            Self::Attached(_) => WorkerKind::Worker,
        }
    }
}

/// Starts endpoints.
pub(crate) struct EndpointFactory {
    pub(crate) clock: Clock,
    pub(crate) tasks: Tasks,
    pub(crate) webhooks: Webhooks,
    pub(crate) log_listener: Option<LogListener>,
    /// The keys that are redacted in the output of workers.
    pub(crate) secrets: Vec<String>,
    /// The environment of attached workers, but for the endpoint and the ping interval.
    pub(crate) environment: WorkerEnvironment,
    /// Settings of an endpoint that has none of its own.
    pub(crate) defaults: EndpointSettings,
    /// The workers that an endpoint can have, by the name of the endpoint that the service has, or
    /// would have, with them.
    pub(crate) workers: BTreeMap<String, EndpointWorkers>,
}

impl EndpointFactory {
    /// Starts an endpoint with workers of this name; none if there are none.
    pub(crate) fn start(
        &self,
        name: &str,
        workers: &str,
        settings: EndpointSettings,
    ) -> Option<Arc<Endpoint>> {
        Some(self.start_with(name, self.workers.get(workers)?, settings))
    }

    /// Starts an endpoint with these workers.
    pub(crate) fn start_with(
        &self,
        name: &str,
        workers: &EndpointWorkers,
        settings: EndpointSettings,
    ) -> Arc<Endpoint> {
        let settings = EndpointSettings { kind: workers.kind(), ..settings };
        let listener = self.log_listener.clone();
        let log = WorkerLog::new(name, self.clock.clone(), listener, self.secrets.clone());
        let runner = match workers {
            EndpointWorkers::Handler(_, handler) => JobRunner::Handler(handler.clone()),
            EndpointWorkers::Command(command) => {
                JobRunner::Handler(Arc::new(CommandHandler::new(command.clone(), log)))
            }
            EndpointWorkers::Attached(command) => JobRunner::Attached(Arc::new(WorkerProgram {
                environment: WorkerEnvironment {
                    endpoint: name.to_owned(),
                    ping_interval: settings.workers.ping_timeout(),
                    ..self.environment.clone()
                },
                command: command.clone(),
                log,
            })),
        };
        Endpoint::start(
            name,
            settings,
            runner,
            self.clock.clone(),
            self.tasks.clone(),
            self.webhooks.clone(),
        )
    }
}
