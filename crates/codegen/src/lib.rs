//! Code generator of podqueue: an OpenAPI description becomes typed REST calls, and files of
//! GraphQL queries become typed operations.
//!
//! It runs in build scripts: in podqueue's own, and in those of crates that add their own queries
//! or descriptions. Code that is to be read, reviewed and committed is written by
//! `podqueue-regenerate --into src/generated` instead: the same items, a file for each tag.
//!
//! # Your own queries
//!
//! Depend on `podqueue`, and on this crate as a build dependency. Put a query into
//! `queries/mine.graphql`, and this into `build.rs`:
//!
//! ```no_run
//! podqueue_codegen::queries("queries");
//! ```
//!
//! Then `podqueue::include_queries!()` defines a type for each operation, to be passed to
//! `client.graphql().execute::<Mine>(…)`. The schema is the one that podqueue ships with; for
//! another one, see [`Build::schema`].
//!
//! The files of a folder share their fragments. `__typename` is selected automatically where a
//! value may be of several types; what `@include` or `@skip` may leave out is an `Option`.
//!
//! In variables and inputs `None` omits the field. podqueue's `Execute::null` sends null instead.
//!
//! An error in a query fails the build with a line such as
//! `queries/mine.graphql:4:5: Cannot query field "nope" on type "Secret".`, one for each error.
//! If a similar name exists, the line ends in `Did you mean "name"?`.
//!
//! # Your own REST description
//!
//! Put an OpenAPI description into `openapi/`, and this into `build.rs`:
//!
//! ```no_run
//! podqueue_codegen::Build::new().rest("openapi").run();
//! ```
//!
//! Then `podqueue::include_rest!()` defines `Api`, with a method for each operation, and the
//! module `types`. `Api::new(&client)` calls the client's `rest_url`, `Api::at` another URL with a
//! separate authorization. With `podqueue_runtime::include_rest!()` it needs no client:
//! `Api::new(&service)`. What of a description cannot be expressed is left out with a warning.
//! For several descriptions, see [`Build::rest`].
//!
//! # Only some operations
//!
//! [`Build::only`] selects operations by method and path, tag, or name. Only their types are
//! generated:
//!
//! ```no_run
//! podqueue_codegen::Build::new()
//!     .rest("openapi")
//!     .only(["GET /v1/models", "tag:Files", "listPets"])
//!     .run();
//! ```
//!
//! # When the service changes
//!
//! The program `podqueue-regenerate`, a separate crate, fetches the current REST description and
//! GraphQL schema, reports what changed and the callers that it breaks, and lists the queries that
//! no longer validate.
//!
//! # Without a build script
//!
//! [`graphql::generate`] takes text and returns code; [`Source::find`] and [`Source::read`] read
//! files. The code belongs in a module with `use podqueue as __runtime;`.

mod attributes;
mod build_script;
mod committed;
mod diagnostic;
pub mod graphql;
mod naming;
mod open_enum;
mod panic_guard;
mod print;
mod redact;
// For `Build::rest`, and for the tests of what it generates.
#[doc(hidden)]
pub mod rest;
mod source;
mod syntax;

use std::path::PathBuf;

pub use build_script::{Build, Report};
pub use diagnostic::Diagnostic;
#[doc(inline)]
pub use rest::{Dates, Pages};
pub use source::{Generated, Source};

/// Internals shared with `podqueue-regenerate` and the survey: the reading of descriptions and
/// schemas. The syntax trees are those of the parser, so this may change with any version.
#[doc(hidden)]
pub mod __private {
    pub use crate::build_script::description;
    pub use crate::committed::{Committed, MARK, committed, is_root, untyped};
    pub use crate::graphql::document::literal;
    pub use crate::graphql::schema::document as schema;
    pub use crate::rest::{UntypedValues, description as openapi, linked, sent_media};
}

/// The whole build script of a crate that has its own queries: generates operations from the
/// `.graphql` files of a folder, against the schema that podqueue ships with.
///
/// Prints cargo's directives, and exits with code 1 if there are errors. For more control, see
/// [`Build`].
pub fn queries(folder: impl Into<PathBuf>) {
    Build::new().queries(folder).run();
}

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
