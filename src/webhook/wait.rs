//! Waiting for a job by its webhook, with slow polling as the safety net.

use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use super::Webhooks;
use crate::context::Polling;
use crate::error::Result;
use crate::queue::{JobRecord, Wait};

const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(2 * 60);

/// Waits for a job to end, by its webhook or by slow polling, whichever tells first; made by
/// [`Wait::webhook`], starts when awaited. Answers the record of the completed job.
///
/// # Errors
///
/// As [`Wait`].
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct WebhookWait {
    wait: Wait,
    webhooks: Webhooks,
}

impl Wait {
    /// Lets the service's call tell of the job's end: the wait is over as soon as these webhooks
    /// have received it and confirmed it.
    ///
    /// The status is asked for once at first, for a job that has ended already, and then rarely, for
    /// a call that never came: after 5 seconds, growing to every 2 minutes. The job must have been
    /// submitted with the [URL](Webhooks::url) of these webhooks, or of another instance that
    /// shares the load with this one: polling finds out what was told to that one. A
    /// [`polling`](Self::polling) that was set stays, before this or after it.
    ///
    /// ```no_run
    /// # async fn example(job: podqueue::Job, webhooks: podqueue::Webhooks) -> podqueue::Result<()> {
    /// use std::time::Duration;
    ///
    /// let record = job.wait().timeout(Duration::from_secs(3_600)).webhook(&webhooks).await?;
    /// # let _ = record;
    /// # Ok(())
    /// # }
    /// ```
    pub fn webhook(self, webhooks: &Webhooks) -> WebhookWait {
        let wait = self.polling_by_default(|polling| polling.first(FIRST).longest(LONGEST));
        WebhookWait { wait, webhooks: webhooks.clone() }
    }
}

impl WebhookWait {
    /// As [`Wait::timeout`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.wait = self.wait.timeout(timeout);
        self
    }

    /// As [`Wait::cancel_on_timeout`].
    pub fn cancel_on_timeout(mut self) -> Self {
        self.wait = self.wait.cancel_on_timeout();
        self
    }

    /// How often to ask beside the webhook.
    pub fn polling(mut self, polling: Polling) -> Self {
        self.wait = self.wait.polling(polling);
        self
    }

    async fn run(self) -> Result<JobRecord> {
        // Before the first question: an end in between is told.
        let mut ear = self.webhooks.inner.waiting.listen(self.wait.job().id());
        let job = self.wait.job().clone();
        let told = std::pin::pin!(ear.told());
        match select(told, self.wait.into_future()).await {
            // It was read by the id alone, and this handle may know the secrets of the submission.
            Either::Left((record, _)) => record.with_secrets_of(&job).into_result(),
            Either::Right((result, _)) => result,
        }
    }
}

impl IntoFuture for WebhookWait {
    type Output = Result<JobRecord>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
