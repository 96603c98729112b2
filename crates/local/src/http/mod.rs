//! The HTTP side that all three interfaces share.

mod answer;
mod auth;
mod body;
mod connection;
mod door;
mod gate;
mod hosts;
mod log;
mod path;
mod query;
mod router;
mod server;
mod transfer;

pub(crate) use answer::{Refusal, json};
pub(crate) use auth::{ApiKey, authenticate};
pub(crate) use body::{read_body, require_json};
pub(crate) use connection::Connection;
pub(crate) use door::{Closer, Door, listener};
pub(crate) use gate::through;
pub(crate) use hosts::{Hosts, Name};
pub(crate) use log::RequestLog;
pub(crate) use path::decoded;
pub(crate) use query::QueryParameters;
pub(crate) use router::Site;
pub(crate) use server::serve;

pub use log::RequestRecord;
