//! Server-sent events, with this crate's error type.

use crate::error::Error;

/// The events of a `text/event-stream` response, in order, as they arrive.
pub type ServerEvents = podqueue_runtime::ServerEvents<Error>;

/// One event of a `text/event-stream` response.
pub type ServerEvent = podqueue_runtime::ServerEvent<Error>;
