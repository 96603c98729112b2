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
//! The program `podqueue-regenerate` of this crate, behind the feature `regenerate`, fetches the
//! REST description from a URL or a file and the GraphQL schema by introspection, writes them into
//! `openapi/` and `schema/` in a stable form, and says what changed, whom that breaks and which
//! files of `queries/` no longer validate. The API key is read from `PODQUEUE_API_KEY`.
//!
//! ```sh
//! cargo install podqueue-codegen --features regenerate
//! podqueue-regenerate --rest https://rest.example/v1/openapi.json --graphql https://api.example/graphql
//! ```
//!
//! ```text
//! GraphQL schema, schema/schema.graphql: 2 changes, 1 of them breaking
//!   added       SaveTemplateInput.region: String; asks to adapt: writers (literals without `..Default::default()` lack it)
//!   removed     Template.readme: String; BREAKS readers (documents that select it fail)
//!
//! queries that do not validate:
//!   queries/save_template.graphql:14:5: Cannot query field "readme" on type "Template".
//! ```
//!
//! *Callers* are those who call an operation, *readers* those who read its answers, *writers* those
//! who fill in its inputs. A change that breaks somebody makes programs fail that run today; one
//! that asks to adapt matters when they are built anew.
//!
//! With `--check` it changes nothing, for a nightly CI, and exits with 1 when something changed or
//! queries no longer validate; with `--dry-run` it changes nothing and exits with 0. Exit code 1
//! without `--check` says that queries no longer validate, 2 that the arguments are wrong, 3 that
//! something could not be fetched, read or written.
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
#[cfg(feature = "regenerate")]
pub mod regenerate;
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
