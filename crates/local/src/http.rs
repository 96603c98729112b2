//! What an HTTP service is made of, whatever it serves: connections, what is read of a request, and
//! how a response is written.

mod auth;
mod body;
mod connection;
mod door;
mod hosts;
mod log;
mod path;
mod query;
mod response;
mod server;
mod transfer;

pub(crate) use auth::{authorization, bearer};
pub(crate) use body::{Unread, read_body, require_json};
pub(crate) use connection::{Connection, When};
pub(crate) use door::{Closer, Door, listener};
pub(crate) use hosts::{Hosts, Name};
pub(crate) use log::{Entry, RequestLog};
pub(crate) use path::decoded;
pub(crate) use query::QueryParameters;
pub(crate) use response::{ErrorResponse, json};
pub(crate) use server::{Peer, Responder, serve};

pub use log::RequestRecord;
