//! Submit hook: the step that turns an input into a job, and the policy for unknown outcomes.

use std::fmt;
use std::pin::Pin;

use podqueue::{Endpoint, Policy, RetryPolicy, SecretString};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};

/// Step that turns an input into a job: by `POST /run` unless
/// [`Run::submit_with`](crate::Run::submit_with) says otherwise.
///
/// The input's [`Intent`](crate::State::Intent) is durable before the call, and the result is
/// recorded after it. It is called for many inputs at the same time, so that an implementation may
/// also gather some of them and submit them together.
pub trait Submit: Send + Sync + 'static {
    /// Submits an input once, and returns the id of its job.
    ///
    /// # Errors
    ///
    /// The client's error decides the state of the input. One of the kind
    /// [`OutcomeUnknown`](podqueue::ErrorKind::OutcomeUnknown) says that it may have been accepted;
    /// any other error that it certainly was not.
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a>;
}

/// Future of the id of the job, which [`Submit::submit`] returns.
pub type JobId<'a> = Pin<Box<dyn Future<Output = podqueue::Result<String>> + Send + 'a>>;

/// An input to submit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Submission<'a> {
    /// The endpoint.
    pub endpoint: &'a Endpoint,
    /// The input's index.
    pub index: u64,
    /// Number of the attempt, from one, with those that may have been made.
    pub attempt: u64,
    /// The input, a JSON object.
    pub input: &'a RawValue,
    /// The policy of the run.
    pub policy: Option<&'a Policy>,
    /// The URL to call when the job has ended, which names the submission.
    pub webhook: Option<SecretString>,
}

/// Submits each input by `POST /run`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostRun;

impl Submit for PostRun {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        Box::pin(async move {
            let Submission { endpoint, input, policy, webhook, .. } = submission;
            // Retries are decided by the runner, once the outcome is recorded.
            let mut run = endpoint.run(input).retry(RetryPolicy::never());
            if let Some(policy) = policy {
                run = run.policy(policy.clone());
            }
            if let Some(url) = webhook {
                run = run.webhook(url);
            }
            Ok(run.await?.id().to_owned())
        })
    }
}

/// Refuses settings with which no input could be submitted. Nothing is sent.
pub(crate) fn check(
    endpoint: &Endpoint,
    policy: Option<&Policy>,
    on_unknown: &OnUnknown,
) -> Result<()> {
    let empty = serde_json::Map::new();
    let mut run = endpoint.run(&empty);
    if let Some(policy) = policy {
        run = run.policy(policy.clone());
    }
    if let OnUnknown::ByWebhook(url) = on_unknown {
        if url.expose().contains('#') {
            let message = "webhook: the URL has a fragment (#…), after which the service would not see which submission it is about: remove it";
            return Err(Error::new(ErrorKind::Settings, message));
        }
        run = run.webhook(url.clone());
    }
    run.check().map_err(|refused| {
        Error::new(ErrorKind::Settings, refused.to_string()).with_source(refused)
    })
}

/// Policy for an input if it is not known whether the service accepted it: its submission was
/// sent and got no readable response, or the process ended in between.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum OnUnknown {
    /// Leave it in the state [`Unknown`](crate::State::Unknown), listed and counted: no input is
    /// submitted twice.
    #[default]
    Hold,
    /// Submit it again: at least once, at the price that its job may run, and be billed, more than
    /// once.
    Resubmit,
    /// Leave it as well, and resolve it by its webhook: each submission carries this http or https
    /// URL, with the batch, the index, the attempt and a keyed hash of them in its query. Pass what
    /// your server receives to [`Batch::deliver`](crate::Batch::deliver). Inputs that the service
    /// never accepted stay unknown: no call comes for them.
    ByWebhook(SecretString),
}

impl fmt::Debug for OnUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hold => "Hold",
            Self::Resubmit => "Resubmit",
            Self::ByWebhook(_) => "ByWebhook(..)",
        })
    }
}
