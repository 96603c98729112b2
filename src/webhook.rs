//! Receiving the service's calls (the feature `webhook`).
//!
//! A job that was submitted with a webhook makes the service call that URL when the job has ended.
//! [`Webhooks`] is what stands behind the URL: a [tower](tower_service::Service) service for any
//! axum or tower application, or, with [`Webhooks::receive`], a function for any other.
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
//! // A job whose end it is notified of.
//! let url = webhooks.url("https://me.example/hooks")?;
//! let job = endpoint.run(&serde_json::json!({"prompt": "a lighthouse"})).webhook(url).await?;
//!
//! // Waiting for it, notified, with slow polling as the safety net.
//! let record = job.wait().notified_by(&webhooks).await?;
//! # let _ = (app, record);
//! # Ok(())
//! # }
//! ```
//!
//! # What it holds
//!
//! - The interface shows neither the method nor the payload of the call, and nothing in it is
//!   signed. So any method is taken, and of the body only the job's id is read, as a hint: what the
//!   handler gets is what `GET /status` says. A body that lies makes nothing happen but that read.
//! - The URL ends in a token of 256 bits from the system's randomness, compared in constant time.
//!   Without it the answer is 404, and no body is read. The token is a secret: no log or Debug of
//!   this crate shows it. Mind that web servers and proxies write paths to their access logs, and
//!   that jobs which are still to end keep the URL: give the same token again after a restart, and
//!   to every instance behind a load balancer ([`WebhooksBuilder::token`]).
//! - The service takes 200 as success, and otherwise tries two more times, 10 seconds apart. It
//!   gets its 200 after the handler has succeeded, and not before. When the handler fails three
//!   times, nobody calls again: the result stays readable by the job's id, for 30 minutes.
//! - A delivery that comes again after it was handled is answered 200 and not handled again; one
//!   that comes while it is being handled waits for the outcome. The last 10,000 jobs are
//!   remembered, in memory: after a restart, or in another instance, the handler may get a job a
//!   second time, so let it be one for which that is no harm.
//! - Of a job that has failed or timed out, which may have been retried and ended in the same words,
//!   only what comes within a minute, twice at most, and without a [`Job::retry`](crate::Job::retry)
//!   of this client in between, is such a repeated delivery.
//! - A body is read for a minute at most ([`WebhooksBuilder::body_timeout`]), and up to 64 MiB
//!   ([`WebhooksBuilder::body_limit`]).
//! - A handler that has begun is not cut off when the caller hangs up; its panic is an answer of
//!   500.
//! - Failed, cancelled and timed out jobs reach the handler, too, as records. A job that is retried
//!   and ends again is a new delivery.

mod answer;
mod builder;
mod deliveries;
mod handler;
mod receiver;
mod service;
mod token;

pub use answer::Answer;
pub use builder::WebhooksBuilder;
pub use handler::HandlerError;
#[cfg(fuzzing)]
pub(crate) use receiver::Hint;
pub use receiver::Webhooks;
#[cfg(fuzzing)]
pub(crate) use token::Token;
