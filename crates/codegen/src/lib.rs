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
//! In variables and inputs `None` is absent. `Execute::null` of podqueue sends null instead.
//!
//! A mistake in a query stops the build with a line such as
//! `queries/mine.graphql:4:5: Cannot query field "nope" on type "Secret".`, one for each mistake. Where
//! one name comes near, the line ends in `Did you mean "name"?`.
//!
//! # When the service changes
//!
//! `podqueue-regenerate`, a crate of its own, fetches the current REST description and GraphQL
//! schema, reports what changed and whom it breaks, and lists the queries that no longer validate.
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
mod syntax;

use std::path::PathBuf;

pub use build::{Build, Report};
pub use diagnostic::Diagnostic;
pub use source::{Generated, Source};

/// What `podqueue-regenerate` shares with the generator and no build script needs. The syntax trees
/// are those of the parser, so this may change with any version.
#[doc(hidden)]
pub mod __private {
    pub use crate::graphql::literal::literal;
    pub use crate::graphql::schema::document as schema;
}

/// The whole build script of a crate with queries of its own: generates operations from the
/// `.graphql` files of a folder, against the schema that podqueue comes with.
///
/// It prints to cargo what cargo has to know, and ends the process when there are mistakes.
pub fn queries(folder: impl Into<PathBuf>) {
    Build::new().queries(folder).run();
}
