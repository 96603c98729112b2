//! Building blocks of generated REST calls. Not public API: it changes without notice.

mod body;
mod building;
mod changes;
mod form;
mod method;
mod multipart;
mod path_style;
mod sending;

pub use bytes::Bytes;

pub use self::building::RestCall;
pub use self::changes::Changes;
pub use self::form::Style;
pub use self::multipart::Multipart;
pub use self::path_style::PathStyle;
pub use self::sending::{ByStatus, Response, Sending};
pub use crate::error::Result;
