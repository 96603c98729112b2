//! Scaling guard: changes the number of an endpoint's workers, and restores the former numbers.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;

use super::AccountEndpoint;
use super::types::{EndpointWorkers, UpdateEndpointRequest};
use crate::error::{Error, ErrorKind, Result};

/// Minimum and maximum number of workers of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkerLimits {
    /// Workers that are kept running, even without work.
    pub min: u32,
    /// Workers that there may be. With 0, no job is run.
    pub max: u32,
}

impl AccountEndpoint {
    /// Sets how many workers the endpoint has at least and at most, and returns a guard that
    /// restores the former numbers: for a batch that is to find warm workers.
    ///
    /// ```no_run
    /// # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
    /// let mut scaled = client.account().endpoint("my-endpoint").scale(2, 10).await?;
    /// // … run the jobs …
    /// scaled.restore().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The endpoint is read first, for its former numbers. If this fails with
    /// [`ErrorKind::OutcomeUnknown`] or is dropped while the change is sent, the former numbers are
    /// restored as by a [dropped guard](Scaled).
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidRequest`], before anything is sent, if `min` exceeds `max`;
    /// - [`ErrorKind::Decode`] if the service does not say what the former numbers are;
    /// - those of [`get_endpoint`](super::Account::get_endpoint) and
    ///   [`update_endpoint`](super::Account::update_endpoint).
    pub async fn scale(&self, min: u32, max: u32) -> Result<Scaled> {
        if min > max {
            return Err(Error::refused(self.attempted(), "min", format!("must not exceed {max}")));
        }
        let (former, idle_timeout) = self.worker_limits().await?;
        let set = WorkerLimits { min, max };
        // From here on the change may take effect, even if this future is dropped.
        let mut scaled = self.scaled(former, set);
        match self.set_worker_limits(set, idle_timeout).await {
            Ok(()) => Ok(scaled),
            Err(error) => {
                scaled.is_armed = error.kind() == ErrorKind::OutcomeUnknown;
                Err(error)
            }
        }
    }

    /// Returns the guard of an earlier [`scale`](Self::scale) whose process ended before it restored
    /// the numbers of workers: `former` is what they were, `set` what they were set to. Sends
    /// nothing.
    pub fn scaled(&self, former: WorkerLimits, set: WorkerLimits) -> Scaled {
        let runtime = Handle::try_current().ok();
        Scaled { endpoint: self.clone(), former, set, is_armed: true, runtime }
    }

    fn attempted(&self) -> String {
        format!("scale endpoint {:?} on the account interface", &*self.id)
    }

    /// The numbers of workers, and the idle timeout that is sent with them.
    async fn worker_limits(&self) -> Result<(WorkerLimits, Option<i64>)> {
        let workers = self.account.get_endpoint(&*self.id).await?.workers.unwrap_or_default();
        let number = |value: Option<i64>| value.and_then(|it| u32::try_from(it).ok());
        match (number(workers.min), number(workers.max)) {
            (Some(min), Some(max)) => Ok((WorkerLimits { min, max }, workers.idle_timeout)),
            _ => {
                let what = "the response does not say how many workers the endpoint has";
                let error = Error::new(ErrorKind::Decode, self.attempted(), what);
                Err(error.with_field("workers"))
            }
        }
    }

    /// Changes the numbers of workers. The idle timeout is sent unchanged: whether it is kept if it
    /// is absent beside other fields of `workers` is not documented.
    async fn set_worker_limits(
        &self,
        limits: WorkerLimits,
        idle_timeout: Option<i64>,
    ) -> Result<()> {
        let WorkerLimits { min, max } = limits;
        let workers =
            EndpointWorkers { min: Some(min.into()), max: Some(max.into()), idle_timeout };
        let body = UpdateEndpointRequest { workers: Some(workers), ..Default::default() };
        self.account.update_endpoint(&*self.id, body).await.map(drop)
    }
}

/// Guard of changed numbers of workers; returned by [`AccountEndpoint::scale`].
///
/// Call [`restore`](Self::restore) when the work is done. Dropping the guard restores the numbers in
/// a detached task of the tokio runtime in which the guard was made. A warning is logged if they are
/// not restored; nothing is restored if the runtime or the process ends first, or if the guard was
/// made outside of a runtime. A program that must restore the numbers even then stores
/// [`former`](Self::former) and [`set`](Self::set), and gets the guard back from
/// [`AccountEndpoint::scaled`].
///
/// Of several guards of one endpoint, the last is restored first: the former numbers of a later
/// guard are those that an earlier guard has set, and an earlier guard leaves those of a later one
/// alone. In another order, the endpoint keeps the numbers of an earlier guard.
#[must_use = "dropping the guard restores the former numbers of workers"]
pub struct Scaled {
    endpoint: AccountEndpoint,
    former: WorkerLimits,
    set: WorkerLimits,
    /// True as long as dropping the guard restores the numbers.
    is_armed: bool,
    /// The runtime of the task that does it: the guard may be dropped outside of any.
    runtime: Option<Handle>,
}

impl Scaled {
    /// The numbers before the change.
    #[must_use]
    pub fn former(&self) -> WorkerLimits {
        self.former
    }

    /// The numbers that the change has set.
    #[must_use]
    pub fn set(&self) -> WorkerLimits {
        self.set
    }

    /// Restores the former numbers, unless the present ones are not those that the guard has set:
    /// then another change was made since, and is left alone. Returns true if the endpoint has the
    /// former numbers now.
    ///
    /// The numbers are read before they are changed; another caller's change between the two is lost.
    ///
    /// # Errors
    ///
    /// The errors of [`AccountEndpoint::scale`]; the guard still holds.
    pub async fn restore(&mut self) -> Result<bool> {
        let (present, idle_timeout) = self.endpoint.worker_limits().await?;
        let is_changed = present != self.set && present != self.former;
        if !is_changed && present != self.former {
            self.endpoint.set_worker_limits(self.former, idle_timeout).await?;
        }
        self.is_armed = false;
        Ok(!is_changed)
    }

    /// Keeps the numbers as they are, for good.
    pub fn keep(mut self) {
        self.is_armed = false;
    }
}

impl Drop for Scaled {
    fn drop(&mut self) {
        if !self.is_armed {
            return;
        }
        let endpoint = Arc::clone(&self.endpoint.id);
        let Some(runtime) = self.runtime.take() else {
            tracing::warn!(
                %endpoint,
                "the former numbers of workers are not restored: the guard was made outside of a tokio runtime"
            );
            return;
        };
        let mut guard = self.endpoint.scaled(self.former, self.set);
        // Dropping this one must not start another task: the runtime may be shutting down.
        guard.is_armed = false;
        runtime.spawn(async move {
            match guard.restore().await {
                Ok(true) => {}
                Ok(false) => tracing::warn!(
                    %endpoint,
                    "the former numbers of workers are not restored: they were changed again since"
                ),
                Err(error) => tracing::warn!(
                    %endpoint,
                    %error,
                    "the former numbers of workers are not restored"
                ),
            }
        });
    }
}

impl fmt::Debug for Scaled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scaled")
            .field("endpoint", &self.endpoint.id)
            .field("former", &self.former)
            .field("set", &self.set)
            .finish_non_exhaustive()
    }
}
