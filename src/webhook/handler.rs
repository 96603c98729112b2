//! What the application does with a job that has ended.

use std::pin::Pin;

use crate::queue::JobRecord;

/// The error of a handler.
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

pub(super) type Handler = Box<
    dyn Fn(JobRecord) -> Pin<Box<dyn Future<Output = Result<(), HandlerError>> + Send>>
        + Send
        + Sync,
>;
