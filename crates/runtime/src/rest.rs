//! Building blocks of generated REST calls. Not public API: it changes without notice.

mod body;
mod call;
mod changes;
mod parameters;
mod sending;

pub use bytes::Bytes;

pub use self::body::Multipart;
pub use self::call::RestCall;
pub use self::changes::Changes;
pub use self::parameters::{PathStyle, Style};
pub use self::sending::{ByStatus, Response, Sending};
pub use crate::error::Result;
