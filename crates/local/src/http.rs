//! HTTP toolkit: listener, connections, requests and responses. It knows no operation of the
//! service.

mod body_copy;
mod connection;
mod host_check;
mod listener;
mod request;
mod request_log;
mod response;
mod server;

pub(crate) use body_copy::BodyCopy;
pub(crate) use connection::{Connection, RepeatTiming};
pub(crate) use host_check::{HostCheck, HostName};
pub(crate) use listener::{Listener, ListenerControl, listen};
pub(crate) use request::{
    BodyError, QueryParameters, authorization, bearer, decoded, read_body, read_json, require_json,
};
pub(crate) use request_log::{RequestEntry, RequestLog};
pub(crate) use response::{ErrorResponse, json};
pub(crate) use server::{Peer, serve};

pub use request_log::RequestRecord;
