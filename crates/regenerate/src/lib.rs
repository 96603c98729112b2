//! Update of `openapi/` and `schema/` from the service: fetches the current description and schema,
//! reports the changes and their effects, and writes the files in a canonical form.
//!
//! The program `podqueue-regenerate` is this library and a command line:
//!
//! ```sh
//! export PODQUEUE_API_KEY=…
//! podqueue-regenerate --rest https://rest.example/v1/openapi.json --graphql https://api.example/graphql
//! podqueue-regenerate --graphql https://api.example/graphql --check    # for a nightly CI job
//! ```
//!
//! It also writes the code of descriptions into a folder of a crate, where it is reviewed and
//! committed, and checks that it is up to date:
//!
//! ```sh
//! podqueue-regenerate --into src/generated openapi
//! podqueue-regenerate --into src/generated openapi --check
//! ```
//!
//! And it reports which values of the generated code are untyped, and why:
//!
//! ```sh
//! podqueue-regenerate --report openapi
//! ```
//!
//! As a library it starts with [`Regenerate`], [`Committed`] or [`UntypedReport`].

mod alignment;
mod canonical;
mod change;
mod committed;
mod comparison;
mod diff;
mod error;
mod fetch;
mod findings;
mod outline;
mod untyped;

pub use change::{Audience, Change, ChangeKind, Effect, Interface, Severity};
pub use committed::Committed;
pub use comparison::Regenerate;
pub use error::Error;
pub use findings::{Document, Findings};
pub use untyped::UntypedReport;
