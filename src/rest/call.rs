//! The building blocks of generated calls.

mod body;
mod building;
mod changes;
mod form;
mod method;
mod multipart;
mod path_style;
mod sending;
mod target;

pub use bytes::Bytes;

pub use self::building::RestCall;
pub use self::changes::Changes;
pub use self::form::Style;
pub use self::multipart::Multipart;
pub use self::path_style::PathStyle;
pub use self::sending::{ByStatus, Response, Sending};
pub use self::target::Target;
