//! PostgreSQL connection shared by podqueue's stores: those of
//! [podqueue-batch](https://docs.rs/podqueue-batch) and of
//! [podqueue-limits](https://docs.rs/podqueue-limits).
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use podqueue_postgres::{Connection, Failure, Target};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let target = Target::parse("postgres://jobs@db.internal/jobs")?;
//! let mut connection = Connection::new(target)?;
//! let version: String = connection.attempt(Duration::from_secs(5), async |client| {
//!     let row = client.query_typed_one("SELECT version()", &[]).await?;
//!     Ok::<_, Failure>(row.get(0))
//! })?;
//! # let _ = version;
//! # Ok(())
//! # }
//! ```

mod connection;
mod failure;
mod passfile;
mod schema;
mod target;
mod tls;

pub use connection::Connection;
pub use failure::Failure;
pub use schema::{begin_tables, has_table};
pub use target::{Target, TargetError};
