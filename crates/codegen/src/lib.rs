//! The code generator of podqueue: an OpenAPI description becomes typed REST calls, and files of
//! GraphQL queries become typed operations.
//!
//! It runs in build scripts: in podqueue's own, and in those of crates that add queries of their
//! own. Nobody checks generated code in.
//!
//! # Queries of your own
//!
//! Depend on `podqueue`, and on this crate as a build dependency. Write a query into
//! `queries/mine.graphql`, and this into `build.rs`:
//!
//! ```no_run
//! podqueue_codegen::queries("queries");
//! ```
//!
//! Then `podqueue::include_queries!()` brings in a type for each operation, and
//! `client.graphql().execute::<Mine>(…)` takes it. The schema is the one that podqueue comes with;
//! for another, see [`Build::schema`].
//!
//! The files of a folder share their fragments. Where a value may be of several types, the type is
//! asked for by itself; what `@include` or `@skip` may leave out is an `Option`.
//!
//! A mistake in a query stops the build with a line such as
//! `queries/mine.graphql:4:5: Cannot query field "nope" on type "Secret".`, one for each mistake. Where
//! one name comes near, the line ends in `Did you mean "name"?`.
//!
//! # Without a build script
//!
//! [`rest::generate`] and [`graphql::generate`] take strings and give a string.

mod build;
mod derives;
mod diagnostic;
pub mod graphql;
mod naming;
mod open_enum;
mod print;
mod quiet;
mod redact;
pub mod rest;
mod source;

use std::path::PathBuf;

pub use build::{Build, Report};
pub use diagnostic::Diagnostic;
pub use source::{Generated, Source};

/// The whole build script of a crate with queries of its own: generates operations from the
/// `.graphql` files of a folder, against the schema that podqueue comes with.
///
/// It prints to cargo what cargo has to know, and ends the process when there are mistakes.
pub fn queries(folder: impl Into<PathBuf>) {
    Build::new().queries(folder).run();
}
