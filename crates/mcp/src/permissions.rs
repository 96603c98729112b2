//! Permissions of a server: the actions, the endpoints and the cost that its options allow. Each
//! refusal names the option that permits what was refused.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::reply::Failure;
use crate::service::ServiceName;

/// An action that a server performs only if it is [allowed](crate::Builder::allow).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Action {
    /// Submitting jobs to the hosted service: the tool `run`.
    Run,
    /// Cancelling jobs of the hosted service: the tool `cancel`.
    Cancel,
    /// Batches at the hosted service, with files below the folders of
    /// [`Builder::files`](crate::Builder::files): the tools `batch_run`, `batch_retry` and
    /// `batch_cancel`.
    Batch,
    /// A service on this machine: the tool `local_start`, and `run`, `cancel` and batches there.
    Local,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 4] = [Self::Run, Self::Cancel, Self::Batch, Self::Local];

    /// The name, as an option has it: `run`, `cancel`, `batch` or `local`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Cancel => "cancel",
            Self::Batch => "batch",
            Self::Local => "local",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Action {
    type Err = String;

    /// Reads a name.
    ///
    /// # Errors
    ///
    /// A sentence with all names, if there is no such action.
    fn from_str(text: &str) -> Result<Self, String> {
        let action = Self::ALL.into_iter().find(|action| action.as_str() == text);
        action.ok_or_else(|| {
            format!("`{text}` is not an action: expected run, cancel, batch or local")
        })
    }
}

/// Bound of the cost of all jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Price of a second of execution, above zero.
    pub(crate) price: f64,
    pub(crate) max_cost: f64,
}

impl Budget {
    /// The cost of an execution time.
    pub(crate) fn cost(&self, milliseconds: f64) -> f64 {
        milliseconds / 1_000.0 * self.price
    }

    /// The execution time that an amount pays for, in milliseconds.
    pub(crate) fn ms(&self, amount: f64) -> f64 {
        amount / self.price * 1_000.0
    }

    /// The execution time that the maximum pays for, in milliseconds.
    pub(crate) fn max_ms(&self) -> f64 {
        self.ms(self.max_cost)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Permissions {
    pub(crate) actions: BTreeSet<Action>,
    /// `None` for all.
    pub(crate) endpoints: Option<BTreeSet<String>>,
    pub(crate) budget: Option<Budget>,
}

impl Permissions {
    pub(crate) fn allows(&self, action: Action) -> bool {
        self.actions.contains(&action)
    }

    /// Returns true if a tool that performs `action` at the hosted service, or on this machine, is
    /// of use.
    pub(crate) fn lists(&self, action: Action) -> bool {
        self.allows(action) || self.allows(Action::Local)
    }

    /// Refuses an action that is not allowed at the service.
    pub(crate) fn check_action(&self, action: Action, service: ServiceName) -> Result<(), Failure> {
        let needed = match service {
            ServiceName::Hosted => action,
            ServiceName::Local => Action::Local,
        };
        if self.allows(needed) {
            return Ok(());
        }
        let place = match service {
            ServiceName::Hosted => "at the hosted service",
            ServiceName::Local => "on this machine",
        };
        let mut message = format!(
            "`{action}` is not permitted {place}: the user who starts this server permits it with \
             --allow {needed}"
        );
        if self.allows(Action::Local) {
            message.push_str("; with \"service\": \"local\" it is permitted");
        }
        Err(Failure::new(message))
    }

    /// Refuses an endpoint of the hosted service that is not among those of `--endpoints`.
    pub(crate) fn check_endpoint(&self, id: &str, service: ServiceName) -> Result<(), Failure> {
        match &self.endpoints {
            Some(endpoints) if service == ServiceName::Hosted && !endpoints.contains(id) => {
                let permitted: Vec<&str> = endpoints.iter().map(String::as_str).collect();
                Err(Failure::new(format!(
                    "the endpoint \"{}\" is not permitted: the user who starts this server permits \
                     it with --endpoints; permitted: {}",
                    crate::reply::cut(id, 100),
                    permitted.join(", ")
                )))
            }
            _ => Ok(()),
        }
    }

    /// The sentences of the server's instructions about the options.
    pub(crate) fn describe(&self) -> String {
        let mut text = String::new();
        let missing = Action::ALL.into_iter().filter(|action| !self.allows(*action));
        let missing: Vec<&str> = missing.map(Action::as_str).collect();
        if !missing.is_empty() {
            let place = if self.allows(Action::Local) { " at the hosted service" } else { "" };
            text.push_str(&format!(
                " Not permitted{place}: {}; the user permits it by starting the server with --allow {}.",
                missing.join(", "),
                missing.join(",")
            ));
        }
        if let Some(endpoints) = &self.endpoints {
            let endpoints: Vec<&str> = endpoints.iter().map(String::as_str).collect();
            text.push_str(&format!(
                " Permitted endpoints (--endpoints): {}.",
                endpoints.join(", ")
            ));
        }
        if let Some(budget) = &self.budget {
            text.push_str(&format!(
                " All jobs together cost at most {} (--max-cost): a job, also of a batch, reserves \
                 its execution timeout at {} per second, so pass a short execution_timeout_s.",
                budget.max_cost, budget.price
            ));
        }
        text
    }
}
