//! Batches.
mod error;
mod state;
pub mod store;
pub use error::{Error, ErrorKind, Result};
pub use state::{Counts, State};
