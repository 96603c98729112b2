//! The HTTP side that all three interfaces share.

mod answer;
mod auth;
mod body;
mod connection;
mod door;
mod gate;
mod log;
mod path;
mod query;
mod router;

pub(crate) use answer::{Refusal, json};
pub(crate) use auth::{ApiKey, authenticate};
pub(crate) use body::read_body;
pub(crate) use connection::{Breakable, Connection};
pub(crate) use door::{Closer, Door, listener};
pub(crate) use gate::through;
pub(crate) use log::RequestLog;
pub(crate) use path::decoded;
pub(crate) use query::QueryParameters;
pub(crate) use router::Site;

pub use log::RequestRecord;
