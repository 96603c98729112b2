//! Stores of shared rate limits for [podqueue](https://docs.rs/podqueue): see
//! [`ServiceBuilder::shared_limits`](podqueue_runtime::ServiceBuilder::shared_limits).
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
//!
//! [`SqliteLimits`] is for the processes of one machine, `PostgresLimits` (feature `postgres`) for
//! those of several.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(unix)]
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::PostgresLimits;
#[cfg(unix)]
pub use sqlite::SqliteLimits;
