//! Webhook receiver: the service's calls about jobs that have ended (feature `webhook`).
//!
//! If a job is submitted with a webhook URL, the service calls that URL when the job has ended.
//! [`Webhooks`] is the receiver behind the URL: a [tower](tower_service::Service) service for any
//! axum or tower application, or, with [`Webhooks::receive`], a function for any other server.
//!
//! ```no_run
//! # async fn save(record: podqueue::JobRecord) -> std::io::Result<()> { Ok(()) }
//! # async fn example(client: podqueue::Client) -> Result<(), Box<dyn std::error::Error>> {
//! use podqueue::Webhooks;
//!
//! let endpoint = client.endpoint("my-endpoint");
//! let webhooks = Webhooks::builder(&endpoint).on_job(|record| save(record)).build()?;
//!
//! // The receiver, in an axum application.
//! let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
//!
//! // A job whose end is reported to it.
//! let url = webhooks.url("https://me.example/hooks")?;
//! let job = endpoint.run(&serde_json::json!({"prompt": "a lighthouse"})).webhook(url).await?;
//!
//! // A wait that the webhook ends, with slow polling as a fallback.
//! let record = job.wait().notified_by(&webhooks).await?;
//! # let _ = (app, record);
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees and limits
//!
//! - The interface documents neither the method nor the payload of the call, and the call is not
//!   signed. So any method is accepted, and only the job's id is read from the body, as a hint: the
//!   handler gets what `GET /status` returns. A forged body can cause that read and nothing else.
//! - The URL ends in a token of 256 random bits, compared in constant time. Without it the response
//!   is 404, and no body is read. The token is a secret: this crate never shows it in logs or
//!   `Debug` output. Note that web servers and proxies write paths to their access logs, and that
//!   jobs that have not ended yet keep the URL: reuse the token after a restart, and on every
//!   instance behind a load balancer ([`WebhooksBuilder::token`]).
//! - The service treats 200 as success, and otherwise retries twice, 10 seconds apart. The receiver
//!   returns 200 only after the handler has succeeded. If the handler fails three times, there are
//!   no more calls; the result stays readable by the job's id for 30 minutes.
//! - A delivery that is repeated after it was handled gets a 200 and is not handled again; a
//!   delivery that is repeated while it is being handled waits for the outcome. The last 10,000
//!   jobs are remembered, in memory: after a restart, or in another instance, the handler may get a
//!   job a second time, so make it idempotent.
//! - A job that has failed or timed out may have been retried and have ended with an identical
//!   record. So for such a job, a delivery only counts as repeated if it arrives within a minute of
//!   the first, at most twice, and without a [`Job::retry`](crate::Job::retry) by this client in
//!   between.
//! - Reading a body times out after a minute ([`WebhooksBuilder::body_timeout`]), and is limited to
//!   64 MiB ([`WebhooksBuilder::body_limit`]).
//! - A handler that has started is not cancelled when the caller hangs up; if it panics, the
//!   response is 500.
//! - Failed, cancelled and timed-out jobs are passed to the handler, too, as records. A job that is
//!   retried and ends again is a new delivery.
//!
//! [`Webhooks`]: crate::Webhooks
//! [`Webhooks::receive`]: crate::Webhooks::receive

mod deliveries;
pub(crate) mod receiver;
mod sender;
mod token;

#[cfg(fuzzing)]
pub(crate) use receiver::Hint;
pub use receiver::{DeliveryOutcome, HandlerError, WebhooksBuilder};
#[doc(hidden)]
pub use sender::{WebhookAttempt, WebhookSender};
#[cfg(fuzzing)]
pub(crate) use token::Token;
