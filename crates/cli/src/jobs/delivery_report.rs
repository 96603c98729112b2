//! Delivery report: the attempts at calling the webhook of a job, as lines of output.

use std::cell::RefCell;

use podqueue::webhook::WebhookAttempt;
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::json::one_line;

/// Prints the attempts at a delivery.
pub struct DeliveryReport<'a> {
    context: &'a Context,
    job_id: &'a str,
    failure: RefCell<Option<Failure>>,
}

impl<'a> DeliveryReport<'a> {
    pub fn new(context: &'a Context, job_id: &'a str) -> Self {
        Self { context, job_id, failure: RefCell::default() }
    }

    pub fn print(&self, attempt: &WebhookAttempt) {
        let output = &self.context.output;
        let printed = if output.is_json() {
            output.json(&json!({
                "job_id": self.job_id,
                "attempt": attempt.number,
                "status": attempt.status,
                "error": attempt.error,
            }))
        } else {
            let status = attempt.status.map(|status| status.to_string());
            let what = status.or_else(|| attempt.error.clone()).unwrap_or_default();
            let (id, what) = (one_line(self.job_id), one_line(&what));
            output.line(format_args!("{id}  attempt {}  {what}", attempt.number))
        };
        if let Err(failure) = printed {
            self.failure.replace(Some(failure));
        }
    }

    /// The outcome of the delivery with this last attempt.
    pub fn outcome(&self, last: WebhookAttempt) -> Result<(), Failure> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None if last.is_accepted() => Ok(()),
            None => {
                let message = format!("the receiver did not accept job {}", self.job_id);
                Err(Failure::new(Exit::Error, message).hint(match last.status {
                    Some(_) => "it must respond with 200",
                    None => "check the URL, and that the receiver runs",
                }))
            }
        }
    }
}
