//! Stores for the shared rate limits of [podqueue]: see
//! [`ClientBuilder::shared_limits`](podqueue::ClientBuilder::shared_limits).
//!
//! ```no_run
//! use podqueue::{Client, SharedLimits};
//! use podqueue_limits::SqliteLimits;
//!
//! # fn main() -> podqueue::Result<()> {
//! let client = Client::builder()
//!     .from_env()?
//!     .shared_limits(SharedLimits::new(SqliteLimits::file("/var/lib/app/limits.db")))
//!     .build()?;
//! # let _ = client;
//! # Ok(())
//! # }
//! ```

#![cfg(unix)]

mod clock;
mod sqlite;

pub use sqlite::SqliteLimits;
