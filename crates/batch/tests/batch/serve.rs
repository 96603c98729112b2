//! The Batch API over HTTP, in front of a local service.

mod errors;
mod files;
mod lifecycle;
mod peers;
mod restart;
mod support;
mod validation;
