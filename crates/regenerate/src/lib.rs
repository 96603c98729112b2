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
//! As a library it starts with [`Regenerate`].

mod alignment;
mod canonical;
mod change;
mod comparison;
mod diff;
mod error;
mod fetch;
mod findings;
mod outline;

pub use change::{Audience, Change, ChangeKind, Effect, Interface, Severity};
pub use comparison::Regenerate;
pub use error::Error;
pub use findings::{Document, Findings};
