//! Brings `openapi/` and `schema/` up to date with the service: fetches what is current, reports
//! what changed and whom it breaks, and writes it in a stable form.
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

mod align;
mod changes;
mod compare;
mod failure;
mod fetch;
mod findings;
mod judge;
mod outline;
mod paths;
mod report;
mod stable;
mod words;

pub use changes::{Change, Effect, Interface, Severity, What, Who};
pub use compare::Regenerate;
pub use failure::Failure;
pub use findings::{Document, Findings};
